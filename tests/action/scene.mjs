// The fixtures of the tests of the action: a job's folders, files with and without findings, a mock program that records how it
// is called, and a server with releases.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readAction, run } from "./composite.mjs";

/// The repository's root and the built program, from the environment.
export const root = process.env.SUNDOWN_ROOT;
export const program = process.env.SUNDOWN_PROGRAM;
export const action = readAction(root);
export const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m)[1];

// Removed long ago, so that every day finds it. The operation is in the envelope.
export const FINDING =
  '{"method":"POST","url":"/rest/api/v1/editanswer","response":{"status":200,"body":{"boardId":1}}}\n';
export const NO_FINDING =
  '{"method":"POST","url":"/rest/api/v1/editanswer","response":{"status":200,"body":{"id":1}}}\n';

const folders = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/// A new job with these files in its workspace.
export function job(files = {}) {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  folders.push(folder);
  for (const name of ["workspace", "temp", "home"]) mkdirSync(join(folder, name));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, "workspace", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/// Writes a script and gives back its path.
export function script(folder, name, content) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/usr/bin/env bash\n${content}`);
  chmodSync(path, 0o755);
  return path;
}

/// A program that writes down the arguments of each call, and is sundown otherwise.
export function recorder(folder) {
  return script(folder, "bin/recorder", `printf '%s\\0' "$@" '' >>"$0.calls"\nexec "${program}" "$@"\n`);
}

/// The calls of a recorder, each a list of arguments; the one in which the installation tries it out is left out.
export function calls(path) {
  const written = readFileSync(`${path}.calls`, "utf8")
    .split("\0\0")
    .filter((call) => call);
  return written.map((call) => call.split("\0")).filter(([first]) => first !== "--version");
}

/// Runs the action with the recorder in place of an installed program.
export async function check(folder, inputs, settings) {
  const binary = recorder(folder);
  const ran = await run(action, folder, { binary, ...inputs }, settings);
  let called = [];
  try {
    called = calls(binary);
  } catch {
    /* it was never run */
  }
  return { ...ran, calls: called };
}

/// Runs the action without a program that is there already.
export const install = (folder, inputs, settings) => run(action, folder, inputs, settings);

/// The SARIF file of a run.
export const sarif = (ran) => JSON.parse(readFileSync(ran.outputs.sarif, "utf8"));

/// The commands that a run gave, by their kinds.
export const kinds = (ran) => ran.commands.map(({ kind }) => kind);

/// The search path, with a cargo in front that builds nothing.
export function withoutCargo(folder) {
  script(folder, "nothing/cargo", "exit 1\n");
  return `${folder}/nothing:${process.env.PATH}`;
}

/// All names below a folder.
export const names = (folder) => readdirSync(folder, { recursive: true });

/// A server of releases: `files` are what it has, by path; `asked` is what was wanted. Its certificate is known to `environment`.
export async function releases(folder, files) {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
      "-keyout",
      key,
      "-out",
      certificate,
    ],
    { stdio: "ignore" },
  );
  const asked = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    asked.push(request.url);
    const file = files[request.url];
    response.writeHead(file === undefined ? 404 : typeof file === "number" ? file : 200);
    response.end(typeof file === "number" ? "" : file);
  });
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  const github = { server_url: `https://localhost:${server.address().port}`, action_repository: "owner/action" };
  return { asked, github, environment: { CURL_CA_BUNDLE: certificate }, close: () => server.close() };
}

/// An archive of a program, as the release workflow packs it: its name and its bytes.
export function archive(folder, packed) {
  const called = ["x86_64-unknown-linux-musl", packed, join(folder, "dist")];
  const name = execFileSync(join(root, "scripts/release-archive.sh"), called, { encoding: "utf8" }).trim();
  return { name, bytes: readFileSync(join(folder, "dist", name)) };
}
