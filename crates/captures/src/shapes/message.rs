//! The messages of a record: which member is a message, which is a body by itself, and what may be a body of another name.

use super::located::{LocatedMessage, may_be_json};
use crate::file_head::contains;
use crate::names::NAMES;
use crate::spelling::{is_spelled, with_letters};
use sundown_text_json::json::scan::{self, Break, MemberSpans};
use sundown_text_json::json::{Node, ValueKind, string};

/// The members with a request or, in some logs, its body itself.
pub(super) const REQUEST: [&str; 2] = ["request", "req"];

/// The members with a response or, in some logs, its body itself.
pub(super) const RESPONSE: [&str; 2] = ["response", "res"];

/// The members beside a body that say whether it is base64, without `_` and in lower case.
const BASE64_SIGNS: [&str; 5] = [
    "isbase64encoded",
    "isbase64",
    "base64encoded",
    "encoding",
    "bodyencoding",
];

/// The members that have the body of a message, or a body beside a call.
pub(crate) const BODIES: [&str; 5] = ["body", "payload", "content", "data", "json"];

/// Other names of members that may be bodies.
const OTHER_BODIES: [&str; 3] = ["input", "output", "postdata"];

/// Whether an object is the entry of a route table: beside the method and the path, which are `known`, it has only members of such
/// entries. The record of a call has some other member.
pub(crate) fn is_route(object: Node<'_>, known: [Option<Node<'_>>; 2]) -> bool {
    let known = known.map(|node| node.map(Node::index));
    let mut has_mark = false;
    for member in object.children() {
        let is_mark = is_spelled_as_one_of(member, &NAMES.route_members);
        has_mark |= is_mark;
        let is_known = known.contains(&Some(member.index()));
        if !is_mark && !is_known && !is_spelled_as_one_of(member, &NAMES.route_details) {
            return false;
        }
    }
    has_mark
}

/// Whether a node has only the size of a body that was left out, as `body.bytes` in Elastic Common Schema.
pub(super) fn is_size_only(node: Node<'_>) -> bool {
    let text = node.raw_bytes();
    let is_size = |member: Result<MemberSpans, Break>| {
        let name = member.map(|member| string::decode_bytes(text, member.key));
        name.is_ok_and(|name| ["bytes", "size"].contains(&&*name))
    };
    let mut members = scan::members(text, 0);
    node.kind() == ValueKind::Object && members.next().is_some_and(is_size) && members.all(is_size)
}

/// Returns `request` or `response` if it is the body: a string or list, or an object that is not a message.
pub(super) fn body_itself<'t>(record: Node<'t>, names: &[&str; 2]) -> Option<Node<'t>> {
    let node = names.iter().find_map(|name| record.get(name))?;
    match node.kind() {
        ValueKind::String | ValueKind::Array => Some(node),
        ValueKind::Object if !is_message(node) => Some(node),
        _ => None,
    }
}

/// Whether an object is a message: it has header fields, a call or a status, a `body` with JSON as a value or as text,
/// or a body of another name and only members of messages.
fn is_message(node: Node<'_>) -> bool {
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
        || BODIES.iter().any(|name| node.get(name).is_some())
            && node.children().all(|member| {
                is_spelled_as_one_of(member, &NAMES.message_parts)
                    || is_spelled_as_one_of(member, &BASE64_SIGNS)
                    || is_spelled_as_one_of(member, &BODIES)
            })
        || node.get("body").is_some_and(|body| {
            matches!(body.kind(), ValueKind::Object | ValueKind::Array) || may_be_json(body)
        })
}

/// Finds members beside the call, or in its messages, that may be bodies. One whose name says its side is the body.
pub(super) fn find_unknown_bodies<'t>(
    record: Node<'t>,
    request: &mut LocatedMessage<'t>,
    response: &mut LocatedMessage<'t>,
) {
    let inside = |names: &[&str; 2]| {
        let message = names.iter().find_map(|name| record.get(name));
        message.map_or_else(Vec::new, |message| find_unknown(message, |_| true))
    };
    request.unknown = inside(&REQUEST);
    if request.unknown.is_empty() {
        request.unknown = find_unknown(record, |node| !is_of_response(node));
    }
    response.unknown = inside(&RESPONSE);
    if response.unknown.is_empty() {
        response.unknown = find_unknown(record, is_of_response);
    }
    // A member whose name says no side may be the body of either.
    if response.unknown.is_empty() {
        response.unknown.clone_from(&request.unknown);
        response.unknown.retain(|node| !is_of_side(*node, SIDES[0]));
    }
    for (message, side) in [request, response].into_iter().zip(SIDES) {
        let mut unknown = message.unknown.iter();
        message.body = unknown.find(|node| is_of_side(**node, side)).copied();
        if message.body.is_some() {
            message.unknown.clear();
        }
    }
}

/// The words in names of the sides of a call.
const SIDES: [&[&str]; 2] = [&["request", "req"], &["response", "resp", "res"]];

fn is_of_response(node: Node<'_>) -> bool {
    node.key().is_some_and(|key| key.starts_with("res")) || is_of_side(node, SIDES[1])
}

/// The words in names of members that are about another call, or about no call.
const ELSEWHERE: [&str; 8] = [
    "expected", "previous", "original", "mock", "schema", "example", "template", "default",
];

/// Whether a word of the name of a member is that of a side, and none says that it is not of this call.
fn is_of_side(node: Node<'_>, side: &[&str]) -> bool {
    let mut words = String::new();
    for letter in node.key().unwrap_or_default().chars() {
        if letter.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.push(letter);
    }
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    let has = |names: &[&str]| {
        let mut words = words.clone();
        words.any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    has(side) && !has(&ELSEWHERE)
}

fn is_spelled_as_one_of(node: Node<'_>, names: &[impl AsRef<str>]) -> bool {
    node.key()
        .is_some_and(|key| names.iter().any(|name| is_spelled(key, name.as_ref())))
}

/// Finds the member beside a string that says whether it is base64.
pub(super) fn find_base64_sign(body: Node<'_>) -> Option<Node<'_>> {
    if body.kind() != ValueKind::String {
        return None;
    }
    body.parent()?.children().find(|node| {
        matches!(node.kind(), ValueKind::Bool | ValueKind::String)
            && is_spelled_as_one_of(*node, &BASE64_SIGNS)
    })
}

/// Finds the members that may be the body of a message: its own, or else those of objects in it, where loggers keep what a program
/// adds. `fits` selects their side.
pub(super) fn find_unknown<'t>(record: Node<'t>, fits: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let may_hold = |node: &Node<'t>| {
        node.kind() == ValueKind::Object
            && node.is_open()
            && node
                .key()
                .is_some_and(|key| !key.to_ascii_lowercase().contains("header"))
    };
    let is_body = |node: &Node<'t>| {
        let key = node.key().unwrap_or_default().as_bytes();
        with_letters(key, may_name_body) && fits(*node) && may_be_json(*node)
    };
    let own: Vec<_> = record.children().filter(is_body).collect();
    if !own.is_empty() {
        return own;
    }
    let inside = record.children().filter(may_hold);
    inside.flat_map(Node::children).filter(is_body).collect()
}

fn may_name_body(name: &[u8]) -> bool {
    const ABOUT: [&[u8]; 8] = [
        b"size",
        b"length",
        b"bytes",
        b"hash",
        b"type",
        b"encoding",
        b"truncated",
        b"id",
    ];
    let is = |name: &[u8], known: &[&str]| known.iter().any(|known| known.as_bytes() == name);
    let mut sides = SIDES.into_iter().flatten();
    contains(name, b"body") && !ABOUT.iter().any(|end| name.ends_with(end))
        || is(name, &BODIES)
        || is(name, &OTHER_BODIES)
        || sides.any(|side| {
            let rest = name.strip_prefix(side.as_bytes());
            rest.is_some_and(|rest| is(rest, &BODIES) || rest == b"text")
        })
}
