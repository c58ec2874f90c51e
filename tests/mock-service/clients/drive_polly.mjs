// Records the calls of calls.ndjson with Polly.js, whose recordings are HAR files.
// Usage: node drive_polly.mjs FOLDER

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Polly } from "@pollyjs/core";
import FetchAdapter from "@pollyjs/adapter-fetch";
import FSPersister from "@pollyjs/persister-fs";

Polly.register(FetchAdapter);
Polly.register(FSPersister);

const folder = process.argv[2];
const polly = new Polly("standin", {
  adapters: ["fetch"],
  adapterOptions: { fetch: { context: globalThis } },
  persister: "fs",
  persisterOptions: { fs: { recordingsDir: join(folder, "polly") } },
  recordIfMissing: true,
  recordFailedRequests: true,
});
for (const line of readFileSync(join(folder, "calls.ndjson"), "utf8").split("\n").filter(Boolean)) {
  const { method, url, headers, body } = JSON.parse(line);
  const response = await fetch(url, { method, headers, body });
  await response.arrayBuffer();
}
await polly.stop();
