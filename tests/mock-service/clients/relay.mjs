// A relay in front of the mock service that logs each exchange with pino-http: one JSON value a line, the request's body
// as a nested value in `req.body`, the response's as a string in `res.body`.
// Usage: node relay.mjs PORT UPSTREAM_URL LOG_FILE

import { createServer, request } from "node:http";
import pino from "pino";
import pinoHttp from "pino-http";

const [port, upstream, logFile] = process.argv.slice(2);

const log = pinoHttp(
  {
    // Without a base of our own pino writes the machine's name into each line.
    base: { service: "relay" },
    serializers: {
      req: (req) => ({ ...req, body: req.raw.bodyForLog }),
      res: (res) => ({ ...res, body: res.raw.bodyForLog }),
    },
  },
  pino.destination({ dest: logFile, sync: true }),
);

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed(body) {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const isText = (headers) => /json|text|javascript/.test(headers["content-type"] ?? "");

function forward(incoming, body) {
  const { host, "accept-encoding": _, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = request(upstream + incoming.url, { method: incoming.method, headers }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function answerWith(res, answer, body) {
  const { "transfer-encoding": _, ...headers } = answer.headers;
  res.statusCode = answer.statusCode;
  // One by one: of headers given to writeHead pino-http would see nothing.
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.end(body);
}

async function relay(req, res) {
  const requestBody = await collect(req);
  req.bodyForLog = parsed(requestBody);
  // pino-http serializes the request at the first log call, so the body must be read before it.
  log(req, res);
  const answer = await forward(req, requestBody);
  const body = await collect(answer);
  if (isText(answer.headers)) res.bodyForLog = body.toString("utf8");
  answerWith(res, answer, body);
}

createServer(relay).listen(Number(port), "127.0.0.1");
