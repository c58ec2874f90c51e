// Drives the mock service with Node's built-in fetch, which knows no proxies: BASE_URL is the mock service itself, a reverse
// proxy or a relay. Marker numbers 300 to 399.
// Usage: node drive_fetch.mjs BASE_URL

const base = process.argv[2];
const tokens = { client: "made-up-token-client-4b1d", index: "made-up-token-index-77ce" };

async function send(kind, method, path, body, headers = {}) {
  const authorization = `Bearer ${tokens[kind]}`;
  const response = await fetch(base + path, {
    method,
    headers: { authorization, "content-type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  await response.arrayBuffer();
}

const question = (text) => [{ author: "USER", fragments: [{ text }] }];

await send("client", "POST", "/rest/api/v1/insights", { categories: ["CONTENT"], departments: ["Café"] });
await send("client", "POST", "/rest/api/v1/editanswer?locale=fr", { id: 12, boardId: "planted-300", data: { boardId: "alive-301" } });
await send(
  "client",
  "POST",
  "/rest/api/v1/chat",
  {
    messages: [
      ...question("¿Dónde? 🗺️"),
      { author: "GLEAN_AI", fragments: [{ text: "Aquí." }], citations: [{ sourceDocument: { id: "planted-310" } }] },
    ],
    inclusions: { containerSpecs: [], customData: { citations: "alive-311" } },
    stream: true,
  },
  { accept: "application/x-ndjson" },
);
await send("client", "POST", "/rest/api/v1/getdocuments", { documentSpecs: [{ id: "GDRIVE_1" }] });
await send("client", "POST", "/rest/api/v1/people", { obfuscatedIds: ["a1b2c3"] });
await send("client", "POST", "/rest/api/v1/feed", { refreshType: "ON_OPEN", categories: ["EVENTS"] });
await send("client", "GET", "/rest/api/v1/governance/data/policies/9f0c5a52-3c1e-4a6b-8d57-1f2e3d4c5b6a");
await send("client", "POST", "/rest/api/v1/governance/data/findings/exports", { issueFilter: { datasources: ["alive-320"] } });
await send("index", "POST", "/api/index/v1/debug/wiki/status", {});
await send("index", "POST", "/api/index/v1/indexemployee?dryRun=true", { employee: { email: "ola@example.com", location: { city: "planted-330" } } });
await send("index", "POST", "/api/index/v1/%62ulkindexemployees/", { uploadId: "up-2", employees: [{ location: "planted-340", manager: { location: "alive-341" } }] });
