//! Recordings of one call in every format, for tests of the encodings of bodies.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::packets::{Link, Talk, Version, pcap};

/// A body as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub bytes: Vec<u8>,
    pub media_type: &'static str,
    /// The value of `Content-Encoding`.
    pub coding: Option<&'static str>,
}

impl Sent {
    pub(crate) fn json(body: &str) -> Self {
        Self {
            bytes: body.as_bytes().to_vec(),
            media_type: "application/json",
            coding: None,
        }
    }

    pub(crate) fn with_bytes(&self, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            ..self.clone()
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let coding = self.coding.map(|coding| ("Content-Encoding", coding));
        [("Content-Type", self.media_type)]
            .into_iter()
            .chain(coding)
            .collect()
    }

    fn header_object(&self) -> Value {
        let members = self
            .headers()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)));
        Value::Object(members.collect())
    }

    fn header_list(&self) -> Value {
        let fields = self.headers().into_iter();
        Value::Array(
            fields
                .map(|(name, value)| json!({"name": name, "value": value}))
                .collect(),
        )
    }

    fn header_keys(&self) -> Value {
        let fields = self.headers().into_iter();
        Value::Array(
            fields
                .map(|(name, value)| json!({"key": name, "value": value}))
                .collect(),
        )
    }

    /// The body as people write it in a client, where two slashes begin a comment.
    fn text_of_client(&self) -> Option<&str> {
        self.text().filter(|text| !text.starts_with("//"))
    }

    /// The same in a format with lines, which cannot hold every character.
    fn line_of_client(&self) -> Option<&str> {
        self.text_of_client()
            .filter(|text| !text.contains(char::is_control))
    }

    fn header_lines(&self) -> String {
        self.headers()
            .iter()
            .flat_map(|(name, value)| [name, ": ", value, "\r\n"])
            .collect()
    }
}

type Writer = fn(&Sent) -> Option<String>;

type BinaryWriter = fn(&Sent) -> Option<Vec<u8>>;

fn pretty(value: &Value) -> String {
    serde_json::to_string(value).unwrap()
}

fn har(request: &Value, response: &Value) -> String {
    pretty(
        &json!({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [
            {"request": request, "response": response}
        ]}}),
    )
}

const HAR_CALL: &str = "https://h.test/orders";

pub(crate) fn har_request(sent: &Sent, data: &Value) -> String {
    let request =
        json!({"method": "POST", "url": HAR_CALL, "headers": sent.header_list(), "postData": data});
    har(
        &request,
        &json!({"status": 200, "headers": [], "content": {}}),
    )
}

pub(crate) fn har_response(sent: &Sent, content: &Value) -> String {
    let response = json!({"status": 200, "headers": sent.header_list(), "content": content});
    har(
        &json!({"method": "POST", "url": HAR_CALL, "headers": []}),
        &response,
    )
}

/// A text as a string of JSON and YAML, with escapes for what YAML does not allow.
fn in_ascii(text: &str) -> String {
    let literal = Value::from(text).to_string();
    let escaped = literal.chars().map(|character| match u32::from(character) {
        code @ 0x7F..=0xFFFF => format!("\\u{code:04x}"),
        _ => character.to_string(),
    });
    escaped.collect()
}

fn vcr(sent: &Sent, body: &str) -> String {
    let headers = sent.headers();
    let fields = headers
        .iter()
        .map(|(name, value)| format!("      {name}:\n      - '{value}'\n"));
    format!(
        "---\nhttp_interactions:\n- request:\n    method: post\n    uri: {HAR_CALL}\n    body:\n      encoding: UTF-8\n      {body}\n    headers:\n{}  response:\n    status:\n      code: 200\n      message: OK\n    headers: {{}}\n    body:\n      encoding: UTF-8\n      string: ''\n  recorded_at: Fri, 20 Nov 2026 00:00:00 GMT\nrecorded_with: VCR 6.1.0\n",
        fields.collect::<String>()
    )
}

fn vcrpy(sent: &Sent, body: &str) -> String {
    let headers = sent.headers();
    let fields = headers
        .iter()
        .map(|(name, value)| format!("      {name}:\n      - '{value}'\n"));
    format!(
        "interactions:\n- request:\n    body: null\n    headers: {{}}\n    method: POST\n    uri: {HAR_CALL}\n  response:\n    body:\n      string: {body}\n    headers:\n{}    status:\n      code: 200\n      message: OK\nversion: 1\n",
        fields.collect::<String>()
    )
}

fn charles(sent: &Sent, body: &Value) -> String {
    let request = json!({"mimeType": sent.media_type, "contentEncoding": sent.coding, "header": {"headers": sent.header_list()}, "body": body});
    pretty(
        &json!([{"status": "COMPLETE", "method": "POST", "scheme": "https", "host": "h.test", "path": "/orders", "query": null, "tunnel": false, "keptAlive": false, "durations": {"total": 9}, "totalSize": 9, "request": request, "response": {"status": 200, "header": {"headers": []}}}]),
    )
}

fn wiremock(request: &Value, response: &Value) -> String {
    let mut wanted = json!({"method": "POST", "urlPath": "/orders"});
    wanted
        .as_object_mut()
        .unwrap()
        .extend(request.as_object().unwrap().clone());
    let mut answer = json!({"status": 200});
    answer
        .as_object_mut()
        .unwrap()
        .extend(response.as_object().unwrap().clone());
    pretty(&json!({"mappings": [{"request": wanted, "response": answer}]}))
}

fn hoverfly(sent: &Sent, body: &str, is_encoded: bool) -> String {
    let headers = sent
        .headers()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!([value])));
    let headers = Value::Object(headers.collect());
    pretty(
        &json!({"data": {"pairs": [{"request": {"path": "/orders", "method": "POST", "destination": "h.test", "scheme": "https", "query": "", "body": "", "headers": {}}, "response": {"status": 200, "body": body, "encodedBody": is_encoded, "headers": headers}}]}, "meta": {"schemaVersion": "v1"}}),
    )
}

/// Recordings of one call by each format, and where they keep the body.
const TEXT_WRITERS: &[(&str, Writer)] = &[
    ("har", |sent| {
        Some(har_request(
            sent,
            &json!({"mimeType": sent.media_type, "text": sent.text()?}),
        ))
    }),
    ("har", |sent| {
        Some(har_request(
            sent,
            &json!({"text": BASE64.encode(&sent.bytes), "encoding": "base64"}),
        ))
    }),
    ("har", |sent| {
        Some(har_response(
            sent,
            &json!({"mimeType": sent.media_type, "text": sent.text()?}),
        ))
    }),
    ("har", |sent| {
        Some(har_response(
            sent,
            &json!({"text": BASE64.encode(&sent.bytes), "encoding": "base64"}),
        ))
    }),
    ("ndjson", |sent| {
        Some(pretty(
            &json!({"method": "POST", "url": HAR_CALL, "request": {"headers": sent.header_object(), "body": sent.text()?}}),
        ))
    }),
    ("ndjson", |sent| {
        Some(pretty(
            &json!({"method": "POST", "url": HAR_CALL, "status": 200, "response": {"headers": sent.header_object(), "body": sent.text()?}}),
        ))
    }),
    ("table", |sent| {
        let cells = [sent.header_object().to_string().as_str(), sent.text()?]
            .map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        Some(format!(
            "method,url,request_headers,request_body\nPOST,{HAR_CALL},{}\n",
            cells.join(",")
        ))
    }),
    ("vcr", |sent| {
        Some(vcr(sent, &format!("string: {}", in_ascii(sent.text()?))))
    }),
    ("vcr", |sent| {
        Some(vcr(
            sent,
            &format!("base64_string: {}", BASE64.encode(&sent.bytes)),
        ))
    }),
    ("vcrpy", |sent| Some(vcrpy(sent, &in_ascii(sent.text()?)))),
    ("vcrpy", |sent| {
        Some(vcrpy(
            sent,
            &format!("!!binary {}", BASE64.encode(&sent.bytes)),
        ))
    }),
    ("charles", |sent| {
        Some(charles(sent, &json!({"text": sent.text()?})))
    }),
    ("charles", |sent| {
        Some(charles(
            sent,
            &json!({"encoded": BASE64.encode(&sent.bytes)}),
        ))
    }),
    ("wiremock", |sent| {
        let body =
            json!({"base64Body": BASE64.encode(&sent.bytes), "headers": sent.header_object()});
        Some(wiremock(&json!({}), &body))
    }),
    ("wiremock", |sent| {
        let headers = sent.headers().into_iter();
        let headers = headers.map(|(name, value)| (name.to_owned(), json!({"equalTo": value})));
        let pattern = json!({"binaryEqualTo": BASE64.encode(&sent.bytes)});
        Some(wiremock(
            &json!({"headers": Value::Object(headers.collect()), "bodyPatterns": [pattern]}),
            &json!({}),
        ))
    }),
    ("hoverfly", |sent| Some(hoverfly(sent, sent.text()?, false))),
    ("hoverfly", |sent| {
        Some(hoverfly(sent, &BASE64.encode(&sent.bytes), true))
    }),
    ("json", |sent| {
        Some(pretty(
            &json!({"method": "POST", "url": HAR_CALL, "request": {"headers": sent.header_object(), "body": sent.text()?}}),
        ))
    }),
    ("json", |sent| {
        Some(pretty(
            &json!([{"method": "POST", "url": HAR_CALL, "isBase64Encoded": true, "headers": sent.header_object(), "body": BASE64.encode(&sent.bytes)}]),
        ))
    }),
    ("yaml-records", |sent| {
        let headers = sent.headers();
        let fields = headers
            .iter()
            .map(|(name, value)| format!("    {name}: '{value}'\n"));
        Some(format!(
            "request:\n  method: POST\n  url: {HAR_CALL}\n  headers:\n{}  body: {}\nresponse:\n  status: 200\n",
            fields.collect::<String>(),
            in_ascii(sent.text()?)
        ))
    }),
    ("go-vcr", |sent| Some(go_vcr(sent, &in_ascii(sent.text()?)))),
    ("pact", |sent| {
        Some(pact(sent, "3.0.0", &json!(sent.text()?)))
    }),
    ("pact", |sent| {
        let content =
            json!({"content": sent.text()?, "contentType": sent.media_type, "encoded": false});
        Some(pact(sent, "4.0", &content))
    }),
    ("pact", |sent| {
        let content = json!({"content": BASE64.encode(&sent.bytes), "contentType": sent.media_type, "encoded": "base64"});
        Some(pact(sent, "4.0", &content))
    }),
    ("postman", |sent| {
        let body = json!({"mode": "raw", "raw": sent.text_of_client()?});
        Some(postman(
            &json!({"method": "POST", "url": HAR_CALL, "header": sent.header_keys(), "body": body}),
            &json!([]),
        ))
    }),
    ("postman", |sent| {
        let answer = json!({"name": "x", "code": 200, "header": sent.header_keys(), "body": sent.text_of_client()?});
        Some(postman(
            &json!({"method": "POST", "url": HAR_CALL}),
            &json!([answer]),
        ))
    }),
    ("insomnia", |sent| {
        let body = json!({"mimeType": sent.media_type, "text": sent.text_of_client()?});
        let request = json!({"_id": "req_1", "_type": "request", "method": "POST", "url": HAR_CALL, "headers": sent.header_list(), "body": body});
        Some(pretty(
            &json!({"_type": "export", "__export_format": 4, "resources": [request]}),
        ))
    }),
    ("insomnia-v5", |sent| {
        let text = in_ascii(sent.text_of_client()?);
        let headers = sent.headers();
        let fields = headers
            .iter()
            .map(|(name, value)| format!("      - name: {name}\n        value: '{value}'\n"));
        Some(format!(
            "type: collection.insomnia.rest/5.0\nname: x\ncollection:\n  - url: {HAR_CALL}\n    name: x\n    method: POST\n    headers:\n{}    body:\n      mimeType: {}\n      text: {text}\n",
            fields.collect::<String>(),
            sent.media_type
        ))
    }),
    ("bruno", |sent| {
        let fields = sent.header_lines().replace("\r\n", "\n  ");
        Some(format!(
            "meta {{\n  name: x\n}}\n\npost {{\n  url: {HAR_CALL}\n  body: text\n}}\n\nheaders {{\n  {fields}\n}}\n\nbody:text {{\n  {}\n}}\n",
            sent.line_of_client()?
        ))
    }),
    ("http", |sent| {
        Some(format!(
            "### x\nPOST {HAR_CALL}\n{}\n{}\n",
            sent.header_lines(),
            sent.line_of_client()?
        ))
    }),
    ("curl", |sent| {
        let fields = sent
            .headers()
            .into_iter()
            .map(|(name, value)| format!(" -H '{name}: {value}'"));
        let data = sent.line_of_client()?.replace('\'', "'\\''");
        Some(format!(
            "#!/bin/sh\ncurl {HAR_CALL}{} --data-raw '{data}'\n",
            fields.collect::<String>()
        ))
    }),
    ("hurl", |sent| {
        // In a file that people write, this begins a comment.
        if sent.bytes.starts_with(b"//") {
            return None;
        }
        let body = BASE64.encode(&sent.bytes);
        Some(format!(
            "POST {HAR_CALL}\n{}base64,{body};\n",
            sent.header_lines()
        ))
    }),
];

pub(crate) fn raw_http(sent: &Sent) -> Vec<u8> {
    let head = format!(
        "POST /orders HTTP/1.1\r\nHost: h.test\r\n{}Content-Length: {}\r\n\r\n",
        sent.header_lines(),
        sent.bytes.len()
    );
    [head.as_bytes(), &sent.bytes].concat()
}

/// A trace of calls as Go writes it.
pub(crate) fn httprr(calls: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut trace = b"httprr trace v1\n".to_vec();
    for (request, response) in calls {
        let lengths = format!("{} {}\n", request.len(), response.len());
        trace.extend([lengths.as_bytes(), request, response].concat());
    }
    trace
}

/// Recordings of one call by each format that keeps bytes as they are.
const BINARY_WRITERS: &[(&str, BinaryWriter)] = &[
    ("raw-http", |sent| Some(raw_http(sent))),
    ("httprr", |sent| {
        let answer = b"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n";
        Some(httprr(&[(raw_http(sent), answer.to_vec())]))
    }),
    ("pcap", |sent| {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        let talk = Talk::new(5000, [7, 9]);
        let talk = talk
            .says(true, &raw_http(sent), &[1_000])
            .says(false, answer, &[1_000]);
        Some(pcap(&talk.ends(), Link::Ethernet, Version::Four))
    }),
    ("mitmproxy", |sent| Some(mitmproxy(sent))),
    // A bare body has no header fields, by which some codings are known.
    ("body", |sent| {
        let is_json = sent.media_type == "application/json" && sent.coding.is_none();
        is_json.then(|| sent.bytes.clone())
    }),
];

/// The formats without bodies as they were sent, each with the reason.
pub(crate) const FORMATS_WITHOUT_BODIES: [(&str, &str); 3] = [
    (
        "access-log",
        "a line has the call and its status, and no body",
    ),
    ("openapi", "it describes calls, and has none"),
    (
        "kubernetes",
        "each object is a body, and is YAML or JSON itself",
    ),
];

/// The recordings of one call in every format that can hold its body.
pub(crate) fn recordings(sent: &Sent) -> Vec<(&'static str, Vec<u8>)> {
    let texts = TEXT_WRITERS.iter();
    let texts = texts.filter_map(|(name, write)| Some((*name, write(sent)?.into_bytes())));
    let binary = BINARY_WRITERS.iter();
    texts
        .chain(binary.filter_map(|(name, write)| Some((*name, write(sent)?))))
        .collect()
}

fn go_vcr(sent: &Sent, body: &str) -> String {
    let headers = sent.headers();
    let fields = headers
        .iter()
        .map(|(name, value)| format!("      {name}:\n      - '{value}'\n"));
    format!(
        "---\nversion: 1\ninteractions:\n- request:\n    body: {body}\n    form: {{}}\n    headers:\n{}    url: {HAR_CALL}\n    method: POST\n  response:\n    body: ''\n    headers: {{}}\n    status: 200 OK\n    code: 200\n    duration: ''\n",
        fields.collect::<String>()
    )
}

fn pact(sent: &Sent, version: &str, body: &Value) -> String {
    let request =
        json!({"method": "POST", "path": "/orders", "headers": sent.header_object(), "body": body});
    let mut interaction =
        json!({"description": "x", "request": request, "response": {"status": 200}});
    if version.starts_with('4') {
        interaction["type"] = json!("Synchronous/HTTP");
    }
    pretty(
        &json!({"consumer": {"name": "a"}, "provider": {"name": "b"}, "interactions": [interaction], "metadata": {"pactSpecification": {"version": version}}}),
    )
}

fn postman(request: &Value, response: &Value) -> String {
    let schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
    pretty(
        &json!({"info": {"name": "x", "schema": schema}, "item": [{"name": "x", "request": request, "response": response}]}),
    )
}

/// A flow of mitmproxy, in its typed netstrings.
fn mitmproxy(sent: &Sent) -> Vec<u8> {
    fn net(tag: char, content: &[u8]) -> Vec<u8> {
        [
            content.len().to_string().as_bytes(),
            b":",
            content,
            tag.to_string().as_bytes(),
        ]
        .concat()
    }
    fn bytes(content: impl AsRef<[u8]>) -> Vec<u8> {
        net(',', content.as_ref())
    }
    fn table(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let members = members
            .iter()
            .map(|(name, value)| [net(';', name.as_bytes()), value.clone()]);
        net('}', &members.flatten().flatten().collect::<Vec<_>>())
    }
    let fields = sent.headers().into_iter();
    let fields = fields.flat_map(|(name, value)| net(']', &[bytes(name), bytes(value)].concat()));
    let request = table(&[
        ("method", bytes("POST")),
        ("scheme", bytes("https")),
        ("authority", bytes("h.test")),
        ("path", bytes("/orders")),
        ("headers", net(']', &fields.collect::<Vec<_>>())),
        ("content", bytes(&sent.bytes)),
    ]);
    table(&[
        ("version", net('#', b"21")),
        ("type", net(';', b"http")),
        ("request", request),
    ])
}
