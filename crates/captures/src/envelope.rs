//! Exchanges written as one JSON object: in the shapes of common loggers and proxies, which `presets` lists, and as plain
//! `{method, url, request: {headers, body}, response: {status, headers, body}}`.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::LazyLock;

use super::access_log::{self, LineFit};
use super::batch::BatchCall;
use super::entry::{self, Members};
use super::located::{LocatedMessage, LocatedRecord, TargetForm};
use super::log_table::{may_have_method, propose_table};
use super::members::{
    find_all_named, find_base64_sign, find_unknown_body, is_common_method, is_spelled, letters,
};
use super::nested::DecodedText;
use super::presets::{
    HOSTS, MessageNames, Name, Others, PRESETS, Places, Preset, QUERIES, REQUEST, RESPONSE, SIGNS,
    STARTED, STATUSES, Spelling, sign,
};
use super::request_line::split_request;
use super::{Logs, batch, pieces};
use crate::file_head::contains;
use sundown_exchange::RecordPlace;
use sundown_exchange::{CallRecord, Exchange, Host, Reason, RecordedOrigin, Skip};
use sundown_text_json::json::{
    Document, MAX_DOCUMENT_DEPTH, Node, ValueKind, find_error, scan, string,
};
use sundown_text_json::text::Span;

/// An object in which names are searched.
#[derive(Clone, Copy)]
struct NameLookup<'t, 'v> {
    node: Node<'t>,
    /// Set if the values of nodes matter.
    by_value: &'v Cell<bool>,
    /// The signs of the names of its members.
    signs: u64,
    spelling: Spelling,
}

impl<'t, 'v> NameLookup<'t, 'v> {
    fn new(node: Node<'t>, by_value: &'v Cell<bool>) -> Self {
        let signs = node.children().fold(0, |signs, child| {
            signs
                | match child.raw_key() {
                    Some(raw) if !raw.contains(&b'\\') => sign(raw),
                    _ => child.key().map_or(0, |key| sign(key.as_bytes())),
                }
        });
        Self {
            node,
            by_value,
            signs,
            spelling: Spelling::Exact,
        }
    }

    fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    fn find(self, name: &Name) -> Option<Node<'t>> {
        if self.signs & name.sign == 0 {
            return None;
        }
        match self.spelling {
            Spelling::Exact => find(self.node, name.path, self.by_value),
            Spelling::Any => find_spelled(self.node, name.path),
        }
    }

    fn first(self, names: &[Name], fits: impl Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
        self.all(names).find(|&node| fits(node))
    }

    fn all(self, names: &[Name]) -> impl Iterator<Item = Node<'t>> {
        names.iter().filter_map(move |name| self.find(name))
    }
}

/// The members of messages other than bodies. An object with other members, and without header fields, a call or a status, is a
/// body.
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
    "code",
    "contentType",
    "content_type",
    "encoding",
    "bodyEncoding",
    "body_encoding",
    "isBase64",
    "is_base64",
    "isBase64Encoded",
    "is_base64_encoded",
    "base64Encoded",
    "elapsed",
    "latency",
    "mimeType",
    "type",
    "postData",
    "redirectURL",
];

/// The parts of a record in order: exchanges, and what is reported of parts that are not exchanges.
pub(super) type Parts<'a> = Vec<Result<Exchange<'a>, Skip>>;

/// Returns whether a part is a call, or an event about one that another event counts.
pub(super) fn is_call(part: &Result<Exchange<'_>, Skip>) -> bool {
    part.as_ref()
        .map_or_else(|skip| skip.reason == Reason::EarlierStage, |_| true)
}

/// The number of exchanges that one record may become because members occur several times in it.
const MAX_VARIANTS: usize = 64;

/// Reads the exchanges in one record: itself, the elements of a list, or the parts of a batch. Lists within lists have none.
/// What `logs` say about a record comes before known shapes.
pub(super) fn parts<'a>(record: Node<'_>, place: RecordPlace<'a>, logs: &Logs<'_>) -> Parts<'a> {
    let records: Vec<Node<'_>> = match record.kind() {
        ValueKind::Array => record.children().collect(),
        _ => vec![record],
    };
    let parts: Vec<_> = records
        .into_iter()
        .flat_map(|record| match logs.exchange(record, place) {
            Some(exchange) => {
                let exchange = Exchange {
                    origin: origin(record, place),
                    ..exchange
                };
                of_record(vec![Ok(exchange)], &BatchCall::alone(record), place)
            }
            None => calls_in(record)
                .into_iter()
                .flat_map(|call| of_record(parts_of_one(call.node, place, logs), &call, place))
                .collect(),
        })
        .collect();
    if parts.is_empty() {
        vec![Err(no_exchange(record, place))]
    } else {
        parts
    }
}

/// Adds the record to its exchanges.
fn of_record<'a>(mut parts: Parts<'a>, call: &BatchCall<'_>, place: RecordPlace<'a>) -> Parts<'a> {
    let span = |node: &Node<'_>| place.span(node.span());
    for exchange in parts.iter_mut().flatten() {
        let wrapped = exchange.record.as_ref().and_then(CallRecord::wrapped);
        let record = CallRecord::new(place.file, span(&call.node)).wrapping(wrapped);
        exchange.record = Some(record.within(call.around.iter().map(span).collect()));
    }
    parts
}

/// The origin of the call in a record.
fn origin<'a>(record: Node<'_>, place: RecordPlace<'a>) -> RecordedOrigin<'a> {
    RecordedOrigin::attributes(record.span().shifted(place.start).slice(place.file))
}

fn no_exchange(node: Node<'_>, place: RecordPlace<'_>) -> Skip {
    Skip::at(Reason::NoExchange, node.span().shifted(place.start))
}

/// Reads one record: an exchange, or one in a string, as container engines wrap what programs write.
fn parts_of_one<'a>(record: Node<'_>, place: RecordPlace<'a>, logs: &Logs<'_>) -> Parts<'a> {
    if record.kind() != ValueKind::Object {
        return vec![Err(no_exchange(record, place))];
    }
    if is_entry(record)
        && let Some(exchange) = entry::exchange(&Members::of(record), place)
    {
        return vec![Ok(exchange)];
    }
    if let Some(located) = locate(record, &Cell::new(false)) {
        if located.is_earlier_stage() {
            let span = record.span().shifted(place.start);
            return vec![Err(Skip::at(Reason::EarlierStage, span))];
        }
        let variants = variants(record, &located);
        let mut parts: Parts<'a> = variants
            .iter()
            .filter_map(|variant| variant.build(place))
            .map(|exchange| {
                Ok(Exchange {
                    origin: origin(record, place),
                    ..exchange
                })
            })
            .collect();
        if variants.len() == MAX_VARIANTS {
            let span = record.span().shifted(place.start);
            let skip = Skip {
                bytes: 0,
                ..Skip::at(Reason::InvalidJson, span)
            };
            parts.push(Err(skip.because("too many duplicate members")));
        }
        if let Some(Ok(outer)) = parts.first()
            && located.may_be_batch()
        {
            let calls = calls_of_batch(&located, outer.call.target().host.as_ref(), place);
            parts.extend(calls.into_iter().map(Ok));
        }
        if !parts.is_empty() {
            return parts;
        }
    }
    if let Some(call) = batch::wrappers(record).find_map(|text| call_in_line(text, place, logs)) {
        return vec![Ok(call)];
    }
    match batch::wrapped(record) {
        Some(text) => parts_of_text(text, place, logs),
        // Users who map records leave out other lines on purpose.
        None => vec![Err(
            match propose_table(record).filter(|_| logs.has_no_record_mapping()) {
                Some(table) => {
                    let span = record.span().shifted(place.start);
                    Skip::at(Reason::UnknownLayout, span).because(format!("`{table}`"))
                }
                None => no_exchange(record, place),
            },
        )],
    }
}

/// Reads the line of an access log in a string.
fn call_in_line<'a>(
    text: Node<'_>,
    place: RecordPlace<'a>,
    logs: &Logs<'_>,
) -> Option<Exchange<'a>> {
    if !may_be_access_line(text) {
        return None;
    }
    let source = DecodedText::of(text, place)?;
    let line = source.text.trim_end().as_bytes();
    let LineFit::Whole(pieces) = access_log::read(line, logs) else {
        return None;
    };
    let call = pieces.call(Span::new(0, line.len()), line)?;
    let span = place.span(text.span());
    Some(Exchange {
        record: Some(CallRecord::new(place.file, span).wrapping(Some(span))),
        ..source.move_out(&call.exchange(0), place.file)
    })
}

/// Returns whether a string may be the line of an access log, by what all common formats have.
fn may_be_access_line(text: Node<'_>) -> bool {
    text.kind() == ValueKind::String
        && !text.raw_bytes().starts_with(b"\"{")
        && contains(text.raw_bytes(), batch::REQUEST_END)
}

/// Reads the record in a string.
fn parts_of_text<'a>(text: Node<'_>, place: RecordPlace<'a>, logs: &Logs<'_>) -> Parts<'a> {
    let Some(source) = DecodedText::of(text, place) else {
        return vec![Err(no_exchange(text, place))];
    };
    let bytes = source.text.as_bytes();
    if let Some(error) = find_error(bytes, MAX_DOCUMENT_DEPTH) {
        // Container engines cut long lines.
        let is_cut = error.leaves_prefix_whole() && could_be(bytes);
        let reason = if is_cut {
            Reason::Truncated
        } else {
            Reason::NoExchange
        };
        return vec![Err(Skip::at(reason, source.whole))];
    }
    let document = Document::of_valid(bytes, |_, _| true);
    let inner = parts(
        document.root(),
        RecordPlace {
            file: bytes,
            start: 0,
        },
        logs,
    );
    let exchanges = inner.iter().filter_map(|part| part.as_ref().ok());
    let span = place.span(text.span());
    let record = CallRecord::new(place.file, span).wrapping(Some(span));
    let moved = exchanges.map(|exchange| source.move_out(exchange, place.file));
    let moved: Parts<'a> = moved
        .map(|moved| {
            Ok(Exchange {
                record: Some(record.clone()),
                ..moved
            })
        })
        .collect();
    if moved.is_empty() {
        vec![Err(no_exchange(text, place))]
    } else {
        moved
    }
}

/// Returns whether a record whose members are no exchange may be one by its values.
pub(super) fn may_be_known(record: Node<'_>) -> bool {
    batch::wrapped(record).is_some()
        || batch::wrappers(record).any(may_be_access_line)
        || may_have_method(record)
}

/// The readings of a record in which members of the same name occur several times: one for each. Every body is in one of
/// them.
fn variants<'t>(
    record: Node<'t>,
    located: &LocatedRecord<Node<'t>>,
) -> Vec<LocatedRecord<Node<'t>>> {
    let all = |node: Option<Node<'t>>| match node {
        Some(node) => find_all_named(record, node),
        None => Vec::new(),
    };
    let methods = all(located.method);
    let urls = all(Some(located.url));
    let sent = all(located.request.body);
    let answered = all(located.response.body);
    let most = [&methods, &urls, &sent, &answered]
        .map(Vec::len)
        .into_iter()
        .max();
    (0..most.unwrap_or(1).clamp(1, MAX_VARIANTS))
        .map(|number| {
            if number == 0 {
                return located.clone();
            }
            let url = urls.get(number).copied();
            let method = methods.get(number).copied();
            // What was read once must not count twice.
            let is_other_call = url.or(method).is_some();
            let message = |from: &LocatedMessage<Node<'t>>, bodies: &[Node<'t>]| LocatedMessage {
                body: bodies
                    .get(number)
                    .copied()
                    .or(from.body.filter(|_| is_other_call)),
                headers: from.headers.filter(|_| is_other_call),
                ..from.clone()
            };
            LocatedRecord {
                method: method.or(located.method),
                url: url.unwrap_or(located.url),
                request: message(&located.request, &sent),
                response: message(&located.response, &answered),
                ..located.clone()
            }
        })
        .collect()
}

fn elements<'t>(body: Option<Node<'t>>, name: &str) -> Vec<Node<'t>> {
    body.and_then(|body| body.get(name))
        .into_iter()
        .flat_map(Node::children)
        .collect()
}

/// The calls in the body of a batch request, each with the response of the same `id` (OData JSON format 4.01, section 19).
fn calls_of_batch<'a>(
    batch: &LocatedRecord<Node<'_>>,
    host: Option<&Host<'a>>,
    place: RecordPlace<'a>,
) -> Vec<Exchange<'a>> {
    let requests = elements(batch.request.body, "requests");
    let responses = elements(batch.response.body, "responses");
    let id = |node: Node<'_>| node.get("id").map(|id| id.raw_bytes().to_vec());
    requests
        .into_iter()
        .filter_map(|request| {
            let mut located = locate(request, &Cell::new(false))?;
            let own = id(request);
            let response = responses
                .iter()
                .find(|node| own.is_some() && id(**node) == own);
            if let Some(response) = response {
                located.status = response.get("status");
                located.response.headers = response.get("headers");
                located.response.body = response
                    .get("body")
                    .filter(|body| body.kind() != ValueKind::Null);
            }
            let mut exchange = located.build(place)?;
            if exchange.call.target().host.is_none() {
                let host = host.cloned();
                exchange.call.change_target(|target| target.host = host);
            }
            Some(exchange)
        })
        .collect()
}

/// Finds the exchanges of a record that is valid JSON. A tree of large bodies would take many times their memory, so their
/// content is left out unless it is needed.
pub(super) fn parts_of_valid<'a>(
    text: &[u8],
    place: RecordPlace<'a>,
    logs: &Logs<'_>,
) -> Parts<'a> {
    let outer = Document::of_valid(text, is_around_bodies);
    let parts_of_outer = parts(outer.root(), place, logs);
    if !outer.missed_content() {
        return parts_of_outer;
    }
    drop(outer);
    parts(Document::of_valid(text, |_, _| true).root(), place, logs)
}

/// The members with header fields and bodies, or other content that differs from record to record.
const CONTENT: [&[u8]; 8] = [
    b"headers",
    b"body",
    b"requestObject",
    b"responseObject",
    b"annotations",
    b"user",
    b"objectRef",
    b"sourceIPs",
];

/// Returns whether an array or object is part of the layout, by the number of containers around it and its name: the record and
/// its messages are, header fields and bodies are not.
pub(super) fn is_around_bodies(levels: usize, name: &[u8]) -> bool {
    levels < 3 && !CONTENT.contains(&name)
}

/// The events in a record, each a record of its own. A call may have events, too.
fn events(record: Node<'_>) -> Option<Node<'_>> {
    batch::events(record).filter(|_| locate(record, &Cell::new(false)).is_none())
}

fn is_batch(record: Node<'_>) -> bool {
    batch::is_batch(record) || events(record).is_some()
}

/// Returns the records in a batch, or any other record by itself.
fn calls_in(record: Node<'_>) -> Vec<BatchCall<'_>> {
    let mut calls = batch::calls(record);
    let events = events(record).into_iter().flat_map(Node::children);
    calls.extend(events.map(BatchCall::alone));
    if calls.is_empty() {
        vec![BatchCall::alone(record)]
    } else {
        calls
    }
}

/// Returns whether a record is at most one exchange with pieces that [`locate`] finds: not a list, a batch, or an entry of an
/// archive.
pub(super) fn is_plain(record: Node<'_>) -> bool {
    // Whether a list has records depends on its values.
    record.kind() == ValueKind::Object
        && !is_batch(record)
        && !is_entry(record)
        && !batch::may_have_records(record)
}

/// Returns whether a record looks like an entry of an archive.
fn is_entry(record: Node<'_>) -> bool {
    [("request", "postData"), ("response", "content")]
        .into_iter()
        .any(|(message, holder)| {
            record
                .get(message)
                .and_then(|message| message.get(holder))
                .is_some_and(|holder| holder.kind() == ValueKind::Object)
        })
}

/// Locates the pieces of an exchange in an object that has a URL and a sign of a call. Sets `by_value` if anything but names
/// and kinds of nodes mattered.
pub(super) fn locate<'t>(
    record: Node<'t>,
    by_value: &Cell<bool>,
) -> Option<LocatedRecord<Node<'t>>> {
    let names = NameLookup::new(record, by_value);
    let CallMatch {
        preset,
        method,
        url,
        form,
    } = call(names)?;
    let names = names.spelled(preset.spelling);
    let status = record
        .get("status")
        .filter(|status| status.kind() == ValueKind::Number);
    let has_method = method.is_some() || form == TargetForm::RequestLine;
    if !has_method && status.is_none() && names.first(SIGNS, |_| true).is_none() {
        return None;
    }
    // If the request is the body, its members belong to the body.
    let is_body =
        |name: &str| name.starts_with("req") && body_itself(record, &REQUEST, by_value).is_some();
    let host = preset
        .hosts
        .iter()
        .chain(HOSTS)
        .filter(|name| !is_body(name.path))
        .filter_map(|name| names.find(name))
        .find(|node| node.kind() == ValueKind::String);
    let queries = queries(names, preset, &is_body);
    let mut request = message(names, &REQUEST, preset.request, preset.others, url);
    let mut response = message(names, &RESPONSE, preset.response, preset.others, url);
    // A body beside a status may be that of the response: it is checked as both.
    if status.is_some() && response.body.is_none() && record.get("body").is_some() {
        response.body = request.body;
    }
    let has_body = request.body.is_some() || response.body.is_some();
    if !has_body && preset.others == Others::Any {
        find_unknown_bodies(record, &mut request, &mut response);
    }
    let started = names
        .first(preset.started, |_| true)
        .or_else(|| names.first(STARTED, |_| true));
    let code = names
        .all(preset.statuses)
        .chain(names.all(STATUSES))
        .find(|node| matches!(node.kind(), ValueKind::Number | ValueKind::String));
    for body in [&mut request, &mut response] {
        body.base64 = body.body.and_then(|body| find_base64_sign(record, body));
    }
    let located = LocatedRecord {
        method,
        url,
        form,
        host,
        queries,
        started,
        status: code,
        annotations: names.first(preset.annotations, is_object),
        stage: names.first(preset.stages, is_string),
        request,
        response,
    };
    // Parsers differ in which of several members they keep.
    let pieces = [
        located.method,
        Some(url),
        located.request.body,
        located.response.body,
    ];
    if pieces
        .into_iter()
        .flatten()
        .any(|piece| find_all_named(record, piece).len() > 1)
    {
        by_value.set(true);
    }
    Some(located)
}

/// Finds members beside the call, or in its messages, that may be bodies.
fn find_unknown_bodies<'t>(
    record: Node<'t>,
    request: &mut LocatedMessage<Node<'t>>,
    response: &mut LocatedMessage<Node<'t>>,
) {
    let inside = |names: &[&str; 2]| {
        let message = names.iter().find_map(|name| record.get(name))?;
        find_unknown_body(message, |_| true)
    };
    let is_answer = |name: &str| name.starts_with("res");
    request.unknown =
        inside(&REQUEST.itself).or_else(|| find_unknown_body(record, |name| !is_answer(name)));
    let answered = inside(&RESPONSE.itself).or_else(|| find_unknown_body(record, is_answer));
    // A member whose name says no side may be the body of either.
    let of_no_side = request.unknown.filter(|node| {
        node.key()
            .is_some_and(|key| !key.to_ascii_lowercase().starts_with("req"))
    });
    response.unknown = answered.or(of_no_side);
}

/// The separate queries, each once.
fn queries<'t>(
    names: NameLookup<'t, '_>,
    preset: &Preset,
    is_body: &dyn Fn(&str) -> bool,
) -> Vec<Node<'t>> {
    let mut queries: Vec<Node<'t>> = Vec::new();
    for name in preset
        .queries
        .iter()
        .chain(QUERIES)
        .filter(|name| !is_body(name.path))
    {
        let found = names.find(name);
        queries.extend(found.filter(|query| queries.iter().all(|q| q.index() != query.index())));
    }
    queries
}

/// The call of a record, and its shape.
struct CallMatch<'t> {
    preset: &'static Preset,
    method: Option<Node<'t>>,
    url: Node<'t>,
    form: TargetForm,
}

/// Finds the method and URL of one shape: the first that has both, else the first request line, else the first URL.
fn call<'t>(record: NameLookup<'t, '_>) -> Option<CallMatch<'t>> {
    let presets = || {
        PRESETS.iter().filter(|preset| {
            preset.signs.is_empty() || record.first(preset.signs, |_| true).is_some()
        })
    };
    presets()
        .find_map(|preset| called_apart(record, preset))
        .or_else(|| presets().find_map(|preset| called_in_line(record, preset)))
        .or_else(|| presets().find_map(|preset| called_without_method(record, preset)))
}

fn is_string(node: Node<'_>) -> bool {
    node.kind() == ValueKind::String
}

fn is_object(node: Node<'_>) -> bool {
    node.kind() == ValueKind::Object
}

fn called_apart<'t>(record: NameLookup<'t, '_>, preset: &'static Preset) -> Option<CallMatch<'t>> {
    let record = record.spelled(preset.spelling);
    preset.calls.iter().find_map(|names| {
        let method = record
            .find(&names.method)
            .filter(|method| is_string(*method))?;
        if pieces::method(method).is_none() {
            record.by_value.set(true);
            return None;
        }
        let url = record.first(names.urls, is_string)?;
        if preset.spelling == Spelling::Any {
            record.by_value.set(true);
            if !is_common_method(method) || !is_address(url) {
                return None;
            }
        }
        Some(CallMatch {
            preset,
            method: Some(method),
            url,
            form: preset.form,
        })
    })
}

/// Returns whether a value is a path or a URL.
fn is_address(node: Node<'_>) -> bool {
    let starts = ["/", "http://", "https://"];
    node.as_str()
        .is_some_and(|text| starts.iter().any(|start| text.starts_with(start)))
}

/// The method and URL in a request line. A member of that name may contain anything.
fn called_in_line<'t>(
    record: NameLookup<'t, '_>,
    preset: &'static Preset,
) -> Option<CallMatch<'t>> {
    let url = record.first(preset.lines, is_string)?;
    record.by_value.set(true);
    let line = url.as_str()?;
    split_request(line.as_bytes(), Span::new(0, line.len()))?;
    Some(CallMatch {
        preset,
        method: None,
        url,
        form: TargetForm::RequestLine,
    })
}

/// Returns whether a record has a member for a request line, whatever it contains: mostly bytes of other protocols.
pub(super) fn has_request_line(record: Node<'_>) -> bool {
    let by_value = Cell::new(false);
    let names = NameLookup::new(record, &by_value);
    PRESETS
        .iter()
        .any(|preset| names.first(preset.lines, is_string).is_some())
}

fn called_without_method<'t>(
    record: NameLookup<'t, '_>,
    preset: &'static Preset,
) -> Option<CallMatch<'t>> {
    if preset.spelling == Spelling::Any {
        return None;
    }
    let url = preset
        .calls
        .iter()
        .find_map(|names| record.first(names.urls, is_string))?;
    Some(CallMatch {
        preset,
        method: None,
        url,
        form: preset.form,
    })
}

/// Returns whether a text could be an exchange or a list with exchanges, by the names of members, even if it is broken. Other
/// texts need not be parsed; and if such a text is broken, its parts do not belong to a body.
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

/// The beginnings of all known names for a call, in lower case and without `_` and `-`.
static HEADS: LazyLock<HashSet<Vec<u8>>> = LazyLock::new(|| {
    let calls = PRESETS
        .iter()
        .flat_map(|preset| preset.calls)
        .flat_map(|names| names.urls.iter().chain([&names.method]));
    let lines = PRESETS.iter().flat_map(|preset| preset.lines);
    calls
        .chain(lines)
        .map(|name| name.path)
        .chain(batch::names())
        .map(|name| letters(name.split('.').next().unwrap_or_default()).collect())
        .collect()
});

/// Returns whether the object at `open` has a member that begins a known name for a call, or may hold another record.
fn has_head(bytes: &[u8], open: usize) -> bool {
    scan::keys(bytes, open).any(|(key, value)| {
        let name = string::decode_bytes(bytes, key);
        let head = name.split('.').next().unwrap_or_default();
        HEADS.contains(&letters(head).collect::<Vec<_>>()) || batch::may_wrap(bytes, &name, value)
    })
}

/// Locates one half of an exchange: in the places of its shape, then in the usual ones. What has been taken for the URL is not
/// a body.
fn message<'t>(
    record: NameLookup<'t, '_>,
    names: &MessageNames,
    places: Places,
    others: Others,
    url: Node<'t>,
) -> LocatedMessage<Node<'t>> {
    let itself =
        body_itself(record.node, names, record.by_value).filter(|node| node.index() != url.index());
    let headers = record
        .first(places.headers, |_| true)
        .or_else(|| record.first(names.headers, |_| true));
    let elsewhere = if others == Others::Any {
        names.bodies
    } else {
        &[]
    };
    let node = itself.or_else(|| {
        let in_any_spelling = record.spelled(Spelling::Any).all(elsewhere);
        record
            .all(places.bodies)
            .chain(record.all(elsewhere))
            .chain(in_any_spelling)
            .find(|node| node.kind() != ValueKind::Null)
    });
    let left_out = node.filter(|node| is_size_only(*node));
    LocatedMessage {
        headers: headers.filter(|_| itself.is_none()),
        body: node.filter(|_| left_out.is_none()),
        left_out,
        base64: None,
        unknown: None,
    }
}

/// Returns whether a node has only the size of a body that was left out, as `body.bytes` in Elastic Common Schema. For content
/// that the layout leaves out, see [`LocatedRecord::is_in_doubt`].
fn is_size_only(node: Node<'_>) -> bool {
    if node.is_left_out() {
        return false;
    }
    let mut members = node.children().filter_map(Node::key).peekable();
    node.kind() == ValueKind::Object
        && members.peek().is_some()
        && members.all(|name| name == "bytes" || name == "size")
}

/// Returns `request` or `response` if it is the body: a string or list, or an object that is not a message.
fn body_itself<'t>(
    record: Node<'t>,
    names: &MessageNames,
    by_value: &Cell<bool>,
) -> Option<Node<'t>> {
    let node = names.itself.iter().find_map(|name| record.get(name))?;
    match node.kind() {
        ValueKind::String | ValueKind::Array => Some(node),
        ValueKind::Object if !is_message(node, by_value) => Some(node),
        _ => None,
    }
}

/// Returns whether an object is a message: it has header fields, a call or a status, a `body` with JSON as a value or as text,
/// or a body of another name and only members of messages.
fn is_message(node: Node<'_>, by_value: &Cell<bool>) -> bool {
    let is =
        |name: &str, kind: ValueKind| node.get(name).is_some_and(|member| member.kind() == kind);
    is("headers", ValueKind::Object)
        || is("headers", ValueKind::Array)
        || is("method", ValueKind::String)
            && ["url", "uri", "path"]
                .iter()
                .any(|name| is(name, ValueKind::String))
        || ["status", "statusCode", "status_code"]
            .iter()
            .any(|name| is(name, ValueKind::Number))
        || ["body", "payload", "content", "data", "json"]
            .iter()
            .any(|name| node.get(name).is_some())
            && node
                .children()
                .filter_map(Node::key)
                .all(|name| MESSAGE_PARTS.contains(&name))
        || holds_json(node, by_value)
}

/// Returns whether an object has a `body` that is an object, a list, or the text of one.
fn holds_json(node: Node<'_>, by_value: &Cell<bool>) -> bool {
    let Some(body) = node.get("body") else {
        return false;
    };
    match body.kind() {
        ValueKind::Object | ValueKind::Array => true,
        ValueKind::String => {
            by_value.set(true);
            body.as_str()
                .unwrap_or_default()
                .trim_start()
                .starts_with(['{', '['])
        }
        _ => false,
    }
}

/// Finds the member at a dotted path, whose parts may be nested, joined, or entries of an OpenTelemetry attribute list.
fn find<'t>(node: Node<'t>, path: &str, by_value: &Cell<bool>) -> Option<Node<'t>> {
    if node.kind() == ValueKind::Array {
        by_value.set(true);
        let value = node
            .children()
            .find(|entry| {
                let key = entry.get("key").or_else(|| entry.get("name"));
                key.and_then(Node::as_str).is_some_and(|key| key == path)
            })?
            .get("value")?;
        return if is_string(value) {
            Some(value)
        } else {
            value.children().next()
        };
    }
    if let Some(child) = node.get(path) {
        return Some(child);
    }
    path.bytes()
        .enumerate()
        .filter(|&(_, byte)| byte == b'.')
        .map(|(at, _)| at)
        .filter_map(|at| Some((path.get(..at)?, path.get(at + 1..)?)))
        .find_map(|(head, rest)| find(node.get(head)?, rest, by_value))
}

/// Finds the member at a dotted path, whatever the spelling of its names.
fn find_spelled<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    let child = |name: &str| {
        node.children()
            .find(|child| child.key().is_some_and(|key| is_spelled(key, name)))
    };
    if node.kind() != ValueKind::Object {
        return None;
    }
    child(path).or_else(|| {
        let (head, rest) = path.split_once('.')?;
        find_spelled(child(head)?, rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_exchange::{Message, QueryParameter};

    /// Method, path, and the decoded bodies of the exchanges in a record.
    fn read(text: &str) -> Vec<(String, String, String, String)> {
        let tree = Document::parse_json(text, 99).unwrap();
        let place = RecordPlace {
            file: text.as_bytes(),
            start: 0,
        };
        let body = |message: &Message<'_>| {
            let bytes = message
                .body()
                .map(|body| body.decode().unwrap().into_owned());
            String::from_utf8(bytes.unwrap_or_default()).unwrap()
        };
        parts(tree.root(), place, &Logs::default())
            .iter()
            .flatten()
            .map(|exchange| {
                let method = exchange
                    .call
                    .method
                    .as_ref()
                    .map_or("?", |method| method.as_str());
                let path = exchange.call.target().segments.join("/");
                (
                    method.to_owned(),
                    path,
                    body(&exchange.request),
                    body(&exchange.response),
                )
            })
            .collect()
    }

    fn one(text: &str) -> (String, String, String, String) {
        let mut all = read(text);
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    fn expected(request: &str, response: &str) -> (String, String, String, String) {
        (
            "POST".into(),
            "v1/chat".into(),
            request.into(),
            response.into(),
        )
    }

    #[test]
    fn plain_records() {
        let text = r#"{"response":{"status":200,"body":"{\"b\":2}"},"request":{"body":{"a":1}},"url":"https://h/v1/chat?x","method":"post"}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, r#"{"b":2}"#));
        assert_eq!(
            one(r#"{"method":"POST","path":"/v1/chat","body":[1]}"#),
            expected("[1]", "")
        );
    }

    #[test]
    fn bodies_without_a_message_around_them() {
        let nested = r#"{"method":"POST","path":"/v1/chat","request":{"query":"x"},"response":{"status":"ok"}}"#;
        assert_eq!(
            one(nested),
            expected(r#"{"query":"x"}"#, r#"{"status":"ok"}"#)
        );
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
        let caddy = r#"{"level":"info","ts":1763539964.52,"logger":"http.log.access_log","request":{"method":"POST","host":"h","uri":"/v1/chat?x=1","headers":{"Content-Type":["application/json"]}},"status":200,"resp_headers":{"Server":["Caddy"]},"resp_body":"[]"}"#;
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
        let tree = Document::parse_json(&text, 1_000_000).unwrap();
        assert_eq!(
            parts(
                tree.root(),
                RecordPlace {
                    file: text.as_bytes(),
                    start: 0
                },
                &Logs::default()
            )
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
            let tree = Document::parse_json(text, 99).unwrap();
            let parts = parts(
                tree.root(),
                RecordPlace {
                    file: text.as_bytes(),
                    start: 0,
                },
                &Logs::default(),
            );
            let parameters = &parts[0].as_ref().unwrap().call.target().parameters;
            let text = |parameter: &QueryParameter<'_>| {
                format!(
                    "{}={}",
                    parameter.name,
                    parameter.value.as_deref().unwrap_or("?")
                )
            };
            parameters.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(
            query(r#"{"http.request.method":"GET","url":{"path":"/a","query":"page=2&x"}}"#),
            ["page=2", "x="]
        );
        assert_eq!(
            query(r#"{"request":{"method":"GET","uri":"/a","querystring":{"page":"2"}}}"#),
            ["page=2"]
        );
    }

    #[test]
    fn a_size_without_content_is_a_body_left_out() {
        let text = r#"{"http":{"request":{"method":"POST","body":{"bytes":70}}},"url":{"path":"/v1/chat"}}"#;
        let tree = Document::parse_json(text, 99).unwrap();
        let parts = parts(
            tree.root(),
            RecordPlace {
                file: text.as_bytes(),
                start: 0,
            },
            &Logs::default(),
        );
        let exchange = parts[0].as_ref().unwrap();
        assert!(exchange.request.body().is_none() && exchange.request.unread().is_some());
    }
}
