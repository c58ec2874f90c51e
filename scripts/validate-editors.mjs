// A session with `sundown lsp` over the protocol library of Visual Studio Code, which also says whether the answers have the types of
// the protocol. Usage: node validate-editors.mjs PROGRAM FOLDER
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import * as lsp from "vscode-languageserver-protocol/node";

const [program, folder] = process.argv.slice(2);
const server = spawn(program, ["lsp", "--stdio", "--as-of", "2026-11-20"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);
const shown = [];
connection.onNotification(lsp.ShowMessageNotification.type, (params) => shown.push(params.message));
connection.onError(([error]) => assert.fail(error));
connection.listen();

const uri = pathToFileURL(`${folder}/order.http`).href;
const textDocument = { uri };
const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: null,
  workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "shop" }],
  capabilities: { textDocument: { diagnostic: {} } },
});
assert.equal(capabilities.positionEncoding, lsp.PositionEncodingKind.UTF16);
await connection.sendNotification(lsp.InitializedNotification.type, {});

const text = readFileSync(`${folder}/order.http`, "utf8");
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
  textDocument: { uri, languageId: "http", version: 1, text },
});
const { kind, items } = await connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument });
assert.equal(kind, lsp.DocumentDiagnosticReportKind.Full);
assert.deepEqual(items.map((item) => item.code), ["orders-customer", "orders-total"]);
assert(items.every((item) => lsp.Diagnostic.is(item)));
assert.deepEqual(items[0].tags, [lsp.DiagnosticTag.Deprecated]);

const { range } = items[0];
const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: range.start });
assert(lsp.Hover.is(hover) && lsp.MarkupContent.is(hover.contents));

const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
  textDocument,
  range,
  context: { diagnostics: [items[0]] },
});
assert(actions.length === 3 && actions.every((action) => lsp.CodeAction.is(action)));
const document = lsp.TextDocument.create(uri, "http", 1, text);
const edited = lsp.TextDocument.applyEdits(document, actions[0].edit.changes[uri]);
assert.equal(edited, text.replace("customer", "customerId"));
await connection.sendRequest(lsp.ExecuteCommandRequest.type, actions[2].command);
assert.match(shown[0], /^orders-customer\n/);

const cancel = new lsp.CancellationTokenSource();
const cancelled = connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument }, cancel.token);
cancel.cancel();
// It may have been answered before.
await cancelled.catch((error) => assert.equal(error.code, lsp.LSPErrorCodes.RequestCancelled));

await connection.sendRequest(lsp.ShutdownRequest.type);
const ended = once(server, "exit");
await connection.sendNotification(lsp.ExitNotification.type);
assert.deepEqual(await ended, [0, null]);
process.exit(0);
