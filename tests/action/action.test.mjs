// The action, run as the service would run it: what it reports, when it fails, and that no input is ever obeyed.
// Called by scripts/validate-action.sh.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isBasicExpression } from "@actions/workflow-parser";
import { parse } from "yaml";
import { members } from "./composite.mjs";
import { FINDING, NO_FINDING, action, archive, check, install, job, names, program, releases, root, script } from "./scene.mjs";

const sarif = (ran) => JSON.parse(readFileSync(ran.outputs.sarif, "utf8"));
const kinds = (ran) => ran.commands.map(({ kind }) => kind);
const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m)[1];

test("where nothing is found the job passes, and the reports say so", async () => {
  const ran = await check(job({ "a.json": NO_FINDING }), {});
  assert(ran.success, ran.log);
  assert.deepEqual({ ...ran.outputs, sarif: "" }, { errors: "0", warnings: "0", notes: "0", sarif: "", "exit-code": "0" });
  assert.deepEqual(sarif(ran).runs[0].results, []);
  assert.deepEqual(kinds(ran), []);
  assert.notEqual(ran.summary, "");
  assert.equal(ran.written, "");
});

test("findings are annotated, summarised and uploaded before they make the job fail", async () => {
  const ran = await check(job({ "sub/a.json": FINDING, "b.json": NO_FINDING }), { "upload-sarif": "true" });
  assert(!ran.success);
  assert.deepEqual(ran.ran, ["Install sundown", "Check", "Upload to code scanning", "Gate"]);
  assert.equal(ran.calls.length, 1, "the check runs once");
  const [annotation, ...others] = ran.commands;
  assert.deepEqual(others, []);
  assert.equal(annotation.kind, "error");
  assert.equal(annotation.properties.file, "sub/a.json");
  assert.match(annotation.message, /boardId/);
  assert.match(ran.summary, /boardId/);
  assert.equal(sarif(ran).runs[0].results.length, 1);
  assert.deepEqual([ran.outputs.errors, ran.outputs["exit-code"]], ["1", "1"]);
  const [upload] = ran.used;
  assert.match(upload.uses, /^github\/codeql-action\/upload-sarif@/);
  assert.deepEqual(upload.with, { sarif_file: ran.outputs.sarif, category: "sundown", checkout_path: ran.steps.check.outputs.directory });
  assert.match(ran.lines.join("\n"), /errors: 1, warnings: 0/);
});

test("nothing is uploaded unless that is asked for", async () => {
  const ran = await check(job({ "a.json": FINDING }), {});
  assert.deepEqual(ran.used, []);
});

test("a job that must not fail on findings still counts them", async () => {
  const ran = await check(job({ "a.json": FINDING }), { "fail-on": "never" });
  assert(ran.success, ran.log);
  assert.deepEqual([ran.outputs.errors, ran.outputs["exit-code"]], ["1", "0"]);
});

test("a path that is missing fails the job even where findings do not, and the rest is reported", async () => {
  const ran = await check(job({ "a.json": FINDING }), { paths: "a.json\nmissing", "fail-on": "never" });
  assert(!ran.success);
  assert.deepEqual([ran.outputs.errors, ran.outputs["exit-code"]], ["1", "2"]);
  assert.equal(sarif(ran).runs[0].results.length, 1);
});

test("a check that cannot start fails the job, has no reports and uploads nothing", async () => {
  const ran = await check(job({ "a.json": FINDING }), { args: "--no-such-flag", "fail-on": "never", "upload-sarif": "true" });
  assert(!ran.success);
  assert.deepEqual(ran.outputs, { errors: "", warnings: "", notes: "", sarif: "", "exit-code": "2" });
  assert.deepEqual([ran.used, ran.summary], [[], ""]);
  assert.match(ran.lines.join("\n"), /no-such-flag/);
  assert.match(ran.commands.at(-1).message, /exit code 2/);
});

test("paths and arguments arrive one a line, as they stand", async () => {
  const args = ["--exclude", " two  spaces ", "--exclude=$(touch pwned)", '--exclude=";touch pwned;"', "--exclude=\\ \\n '*' ~ !x"];
  const paths = ["a.json", " b.json ", "-c.json", "--format=json", "*.json", "$HOME.json"];
  const files = Object.fromEntries(paths.map((path) => [path, FINDING]));
  const ran = await check(job(files), { args: `${args.join("\n")}\n\n`, paths: paths.join("\n"), "fail-on": "never" });
  assert(ran.success, ran.log);
  const [called] = ran.calls;
  const start = called.indexOf("--fail-on=never") + 1;
  assert.deepEqual(called.slice(start), [...args, "--", ...paths]);
  assert.equal(ran.outputs.errors, String(paths.length));
});

test("the configuration is found, or is the one that is named, and inputs win over it", async () => {
  const files = { "a.json": FINDING, "sundown.toml": 'fail-on = "never"\n', "-strict $x.toml": 'fail-on = "error"\n' };
  const passes = async (inputs) => (await check(job(files), inputs)).success;
  assert.equal(await passes({}), true);
  assert.equal(await passes({ config: "-strict $x.toml" }), false);
  assert.equal(await passes({ "fail-on": "error" }), false);
});

test("a configuration with a mistake fails the job, and the mistake is told", async () => {
  const ran = await check(job({ "a.json": NO_FINDING, "sundown.toml": "fial-on = 1\n" }), {});
  assert.deepEqual([ran.success, ran.outputs["exit-code"], ran.outputs.sarif], [false, "2", ""]);
  assert.match(ran.lines.join("\n"), /fial-on/);
});

test("inputs that are empty are no arguments", async () => {
  const ran = await check(job({ "a.json": NO_FINDING }), { paths: "", args: "", "fail-on": "" });
  const [called] = ran.calls;
  assert.equal(called.filter((argument) => argument !== "--format").length, 6);
  assert.deepEqual([called[0], called.at(-1)], ["check", "--"]);
});

// What somebody might get a workflow to hand over, each in every input.
const HOSTILE = ["$(touch pwned)", "`touch pwned`", '";touch pwned;"', "';touch pwned;'", "a\ntouch pwned\n", "a\n::error::pwned\n",
  "a\r::set-output name=errors::pwned", "x\nerrors=pwned\nexit-code=0", "<<EOF\npwned\nEOF", "${{ github.token }}", "%0A::error::pwned",
  "##[error]pwned", "-", "--", "-n", "--help", "..", "a b  c", "* ?", "~", "$HOME", "\u001b[31m", "\u0007", "|touch pwned", "&touch pwned&",
  "x\n::stop-commands::pwned", "::add-mask::a", "é\u202e", "=", "true\nx"];

for (const { id } of action.inputs) {
  test(`nothing in the input '${id}' is obeyed`, async () => {
    for (const text of HOSTILE) {
      const folder = job({ "a.json": NO_FINDING });
      const server = { github: { server_url: "https://127.0.0.1:9" }, environment: { PATH: withoutCargo(folder) } };
      const settings = ["install", "version", "sha256"].includes(id) ? { binary: "", install: "release" } : {};
      const ran = await check(folder, { ...settings, [id]: text }, server);
      const place = `${id}: ${JSON.stringify(text)}\n${ran.log}`;
      assert(!names(folder).some((name) => name.endsWith("pwned")), place);
      assert.equal(ran.written, "", place);
      assert.deepEqual(kinds(ran).filter((kind) => !["error", "warning", "notice", "group", "endgroup"].includes(kind)), [], place);
      assert(ran.commands.every(({ message, properties }) => message !== "pwned" && /^sundown/.test(properties.title ?? "sundown")), place);
      for (const name of ["errors", "warnings", "notes", "exit-code"]) assert.match(ran.outputs[name], /^\d*$/, place);
      assert(ran.calls.length <= 1, place);
      const known = ["program", "exit-code", "errors", "warnings", "notes", "sarif", "directory"];
      for (const { outputs } of Object.values(ran.steps)) assert.deepEqual(Object.keys(outputs).filter((name) => !known.includes(name)), [], place);
      const passed = { paths: called(ran, text), args: called(ran, text) };
      if (id in passed) assert(passed[id], place);
    }
  });
}

/// Whether each line of a text arrived as an argument of its own.
function called(ran, text) {
  const lines = text.split("\n").filter((line) => line);
  return lines.every((line) => ran.calls[0]?.includes(line));
}

/// The search path, with a cargo in front that builds nothing.
function withoutCargo(folder) {
  script(folder, "nothing/cargo", "exit 1\n");
  return `${folder}/nothing:${process.env.PATH}`;
}

test("an input that takes one of several words takes no other, and nothing is run", async () => {
  for (const [name, value] of [["fail-on", "Error"], ["fail-on", "error\nx"], ["upload-sarif", "yes"], ["upload-sarif", ""], ["install", "latest"]]) {
    const inputs = name === "install" ? { binary: "" } : {};
    const ran = await check(job({ "a.json": FINDING }), { ...inputs, [name]: value });
    assert(!ran.success);
    assert.deepEqual(ran.calls, []);
    assert.match(ran.commands[0].message, new RegExp(`the input '${name}' is `));
  }
});

test("hostile names of files in the workspace stay names", async () => {
  const hostile = ["%0A::error::pwned.json", "::error::pwned.json", "##[error]pwned.json", "$(touch pwned).json", "a\n::error::pwned.json",
    "a\r::error::pwned.json", "-x.json", "<b>pwned.json", "\u001b[31m.json", ",file=x::.json"];
  const folder = job(Object.fromEntries(hostile.flatMap((name) => [[`found/${name}`, FINDING], [`broken/${name}`, "{"]])));
  const ran = await check(folder, {});
  assert.equal(ran.outputs.errors, String(hostile.length));
  assert.equal(sarif(ran).runs[0].results.length, hostile.length);
  assert.deepEqual(kinds(ran).filter((kind) => !["error", "warning"].includes(kind)), []);
  assert(ran.commands.every(({ properties }) => /^sundown/.test(properties.title)), ran.log);
  assert(!names(folder).some((name) => name.endsWith("pwned")));
  assert.doesNotMatch(ran.summary, /^::/m);
});

test("what the program says of its own troubles is told and not obeyed", async () => {
  const folder = job();
  const said = ["::error::pwned", "##[error]pwned", "::stop-commands::x", "::sundown-1::", "no line end ::error::pwned"];
  const binary = script(folder, "bin/failing", `[ "$1" = --version ] || { printf '%s\\n' ${said.map((line) => `'${line}'`).join(" ")} >&2; exit 2; }\n`);
  const ran = await install(folder, { binary });
  assert(!ran.success);
  assert.deepEqual(kinds(ran), ["error"]);
  assert.match(ran.commands[0].message, /exit code 2/);
  for (const line of said) assert(ran.lines.includes(line), line);
});

test("a program that is not sundown never makes the job pass", async () => {
  const ran = await install(job({ "a.json": FINDING }), { binary: "/bin/true" });
  assert(!ran.success);
  assert.match(ran.commands[0].message, /no report/);
});

test("a program that dies makes the job fail", async () => {
  const folder = job();
  const binary = script(folder, "bin/dying", '[ "$1" = --version ] || kill -9 $$\n');
  const ran = await install(folder, { binary, "fail-on": "never" });
  assert(!ran.success);
  assert.equal(ran.outputs["exit-code"], "137");
});

test("all relative paths begin at the working directory", async () => {
  for (const inner of ["inner", "-", "--", "a b$(touch pwned)"]) {
    const folder = job({ [`${inner}/x/a.json`]: FINDING, "b.json": FINDING });
    script(join(folder, "workspace", inner), "tool", `exec "${program}" "$@"\n`);
    const ran = await install(folder, { "working-directory": inner, binary: "tool", paths: "x" });
    assert.deepEqual([ran.outputs.errors, ran.commands[0].properties.file], ["1", "x/a.json"], ran.log);
    assert.equal(ran.steps.check.outputs.directory, join(folder, "workspace", inner));
  }
  const ran = await check(job(), { "working-directory": "missing" });
  assert.match(ran.commands[0].message, /'working-directory' names no folder/);
});

test("a path that would end its line in an output file is refused, even if it is there", async () => {
  for (const name of ["a\nerrors=7", "a\rb", "a\u001b[31m"]) {
    const folder = job({ [`${name}/a.json`]: FINDING });
    const tool = script(join(folder, "workspace", name), "tool", `exec "${program}" "$@"\n`);
    for (const inputs of [{ binary: tool }, { binary: program, "working-directory": name }]) {
      const ran = await install(folder, inputs);
      assert.deepEqual([ran.success, ran.ran], [false, ["Install sundown"]]);
      assert.match(ran.commands[0].message, /takes one line/);
    }
  }
});

const sum = (bytes) => createHash("sha256").update(bytes).digest("hex");
const release = `/owner/action/releases/download/v${version}`;

/// A small program that is sundown: the real one takes long to pack.
const sundown = (folder) => script(folder, "packed/sundown", `exec "${program}" "$@"\n`);

/// A job, an archive of the program and a server that has it with the sums given.
async function released(sums, packed) {
  const folder = job({ "a.json": FINDING });
  const { name, bytes } = archive(folder, (packed ?? sundown)(folder));
  const files = { [`${release}/${name}`]: bytes };
  if (sums) files[`${release}/SHA256SUMS`] = sums(name, bytes);
  const server = await releases(folder, files);
  return { folder, name, bytes, files, server };
}

test("a release is downloaded, its sum is checked, and it runs", async () => {
  for (const format of [(name, bytes) => `${sum(bytes)}  ${name}\n`, (name, bytes) => `${"0".repeat(64)} *other\n${sum(bytes)} *${name}\n`]) {
    const { folder, name, server } = await released(format);
    const ran = await install(folder, {}, server);
    server.close();
    assert.deepEqual([ran.outputs.errors, ran.outputs["exit-code"]], ["1", "1"], ran.log);
    assert.deepEqual(server.asked, [`${release}/${name}`, `${release}/SHA256SUMS`]);
  }
});

test("a sum that is given is the only one that counts", async () => {
  const { folder, name, bytes, server } = await released((name) => `${"0".repeat(64)}  ${name}\n`);
  const ran = await install(folder, { version, sha256: sum(bytes).toUpperCase() }, server);
  server.close();
  assert.equal(ran.outputs.errors, "1", ran.log);
  assert.deepEqual(server.asked, [`${release}/${name}`]);
});

test("a wrong sum stops before anything of the archive is unpacked or run", async () => {
  const trap = (folder) => script(folder, "packed/sundown", `touch "${folder}/pwned"\n`);
  const wrong = [
    [{}, (name) => `${"0".repeat(64)}  ${name}\n`], [{}, (name, bytes) => `${sum(bytes)}  other-${name}\n`], [{}, () => ""],
    [{}, (name, bytes) => `${sum(bytes).slice(1)}  ${name}\n`], [{}, null], [{ sha256: "0".repeat(64) }, (name, bytes) => `${sum(bytes)}  ${name}\n`],
  ];
  for (const [inputs, sums] of wrong) {
    const { folder, server } = await released(sums, trap);
    const path = withoutCargo(folder);
    const ran = await install(folder, inputs, { ...server, environment: { ...server.environment, PATH: path } });
    server.close();
    assert(!ran.success);
    assert.deepEqual(ran.ran, ["Install sundown"]);
    assert.match(ran.commands.at(-1).message, /SHA-256|SHA256SUMS/);
    assert(!existsSync(`${folder}/pwned`));
    assert(!names(join(folder, "temp")).some((name) => name.endsWith("/sundown")), "the archive was unpacked");
  }
});

/// A cargo that writes down its calls, where it ran, and installs the program.
function cargo(folder) {
  const calls = join(folder, "cargo.calls");
  script(folder, "cargo-bin/cargo", `printf '%s\\n' "$PWD" "$@" >"${calls}"\nwhile [ "$1" != --root ]; do shift; done\nmkdir -p "$2/bin"\ncp "${program}" "$2/bin/sundown"\n`);
  return { calls, PATH: `${folder}/cargo-bin:${process.env.PATH}` };
}

test("cargo builds the action's own source, away from the workspace, where no release is there", async () => {
  for (const [inputs, runner] of [[{}, {}], [{ install: "cargo" }, {}], [{}, { arch: "RISCV64" }]]) {
    const folder = job({ "a.json": FINDING, ".cargo/config.toml": "[build]\nrustc = \"/workspace/pwned\"\n" });
    const server = await releases(folder, {});
    const { calls, PATH } = cargo(folder);
    const ran = await install(folder, inputs, { ...server, environment: { ...server.environment, PATH }, runner });
    server.close();
    assert.equal(ran.outputs.errors, "1", ran.log);
    const [where, ...called] = readFileSync(calls, "utf8").split("\n");
    assert.equal(where, root);
    assert(called.includes("--locked") && called.includes("install"));
    assert.equal(server.asked.length, Object.keys(inputs).length + Object.keys(runner).length > 0 ? 0 : 1);
  }
});

test("cargo never builds in place of a release that was asked for, or that could not be read", async () => {
  const other = { version: "9.9.9" };
  for (const [inputs, status] of [[{ install: "release" }, 404], [other, 404], [{ sha256: "0".repeat(64) }, 404], [{}, 403]]) {
    const { folder, name, files, server } = await released(null);
    files[`${release}/${name}`] = status;
    const { calls, PATH } = cargo(folder);
    const ran = await install(folder, inputs, { ...server, environment: { ...server.environment, PATH } });
    server.close();
    assert(!ran.success);
    assert(!existsSync(calls));
    assert.match(ran.commands[0].message, /no release|403/);
  }
});

test("a server whose certificate is not known is not believed", async () => {
  const { folder, server } = await released((name, bytes) => `${sum(bytes)}  ${name}\n`);
  const ran = await install(folder, {}, { github: server.github, environment: { PATH: withoutCargo(folder) } });
  server.close();
  assert(!ran.success);
  assert.match(ran.commands[0].message, /could not be downloaded/);
});

test("inputs that contradict each other are refused", async () => {
  const binary = program;
  for (const inputs of [{ binary, version }, { binary, install: "cargo" }, { install: "cargo", version }, { install: "cargo", sha256: "0".repeat(64) }]) {
    const ran = await install(job(), inputs);
    assert.deepEqual([ran.success, ran.ran.length], [false, 1]);
    assert.match(ran.commands[0].message, /leave out/);
  }
});

test("a program that is there already has the sum that is given, or is not run", async () => {
  const right = sum(readFileSync(program));
  const ran = await install(job({ "a.json": NO_FINDING }), { binary: program, sha256: right });
  assert(ran.success, ran.log);
  const first = right.startsWith("0") ? "1" : "0";
  const wrong = await install(job(), { binary: program, sha256: first + right.slice(1) });
  assert.match(wrong.commands[0].message, /SHA-256/);
});

test("no script holds an expression, every input is used, and other actions are pinned", () => {
  const used = new Set();
  for (const step of action.steps) {
    if (step.run) assert(!isBasicExpression(step.run), step.name);
    else assert.match(action.content, new RegExp(`uses: ${step.uses.value.split("@")[0]}@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+\n`));
    for (const [name, token] of [...members(step.env), ...members(step.with)]) {
      for (const [, input] of token.toString().matchAll(/inputs\.([a-z0-9-]+)/g)) {
        used.add(input);
        if (step.run) assert.equal(name, `INPUT_${input.replaceAll("-", "_").toUpperCase()}`);
      }
    }
  }
  assert.deepEqual([...used].sort(), action.inputs.map(({ id }) => id).sort());
});

test("the project's own workflow expects what the program finds", async () => {
  const workflow = parse(readFileSync(join(root, ".github/workflows/ci.yml"), "utf8"));
  const [, { with: { install: _, ...inputs } }, { run: comparison }] = workflow.jobs.action.steps;
  const captures = { [inputs.paths]: readFileSync(join(root, inputs.paths)) };
  const ran = await check(job(captures), inputs);
  const { errors, warnings, notes } = ran.outputs;
  assert(comparison.includes(`= "${errors} ${warnings} ${notes}"`), `${comparison} but found ${errors} ${warnings} ${notes}`);
  assert(ran.success);
});

test("the documentation lists the inputs and outputs that there are", () => {
  const page = readFileSync(join(root, "docs/github-action.md"), "utf8");
  const rows = (heading) => page.split(`\n## ${heading}\n`)[1].split("\n## ")[0].split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|").map((cell) => cell.trim()));
  assert.deepEqual(rows("Inputs").map(([, name]) => name), action.inputs.map(({ id }) => `\`${id}\``));
  const defaults = action.inputs.map((input) => input.default.toString());
  assert.deepEqual(rows("Inputs").map(([, , value]) => value), defaults.map((value) => (value ? `\`${value}\`` : "")));
  assert.deepEqual(rows("Outputs").map(([, name]) => name), action.outputs.map(({ id }) => `\`${id}\``));
});
