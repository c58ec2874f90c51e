// Nothing that the action is given is ever obeyed: no input, no name of a file, no word of the program. Run by
// scripts/validate-action.sh.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  FINDING,
  NO_FINDING,
  action,
  check,
  install,
  job,
  kinds,
  names,
  program,
  sarif,
  script,
  withoutCargo,
} from "./scene.mjs";

// What somebody might get a workflow to hand over, each in every input.
const HOSTILE = [
  "$(touch pwned)",
  "`touch pwned`",
  '";touch pwned;"',
  "';touch pwned;'",
  "a\ntouch pwned\n",
  "a\n::error::pwned\n",
  "a\r::set-output name=errors::pwned",
  "x\nerrors=pwned\nexit-code=0",
  "<<EOF\npwned\nEOF",
  "${{ github.token }}",
  "%0A::error::pwned",
  "##[error]pwned",
  "-",
  "--",
  "-n",
  "--help",
  "..",
  "a b  c",
  "* ?",
  "~",
  "$HOME",
  "\u001b[31m",
  "\u0007",
  "|touch pwned",
  "&touch pwned&",
  "x\n::stop-commands::pwned",
  "::add-mask::a",
  "é\u202e",
  "=",
  "true\nx",
];

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
      assert.deepEqual(
        kinds(ran).filter((kind) => !["error", "warning", "notice", "group", "endgroup"].includes(kind)),
        [],
        place,
      );
      assert(
        ran.commands.every(
          ({ message, properties }) => message !== "pwned" && /^sundown/.test(properties.title ?? "sundown"),
        ),
        place,
      );
      for (const name of ["errors", "warnings", "notes", "exit-code"]) assert.match(ran.outputs[name], /^\d*$/, place);
      assert(ran.calls.length <= 1, place);
      const known = ["program", "exit-code", "errors", "warnings", "notes", "sarif", "directory"];
      for (const { outputs } of Object.values(ran.steps))
        assert.deepEqual(
          Object.keys(outputs).filter((name) => !known.includes(name)),
          [],
          place,
        );
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

test("an input that takes one of several words takes no other, and nothing is run", async () => {
  for (const [name, value] of [
    ["fail-on", "Error"],
    ["fail-on", "error\nx"],
    ["upload-sarif", "yes"],
    ["upload-sarif", ""],
    ["install", "latest"],
  ]) {
    const inputs = name === "install" ? { binary: "" } : {};
    const ran = await check(job({ "a.json": FINDING }), { ...inputs, [name]: value });
    assert(!ran.success);
    assert.deepEqual(ran.calls, []);
    assert.match(ran.commands[0].message, new RegExp(`the input '${name}' is `));
  }
});

test("hostile names of files in the workspace stay names", async () => {
  const hostile = [
    "%0A::error::pwned.json",
    "::error::pwned.json",
    "##[error]pwned.json",
    "$(touch pwned).json",
    "a\n::error::pwned.json",
    "a\r::error::pwned.json",
    "-x.json",
    "<b>pwned.json",
    "\u001b[31m.json",
    ",file=x::.json",
  ];
  const folder = job(
    Object.fromEntries(
      hostile.flatMap((name) => [
        [`found/${name}`, FINDING],
        [`broken/${name}`, "{"],
      ]),
    ),
  );
  const ran = await check(folder, {});
  assert.equal(ran.outputs.errors, String(hostile.length));
  assert.equal(sarif(ran).runs[0].results.length, hostile.length);
  assert.deepEqual(
    kinds(ran).filter((kind) => !["error", "warning"].includes(kind)),
    [],
  );
  assert(
    ran.commands.every(({ properties }) => /^sundown/.test(properties.title)),
    ran.log,
  );
  assert(!names(folder).some((name) => name.endsWith("pwned")));
  assert.doesNotMatch(ran.summary, /^::/m);
});

test("errors of the program are printed and not obeyed as commands", async () => {
  const folder = job();
  const said = [
    "::error::pwned",
    "##[error]pwned",
    "::stop-commands::x",
    "::sundown-1::",
    "no line end ::error::pwned",
  ];
  const binary = script(
    folder,
    "bin/failing",
    `[ "$1" = --version ] || { printf '%s\\n' ${said.map((line) => `'${line}'`).join(" ")} >&2; exit 2; }\n`,
  );
  const ran = await install(folder, { binary });
  assert(!ran.success);
  assert.deepEqual(kinds(ran), ["error"]);
  assert.match(ran.commands[0].message, /exit code 2/);
  for (const line of said) assert(ran.lines.includes(line), line);
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
