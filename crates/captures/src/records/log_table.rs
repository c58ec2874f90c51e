//! Proposes a `[[log]]` table for records in an unknown layout. Values show which member is the method and which the URL; the
//! proposal has names alone.

use std::fmt::Write as _;

use super::json_record::may_hold_calls;
use crate::names::NAMES;
use crate::pieces;
use crate::shapes::{is_address, is_common_method, is_route};
use sundown_exchange::{FormKind, Target};
use sundown_text_json::Limits;
use sundown_text_json::json::pointer::{self, PathStep};
use sundown_text_json::json::{Document, Node, ValueKind, find_error, scan};
use sundown_text_json::text::Block;

/// The number of objects around a member, at most.
const MAX_DEPTH: usize = 3;

/// The number of members that are looked at.
const MAX_MEMBERS: usize = 256;

/// The number of records of a log that are looked at.
const MAX_RECORDS: usize = 8;

/// The size in bytes of a record that is not searched for a method first.
const SMALL_RECORD: usize = 64 * 1024;

/// A table for the configuration: keys and JSON Pointers, first those of the method and the URL.
struct LogTable(Vec<(&'static str, String)>);

/// A member of a record.
#[derive(Debug)]
struct LogMember<'t> {
    node: Node<'t>,
    pointer: String,
    parent: String,
    /// Its name in lower case.
    name: String,
    /// The URL or the path that it is, unless its name says that this is none of the call.
    target: Option<Target<'static>>,
}

impl LogMember<'_> {
    fn text(&self) -> &str {
        self.node.as_str().unwrap_or_default()
    }

    /// Whether it is a URL to which others are relative.
    fn is_base(&self) -> bool {
        self.target.as_ref().is_some_and(|target| {
            let is_origin = target.segments.is_empty() || self.name.contains("base");
            target.host.is_some() && is_origin
        })
    }

    /// Whether it is the same address as another, with a query.
    fn has_query_of(&self, other: &Self) -> bool {
        let path = |member: &Self| Some(member.target.clone()?.segments);
        self.text().contains('?') && path(self) == path(other)
    }

    fn has_part(&self, parts: &[String]) -> bool {
        parts.iter().any(|part| self.name.contains(part))
    }
}

/// Proposes a table for a record with a method and a URL, as TOML.
pub(super) fn propose_table(record: Node<'_>) -> Option<String> {
    LogTable::of(record)?.to_toml()
}

/// Whether a record has what may be a body neither in a call inside of it nor around that. A call in a list is one of many.
pub(super) fn has_body_beside(record: Node<'_>, call: Node<'_>) -> bool {
    let is_around = |member: &LogMember<'_>| {
        let (span, call) = (member.node.span(), call.span());
        span.start <= call.start && call.end <= span.end
    };
    let may_be_body = |member: &LogMember<'_>| {
        let is_empty = member.node.raw_bytes().len() <= "{}".len();
        !is_around(member) && !is_empty && key_of(member).is_none() && body_key_of(member).is_some()
    };
    let members = members_of(record, Some(call));
    let mut nodes = members.iter().map(|member| member.node.index());
    nodes.any(|index| index == call.index()) && members.iter().any(may_be_body)
}

/// Whether a record may have a method, so that a table may be proposed for it.
pub(super) fn may_have_method(record: Node<'_>) -> bool {
    let is_it =
        |node: Node<'_>| (5..=9).contains(&node.raw_bytes().len()) && is_common_method(node);
    let is_open = |node: Node<'_>| node.is_open() && node.kind() == ValueKind::Object;
    record.children().any(|child| {
        let is_inside = |inner| is_it(inner) || is_open(inner) && inner.children().any(is_it);
        is_it(child) || is_open(child) && child.children().any(is_inside)
    })
}

/// Proposes a table for a text whose first values, or the elements of whose list, are records in the same unknown layout.
pub fn propose_log_table(text: Block<'_>, limits: Limits) -> Option<String> {
    let mut tables: Vec<LogTable> = Vec::new();
    for value in scan::list_or_row(text.bytes, text.text_start()).take(MAX_RECORDS) {
        let Ok(value) = value else { break };
        let value = value.slice(text.bytes);
        // Most large values have none, and need no tree.
        let may_be_call = value.len() <= SMALL_RECORD || may_hold_calls(value);
        if may_be_call && value.starts_with(b"{") && find_error(value, limits.depth).is_none() {
            tables.extend(LogTable::of(Document::of_valid(value, |_| true).root()));
        }
    }
    let mut tables = tables.into_iter();
    let mut table = tables.next()?;
    // A single object with a method and a URL alone may be anything.
    let is_logged = |(key, _): &(&str, String)| ["started", "status"].contains(key);
    if tables.len() == 0 && !table.0.iter().any(is_logged) {
        return None;
    }
    let first = table.0.get(..2).map(<[_]>::to_vec);
    let same = tables.filter(|other| other.0.get(..2) == first.as_deref());
    for (key, pointer) in same.flat_map(|other| other.0) {
        table.add(key, pointer);
    }
    table.to_toml()
}

impl LogTable {
    fn of(record: Node<'_>) -> Option<Self> {
        if !record.document().is_yaml() && !may_have_method(record) {
            return None;
        }
        let members = members_of(record, None);
        let method = members
            .iter()
            .filter(|member| is_common_method(member.node))
            .min_by_key(|member| !member.has_part(&NAMES.methods))?;
        let url = members
            .iter()
            .filter_map(|member| Some((url_rank(member, method)?, member)))
            .max_by_key(|&(rank, member)| (rank, std::cmp::Reverse(member.node.index())))
            .map(|(_, member)| member)?;
        let url = members
            .iter()
            .find(|member| member.has_query_of(url))
            .unwrap_or(url);
        let own = [("method", method), ("url", url)];
        let mut table = Self(own.map(|(key, it)| (key, it.pointer.clone())).into());
        // What is beside a body shows which object is a message.
        let is_relative = url.text().starts_with('/');
        for member in &members {
            let host = || is_host_of(url, member).then_some("host");
            let key = key_of(member).or_else(host);
            if let Some(key) = key.filter(|key| is_relative || *key != "host") {
                table.add(key, member.pointer.clone());
            }
        }
        // A member of a message says more than the message.
        let mut ranked: Vec<_> = members.iter().collect();
        ranked.sort_by_key(|member| !member.has_part(&NAMES.bodies));
        for member in ranked {
            if let Some(key) = body_key_of(member)
                && !table.is_around_a_piece(&member.pointer)
            {
                table.add(key, member.pointer.clone());
            }
        }
        let is_route =
            table.0.len() == own.len() && is_route(record, [method, url].map(|it| Some(it.node)));
        (!is_route).then_some(table)
    }

    /// Adds a location, unless the table has one for the key.
    fn add(&mut self, key: &'static str, pointer: String) {
        if self.0.iter().all(|(known, _)| *known != key) {
            self.0.push((key, pointer));
        }
    }

    /// Whether a member is one of the pieces or has one inside.
    fn is_around_a_piece(&self, pointer: &str) -> bool {
        self.0.iter().any(|(_, piece)| {
            let rest = piece.strip_prefix(pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The table; `None` if a name has control characters.
    fn to_toml(&self) -> Option<String> {
        let mut table = String::from("[[log]]");
        for (key, pointer) in &self.0 {
            if pointer.contains(char::is_control) {
                return None;
            }
            let text = pointer.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(table, "\n{key} = \"{text}\"");
        }
        Some(table)
    }
}

/// The members of a record and of objects in it, but for one, from the outside in.
fn members_of<'t>(record: Node<'t>, but: Option<Node<'_>>) -> Vec<LogMember<'t>> {
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
                let is_open = but.is_none_or(|but| but.index() != node.index());
                if is_open && node.kind() == ValueKind::Object && !is_header_fields(node, &name) {
                    inner.push((node, path.clone()));
                }
                members.push(LogMember {
                    node,
                    pointer: path,
                    parent: parent.clone(),
                    target: target_of(node, &name),
                    name,
                });
            }
        }
        level = inner;
    }
    members
}

/// The URL or the path that a member of this name is.
fn target_of(node: Node<'_>, name: &str) -> Option<Target<'static>> {
    let text = node.as_str().filter(|_| is_address(node))?;
    let is_other = NAMES.other_urls.iter().any(|part| name.contains(part));
    (!is_other && !text.contains(char::is_whitespace)).then(|| Target::parse(text).into_owned())
}

/// Returns how likely a member is the URL of a call; `None` if it is not.
fn url_rank(member: &LogMember<'_>, method: &LogMember<'_>) -> Option<[bool; 4]> {
    let is_absolute = member.target.as_ref()?.host.is_some();
    let is_named = member.has_part(&NAMES.urls);
    let is_beside = member.parent == method.parent;
    // Paths of files begin with a slash, too.
    (is_named || is_beside).then(|| [!member.is_base(), is_named, is_beside, is_absolute])
}

/// Whether a member is the host of a URL beside it. At the top of a record, that is mostly the machine that wrote it.
fn is_host_of(url: &LogMember<'_>, member: &LogMember<'_>) -> bool {
    let may_be_name = !member.parent.is_empty() && member.text().contains('.');
    let is_named = may_be_name && is_host(member, &NAMES.hosts_beside);
    member.parent == url.parent && (is_named || member.is_base())
}

/// Whether a member is a host by a part of its name.
fn is_host(member: &LogMember<'_>, parts: &[String]) -> bool {
    let text = member.text();
    member.has_part(parts) && !text.is_empty() && !text.contains(['/', ' '])
}

/// Whether a member is a time: a date and a time of day, or a number whose name says so.
fn is_time(member: &LogMember<'_>) -> bool {
    let is_text = member.node.kind() == ValueKind::String;
    let may_be = is_text || member.has_part(&NAMES.times);
    may_be
        && pieces::time_of(member.node)
            .is_some_and(|_| is_text || member.node.kind() == ValueKind::Number)
}

/// Whether an object or a list has header fields: its name says so, or one of theirs.
fn is_header_fields(node: Node<'_>, name: &str) -> bool {
    pieces::is_container(node)
        && (NAMES.header_parts.iter().any(|part| name.contains(part))
            || node.children().filter_map(Node::key).any(|key| {
                let key = key.to_ascii_lowercase();
                key.starts_with("x-") || NAMES.fields.contains(&key)
            }))
}

/// Whether a member is a separate query: a text with `=`, or an object of scalars.
fn is_query(member: &LogMember<'_>) -> bool {
    let node = member.node;
    member.has_part(&NAMES.query_parts)
        && match node.kind() {
            ValueKind::String => {
                let text = member.text();
                text.contains('=') && !text.contains(char::is_whitespace)
            }
            ValueKind::Object => {
                let mut values = node.children().map(Node::kind).peekable();
                values.peek().is_some() && values.all(|kind| kind != ValueKind::Object)
            }
            _ => false,
        }
}

/// Whether a member belongs to the response, by its name and those around it.
fn is_of_answer(member: &LogMember<'_>) -> bool {
    let parent = member.parent.to_ascii_lowercase();
    let mut parts = NAMES.responses.iter().chain(&NAMES.answers);
    parts.any(|part| member.name.contains(part) || parent.contains(part))
        || member.name == "out"
        || parent.rsplit('/').next() == Some("out")
}

/// The key of the table for a member that may be a time, a status, a query, a host or header fields.
fn key_of(member: &LogMember<'_>) -> Option<&'static str> {
    if is_time(member) {
        return Some("started");
    }
    if member.has_part(&NAMES.statuses) && pieces::status_of(member.node).is_some() {
        return Some("status");
    }
    if is_header_fields(member.node, &member.name) {
        return Some(if is_of_answer(member) {
            "response-headers"
        } else {
            "request-headers"
        });
    }
    if is_query(member) {
        return Some("query");
    }
    is_host(member, &NAMES.hosts).then_some("host")
}

/// The key of the table for a member that may be a body.
fn body_key_of(member: &LogMember<'_>) -> Option<&'static str> {
    let text = member.text();
    let is_body = pieces::is_container(member.node)
        || text.trim_start().starts_with(['{', '['])
        || FormKind::of(None, text.as_bytes()).is_some();
    match is_body && !member.pointer.to_ascii_lowercase().contains("metadata") {
        true if is_of_answer(member) => Some("response-body"),
        true if member.has_part(&NAMES.sent) || member.name == "in" => Some("request-body"),
        _ => None,
    }
}
