// Checks rdjsonl with a validator of the format, and workflow commands with GitHub's own toolkit: each command is parsed by the
// runner's rules, and the toolkit must write the same line for the same content (called by validate-reports.sh).

import assert from "node:assert";
import { readFileSync } from "node:fs";
import * as core from "@actions/core";
import { RDFormatValidator } from "@umbrelladocs/rdformat-validator";

const folder = process.argv[2];
const lines = (name) => readFileSync(`${folder}/${name}`, "utf8").split("\n").filter((line) => line);
const validator = new RDFormatValidator({ strictMode: true, allowExtraFields: false });

function diagnostics(name) {
  const findings = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")).findings;
  const all = lines(`${name}.rdjsonl`);
  for (const line of all) {
    const verdict = validator.validateObject(JSON.parse(line));
    assert(verdict.valid, `${JSON.stringify(verdict.errors)}: ${line}`);
  }
  assert(all.length >= findings.length);
  assert.equal(all.some((line) => JSON.parse(line).suggestions), name === "suggestions");
  console.log(`rdjsonl: ${name}: ${all.length} diagnostics`);
}

// The runner's unescaping, in its order (ActionCommand.cs).
const data = (text) => text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
const property = (text) => data(text.replaceAll("%3A", ":").replaceAll("%2C", ","));

/// The command of a line, or null: `::` at its start, or `##[` anywhere.
function command(line) {
  assert(!line.includes("##["), line);
  if (!line.trimStart().startsWith("::")) return null;
  const [, head, message] = line.trimStart().match(/^::(.*?)::(.*)$/s);
  const [kind, ...rest] = head.split(" ");
  const pairs = rest.join(" ").split(",").filter((pair) => pair).map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), property(pair.slice(at + 1))];
  });
  return { kind, properties: Object.fromEntries(pairs), message: data(message) };
}

/// The line that the toolkit writes for the command.
function written({ kind, properties, message }) {
  let text = "";
  const write = process.stdout.write;
  process.stdout.write = (piece) => ((text += piece), true);
  try {
    const { title, file, line, endLine, col, endColumn } = properties;
    const said = { title, file, startLine: line, endLine, startColumn: col, endColumn };
    const makers = {
      error: () => core.error(message, said),
      warning: () => core.warning(message, said),
      notice: () => core.notice(message, said),
      group: () => core.startGroup(message),
      endgroup: () => core.endGroup(),
    };
    makers[kind]();
  } finally {
    process.stdout.write = write;
  }
  return text.trimEnd();
}

// File names are reported with commands made visible.
const spelled = (text) => text.replace(/\\u\{([0-9a-f]+)\}/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));

// GitHub accepts columns only for a range within one line.
const isColumn = ({ line, endLine = line, col }, column) => (endLine === line ? String(column) === col : col === undefined);

function commands(name) {
  const report = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
  const counts = { error: 0, warning: 0, notice: 0 };
  for (const line of lines(`${name}.github`)) {
    const said = command(line);
    if (!said) continue;
    assert.equal(written(said), line);
    if (said.kind in counts) counts[said.kind] += 1;
    if (said.properties.file && said.properties.title !== "sundown: could not be checked") {
      const found = report.findings.some((finding) => finding.file === spelled(said.properties.file) &&
        String(finding.line) === said.properties.line && isColumn(said.properties, finding.column) &&
        said.message.startsWith(finding.message));
      assert(found, `no finding: ${line}`);
    }
  }
  for (const count of Object.values(counts)) assert(count <= 10, JSON.stringify(counts));
  console.log(`github: ${name}: ${JSON.stringify(counts)}`);
}

for (const name of ["captures", "hostile", "many", "nothing", "suggestions"]) {
  diagnostics(name);
  commands(name);
}
const broken = JSON.parse(lines("captures.rdjsonl")[0]);
broken.location.range.start.line = 0;
assert(!validator.validateObject(broken).valid, "the validator of rdjsonl accepts anything");
assert.notEqual(written(command("::error title=a:b::x%y")), "::error title=a:b::x%y");
