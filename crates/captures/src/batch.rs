//! Records that have other records in a list or in a string: batches of OpenTelemetry, recordings, audit events, and what
//! container engines, collectors and cloud services wrap.

use super::audit_event;
use crate::file_head::contains;
use sundown_text_json::json::{Node, ValueKind, scan, string};

/// The members in which OTLP's JSON has spans and log records (opentelemetry-proto, `trace.proto` and `logs.proto`).
const BATCHES: [[&str; 3]; 2] = [
    ["resourceSpans", "scopeSpans", "spans"],
    ["resourceLogs", "scopeLogs", "logRecords"],
];

/// The member with the exchanges in a recording of the Azure SDK's test proxy.
const RECORDING: &str = "Entries";

/// The members in which container engines, agents that collect logs, and cloud services keep what a program wrote.
const WRAPPERS: [&str; 4] = ["log", "message", "@message", "properties.log"];

/// The members with a list of records that wrap others: of the events that CloudWatch exports and sends on.
const WRAPPER_LISTS: [&str; 2] = ["events", "logEvents"];

/// What ends a request in all common formats of access logs.
pub(super) const REQUEST_END: &[u8] = b" HTTP/";

/// The member with the events of a Kubernetes `EventList`, which audit webhooks receive.
const EVENTS: &str = "items";

/// A record of a batch, or one by itself.
pub(super) struct BatchCall<'t> {
    pub node: Node<'t>,
    /// The objects that describe it and others: its scope and its resource, where they are given.
    pub around: Vec<Node<'t>>,
}

impl<'t> BatchCall<'t> {
    pub(super) fn alone(node: Node<'t>) -> Self {
        Self {
            node,
            around: Vec::new(),
        }
    }
}

/// The names at the top of records with lists of calls.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BATCHES
        .iter()
        .filter_map(|path| path.first().copied())
        .chain([RECORDING])
}

/// The string in which a record has another one: of Docker, and of agents that collect logs.
pub(super) fn wrapped(record: Node<'_>) -> Option<Node<'_>> {
    wrappers(record).find(|text| text.raw_bytes().starts_with(b"\"{"))
}

/// The members in which a record may have what a program wrote.
pub(super) fn wrappers(record: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    WRAPPERS
        .into_iter()
        .filter_map(move |name| match name.split_once('.') {
            Some((outer, inner)) => record.get(outer)?.get(inner),
            None => record.get(name),
        })
}

/// Returns whether a record may have other records, depending on its values.
pub(super) fn may_have_records(record: Node<'_>) -> bool {
    WRAPPER_LISTS.iter().any(|name| record.get(name).is_some())
}

/// Returns whether a record is a batch of OpenTelemetry or a recording.
pub(super) fn is_batch(record: Node<'_>) -> bool {
    BATCHES.iter().any(|path| record.get(path[0]).is_some()) || recording(record).is_some()
}

/// The list of audit events in a record, or of records that wrap others.
pub(super) fn events(record: Node<'_>) -> Option<Node<'_>> {
    list_of(record, EVENTS, |event| event.get(audit_event::ID)).or_else(|| {
        WRAPPER_LISTS
            .into_iter()
            .find_map(|name| list_of(record, name, wrapped))
    })
}

/// The list in a recording of the Azure SDK's test proxy.
fn recording(record: Node<'_>) -> Option<Node<'_>> {
    list_of(record, RECORDING, |entry| entry.get("RequestUri"))
}

/// The list with this name, if its first element has a `part` that only such lists have.
fn list_of<'t>(
    record: Node<'t>,
    name: &str,
    part: impl Fn(Node<'t>) -> Option<Node<'t>>,
) -> Option<Node<'t>> {
    let list = record.get(name)?;
    (list.kind() == ValueKind::Array && part(list.children().next()?).is_some()).then_some(list)
}

/// The spans and log records of a batch of OpenTelemetry, and the entries of a recording.
pub(super) fn calls(record: Node<'_>) -> Vec<BatchCall<'_>> {
    let mut batch: Vec<_> = recording(record)
        .into_iter()
        .flat_map(Node::children)
        .map(BatchCall::alone)
        .collect();
    for [resources, scopes, calls] in BATCHES {
        for resource in record.children_of(resources) {
            for scope in resource.children_of(scopes) {
                let nodes = scope.children_of(calls);
                let around = [scope.get("scope"), resource.get("resource")];
                batch.extend(nodes.map(|node| BatchCall {
                    node,
                    around: around.into_iter().flatten().collect(),
                }));
            }
        }
    }
    batch
}

/// Returns whether a member may be a string with a record or the line of an access log, an object with such a string, or a list of events.
pub(super) fn may_wrap(bytes: &[u8], name: &str, value: usize) -> bool {
    let has_member = |open: usize, is_one: &dyn Fn(&str, usize) -> bool| {
        let mut keys = scan::keys(bytes, open);
        bytes.get(open) == Some(&b'{')
            && keys.any(|(key, value)| is_one(&string::decode_bytes(bytes, key), value))
    };
    let first = scan::skip_whitespace(bytes, value + 1);
    let wraps = |name: &str, value: usize| {
        let end = || scan::value(bytes, value).map_or(bytes.len(), |value| value.end);
        WRAPPERS.contains(&name) && bytes.get(value) == Some(&b'"') && {
            let text = bytes.get(value..end()).unwrap_or_default();
            text.starts_with(b"\"{") || contains(text, REQUEST_END)
        }
    };
    wraps(name, value)
        || WRAPPERS
            .iter()
            .any(|wrapper| wrapper.split('.').next() == Some(name))
            && has_member(value, &|inner, value| {
                wraps(&format!("{name}.{inner}"), value)
            })
        || bytes.get(value) == Some(&b'[')
            && (name == EVENTS && has_member(first, &|name, _| name == audit_event::ID)
                || WRAPPER_LISTS.contains(&name) && has_member(first, &wraps))
}
