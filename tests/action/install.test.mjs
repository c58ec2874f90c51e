// Where the action takes the program from, and that it runs none that it should not. Run by scripts/validate-action.sh.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  FINDING,
  NO_FINDING,
  archive,
  install,
  job,
  names,
  program,
  releases,
  root,
  script,
  version,
  withoutCargo,
} from "./scene.mjs";

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
  for (const format of [
    (name, bytes) => `${sum(bytes)}  ${name}\n`,
    (name, bytes) => `${"0".repeat(64)} *other\n${sum(bytes)} *${name}\n`,
  ]) {
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
    [{}, (name) => `${"0".repeat(64)}  ${name}\n`],
    [{}, (name, bytes) => `${sum(bytes)}  other-${name}\n`],
    [{}, () => ""],
    [{}, (name, bytes) => `${sum(bytes).slice(1)}  ${name}\n`],
    [{}, null],
    [{ sha256: "0".repeat(64) }, (name, bytes) => `${sum(bytes)}  ${name}\n`],
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
  script(
    folder,
    "cargo-bin/cargo",
    `printf '%s\\n' "$PWD" "$@" >"${calls}"\nwhile [ "$1" != --root ]; do shift; done\nmkdir -p "$2/bin"\ncp "${program}" "$2/bin/sundown"\n`,
  );
  return { calls, PATH: `${folder}/cargo-bin:${process.env.PATH}` };
}

test("cargo builds the action's own source, away from the workspace, where no release is there", async () => {
  for (const [inputs, runner] of [
    [{}, {}],
    [{ install: "cargo" }, {}],
    [{}, { arch: "RISCV64" }],
  ]) {
    const folder = job({ "a.json": FINDING, ".cargo/config.toml": '[build]\nrustc = "/workspace/pwned"\n' });
    const server = await releases(folder, {});
    const { calls, PATH } = cargo(folder);
    const ran = await install(folder, inputs, { ...server, environment: { ...server.environment, PATH }, runner });
    server.close();
    assert.equal(ran.outputs.errors, "1", ran.log);
    const [where, ...called] = readFileSync(calls, "utf8").split("\n");
    assert.equal(where, root);
    assert(called.includes("--locked") && called.includes("install"));
    const asked = Object.keys(inputs).length + Object.keys(runner).length > 0 ? [] : ["archive", "SHA256SUMS"];
    assert.deepEqual(server.asked.map((path) => (path.endsWith("SHA256SUMS") ? "SHA256SUMS" : "archive")), asked);
  }
});

/// A Python whose pip writes down its calls and the requirements, and installs the program as a wheel does.
function pip(folder) {
  const calls = join(folder, "pip.calls");
  script(
    folder,
    "pip-bin/python3",
    `case " $* " in *" --version "*) exit 0;; esac
printf '%s\\n' "$PWD" "$@" >"${calls}"
cat requirements.txt >>"${calls}"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/bin"
cp "${program}" "$2/bin/sundown"
`,
  );
  return { calls, PATH: `${folder}/pip-bin:${process.env.PATH}` };
}

test("a wheel takes the place of an archive that is not there, with the sums of the release alone", async () => {
  const wheel = `${"1".repeat(64)}  sundown-${version}-py3-none-any.whl\n${"2".repeat(64)}  sundown-9.9.9-py3-none-any.whl\n`;
  for (const [inputs, sums, hash] of [
    [{}, wheel, "1"],
    [{ version }, wheel, "1"],
    [{ install: "wheel" }, wheel, "1"],
    [{ install: "wheel", sha256: "3".repeat(64) }, null, "3"],
  ]) {
    const folder = job({ "a.json": FINDING, "pip.py": "raise SystemExit(3)\n" });
    const server = await releases(folder, sums ? { [`${release}/SHA256SUMS`]: sums } : {});
    const { calls, PATH } = pip(folder);
    const ran = await install(folder, inputs, { ...server, environment: { ...server.environment, PATH } });
    server.close();
    assert.equal(ran.outputs.errors, "1", ran.log);
    const called = readFileSync(calls, "utf8");
    assert(called.startsWith(`${folder}/temp/`), "it reads nothing in the workspace");
    assert(called.includes("\n--require-hashes\n") && called.includes("\n--no-deps\n"), called);
    assert.match(called, new RegExp(`\nsundown==${version.replaceAll(".", "[.]")} --hash=sha256:${hash.repeat(64)} ?\n$`));
  }
});

test("without a sum, no wheel is installed", async () => {
  for (const sums of [null, "", `${"1".repeat(64)}  sundown-9.9.9-py3-none-any.whl\n`]) {
    const folder = job({ "a.json": FINDING });
    const server = await releases(folder, sums === null ? {} : { [`${release}/SHA256SUMS`]: sums });
    const { calls, PATH } = pip(folder);
    const ran = await install(folder, { install: "wheel" }, { ...server, environment: { ...server.environment, PATH } });
    server.close();
    assert(!ran.success);
    assert(!existsSync(calls));
    assert.match(ran.commands[0].message, /no wheel of this version with a sum/);
  }
});

test("cargo never builds in place of a release that was asked for, or that could not be read", async () => {
  const other = { version: "9.9.9" };
  for (const [inputs, status] of [
    [{ install: "release" }, 404],
    [other, 404],
    [{ sha256: "0".repeat(64) }, 404],
    [{}, 403],
  ]) {
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
  for (const inputs of [
    { binary, version },
    { binary, install: "cargo" },
    { install: "cargo", version },
    { install: "cargo", sha256: "0".repeat(64) },
  ]) {
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
