// What the action reports, and when it makes the job fail. Run by scripts/validate-action.sh.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FINDING, NO_FINDING, check, install, job, kinds, program, sarif, script } from "./scene.mjs";

test("where nothing is found the job passes, and the reports say so", async () => {
  const ran = await check(job({ "a.json": NO_FINDING }), {});
  assert(ran.success, ran.log);
  assert.deepEqual(
    { ...ran.outputs, sarif: "" },
    { errors: "0", warnings: "0", notes: "0", sarif: "", "exit-code": "0" },
  );
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
  assert.deepEqual(upload.with, {
    sarif_file: ran.outputs.sarif,
    category: "sundown",
    checkout_path: ran.steps.check.outputs.directory,
  });
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
  const ran = await check(job({ "a.json": FINDING }), {
    args: "--no-such-flag",
    "fail-on": "never",
    "upload-sarif": "true",
  });
  assert(!ran.success);
  assert.deepEqual(ran.outputs, { errors: "", warnings: "", notes: "", sarif: "", "exit-code": "2" });
  assert.deepEqual([ran.used, ran.summary], [[], ""]);
  assert.match(ran.lines.join("\n"), /no-such-flag/);
  assert.match(ran.commands.at(-1).message, /exit code 2/);
});

test("paths and arguments arrive one a line, unchanged", async () => {
  const args = [
    "--exclude",
    " two  spaces ",
    "--exclude=$(touch pwned)",
    '--exclude=";touch pwned;"',
    "--exclude=\\ \\n '*' ~ !x",
  ];
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

test("a configuration with a mistake fails the job, and the mistake is reported", async () => {
  const ran = await check(job({ "a.json": NO_FINDING, "sundown.toml": "fial-on = 1\n" }), {});
  assert.deepEqual([ran.success, ran.outputs["exit-code"], ran.outputs.sarif], [false, "2", ""]);
  assert.match(ran.lines.join("\n"), /fial-on/);
});

test("with a baseline only new uses fail the job, and only they are counted", async () => {
  const folder = job({ "a.json": FINDING });
  const cwd = join(folder, "workspace");
  execFileSync(program, ["baseline", "a.json"], { cwd, stdio: "ignore" });
  const inputs = { paths: "a.json", args: "--baseline=sundown-baseline.json" };
  const known = await check(folder, inputs);
  assert.deepEqual([known.success, known.outputs.errors, kinds(known)], [true, "0", []], known.log);
  writeFileSync(join(cwd, "b.json"), FINDING);
  const added = await check(folder, { ...inputs, paths: "a.json\nb.json" });
  assert.deepEqual([added.success, added.outputs.errors], [false, "1"]);
  assert.deepEqual(
    added.commands.map(({ properties }) => properties.file),
    ["b.json"],
  );
});

test("only files that have changed are checked where that is asked for", async () => {
  const folder = job({ "a.json": FINDING });
  const cwd = join(folder, "workspace");
  const git = (...said) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...said], { cwd, encoding: "utf8" });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
  writeFileSync(join(cwd, "b.json"), FINDING);
  git("add", ".");
  git("commit", "--quiet", "--message=second");
  const args = `--changed-since=${git("rev-parse", "HEAD~1").trim()}`;
  const ran = await check(folder, { args });
  assert.deepEqual(
    ran.commands.map(({ properties }) => properties.file),
    ["b.json"],
    ran.log,
  );
  const unknown = await check(folder, { args: `--changed-since=${"0".repeat(40)}` });
  assert.deepEqual([unknown.success, unknown.outputs["exit-code"]], [false, "2"], unknown.log);
});

test("inputs that are empty are no arguments", async () => {
  const ran = await check(job({ "a.json": NO_FINDING }), { paths: "", args: "", "fail-on": "" });
  const [called] = ran.calls;
  assert.equal(called.filter((argument) => argument !== "--format").length, 6);
  assert.deepEqual([called[0], called.at(-1)], ["check", "--"]);
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
