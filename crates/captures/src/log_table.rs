//! Proposes a `[[log]]` table for records in an unknown layout. Values show which member is the method and which the URL; the
//! proposal has names alone.

use std::fmt::Write as _;

use sundown_text_json::json::pointer::{self, PathStep};
use sundown_text_json::json::{Document, Node, ValueKind, find_error, scan};
use sundown_text_json::text::Block;

use super::pieces;
use super::shapes::is_common_method;

/// The number of objects around a member, at most.
const MAX_DEPTH: usize = 3;

/// The number of members that are looked at.
const MAX_MEMBERS: usize = 256;

/// The number of records of a log that are looked at.
const MAX_RECORDS: usize = 8;

/// Parts of names of URLs.
const URL_NAMES: [&str; 10] = [
    "url", "uri", "path", "endpoint", "target", "href", "route", "resource", "address", "link",
];

/// Parts of names of other URLs and paths.
const OTHER_URLS: [&str; 8] = [
    "refer", "origin", "callback", "redirect", "file", "caller", "logger", "schema",
];

/// Parts of names of responses.
const RESPONSE_NAMES: [&str; 8] = [
    "res", "reply", "answer", "output", "received", "returned", "result", "got",
];

/// Parts of names of requests and of bodies in general.
const REQUEST_NAMES: [&str; 11] = [
    "req", "body", "payload", "sent", "input", "data", "json", "content", "message", "param",
    "argument",
];

/// Names of responses and of requests that are parts of many others.
const RESPONSE: &str = "out";
const REQUEST: &str = "in";

/// Parts of names of times that are numbers.
const TIME_NAMES: [&str; 5] = ["time", "date", "ts", "start", "epoch"];

/// Parts of names of bodies.
const BODY_NAMES: [&str; 5] = ["body", "payload", "content", "data", "json"];

/// A table for the configuration: keys and JSON Pointers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct LogTable {
    method: String,
    url: String,
    others: Vec<(&'static str, String)>,
}

/// A member of a record.
#[derive(Debug)]
struct LogMember<'t> {
    node: Node<'t>,
    pointer: String,
    parent: String,
    /// Its name in lower case.
    name: String,
}

impl LogMember<'_> {
    fn has_part(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.name.contains(part))
    }
}

/// Proposes a table for a record with a method and a URL, as one line of TOML.
pub(super) fn propose_table(record: Node<'_>) -> Option<String> {
    LogTable::of(record)?.to_toml()
}

/// Returns whether a record may have a method, so that a table may be proposed for it.
pub(super) fn may_have_method(record: Node<'_>) -> bool {
    let is_it =
        |node: Node<'_>| (5..=9).contains(&node.raw_bytes().len()) && is_common_method(node);
    record.children().any(|child| {
        let may_hold = child.is_open() && child.kind() == ValueKind::Object;
        is_it(child) || may_hold && child.children().any(is_it)
    })
}

/// Proposes a table for a text whose first values, or the elements of whose list, are records in the same unknown layout.
pub fn propose_log_table(text: Block<'_>, max_depth: usize) -> Option<String> {
    let mut tables: Vec<LogTable> = Vec::new();
    for value in scan::list_or_row(text.bytes, text.text_start()).take(MAX_RECORDS) {
        let Ok(value) = value else { break };
        let value = value.slice(text.bytes);
        if value.first() == Some(&b'{') && find_error(value, max_depth).is_none() {
            tables.extend(LogTable::of(Document::of_valid(value, |_, _| true).root()));
        }
    }
    let first = tables.first()?;
    let same: Vec<_> = tables
        .iter()
        .filter(|it| (&it.method, &it.url) == (&first.method, &first.url))
        .collect();
    // A single object with such members may be anything.
    let fullest = same.iter().max_by_key(|table| table.others.len())?;
    if same.len() > 1 {
        fullest.to_toml()
    } else {
        None
    }
}

impl LogTable {
    fn of(record: Node<'_>) -> Option<Self> {
        let members = members_of(record);
        let is_method = |member: &&LogMember<'_>| is_common_method(member.node);
        let mut methods = members.iter().filter(is_method);
        let method = members
            .iter()
            .filter(is_method)
            .find(|member| member.has_part(&["method", "verb"]))
            .or_else(|| methods.next())?;
        let url = members
            .iter()
            .filter_map(|member| Some((url_rank(member, method)?, member)))
            .max_by_key(|&(rank, member)| (rank, std::cmp::Reverse(member.node.index())))
            .map(|(_, member)| member)?;
        let mut table = Self {
            method: method.pointer.clone(),
            url: url.pointer.clone(),
            others: Vec::new(),
        };
        // A member of a message says more than the message.
        let mut ranked: Vec<_> = members.iter().collect();
        ranked.sort_by_key(|member| !member.has_part(&BODY_NAMES));
        for member in ranked {
            let holds_call = [method, url].iter().any(|other| {
                other
                    .pointer
                    .strip_prefix(&*member.pointer)
                    .is_some_and(|it| it.starts_with('/'))
            });
            if !holds_call
                && let Some(key) = key_of(member)
                && table.others.iter().all(|(known, _)| *known != key)
            {
                table.others.push((key, member.pointer.clone()));
            }
        }
        Some(table)
    }

    /// One line, which may be anywhere before the first table of a configuration; `None` if a name has control characters.
    fn to_toml(&self) -> Option<String> {
        let own = [("method", &self.method), ("url", &self.url)];
        let others = self.others.iter().map(|(key, pointer)| (*key, pointer));
        let mut line = String::from("log = [{ ");
        for (number, (key, pointer)) in own.into_iter().chain(others).enumerate() {
            if pointer.contains(char::is_control) {
                return None;
            }
            let comma = if number > 0 { ", " } else { "" };
            let text = pointer.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(line, "{comma}{key} = \"{text}\"");
        }
        Some(line + " }]")
    }
}

/// The members of a record and of objects in it, from the outside in.
fn members_of(record: Node<'_>) -> Vec<LogMember<'_>> {
    let mut members = Vec::new();
    let mut level = vec![(record, String::new())];
    for _ in 0..MAX_DEPTH {
        let mut inner = Vec::new();
        for (object, parent) in level {
            for node in object.children() {
                if members.len() >= MAX_MEMBERS {
                    return members;
                }
                let Some(key) = node.key() else { continue };
                let mut path = parent.clone();
                pointer::push(&mut path, &PathStep::Key(key.into()));
                let name = key.to_ascii_lowercase();
                if node.kind() == ValueKind::Object && !name.contains("header") {
                    inner.push((node, path.clone()));
                }
                members.push(LogMember {
                    node,
                    pointer: path,
                    parent: parent.clone(),
                    name,
                });
            }
        }
        level = inner;
    }
    members
}

/// Returns how likely a member is the URL of a call; `None` if it is not.
fn url_rank(member: &LogMember<'_>, method: &LogMember<'_>) -> Option<u8> {
    let text = member.node.as_str()?;
    let is_absolute = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    let is_url = is_absolute || text.starts_with('/');
    if !is_url || text.contains(char::is_whitespace) || member.has_part(&OTHER_URLS) {
        return None;
    }
    let is_named = member.has_part(&URL_NAMES);
    let is_beside = member.parent == method.parent;
    // Paths of files begin with a slash, too.
    (is_named || is_beside)
        .then(|| u8::from(is_named) * 4 + u8::from(is_beside) * 2 + u8::from(is_absolute))
}

/// Returns whether a member is a time: a date and a time of day, or a number whose name says so.
fn is_time(member: &LogMember<'_>) -> bool {
    let is_text = member.node.kind() == ValueKind::String;
    let may_be = is_text || member.has_part(&TIME_NAMES);
    may_be
        && pieces::time_of(member.node)
            .is_some_and(|_| is_text || member.node.kind() == ValueKind::Number)
}

/// The key of the table for a member that may be a time, a status, a body or header fields.
fn key_of(member: &LogMember<'_>) -> Option<&'static str> {
    if is_time(member) {
        return Some("started");
    }
    if member.has_part(&["status", "code"]) && pieces::status_of(member.node).is_some() {
        return Some("status");
    }
    let is_container = matches!(member.node.kind(), ValueKind::Object | ValueKind::Array);
    let is_answer = member.has_part(&RESPONSE_NAMES)
        || member.name == RESPONSE
        || member.parent.rsplit('/').next() == Some(RESPONSE)
        || RESPONSE_NAMES
            .iter()
            .any(|part| member.parent.to_ascii_lowercase().contains(part));
    if is_container && member.name.contains("header") {
        return Some(if is_answer {
            "response-headers"
        } else {
            "request-headers"
        });
    }
    let text = member.node.as_str().unwrap_or_default();
    match is_container || text.trim_start().starts_with(['{', '[']) {
        true if is_answer => Some("response-body"),
        true if member.has_part(&REQUEST_NAMES) || member.name == REQUEST => Some("request-body"),
        _ => None,
    }
}
