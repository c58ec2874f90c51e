//! Exchanges written as one JSON object, in the shapes of common loggers and proxies: pino-http, ECS, OpenTelemetry,
//! Caddy, Kong, and the plain `{method, url, request: {headers, body}, response: {status, headers, body}}`.
//!
//! All of them are found by the same few lists of member names, nested or joined by dots.

use std::cell::Cell;

use super::{Logs, entry, fields};
use crate::document::{Kind, NodeRef, raw, scan, string};
use crate::exchange::{Call, Exchange, Glimpse, Host, Message, Method, Reason, Seen, Unread};
use crate::source::Span;

/// Where shapes keep the method and the URL; a record's call is the first that has both, else the first URL.
///
/// Names may be nested (`http: {request: {method}}`), joined by dots, or partly both.
const CALLS: &[CallNames] = &[
    CallNames {
        method: Name::new("request.method"),
        urls: &names(["request.url", "request.uri", "request.path"]),
    },
    CallNames { method: Name::new("req.method"), urls: &names(["req.url", "req.path"]) },
    CallNames { method: Name::new("http.request.method"), urls: ECS_URLS },
    CallNames {
        method: Name::new("http.method"),
        urls: &names(["http.url", "http.target", "url.full", "url.path"]),
    },
    CallNames { method: Name::new("attributes.http.request.method"), urls: OTEL_URLS },
    CallNames { method: Name::new("attributes.http.method"), urls: OTEL_URLS },
    CallNames {
        method: Name::new("httpRequest.requestMethod"),
        urls: &names(["httpRequest.requestUrl"]),
    },
    CallNames { method: Name::new("request_method"), urls: &names(["request_uri", "uri"]) },
    CallNames {
        method: Name::new("method"),
        urls: &names(["url", "uri", "path", "request.url", "url.full", "url.original", "url.path"]),
    },
];
const ECS_URLS: &[Name] = &names(["url.full", "url.original", "url.path"]);
const OTEL_URLS: &[Name] = &names([
    "attributes.url.full",
    "attributes.url.original",
    "attributes.http.url",
    "attributes.url.path",
    "attributes.http.target",
]);

/// Where shapes keep the query apart from the URL: as text, or as an object of parameters.
const QUERIES: &[Name] = &names([
    "url.query",
    "attributes.url.query",
    "request.querystring",
    "request.query",
    "req.query",
]);

/// Where shapes keep the host, apart from the URL and the `Host` field. A log's own `host` is mostly the machine that
/// wrote it.
const HOSTS: &[Name] = &names([
    "request.host",
    "req.host",
    "req.hostname",
    "request.hostname",
    "url.domain",
    "attributes.url.domain",
    "attributes.server.address",
    "attributes.http.host",
    "http_host",
]);

const STARTED: &[Name] = &names([
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
]);
const REQUEST: MessageNames = MessageNames {
    body: &names([
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
        "request.content",
        "request.data",
        "request.json",
        "req.payload",
        "req.data",
        "request_payload",
        "requestPayload",
        "body",
        "payload",
    ]),
    headers: &names(["request.headers", "req.headers", "http.request.headers", "headers"]),
    itself: ["request", "req"],
};
const RESPONSE: MessageNames = MessageNames {
    body: &names([
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
        "response.content",
        "response.data",
        "response.json",
        "res.payload",
        "res.data",
        "response_payload",
        "responsePayload",
    ]),
    headers: &names(["response.headers", "res.headers", "http.response.headers", "resp_headers"]),
    itself: ["response", "res"],
};
/// What stands beside a URL in a record that is an exchange, where it names no method.
const SIGNS: &[Name] =
    &names(["request", "response", "req", "res", "http.request", "http.response", "httpRequest"]);

/// Where OTLP's JSON keeps spans and log records (opentelemetry-proto, `trace.proto` and `logs.proto`).
const BATCHES: [[&str; 3]; 2] =
    [["resourceSpans", "scopeSpans", "spans"], ["resourceLogs", "scopeLogs", "logRecords"]];

struct CallNames {
    method: Name,
    urls: &'static [Name],
}

struct MessageNames {
    body: &'static [Name],
    headers: &'static [Name],
    /// The members that hold a message, or, with some loggers, the body itself.
    itself: [&'static str; 2],
}

/// The dotted name of a member, and a sign by which most records can be told not to have it.
#[derive(Clone, Copy)]
struct Name {
    path: &'static str,
    sign: u64,
}

impl Name {
    const fn new(path: &'static str) -> Self {
        Self { path, sign: sign(path.as_bytes()) }
    }
}

const fn names<const N: usize>(paths: [&'static str; N]) -> [Name; N] {
    let mut names = [Name { path: "", sign: 0 }; N];
    let mut at = 0;
    while at < N {
        names[at] = Name::new(paths[at]);
        at += 1;
    }
    names
}

/// One bit of 64, by the part of a name in front of the first dot: names that are found have it in common.
const fn sign(bytes: &[u8]) -> u64 {
    let mut hash = 0u32;
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'.' {
        hash = hash.wrapping_mul(31).wrapping_add(bytes[at] as u32);
        at += 1;
    }
    1 << (hash.wrapping_mul(0x9E37_79B9) >> 26)
}

/// An object in which names are looked for.
#[derive(Clone, Copy)]
struct Record<'t, 'v> {
    node: NodeRef<'t>,
    /// Set where values of nodes matter.
    by_value: &'v Cell<bool>,
    /// The signs of its members' names.
    signs: u64,
}

impl<'t, 'v> Record<'t, 'v> {
    fn new(node: NodeRef<'t>, by_value: &'v Cell<bool>) -> Self {
        let sign = |child: NodeRef<'_>| match child.raw_key() {
            Some(raw) if !raw.contains(&b'\\') => sign(raw),
            _ => child.key().map_or(0, |key| sign(key.as_bytes())),
        };
        Self { node, by_value, signs: node.children().fold(0, |signs, child| signs | sign(child)) }
    }

    fn find(self, name: &Name) -> Option<NodeRef<'t>> {
        if self.signs & name.sign == 0 {
            return None;
        }
        find(self.node, name.path, self.by_value)
    }

    fn first(self, names: &[Name], fits: impl Fn(NodeRef<'t>) -> bool) -> Option<NodeRef<'t>> {
        names.iter().find_map(|name| self.find(name).filter(|&node| fits(node)))
    }
}

/// The members that messages have besides bodies. An object that has others, and neither header fields nor a call or a
/// status, is a body.
const MESSAGE_PARTS: &[&str] = &[
    "method",
    "url",
    "uri",
    "path",
    "host",
    "hostname",
    "port",
    "proto",
    "protocol",
    "scheme",
    "httpVersion",
    "version",
    "headers",
    "cookies",
    "trailers",
    "query",
    "querystring",
    "queryString",
    "params",
    "body",
    "payload",
    "content",
    "data",
    "json",
    "raw",
    "form",
    "size",
    "bytes",
    "bodySize",
    "headersSize",
    "length",
    "id",
    "requestId",
    "request_id",
    "time",
    "timestamp",
    "duration",
    "tls",
    "ip",
    "client_ip",
    "remote_ip",
    "remote_port",
    "remoteAddress",
    "remotePort",
    "user",
    "status",
    "statusCode",
    "status_code",
    "statusText",
    "statusMessage",
    "status_text",
    "reason",
    "mimeType",
    "type",
    "postData",
    "redirectURL",
];

/// What a record holds, in its order: exchanges, and the places of parts that are none.
pub(super) type Parts<'a> = Vec<Result<Exchange<'a>, Span>>;

/// The exchanges in one record: itself, or the elements of a list, or the spans of an OpenTelemetry batch. Lists inside
/// lists hold none. What `logs` say about a record goes before what is known of its shape.
pub(super) fn parts<'a>(
    record: NodeRef<'_>,
    place: fields::Place<'a>,
    logs: &Logs<'_>,
) -> Parts<'a> {
    let part = |node: NodeRef<'_>| exchange(node, place).ok_or(node.span().shifted(place.start));
    let mapped = |record| logs.exchange(record, place).map(|exchange| vec![Ok(exchange)]);
    if record.kind() != Kind::Array && !is_batch(record) {
        return mapped(record).unwrap_or_else(|| vec![part(record)]);
    }
    let records: Vec<NodeRef<'_>> = match record.kind() {
        Kind::Array => record.children().collect(),
        _ => vec![record],
    };
    let parts_of =
        |record| mapped(record).unwrap_or_else(|| batch(record).into_iter().map(part).collect());
    let parts: Vec<_> = records.into_iter().flat_map(parts_of).collect();
    if parts.is_empty() { vec![Err(record.span().shifted(place.start))] } else { parts }
}

fn is_batch(record: NodeRef<'_>) -> bool {
    BATCHES.iter().any(|path| record.get(path[0]).is_some())
}

/// Whether a record is one exchange at most, with the pieces where [`locate`] finds them: no list, no batch, no entry of an
/// archive.
pub(super) fn is_plain(record: NodeRef<'_>) -> bool {
    record.kind() == Kind::Object && !is_batch(record) && !is_entry(record)
}

/// The spans and log records of an OpenTelemetry batch; any other record by itself.
fn batch(record: NodeRef<'_>) -> Vec<NodeRef<'_>> {
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
    if batch.is_empty() { vec![record] } else { batch }
}

/// Whether a record looks like an entry of an archive, a line each.
fn is_entry(record: NodeRef<'_>) -> bool {
    let holds = |message: &str, holder: &str| {
        record
            .get(message)
            .and_then(|message| message.get(holder))
            .is_some_and(|holder| holder.kind() == Kind::Object)
    };
    holds("request", "postData") || holds("response", "content")
}

/// The exchange that an object is, if it has a URL and a sign that it is about a call.
fn exchange<'a>(record: NodeRef<'_>, place: fields::Place<'a>) -> Option<Exchange<'a>> {
    if record.kind() != Kind::Object {
        return None;
    }
    if is_entry(record)
        && let Some(exchange) = entry::exchange(record, place)
    {
        return Some(exchange);
    }
    build(&locate(record, &Cell::new(false))?, place)
}

/// Where in a record the pieces of an exchange stand.
#[derive(Debug, Clone)]
pub(super) struct Located<N> {
    pub(super) method: Option<N>,
    pub(super) url: N,
    /// The host, in case that the URL does not say it.
    pub(super) host: Option<N>,
    pub(super) queries: Vec<N>,
    pub(super) started: Option<N>,
    pub(super) request: LocatedMessage<N>,
    pub(super) response: LocatedMessage<N>,
}

#[derive(Debug, Clone)]
pub(super) struct LocatedMessage<N> {
    pub(super) headers: Option<N>,
    pub(super) body: Option<N>,
    /// What stands in place of a body that was left out.
    pub(super) left_out: Option<N>,
}

impl<N: Copy> Located<N> {
    /// The same in terms of other nodes; `None` where one has no counterpart.
    pub(super) fn map<M>(&self, node: impl Fn(N) -> Option<M>) -> Option<Located<M>> {
        let some = |from: Option<N>| match from {
            Some(from) => node(from).map(Some),
            None => Some(None),
        };
        let message = |from: &LocatedMessage<N>| {
            let (headers, body) = (some(from.headers)?, some(from.body)?);
            Some(LocatedMessage { headers, body, left_out: some(from.left_out)? })
        };
        Some(Located {
            method: some(self.method)?,
            url: node(self.url)?,
            host: some(self.host)?,
            queries: self.queries.iter().map(|&query| node(query)).collect::<Option<_>>()?,
            started: some(self.started)?,
            request: message(&self.request)?,
            response: message(&self.response)?,
        })
    }
}

/// Finds the pieces of an exchange in an object that has a URL and a sign that it is about a call. Sets `by_value` where
/// something other than names and kinds of nodes mattered.
pub(super) fn locate<'t>(
    record: NodeRef<'t>,
    by_value: &Cell<bool>,
) -> Option<Located<NodeRef<'t>>> {
    let names = Record::new(record, by_value);
    let (method, url) = call(names)?;
    let status = record.get("status").filter(|status| status.kind() == Kind::Number);
    if method.is_none() && status.is_none() && names.first(SIGNS, |_| true).is_none() {
        return None;
    }
    // Where the request is the body, its members are the body's.
    let is_body = |name: &str| name.starts_with("req") && body_itself(record, &REQUEST).is_some();
    let is_text = |node: &NodeRef<'t>| node.kind() == Kind::String;
    let host = HOSTS.iter().filter(|name| !is_body(name.path));
    let host = host.filter_map(|name| names.find(name)).find(is_text);
    let queries = QUERIES.iter().filter_map(|name| Some((name.path, names.find(name)?)));
    let queries = queries.filter(|(name, _)| !is_body(name)).map(|(_, query)| query).collect();
    let request = message(names, &REQUEST);
    let mut response = message(names, &RESPONSE);
    // A body beside a status may be what came back: it is checked as both.
    if status.is_some() && response.body.is_none() && record.get("body").is_some() {
        response.body = request.body;
    }
    let started = names.first(STARTED, |_| true);
    Some(Located { method, url, host, queries, started, request, response })
}

/// The exchange whose pieces have been found.
pub(super) fn build<'a>(
    located: &Located<NodeRef<'_>>,
    place: fields::Place<'a>,
) -> Option<Exchange<'a>> {
    let method = located.parse_method()?;
    let mut target = fields::target(located.url, place)?;
    for query in &located.queries {
        target.parameters.extend(fields::parameters(*query));
    }
    if target.host.is_none() {
        target.host = located.host();
    }
    let url_span = Some(located.url.span().shifted(place.start));
    Some(Exchange {
        index: 0,
        call: Call { method, target, url_span },
        started: located.started.and_then(fields::started),
        request: located.request.build(place),
        response: located.response.build(place),
    })
}

/// The first look at the exchange whose pieces have been found.
pub(super) fn glimpse<'a>(
    located: &Located<NodeRef<'_>>,
    place: fields::Place<'a>,
) -> Option<Glimpse<'a>> {
    Some(Glimpse {
        method: located.parse_method()?,
        url: raw::content(located.url.span().shifted(place.start).slice(place.file)),
        has_query_apart: !located.queries.is_empty(),
        request: located.request.see(place),
        response: located.response.see(place),
        may_announce: fields::may_announce(located.response.headers, place),
    })
}

impl Located<NodeRef<'_>> {
    /// `None` where what stands in its place is no method.
    #[allow(clippy::option_option, reason = "not to be told is no mistake")]
    fn parse_method(&self) -> Option<Option<Method>> {
        self.method.map_or(Some(None), |node| parse_method(node).map(Some))
    }

    /// The host that the URL does not say.
    fn host(&self) -> Option<Host<'static>> {
        let named =
            self.host.and_then(|node| Some(Host::parse(&node.as_str()?, None)?.into_owned()));
        named.or_else(|| fields::host(self.request.headers?))
    }
}

fn parse_method(node: NodeRef<'_>) -> Option<Method> {
    Method::parse(&node.as_str()?)
}

impl LocatedMessage<NodeRef<'_>> {
    fn see<'a>(&self, place: fields::Place<'a>) -> Seen<'a> {
        let body = self.body.map(|node| fields::body(node, place));
        Seen { body, is_unread: self.left_out.is_some() }
    }

    fn build<'a>(&self, place: fields::Place<'a>) -> Message<'a> {
        let headers = self.headers.map(|node| fields::headers(node, place)).unwrap_or_default();
        let mut body = self.body.map(|node| fields::body(node, place));
        if let Some(body) = &mut body {
            body.media_type = headers.media_type;
        }
        let unread = self.left_out.map(|node| Unread {
            reason: Reason::BodyMissing,
            span: node.span().shifted(place.start),
        });
        Message { headers: headers.names, signals: headers.signals, body, unread }
    }
}

/// The method and URL of one shape: the first that has both, else the first URL.
fn call<'t>(record: Record<'t, '_>) -> Option<(Option<NodeRef<'t>>, NodeRef<'t>)> {
    let is_string = |node: NodeRef<'t>| node.kind() == Kind::String;
    let url = |names: &CallNames| record.first(names.urls, is_string);
    let with_method = |names: &CallNames| {
        let method = record.find(&names.method).filter(|method| is_string(*method))?;
        if parse_method(method).is_none() {
            record.by_value.set(true);
            return None;
        }
        Some((Some(method), url(names)?))
    };
    let both = CALLS.iter().find_map(with_method);
    both.or_else(|| CALLS.iter().find_map(url).map(|url| (None, url)))
}

/// Whether a text could be an exchange or a list that has some, by the names of members; broken text too.
///
/// For texts that could not, nothing need be parsed; and if one that could is broken, its parts are no body's.
pub(super) fn could_be(bytes: &[u8]) -> bool {
    let open = scan::skip_whitespace(bytes, 0);
    match bytes.get(open) {
        Some(b'{') => has_head(bytes, open),
        Some(b'[') => scan::elements(bytes, open).any(|element| match element {
            Ok(element) => {
                bytes.get(element.start) == Some(&b'{') && has_head(bytes, element.start)
            }
            Err(scan::Break::Truncated(at)) => bytes.get(at) == Some(&b'{') && has_head(bytes, at),
            Err(scan::Break::Malformed(_)) => false,
        }),
        _ => false,
    }
}

/// Whether the object at `open` has a member that is the beginning of a name by which calls are known.
fn has_head(bytes: &[u8], open: usize) -> bool {
    let heads = || {
        let calls = CALLS.iter().flat_map(|names| names.urls.iter().chain([&names.method]));
        let calls = calls.map(|name| &name.path);
        let batches = BATCHES.iter().filter_map(|path| path.first());
        calls.chain(batches).filter_map(|name| name.split('.').next())
    };
    let is_head = |key| {
        let name = string::decode_bytes(bytes, key);
        heads().any(|head| name.split('.').next() == Some(head))
    };
    scan::keys(bytes, open).any(|(key, _)| is_head(key))
}

fn message<'t>(record: Record<'t, '_>, names: &MessageNames) -> LocatedMessage<NodeRef<'t>> {
    let itself = body_itself(record.node, names);
    let headers = record.first(names.headers, |_| true).filter(|_| itself.is_none());
    let node = itself.or_else(|| record.first(names.body, |node| node.kind() != Kind::Null));
    let left_out = node.filter(|node| is_size_only(*node));
    LocatedMessage { headers, body: node.filter(|_| left_out.is_none()), left_out }
}

/// Elastic Common Schema keeps `body.bytes` where the content was left out.
fn is_size_only(node: NodeRef<'_>) -> bool {
    let mut members = node.children().filter_map(NodeRef::key).peekable();
    node.kind() == Kind::Object
        && members.peek().is_some()
        && members.all(|name| name == "bytes" || name == "size")
}

/// `request` or `response`, where it is the body: a string or list, or an object that is not a message.
fn body_itself<'t>(record: NodeRef<'t>, names: &MessageNames) -> Option<NodeRef<'t>> {
    let node = names.itself.iter().find_map(|name| record.get(name))?;
    match node.kind() {
        Kind::String | Kind::Array => Some(node),
        Kind::Object if !is_message(node) => Some(node),
        _ => None,
    }
}

/// An object with header fields, a call, or a status; or one with a body and nothing but a message's parts.
fn is_message(node: NodeRef<'_>) -> bool {
    let is = |name: &str, kind: Kind| node.get(name).is_some_and(|member| member.kind() == kind);
    let has_any = |names: &[&str]| names.iter().any(|name| node.get(name).is_some());
    is("headers", Kind::Object)
        || is("headers", Kind::Array)
        || is("method", Kind::String)
            && ["url", "uri", "path"].iter().any(|name| is(name, Kind::String))
        || ["status", "statusCode", "status_code"].iter().any(|name| is(name, Kind::Number))
        || has_any(&["body", "payload", "content", "data", "json"])
            && node.children().filter_map(NodeRef::key).all(|name| MESSAGE_PARTS.contains(&&*name))
}

/// The member at a dotted path, whose parts may be nested, joined, or entries of an OpenTelemetry attribute list.
fn find<'t>(node: NodeRef<'t>, path: &str, by_value: &Cell<bool>) -> Option<NodeRef<'t>> {
    if node.kind() == Kind::Array {
        by_value.set(true);
        let entry = node.children().find(|entry| {
            entry.get("key").and_then(NodeRef::as_str).is_some_and(|key| key == path)
        })?;
        return entry.get("value")?.children().next();
    }
    if let Some(child) = node.get(path) {
        return Some(child);
    }
    let dots = path.bytes().enumerate().filter(|&(_, byte)| byte == b'.').map(|(at, _)| at);
    dots.filter_map(|at| Some((path.get(..at)?, path.get(at + 1..)?)))
        .find_map(|(head, rest)| find(node.get(head)?, rest, by_value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tree;

    /// Method, path, and the decoded bodies of the exchanges in a record.
    fn read(text: &str) -> Vec<(String, String, String, String)> {
        let tree = Tree::parse(text, 99).unwrap();
        let place = fields::Place { file: text.as_bytes(), start: 0 };
        let body = |message: &Message<'_>| {
            let bytes = message.body.as_ref().map(|body| body.decode().unwrap().into_owned());
            String::from_utf8(bytes.unwrap_or_default()).unwrap()
        };
        parts(tree.root(), place, &Logs::default())
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
    fn entries_of_archives_are_read_a_line_each() {
        let text = r#"{"request":{"method":"POST","url":"/v1/chat","postData":{"text":"{\"a\":1}"}},"response":{"status":200,"content":{"encoding":"base64","text":"W10="}}}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, "[]"));
    }

    #[test]
    fn a_member_called_content_makes_no_entry() {
        let text =
            r#"{"method":"POST","url":"/v1/chat","response":{"status":200,"content":{"a":1}}}"#;
        assert_eq!(one(text), expected("", r#"{"a":1}"#));
    }

    #[test]
    fn deep_lists_are_no_exchanges_and_no_danger() {
        let text = "[".repeat(300_000) + &"]".repeat(300_000);
        let tree = Tree::parse(&text, 1_000_000).unwrap();
        assert_eq!(
            parts(tree.root(), fields::Place { file: text.as_bytes(), start: 0 }, &Logs::default())
                .len(),
            1
        );
        assert!(!could_be(text.as_bytes()));
        assert!(could_be(br#"[null, {"note":1}, {"request_uri":"/x"}]"#));
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
            let parts = parts(
                tree.root(),
                fields::Place { file: text.as_bytes(), start: 0 },
                &Logs::default(),
            );
            parts[0].as_ref().unwrap().call.target.clone().into_owned().parameters
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
        let parts =
            parts(tree.root(), fields::Place { file: text.as_bytes(), start: 0 }, &Logs::default());
        let exchange = parts[0].as_ref().unwrap();
        assert!(exchange.request.body.is_none() && exchange.request.unread.is_some());
    }
}
