-- Edits a file in Neovim with `sundown lsp`: waits for the findings, reads about one, and applies its edit.
-- Usage: nvim --clean -l scripts/validate-editors.lua PROGRAM FOLDER
local program, folder = arg[1], arg[2]

local function wait(what, condition)
  assert(vim.wait(30000, condition, 20), what)
end

local function findings()
  return vim.diagnostic.get(0)
end

vim.lsp.config('sundown', {
  cmd = { program, 'lsp', '--as-of', '2026-11-20' },
  filetypes = { 'http' },
  root_markers = { 'sundown.toml' },
})
vim.lsp.enable('sundown')
vim.cmd.edit(folder .. '/order.http')
vim.bo.filetype = 'http'

wait('the findings do not come', function() return #findings() == 2 end)
local first = findings()[1]
assert(first.code == 'orders-customer' and first.lnum == 3 and first.col == 15, vim.inspect(first))
assert(first._tags.deprecated, 'the finding is not marked as deprecated')

vim.api.nvim_win_set_cursor(0, { 4, 18 })
local client = vim.lsp.get_clients({ name = 'sundown' })[1]
local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
local answer = client:request_sync('textDocument/hover', params, 30000)
assert(answer.result.contents.value:find('customerId', 1, true), 'the hover does not say what to use')

vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })
wait('the edit is not made', function() return vim.fn.getline(4):find('"customerId"', 1, true) end)
wait('the finding stays', function() return #findings() == 1 end)
vim.cmd("silent write")

vim.lsp.enable('sundown', false)
wait('the server does not end', function() return client:is_stopped() end)
