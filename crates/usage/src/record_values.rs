//! Values that name callers in the records of calls: members, and attributes in lists as OpenTelemetry writes them.

use std::collections::HashMap;
use std::fmt;

use sundown_captures::USER_AGENT_MEMBERS;
use sundown_exchange::{CallRecord, Exchange, RecordPart, RecordRole};
use sundown_text_json::json::pointer::Pointer;
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, Node, ValueKind, string};
use sundown_text_json::text::Span;

/// A member of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordMember {
    /// The one at a JSON Pointer.
    Pointer(Pointer),
    /// The one with names separated by dots, which may be parts of one name (`service.name`), or else the attribute with this name.
    Dotted(String),
    /// The user agent, under its usual names.
    UserAgent,
}

impl RecordMember {
    /// Parses the path of a member.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('/') {
            let pointer = Pointer::parse(text).map_err(|error| error.to_string())?;
            return Ok(Self::Pointer(pointer));
        }
        Ok(Self::Dotted(text.to_owned()))
    }
}

impl fmt::Display for RecordMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dotted(name) => f.write_str(name),
            Self::Pointer(pointer) => pointer.tokens().try_for_each(|token| {
                write!(f, "/{}", token.replace('~', "~0").replace('/', "~1"))
            }),
            Self::UserAgent => f.write_str("user-agent"),
        }
    }
}

/// Finds values in the records of calls. Each result is kept for the next call: those of a batch have objects in common, which
/// may be large.
#[derive(Debug, Default)]
pub(super) struct RecordValues {
    /// The last result for each number of a part and of an attribute, with the address and length of the part.
    found: HashMap<(usize, usize), ((usize, usize), FoundValue)>,
}

/// A value that identifies no one: not text, or too long.
#[derive(Debug, Clone)]
pub(super) struct UnusableValue;

/// A value in a part of a record.
#[derive(Debug, Clone)]
struct FoundText {
    value: String,
    /// Its position in the part, unless the user asks for the member at this position.
    span: Option<Span>,
}

/// The value in a part, if it has one.
type FoundValue = Result<Option<FoundText>, UnusableValue>;

/// The longest value of an attribute, in bytes. Longer ones identify no one.
const MAX_VALUE_BYTES: usize = 1_024;

/// The lists of attributes about a call: those of OpenTelemetry's spans, scopes and resources, and those of Jaeger.
const LISTS: [&str; 5] = [
    "attributes",
    "scope.attributes",
    "resource.attributes",
    "tags",
    "process.tags",
];

impl RecordValues {
    /// Forgets the results, because texts of other files follow, which may have the same addresses.
    pub(super) fn clear(&mut self) {
        self.found.clear();
    }

    /// Finds the value of the attribute with this number. A value in a body names no caller.
    pub(super) fn find(
        &mut self,
        exchange: &Exchange<'_>,
        query: &RecordMember,
        number: usize,
    ) -> Result<Option<String>, UnusableValue> {
        for (level, part) in exchange
            .record
            .iter()
            .flat_map(CallRecord::parts)
            .enumerate()
        {
            let found = self.search(part, query, level, number)?;
            let found = found.filter(|found| {
                let span = found.span.map(|span| span.shifted(part.span.start));
                !span.is_some_and(|span| is_in_body(exchange, span))
            });
            if let Some(found) = found {
                return Ok(Some(found.value));
            }
        }
        Ok(None)
    }

    /// Searches a part of a record, unless it was searched before.
    fn search(
        &mut self,
        part: RecordPart<'_>,
        query: &RecordMember,
        level: usize,
        number: usize,
    ) -> FoundValue {
        let at = (part.text.as_ptr().addr(), part.text.len());
        let known = self
            .found
            .get(&(level, number))
            .filter(|(known, _)| *known == at);
        if let Some((_, value)) = known {
            return value.clone();
        }
        let value = search_part(part, query);
        self.found.insert((level, number), (at, value.clone()));
        value
    }
}

/// Returns a value without white space around it; `None` for one that says nothing.
pub(super) fn usable(text: &str) -> Result<Option<String>, UnusableValue> {
    match text.trim() {
        "" | "-" => Ok(None),
        long if long.len() > MAX_VALUE_BYTES => Err(UnusableValue),
        text => Ok(Some(text.to_owned())),
    }
}

fn is_in_body(exchange: &Exchange<'_>, span: Span) -> bool {
    let bodies = [exchange.request.raw_body(), exchange.response.raw_body()]
        .into_iter()
        .flatten();
    let mut spans = bodies.map(|body| exchange.outer(body.span));
    spans.any(|body| body.start <= span.start && span.end <= body.end)
}

/// Searches a part of a record. Of an object around it, only the attributes are about the call.
fn search_part(part: RecordPart<'_>, query: &RecordMember) -> FoundValue {
    let is_in_vain = match query {
        RecordMember::Pointer(_) => part.role == RecordRole::Around,
        RecordMember::Dotted(_) => false,
        RecordMember::UserAgent => !may_have_agent(part.text),
    };
    if is_in_vain {
        return Ok(None);
    }
    let text = std::str::from_utf8(part.text).map_err(|_| UnusableValue)?;
    match part.role {
        RecordRole::Record => search_text(text, query, true),
        RecordRole::Around => search_text(text, query, false),
        RecordRole::Wrapped => {
            let decoded = string::decode_bytes(part.text, Span::new(0, part.text.len()));
            let found = search_text(&decoded, query, true)?;
            // Its position is in decoded text.
            Ok(found.map(|found| FoundText {
                span: None,
                ..found
            }))
        }
    }
}

/// Searches a text, which is JSON.
fn search_text(text: &str, query: &RecordMember, is_record: bool) -> FoundValue {
    let document = Document::parse_json(text, MAX_DOCUMENT_DEPTH).map_err(|_| UnusableValue)?;
    let root = document.root();
    let member = |name: &str| {
        if is_record {
            find_dotted(root, name)
        } else {
            None
        }
    };
    let (nodes, is_asked): (Vec<_>, bool) = match query {
        RecordMember::Pointer(pointer) => (root.at(pointer).into_iter().collect(), true),
        RecordMember::Dotted(name) => match member(name) {
            Some(node) => (vec![node], true),
            None => (find_attribute(root, name).into_iter().collect(), false),
        },
        RecordMember::UserAgent => {
            let names = USER_AGENT_MEMBERS.into_iter();
            let nodes =
                names.filter_map(|name| member(name).or_else(|| find_attribute(root, name)));
            (nodes.collect(), false)
        }
    };
    for node in nodes {
        if let Some(value) = node_value(node)? {
            let span = (!is_asked).then(|| node.span());
            return Ok(Some(FoundText { value, span }));
        }
    }
    Ok(None)
}

/// Returns whether a text may have one of the members with a user agent. Most records without header fields have none.
fn may_have_agent(text: &[u8]) -> bool {
    [b"gent".as_slice(), b"AGENT"]
        .into_iter()
        .any(|end| memchr::memmem::find(text, end).is_some())
}

/// Finds the value of an attribute in the lists of a record or resource:
/// `{"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}`.
fn find_attribute<'t>(root: Node<'t>, name: &str) -> Option<Node<'t>> {
    let mut entries = LISTS
        .into_iter()
        .filter_map(|list| find_dotted(root, list))
        .filter(|list| list.kind() == ValueKind::Array)
        .flat_map(Node::children);
    let value = entries
        .find(|entry| {
            entry
                .get("key")
                .and_then(Node::as_str)
                .is_some_and(|key| key == name)
        })?
        .get("value")?;
    if value.kind() == ValueKind::Object {
        value.children().next()
    } else {
        Some(value)
    }
}

fn node_value(node: Node<'_>) -> Result<Option<String>, UnusableValue> {
    match node.kind() {
        ValueKind::String => usable(node.as_str().ok_or(UnusableValue)?),
        ValueKind::Object | ValueKind::Array => Err(UnusableValue),
        _ if node.raw() == "null" => Ok(None),
        _ => usable(node.raw()),
    }
}

/// Finds a member by names separated by dots. A name in the record may have dots itself; the longest that fits is tried first.
fn find_dotted<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    if let Some(found) = node.get(path) {
        return Some(found);
    }
    let mut splits = path.rmatch_indices('.');
    splits.find_map(|(dot, _)| {
        let inner = node.get(path.get(..dot)?)?;
        find_dotted(inner, path.get(dot + 1..)?)
    })
}
