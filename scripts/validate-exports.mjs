// Opens bodies in the language services for JSON and YAML with the schema that `sundown rules export --format json-schema` writes:
// they must mark what `sundown check` finds, and nothing else (called by validate-exports.sh).

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { getLanguageService as jsonService } from "vscode-json-languageservice";
import * as yaml from "yaml-language-server";
import { TextDocument } from "vscode-languageserver-textdocument";

const folder = process.argv[2];
const schema = JSON.parse(readFileSync(`${folder}/bodies.schema.json`, "utf8"));
const body = readFileSync(`${folder}/body.json`, "utf8");
const lines = readFileSync(`${folder}/body.ndjson`, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const findings = lines.filter(({ type }) => type === "finding");

// The places of the marks, by line and column as reports count them.
const places = (diagnostics) => diagnostics.map(({ range }) => `${range.start.line + 1}:${range.start.character + 1}`).sort();
const expected = [...new Set(findings.map(({ line, column }) => `${line}:${column}`))].sort();
assert(expected.length === 5, "the body uses several elements");

const json = jsonService({});
json.configure({ validate: true, schemas: [{ uri: "bodies.schema.json", fileMatch: ["*.json"], schema }] });
const document = TextDocument.create("file:///body.json", "json", 1, body);
const marked = await json.doValidation(document, json.parseJSONDocument(document));
assert.deepEqual(places(marked), expected, JSON.stringify(marked, null, 1));
for (const { message, severity } of marked) {
  assert(severity === 2 && /is deprecated: .*(last day|announced|use)/.test(message), message);
}
console.log(`vscode-json-languageservice: marks: ${marked.length} of ${expected.length} elements`);

// JSON is YAML, too.
const service = yaml.getLanguageService({
  schemaRequestService: async () => JSON.stringify(schema),
  workspaceContext: { resolveRelativePath: (path) => path },
  yamlSettings: {},
});
service.configure({ validate: true, customTags: [], schemas: [{ uri: "file:///bodies.schema.json", fileMatch: ["*.yaml"], schema }] });
const twin = TextDocument.create("file:///body.yaml", "yaml", 1, body);
const marks = await service.doValidation(twin, false);
assert.deepEqual(places(marks), expected, JSON.stringify(marks, null, 1));
console.log(`yaml-language-server: marks: ${marks.length} of ${expected.length} elements`);
