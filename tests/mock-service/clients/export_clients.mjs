// Writes the exchanges of a HAR as the files of API clients: Postman's by its collection SDK, Bruno's by its own
// serializer, the others by their published forms. Usage: export_clients.mjs HAR FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { Collection } = require('postman-collection');
const { jsonToBruV2, bruToJsonV2 } = require('@usebruno/lang');
const yaml = require('yaml');

const [har, folder] = process.argv.slice(2);
const entries = JSON.parse(readFileSync(har, 'utf-8')).log.entries;

const headersOf = (message) =>
  message.headers.filter(({ name }) => !/^(:|content-encoding|content-length|transfer-encoding|connection|host)/i.test(name));

function textOf({ text = '', encoding }) {
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf-8') : text;
}

const calls = entries.map(({ request, response }, index) => ({
  name: `${index}`.padStart(2, '0'),
  id: `req_${index}`,
  method: request.method,
  url: request.url,
  path: request.url.replace(/^https?:\/\/[^/]*/, ''),
  headers: headersOf(request),
  sent: textOf(request.postData ?? {}),
  status: response.status,
  answerHeaders: headersOf(response),
  answer: textOf(response.content),
}));
const base = new URL(entries[0].request.url).origin;

function write(name, text) {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

function postman() {
  const header = (headers) => headers.map(({ name, value }) => ({ key: name, value }));
  const item = calls.map((call) => {
    const request = {
      method: call.method,
      url: `{{base}}${call.path}`,
      header: header(call.headers),
      ...(call.sent && { body: { mode: 'raw', raw: call.sent, options: { raw: { language: 'json' } } } }),
    };
    const response = { name: 'saved', code: call.status, header: header(call.answerHeaders), body: call.answer, originalRequest: request };
    return { name: call.name, request, response: call.status ? [response] : [] };
  });
  const folders = [{ name: 'first', item: item.slice(0, 20) }, { name: 'second', item: [{ name: 'inner', item: item.slice(20) }] }];
  const collection = new Collection({ info: { name: 'stand-in' }, item: folders, variable: [{ key: 'base', value: base }] });
  write('postman/collection.json', JSON.stringify(collection.toJSON(), null, '\t'));
}

function insomnia() {
  const body = (call) => (call.sent ? { mimeType: 'application/json', text: call.sent } : {});
  const requests = calls.map((call) => ({
    _id: call.id,
    _type: 'request',
    parentId: 'wrk_1',
    name: call.name,
    url: `{{ _.base }}${call.path}`,
    method: call.method,
    body: body(call),
    parameters: [],
    headers: call.headers,
    authentication: {},
  }));
  const resources = [
    { _id: 'wrk_1', _type: 'workspace', name: 'stand-in' },
    { _id: 'env_1', _type: 'environment', parentId: 'wrk_1', name: 'Base', data: { base } },
    ...requests,
  ];
  const exported = { _type: 'export', __export_format: 4, __export_source: 'insomnia.desktop.app:v2023.5.8', resources };
  write('insomnia/v4.json', JSON.stringify(exported));
  const collection = calls.map((call) => ({
    url: `{{ _.base }}${call.path}`,
    name: call.name,
    meta: { id: call.id, isPrivate: false, sortKey: 0 },
    method: call.method,
    ...(call.sent && { body: body(call) }),
    headers: call.headers,
  }));
  const tree = {
    type: 'collection.insomnia.rest/5.0',
    name: 'stand-in',
    meta: { id: 'wrk_1' },
    collection: [...collection.slice(0, 20), { name: 'folder', meta: { id: 'fld_1' }, children: collection.slice(20) }],
    environments: { name: 'Base', meta: { id: 'env_1' }, data: { base } },
  };
  write('insomnia/v5.yaml', yaml.stringify(tree));
}

function bruno() {
  const pairs = (headers) => headers.map(({ name, value }) => ({ name, value, enabled: true }));
  for (const call of calls) {
    const [method, mode] = [call.method.toLowerCase(), call.sent ? 'json' : 'none'];
    const headers = pairs(call.headers);
    const example = {
      name: 'saved',
      request: { url: call.url, method, mode, headers, body: { mode, ...(call.sent && { json: call.sent }) } },
      response: {
        headers: pairs(call.answerHeaders),
        status: `${call.status}`,
        statusText: 'saved',
        body: { type: 'json', content: call.answer },
      },
    };
    const request = {
      meta: { name: call.name, type: 'http', seq: call.name },
      http: { method, url: call.url, body: mode, auth: 'none' },
      headers,
      body: call.sent ? { json: call.sent } : {},
      ...(call.status && { examples: [example] }),
    };
    const text = jsonToBruV2(request);
    if (call.sent && bruToJsonV2(text).body.json !== call.sent) {
      throw new Error(`Bruno reads another body than it wrote: ${call.name}`);
    }
    write(`bruno/${call.name}.bru`, text);
  }
}

// Control characters, which YAML allows only as escapes.
const toYaml = (value) =>
  yaml
    .stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 })
    .replace(/[\u007f-\u0084\u0086-\u009f]/g, (control) => `\\x${control.charCodeAt(0).toString(16)}`);

function openCollection() {
  const request = (call, url) => ({
    method: call.method,
    url,
    headers: call.headers,
    ...(call.sent && { body: { type: 'json', data: call.sent } }),
  });
  const response = (call) => ({
    status: call.status,
    statusText: 'saved',
    headers: call.answerHeaders,
    body: { type: 'json', data: call.answer },
  });
  const items = calls.map((call) => ({
    info: { name: call.name, type: 'http', seq: Number(call.name) },
    http: request(call, `{{base}}${call.path}`),
    settings: { encodeUrl: true, timeout: 0 },
    ...(call.status && { examples: [{ name: 'saved', request: request(call, call.url), response: response(call) }] }),
  }));
  const bundle = {
    opencollection: '1.0.0',
    info: { name: 'stand-in' },
    config: { environments: [{ name: 'Base', variables: [{ name: 'base', value: base }] }] },
    items: [...items.slice(0, 20), { info: { name: 'folder', type: 'folder' }, items: items.slice(20) }],
    bundled: true,
  };
  write('opencollection/bundle.yml', toYaml(bundle));
}

function keploy() {
  const header = (headers) => Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  const one = (call, index) => ({
    version: 'api.keploy.io/v1beta1',
    kind: 'Http',
    name: `test-${index + 1}`,
    spec: {
      metadata: {},
      req: {
        method: call.method,
        proto_major: 1,
        proto_minor: 1,
        url: call.url,
        header: header(call.headers),
        body: call.sent,
        timestamp: entries[index].startedDateTime,
      },
      resp: {
        status_code: call.status,
        header: header(call.answerHeaders),
        body: call.answer,
        status_message: 'saved',
        proto_major: 0,
        proto_minor: 0,
      },
      objects: [],
      assertions: { noise: { 'header.Date': [] } },
    },
  });
  write('keploy/mocks.yaml', calls.map((call, index) => toYaml(one(call, index))).join('---\n'));
}

function requests() {
  const one = (call) => {
    const headers = call.headers.map(({ name, value }) => `${name}: ${value}\n`).join('');
    return `### ${call.name}\n# @name r${call.name}\n${call.method} {{base}}${call.path} HTTP/1.1\n${headers}\n${call.sent}\n`;
  };
  write('http/requests.http', `@base = ${base}\n\n${calls.map(one).join('\n')}`);
}

function hurl() {
  const isJson = (text) => {
    try {
      return /^[[{]/.test(text) && JSON.parse(text) !== null;
    } catch {
      return false;
    }
  };
  const body = (text) => (text === '' ? '' : isJson(text) ? `${text.trimEnd()}\n` : `\`\`\`\n${text}\`\`\`\n`);
  const lines = (headers) => headers.map(({ name, value }) => `${name}: ${value.replace(/[\\#]/g, '\\$&')}\n`).join('');
  const one = (call, index) => {
    const { encoding, text } = entries[index].response.content;
    const answer = encoding === 'base64' ? `base64,${text};\n` : body(call.answer);
    const response = call.status ? `\nHTTP ${call.status}\n${lines(call.answerHeaders)}${answer}` : '';
    return `# ${call.name}\n${call.method} ${call.url}\n${lines(call.headers)}${body(call.sent)}${response}`;
  };
  write('hurl/requests.hurl', calls.map(one).join('\n'));
}

for (const writer of [postman, insomnia, bruno, openCollection, keploy, requests, hurl]) {
  writer();
}
