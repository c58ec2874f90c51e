//! Exchanges written as one JSON object, in the shapes of common loggers and proxies: pino-http, ECS, OpenTelemetry,
//! Caddy, Kong, and the plain `{method, url, request: {headers, body}, response: {status, headers, body}}`.
//!
//! All of them are found by the same few lists of member names, nested or joined by dots.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::document::{Kind, NodeRef, scan, string};
use crate::exchange::{Body, Call, Encoding, Exchange, HeaderName, Message, Method, Target};
use crate::source::Span;

/// Where the text of a tree stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The whole file.
    pub(super) file: &'a [u8],
    /// Offset at which the tree's text begins.
    pub(super) start: usize,
}

/// Where shapes keep the method and the URL; a record's call is the first that has both, else the first URL.
///
/// Names may be nested (`http: {request: {method}}`), joined by dots, or partly both.
const CALLS: &[CallNames] = &[
    CallNames { method: "request.method", urls: &["request.url", "request.uri", "request.path"] },
    CallNames { method: "req.method", urls: &["req.url", "req.path"] },
    CallNames { method: "http.request.method", urls: ECS_URLS },
    CallNames { method: "http.method", urls: &["http.url", "http.target", "url.full", "url.path"] },
    CallNames { method: "attributes.http.request.method", urls: OTEL_URLS },
    CallNames { method: "attributes.http.method", urls: OTEL_URLS },
    CallNames { method: "httpRequest.requestMethod", urls: &["httpRequest.requestUrl"] },
    CallNames { method: "request_method", urls: &["request_uri", "uri"] },
    CallNames {
        method: "method",
        urls: &["url", "uri", "path", "request.url", "url.full", "url.original", "url.path"],
    },
];
const ECS_URLS: &[&str] = &["url.full", "url.original", "url.path"];
const OTEL_URLS: &[&str] = &[
    "attributes.url.full",
    "attributes.url.original",
    "attributes.http.url",
    "attributes.url.path",
    "attributes.http.target",
];

/// Where shapes keep the query apart from the URL: as text, or as an object of parameters.
const QUERIES: &[&str] =
    &["url.query", "attributes.url.query", "request.querystring", "request.query", "req.query"];

const STARTED: &[&str] = &[
    "startedDateTime",
    "started",
    "started_at",
    "@timestamp",
    "timestamp",
    "Timestamp",
    "time",
    "ts",
    "startTimeUnixNano",
    "timeUnixNano",
];
const REQUEST: MessageNames = MessageNames {
    body: &[
        "request.body",
        "req.body",
        "http.request.body.content",
        "http.request.body",
        "attributes.http.request.body.content",
        "attributes.http.request.body",
        "request_body",
        "req_body",
        "requestBody",
        "request.payload",
        "request_payload",
        "requestPayload",
        "body",
        "payload",
    ],
    headers: &["request.headers", "req.headers", "http.request.headers", "headers"],
    itself: "request",
    parts: &["body", "payload", "headers", "method", "url", "uri", "path"],
};
const RESPONSE: MessageNames = MessageNames {
    body: &[
        "response.body",
        "res.body",
        "http.response.body.content",
        "http.response.body",
        "attributes.http.response.body.content",
        "attributes.http.response.body",
        "response_body",
        "resp_body",
        "res_body",
        "responseBody",
        "response.payload",
        "response_payload",
        "responsePayload",
    ],
    headers: &["response.headers", "res.headers", "http.response.headers", "resp_headers"],
    itself: "response",
    parts: &["body", "payload", "headers", "statusCode", "status_code"],
};
/// What stands beside a URL in a record that is an exchange, where it names no method.
const SIGNS: &[&str] =
    &["request", "response", "req", "res", "http.request", "http.response", "httpRequest"];

/// Where OTLP's JSON keeps spans and log records (opentelemetry-proto, `trace.proto` and `logs.proto`).
const BATCHES: [[&str; 3]; 2] =
    [["resourceSpans", "scopeSpans", "spans"], ["resourceLogs", "scopeLogs", "logRecords"]];

struct CallNames {
    method: &'static str,
    urls: &'static [&'static str],
}

struct MessageNames {
    body: &'static [&'static str],
    headers: &'static [&'static str],
    /// The member that some write the body into directly, with no message around it.
    itself: &'static str,
    /// The members by which a message around a body is known.
    parts: &'static [&'static str],
}

/// What a record holds, in its order: exchanges, and the places of parts that are none.
pub(super) type Parts<'a> = Vec<Result<Exchange<'a>, Span>>;

/// The exchanges in one record: itself, or the elements of a list, or the spans of an OpenTelemetry batch.
pub(super) fn parts<'a>(record: NodeRef<'_>, place: Place<'a>) -> Parts<'a> {
    if record.kind() == Kind::Array {
        return record.children().flat_map(|element| parts(element, place)).collect();
    }
    let mut batch = Vec::new();
    for path in BATCHES {
        let mut nodes = vec![record];
        for name in path {
            nodes = nodes
                .into_iter()
                .filter_map(|node| node.get(name))
                .flat_map(NodeRef::children)
                .collect();
        }
        batch.append(&mut nodes);
    }
    let candidates = if batch.is_empty() { vec![record] } else { batch };
    let part = |node: NodeRef<'_>| exchange(node, place).ok_or(node.span().shifted(place.start));
    candidates.into_iter().map(part).collect()
}

/// The exchange that an object is, if it has a URL and a sign that it is about a call.
fn exchange<'a>(record: NodeRef<'_>, place: Place<'a>) -> Option<Exchange<'a>> {
    if record.kind() != Kind::Object {
        return None;
    }
    let (method, url) = call(record)?;
    let has_sign = || {
        first(record, SIGNS, |_| true).is_some()
            || record.get("status").is_some_and(|status| status.kind() == Kind::Number)
    };
    if method.is_none() && !has_sign() {
        return None;
    }
    let mut target = Target::parse(&url.as_str()?);
    for name in QUERIES {
        if let Some(query) = find(record, name) {
            target.parameters.extend(parameters(query));
        }
    }
    Some(Exchange {
        index: 0,
        call: Call { method, target, url_span: Some(url.span().shifted(place.start)) },
        started: first(record, STARTED, |_| true).and_then(started),
        request: message(record, &REQUEST, place),
        response: message(record, &RESPONSE, place),
    })
}

/// The method and URL of one shape: the first that has both, else the first URL.
fn call<'t>(record: NodeRef<'t>) -> Option<(Option<Method>, NodeRef<'t>)> {
    let is_string = |node: NodeRef<'t>| node.kind() == Kind::String;
    let url = |names: &CallNames| first(record, names.urls, is_string);
    let with_method = |names: &CallNames| {
        let method = find(record, names.method)
            .and_then(NodeRef::as_str)
            .and_then(|name| Method::parse(&name))?;
        Some((Some(method), url(names)?))
    };
    let both = CALLS.iter().find_map(with_method);
    both.or_else(|| CALLS.iter().find_map(url).map(|url| (None, url)))
}

/// The names of the parameters in a query that stands apart: a text, an object, or a list of names and values.
pub(super) fn parameters(query: NodeRef<'_>) -> Vec<String> {
    match query.kind() {
        Kind::String => query
            .as_str()
            .map(|text| Target::parse(&format!("?{text}")).parameters)
            .unwrap_or_default(),
        Kind::Object => query.children().filter_map(NodeRef::key).map(Cow::into_owned).collect(),
        Kind::Array => {
            let names = query.children().filter_map(|entry| entry.get("name")?.as_str());
            names.map(Cow::into_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a text could be an exchange or a list of them, by the names of its first object's members; broken text too.
///
/// For texts that could not, nothing need be parsed; and if one that could is broken, its parts are no body's.
pub(super) fn could_be(bytes: &[u8]) -> bool {
    const HEADS: [&str; 12] = [
        "method",
        "url",
        "uri",
        "path",
        "request",
        "req",
        "http",
        "attributes",
        "httpRequest",
        "request_method",
        "resourceSpans",
        "resourceLogs",
    ];
    let mut open = scan::skip_whitespace(bytes, 0);
    while bytes.get(open) == Some(&b'[') {
        open = scan::skip_whitespace(bytes, open + 1);
    }
    if bytes.get(open) != Some(&b'{') {
        return false;
    }
    let mut behind = open + 1;
    let mut heads = 0;
    for member in scan::members(bytes, open) {
        let key = match member {
            Ok(member) => {
                behind = member.value.end;
                member.key
            }
            Err(_) => match scan::unfinished_member(bytes, behind) {
                Some((key, _)) => key,
                None => break,
            },
        };
        let key = string::decode_bytes(bytes, key);
        let head = key.split('.').next().unwrap_or_default();
        heads += usize::from(HEADS.contains(&head));
    }
    heads > 0
}

fn message<'a>(record: NodeRef<'_>, names: &MessageNames, place: Place<'a>) -> Message<'a> {
    let headers = first(record, names.headers, |_| true)
        .map(|node| headers(node, place.start))
        .unwrap_or_default();
    let node = first(record, names.body, |node| node.kind() != Kind::Null)
        .or_else(|| body_itself(record, names));
    let left_out =
        node.filter(|node| is_size_only(*node)).map(|node| node.span().shifted(place.start));
    let mut body = node.filter(|_| left_out.is_none()).map(|node| body(node, place));
    if let Some(body) = &mut body {
        body.media_type = headers.media_type;
    }
    Message { headers: headers.names, body, missing_body: left_out }
}

/// Elastic Common Schema keeps `body.bytes` where the content was left out.
fn is_size_only(node: NodeRef<'_>) -> bool {
    let mut members = node.children().filter_map(NodeRef::key).peekable();
    node.kind() == Kind::Object
        && members.peek().is_some()
        && members.all(|name| name == "bytes" || name == "size")
}

/// `request` or `response`, where it is the body: a string or list, or an object that has none of a message's parts.
fn body_itself<'t>(record: NodeRef<'t>, names: &MessageNames) -> Option<NodeRef<'t>> {
    let node = record.get(names.itself)?;
    let is_message = names.parts.iter().any(|part| node.get(part).is_some())
        || node.get("status").is_some_and(|status| status.kind() == Kind::Number);
    match node.kind() {
        Kind::String | Kind::Array => Some(node),
        Kind::Object if !is_message => Some(node),
        _ => None,
    }
}

/// A body stands nested as JSON, or as a string that holds its text.
pub(super) fn body<'a>(node: NodeRef<'_>, place: Place<'a>) -> Body<'a> {
    let encoding = if node.kind() == Kind::String { Encoding::JsonString } else { Encoding::Plain };
    Body::new(place.file, node.span().shifted(place.start), encoding)
}

/// What is of use in a message's header fields.
#[derive(Debug, Default)]
pub(super) struct Headers {
    /// All names.
    pub(super) names: Vec<HeaderName>,
    /// The media type of the body.
    pub(super) media_type: Option<String>,
    /// Whether `content-length` promises a body.
    pub(super) promise_body: bool,
    /// Whether `content-encoding` says that the body was compressed on the way.
    pub(super) encoded: bool,
}

/// What is of use in header fields, from an object (`{name: value}`), a list of objects (`{name, value}`), or a list of
/// pairs.
pub(super) fn headers(node: NodeRef<'_>, start: usize) -> Headers {
    let mut headers = Headers::default();
    for child in node.children() {
        let Some((name, span, value)) = header(child) else { continue };
        let name = name.to_ascii_lowercase();
        let value = value.and_then(text_of).unwrap_or_default();
        match name.as_str() {
            "content-type" => headers.media_type = bare_media_type(&value),
            "content-length" => {
                headers.promise_body = value.parse::<u64>().is_ok_and(|length| length > 0);
            }
            "content-encoding" => headers.encoded = !value.is_empty() && value != "identity",
            _ => {}
        }
        headers.names.push(HeaderName { name, span: span.shifted(start) });
    }
    headers
}

fn header(node: NodeRef<'_>) -> Option<(Cow<'_, str>, Span, Option<NodeRef<'_>>)> {
    if let (Some(name), Some(span)) = (node.key(), node.key_span()) {
        return Some((name, span, Some(node)));
    }
    let (name, value) = match node.kind() {
        Kind::Object => (node.get("name")?, node.get("value")),
        Kind::Array => (node.children().next()?, node.children().nth(1)),
        _ => return None,
    };
    Some((name.as_str()?, name.span(), value))
}

/// A header's value, which some write as a list.
fn text_of(node: NodeRef<'_>) -> Option<Cow<'_, str>> {
    if node.kind() == Kind::Array { node.children().next()?.as_str() } else { node.as_str() }
}

/// `text/html` from `Text/HTML; charset=utf-8`.
pub(super) fn bare_media_type(value: &str) -> Option<String> {
    let bare = value.split(';').next()?.trim().to_ascii_lowercase();
    (!bare.is_empty()).then_some(bare)
}

fn first<'t>(
    record: NodeRef<'t>,
    names: &[&str],
    fits: impl Fn(NodeRef<'t>) -> bool,
) -> Option<NodeRef<'t>> {
    names.iter().find_map(|name| find(record, name).filter(|&node| fits(node)))
}

/// The member at a dotted path, whose parts may be nested, joined, or entries of an OpenTelemetry attribute list.
fn find<'t>(node: NodeRef<'t>, path: &str) -> Option<NodeRef<'t>> {
    if node.kind() == Kind::Array {
        let entry = node.children().find(|entry| {
            entry.get("key").and_then(NodeRef::as_str).is_some_and(|key| key == path)
        })?;
        return entry.get("value")?.children().next();
    }
    if let Some(child) = node.get(path) {
        return Some(child);
    }
    let dots = path.match_indices('.').map(|(at, _)| at);
    dots.filter_map(|at| Some((path.get(..at)?, path.get(at + 1..)?)))
        .find_map(|(head, rest)| find(node.get(head)?, rest))
}

/// A point in time: RFC 3339, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by size.
pub(super) fn started(node: NodeRef<'_>) -> Option<DateTime<Utc>> {
    let text = node.as_str().unwrap_or(Cow::Borrowed(node.raw()));
    if let Ok(time) = DateTime::parse_from_rfc3339(&text) {
        return Some(time.to_utc());
    }
    let whole: i64 = text.split('.').next()?.parse().ok()?;
    match whole {
        ..100_000_000 => None,
        100_000_000..100_000_000_000 => DateTime::from_timestamp(whole, 0),
        100_000_000_000..100_000_000_000_000 => DateTime::from_timestamp_millis(whole),
        100_000_000_000_000..100_000_000_000_000_000 => DateTime::from_timestamp_micros(whole),
        _ => Some(DateTime::from_timestamp_nanos(whole)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tree;

    /// Method, path, and the decoded bodies of the exchanges in a record.
    fn read(text: &str) -> Vec<(String, String, String, String)> {
        let tree = Tree::parse(text, 99).unwrap();
        let place = Place { file: text.as_bytes(), start: 0 };
        let body = |message: &Message<'_>| {
            let bytes = message.body.as_ref().map(|body| body.decode().unwrap().into_owned());
            String::from_utf8(bytes.unwrap_or_default()).unwrap()
        };
        parts(tree.root(), place)
            .iter()
            .flatten()
            .map(|exchange| {
                let method = exchange.call.method.as_ref().map_or("?", |method| method.as_str());
                let path = exchange.call.target.segments.join("/");
                (method.to_owned(), path, body(&exchange.request), body(&exchange.response))
            })
            .collect()
    }

    fn one(text: &str) -> (String, String, String, String) {
        let mut all = read(text);
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    fn expected(request: &str, response: &str) -> (String, String, String, String) {
        ("POST".into(), "v1/chat".into(), request.into(), response.into())
    }

    #[test]
    fn plain_records() {
        let text = r#"{"response":{"status":200,"body":"{\"b\":2}"},"request":{"body":{"a":1}},"url":"https://h/v1/chat?x","method":"post"}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, r#"{"b":2}"#));
        assert_eq!(one(r#"{"method":"POST","path":"/v1/chat","body":[1]}"#), expected("[1]", ""));
    }

    #[test]
    fn bodies_without_a_message_around_them() {
        let nested = r#"{"method":"POST","path":"/v1/chat","request":{"query":"x"},"response":{"status":"ok"}}"#;
        assert_eq!(one(nested), expected(r#"{"query":"x"}"#, r#"{"status":"ok"}"#));
        let escaped =
            r#"{"method":"POST","path":"/v1/chat","request":"{\"a\":1}","response":"[]"}"#;
        assert_eq!(one(escaped), expected(r#"{"a":1}"#, "[]"));
        let messages =
            r#"{"request":{"method":"POST","url":"/v1/chat"},"response":{"status":200}}"#;
        assert_eq!(one(messages), expected("", ""));
    }

    #[test]
    fn pino_http_records() {
        let text = r#"{"level":30,"time":1763539964000,"req":{"id":1,"method":"POST","url":"/v1/chat","body":{"a":1}},"res":{"statusCode":200,"body":"[]"},"msg":"request completed"}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, "[]"));
    }

    #[test]
    fn ecs_records_nested_dotted_and_mixed() {
        let nested = r#"{"@timestamp":"2026-11-19T08:12:44Z","http":{"request":{"method":"post","body":{"content":"{\"a\":1}","bytes":7}},"response":{"status_code":200,"body":{"content":"[]"}}},"url":{"original":"/v1/chat","domain":"h"}}"#;
        assert_eq!(one(nested), expected(r#"{"a":1}"#, "[]"));
        let dotted = r#"{"http.request.method":"POST","url.path":"/v1/chat","http.request.body.content":"{\"a\":1}"}"#;
        assert_eq!(one(dotted), expected(r#"{"a":1}"#, ""));
        let mixed = r#"{"http":{"request.method":"POST","response":{"body.content":"[]"}},"url":{"full":"https://h/v1/chat"}}"#;
        assert_eq!(one(mixed), expected("", "[]"));
    }

    #[test]
    fn open_telemetry_records_flat_listed_and_batched() {
        let flat = r#"{"attributes":{"http.request.method":"POST","url.full":"https://h/v1/chat","http.response.body":"[]"}}"#;
        assert_eq!(one(flat), expected("", "[]"));
        let old = r#"{"attributes":{"http.method":"POST","http.target":"/v1/chat"}}"#;
        assert_eq!(one(old), expected("", ""));
        let span = r#"{"startTimeUnixNano":"1763539964000000000","attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"url.path","value":{"stringValue":"/v1/chat"}},{"key":"http.request.body","value":{"stringValue":"{\"a\":1}"}}]}"#;
        assert_eq!(one(span), expected(r#"{"a":1}"#, ""));
        let batch = format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span},{{"name":"other"}},{span}]}}]}}]}}"#
        );
        assert_eq!(read(&batch).len(), 2);
    }

    #[test]
    fn caddy_and_kong_records() {
        let caddy = r#"{"level":"info","ts":1763539964.52,"logger":"http.log.access","request":{"method":"POST","host":"h","uri":"/v1/chat?x=1","headers":{"Content-Type":["application/json"]}},"status":200,"resp_headers":{"Server":["Caddy"]},"resp_body":"[]"}"#;
        assert_eq!(one(caddy), expected("", "[]"));
        let kong = r#"{"request":{"method":"POST","uri":"/v1/chat","url":"http://h:8000/v1/chat","body":"{\"a\":1}"},"upstream_uri":"/","response":{"status":200,"body":"[]"},"started_at":1763539964123}"#;
        assert_eq!(one(kong), expected(r#"{"a":1}"#, "[]"));
    }

    #[test]
    fn records_without_a_call_are_none() {
        for text in [
            r#"{"url":"https://h/x","title":"a bookmark"}"#,
            r#"{"method":"POST"}"#,
            "[]",
            "7",
            r#"{"level":30,"msg":"started"}"#,
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn method_and_url_come_from_one_shape() {
        let text = r#"{"method":"handleRequest","url":"internal","req":{"method":"POST","url":"/v1/chat","body":[]}}"#;
        assert_eq!(one(text), expected("[]", ""));
        assert_eq!(
            one(r#"{"method":"-","url":"/v1/chat","status":200,"body":[]}"#).0,
            "?",
            "an unknown method"
        );
        assert!(
            read(r#"{"url":"https://h/x","status":"ok","messages":[]}"#).is_empty(),
            "a body with a URL in it"
        );
    }

    #[test]
    fn lists_and_queries_apart_are_read() {
        assert_eq!(
            read(r#"[{"method":"GET","url":"/a"},{"x":1},{"method":"GET","url":"/b"}]"#).len(),
            2
        );
        let query = |text: &str| {
            let tree = Tree::parse(text, 99).unwrap();
            let parts = parts(tree.root(), Place { file: text.as_bytes(), start: 0 });
            parts[0].as_ref().unwrap().call.target.parameters.clone()
        };
        assert_eq!(
            query(r#"{"http.request.method":"GET","url":{"path":"/a","query":"page=2&x"}}"#),
            ["page", "x"]
        );
        assert_eq!(
            query(r#"{"request":{"method":"GET","uri":"/a","querystring":{"page":"2"}}}"#),
            ["page"]
        );
    }

    #[test]
    fn a_size_without_content_is_a_body_left_out() {
        let text = r#"{"http":{"request":{"method":"POST","body":{"bytes":70}}},"url":{"path":"/v1/chat"}}"#;
        let tree = Tree::parse(text, 99).unwrap();
        let parts = parts(tree.root(), Place { file: text.as_bytes(), start: 0 });
        let exchange = parts[0].as_ref().unwrap();
        assert!(exchange.request.body.is_none() && exchange.request.missing_body.is_some());
    }

    #[test]
    fn points_in_time_are_read_in_every_unit() {
        for text in [
            r#""2026-11-19T09:12:44+01:00""#,
            "1795075964",
            "1795075964000",
            "1795075964.25",
            r#""1795075964000000000""#,
        ] {
            let document = format!("{{\"t\":{text}}}");
            let tree = Tree::parse(&document, 99).unwrap();
            let time = started(tree.root().get("t").unwrap()).unwrap();
            assert_eq!(
                time.format("%Y-%m-%dT%H:%M:%S").to_string(),
                "2026-11-19T08:12:44",
                "{text}"
            );
        }
    }

    #[test]
    fn header_names_are_found_in_every_form() {
        for text in [
            r#"{"Content-Type":"Application/JSON; charset=utf-8","X-A":"1"}"#,
            r#"[{"name":"Content-Type","value":"application/json"},{"name":"x-a","value":"1"}]"#,
            r#"[["Content-Type","application/json"],["X-A","1"]]"#,
            r#"{"content-type":["application/json"],"x-a":[]}"#,
        ] {
            let tree = Tree::parse(text, 99).unwrap();
            let Headers { names, media_type, .. } = headers(tree.root(), 0);
            let names: Vec<_> = names.iter().map(|header| header.name.as_str()).collect();
            assert_eq!(
                (names, media_type.as_deref()),
                (vec!["content-type", "x-a"], Some("application/json")),
                "{text}"
            );
        }
    }
}
