// Serves the application and a stand-in for its API, uses it in headless Chromium, and writes what happened as an HTTP archive.
// Usage: node record.mjs ARCHIVE
//
// Playwright's own `recordHar` leaves out who initiated a request. So the archive is written here, in the form in which Chrome's
// developer tools export one: `_initiator` is the object that the Chrome DevTools Protocol reports, unchanged.
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const folder = new URL("dist/", import.meta.url);
const types = { html: "text/html", js: "text/javascript", map: "application/json" };

/** Answers like the API: it still accepts the deprecated field. */
function answer(url, body) {
  if (url === "/rest/api/v1/createannouncement") {
    return { id: 17, title: body.title, startTime: body.startTime, endTime: body.endTime, draftId: 17 };
  }
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const found = request.method === "POST" && answer(request.url, JSON.parse(Buffer.concat(chunks)));
  if (found) {
    response.setHeader("Content-Type", "application/json");
    return response.end(JSON.stringify(found));
  }
  const name = request.url === "/" ? "index.html" : request.url.slice(1);
  try {
    const content = await readFile(new URL(name, folder));
    response.setHeader("Content-Type", types[name.split(".").pop()] ?? "application/octet-stream");
    response.end(content);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});

/** The header fields of a message, as an archive lists them. */
function fields(headers) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

/** Collects the requests of a page, and turns them into entries. */
class Recorder {
  #requests = new Map();

  constructor(session) {
    session.on("Network.requestWillBeSent", (event) => this.#requests.set(event.requestId, event));
    session.on("Network.responseReceived", ({ requestId, response }) => {
      this.#requests.get(requestId).received = response;
    });
    this.session = session;
  }

  async #entry({ requestId, request, initiator, wallTime, type, received }) {
    const { body, base64Encoded } = await this.session.send("Network.getResponseBody", { requestId });
    const { requestId: _, ...shown } = initiator;
    const post = request.postData && {
      postData: { mimeType: request.headers["Content-Type"] ?? "", text: request.postData },
    };
    return {
      _initiator: shown,
      _resourceType: type.toLowerCase(),
      startedDateTime: new Date(wallTime * 1000).toISOString(),
      time: 0,
      request: {
        method: request.method,
        url: request.url,
        httpVersion: received.protocol,
        headers: fields(request.headers),
        queryString: [],
        cookies: [],
        headersSize: -1,
        bodySize: Buffer.byteLength(request.postData ?? ""),
        ...post,
      },
      response: {
        status: received.status,
        statusText: received.statusText,
        httpVersion: received.protocol,
        headers: fields(received.headers),
        cookies: [],
        content: {
          size: Buffer.byteLength(body, base64Encoded ? "base64" : "utf8"),
          mimeType: received.mimeType,
          text: body,
          ...(base64Encoded && { encoding: "base64" }),
        },
        redirectURL: "",
        headersSize: -1,
        bodySize: -1,
      },
      cache: {},
      timings: { send: -1, wait: -1, receive: -1 },
    };
  }

  async archive(version) {
    const sent = [...this.#requests.values()].filter(({ received, type }) => received && type !== "Document");
    const entries = [];
    for (const event of sent) {
      entries.push(await this.#entry(event));
    }
    const creator = { name: "sundown's examples/web-app", version: "1" };
    return { log: { version: "1.2", creator, browser: { name: "Chromium", version }, pages: [], entries } };
  }
}

const port = Number(process.env.WEB_APP_PORT ?? 18090);
await new Promise((listening) => server.listen(port, "127.0.0.1", listening));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage();
const session = await page.context().newCDPSession(page);
const recorder = new Recorder(session);
await session.send("Network.enable");
// Chrome's developer tools ask for the stacks of asynchronous calls, too.
await session.send("Debugger.enable");
await session.send("Debugger.setAsyncCallStackDepth", { maxDepth: 32 });
await page.goto(`http://127.0.0.1:${port}/`);
await page.click("#publish");
await page.waitForFunction(() => document.querySelector("#status").value.startsWith("Published"));
const archive = await recorder.archive(browser.version());
await writeFile(process.argv[2], `${JSON.stringify(archive, null, 2)}\n`);
await browser.close();
server.close();
