//! Finds the messages of a record and their bodies: a member may be a whole message, a body itself, or a body under an unusual name.

use super::located::{LocatedMessage, may_be_json};
use crate::file_head::{contains, without_quotes};
use crate::messages::is_record_in_base64;
use crate::names::{NAMES, has_name, is_one_of};
use crate::pieces::is_container;
use sundown_text_json::json::scan;
use sundown_text_json::json::{Node, ValueKind, string};
use sundown_text_json::text::spelling::with_letters;

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

/// Whether a node only describes a body that was left out, as `body.bytes` in Elastic Common Schema: it says how long the body was, and
/// perhaps of what type.
pub(super) fn describes_left_out(node: Node<'_>) -> bool {
    let text = node.raw_bytes();
    let mut signs = 0;
    let mut details = 0;
    for member in scan::members(text, 0) {
        let Ok(member) = member else { return false };
        let name = string::decode_bytes(text, member.key);
        if has_name(&NAMES.left_out_signs, &*name) && is_amount(member.value.slice(text)) {
            signs += 1;
        } else if has_name(&NAMES.left_out_details, &*name) {
            details += 1;
        } else {
            return false;
        }
    }
    (signs > 0 || details > 1) && node.kind() == ValueKind::Object
}

/// Whether a value is a number, perhaps in a string, or says yes or no.
pub(super) fn is_amount(value: &[u8]) -> bool {
    let digits = without_quotes(value);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number || matches!(value, b"true" | b"false")
}

/// Returns `request` or `response` if it is the body: a string or list, or an object that is not a message. An empty one is a message of
/// which nothing was kept. If there is a body beside it, as `request_body`, it is none: nginx has a request line there.
pub(super) fn body_itself<'t>(record: Node<'t>, names: &[String]) -> Option<Node<'t>> {
    let node = names.iter().find_map(|name| record.get(name))?;
    let is_body = match node.kind() {
        ValueKind::String | ValueKind::Array => true,
        ValueKind::Object => node.children().len() > 0 && !is_message(node),
        _ => false,
    };
    let is_named_body = |key: &[u8]| {
        let mut rests = names
            .iter()
            .filter_map(|side| key.strip_prefix(side.as_bytes()));
        rests.any(|rest| NAMES.bodies.iter().any(|name| name.as_bytes() == rest))
    };
    let is_beside = |member: Node<'_>| {
        let has_content = member.kind() != ValueKind::Null && !member.is_empty_text();
        has_content && with_letters(member.key_bytes().unwrap_or_default(), is_named_body)
    };
    (is_body && !record.children().any(is_beside)).then_some(node)
}

/// Whether an object is a message: it has header fields, a call or a status, a `body` with JSON as a value or as text,
/// or only members of messages, among them a body of any name or one that bodies hardly have.
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
        || node
            .children()
            .any(|member| is_spelled_as_one_of(member, &NAMES.message_signs))
            && node.children().all(|member| {
                let parts = [
                    &NAMES.message_parts,
                    &NAMES.base64_signs,
                    &NAMES.message_signs,
                ];
                parts
                    .iter()
                    .any(|names| is_spelled_as_one_of(member, names))
            })
        || node
            .get("body")
            .is_some_and(|body| is_container(body) || may_be_json(body))
}

/// Finds members beside the call, or in its messages, that may be bodies. One whose name says its side is the body. What is the query
/// of the call is `taken`.
pub(super) fn find_unknown_bodies<'t>(
    record: Node<'t>,
    taken: &[Node<'t>],
    request: &mut LocatedMessage<'t>,
    response: &mut LocatedMessage<'t>,
) {
    let is_free = |node: Node<'t>| taken.iter().all(|other| other.index() != node.index());
    let free = candidates(record).map(|nodes| nodes.into_iter().filter(|node| is_free(*node)));
    let free = free.map(Iterator::collect);
    let of = |names: &[String], fits: fn(Node<'_>) -> bool| {
        let mut members = record.children();
        let is_message = |node: Node<'_>| is_container(node) && is_spelled_as_one_of(node, names);
        let message = members.find(|member| is_message(*member));
        let inside = message.map(|message| find_unknown(message, is_free));
        let inside = inside.filter(|inside| !inside.is_empty());
        inside.unwrap_or_else(|| first_fitting(&free, fits))
    };
    request.unknown = of(&NAMES.requests, |node| !is_answer(node));
    response.unknown = of(&NAMES.responses, is_answer);
    // A member whose name says no side may be the body of either.
    if response.unknown.is_empty() {
        response.unknown.clone_from(&request.unknown);
        response.unknown.retain(|node| !is_of_request(*node));
    }
    let sides = [&NAMES.requests, &NAMES.responses];
    for (message, side) in [request, response].into_iter().zip(sides) {
        let mut unknown = message.unknown.iter();
        message.body = unknown.find(|node| is_of_side(**node, side)).copied();
        if message.body.is_some() {
            message.unknown.clear();
        }
    }
}

/// Finds members of a record beside the body of the one side that may be that of the other one.
pub(super) fn find_other_bodies<'t>(
    record: Node<'t>,
    is_response: bool,
    is_free: impl Fn(&Node<'t>) -> bool,
) -> Vec<Node<'t>> {
    let is_other = if is_response {
        is_of_request
    } else {
        is_answer
    };
    let members = record.children();
    members
        .filter(|node| may_be_body(*node) && !is_other(*node) && is_free(node))
        .collect()
}

/// Whether a member may be a body by its name and its value.
fn may_be_body(node: Node<'_>) -> bool {
    (may_be_json(node) || is_record_in_base64(node) || are_parameters_in_text(node))
        && with_letters(node.key_bytes().unwrap_or_default(), may_name_body)
}

/// Whether the parameters of a request may be its body: servers list there what it has sent, in its URL or as a form.
fn are_parameters_in_text(node: Node<'_>) -> bool {
    let text = node.raw_bytes();
    node.kind() == ValueKind::String
        && contains(text, b"=")
        && !text.iter().any(|byte| b" ?/{<".contains(byte))
        && is_spelled_as_one_of(node, &NAMES.parameters)
}

/// Whether a member can only be a part of a request by its name.
fn is_of_request(node: Node<'_>) -> bool {
    let parts = [&NAMES.parameters, &NAMES.forms];
    is_of_side(node, &NAMES.requests) || parts.iter().any(|names| is_spelled_as_one_of(node, names))
}

fn is_answer(node: Node<'_>) -> bool {
    node.key().is_some_and(is_of_response)
}

/// Whether a member can only be a part of a response by its name.
pub(super) fn is_of_response(key: &str) -> bool {
    let begins = |letters: &[u8]| {
        let mut words = NAMES.responses.iter().chain(&NAMES.answers);
        words.any(|word| letters.starts_with(word.as_bytes()))
    };
    with_letters(key.as_bytes(), begins) || has_word(key, &NAMES.responses)
}

fn is_of_side(node: Node<'_>, side: &[String]) -> bool {
    node.key().is_some_and(|key| has_word(key, side))
}

/// Whether a word of a name is that of a side, and none says that it is not of this call.
fn has_word(key: &str, side: &[String]) -> bool {
    let mut words = String::new();
    for letter in key.chars() {
        if letter.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.push(letter);
    }
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    let has = |names: &[String]| {
        let mut words = words.clone();
        words.any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    has(side) && !has(&NAMES.elsewhere)
}

fn is_spelled_as_one_of(node: Node<'_>, names: &[String]) -> bool {
    node.key_bytes().is_some_and(|key| has_name(names, key))
}

/// Finds the member beside a string that says whether it is base64.
pub(super) fn find_base64_sign(body: Node<'_>) -> Option<Node<'_>> {
    if body.kind() != ValueKind::String {
        return None;
    }
    body.parent()?.children().find(|node| {
        matches!(node.kind(), ValueKind::Bool | ValueKind::String)
            && is_spelled_as_one_of(*node, &NAMES.base64_signs)
    })
}

/// Finds the members that may be the body of a message: its own, or else those of objects in it. `fits` selects them.
pub(super) fn find_unknown<'t>(
    message: Node<'t>,
    fits: impl Fn(Node<'t>) -> bool,
) -> Vec<Node<'t>> {
    first_fitting(&candidates(message), fits)
}

/// The members that may be bodies, and those of objects in it, where loggers keep what a program adds.
fn candidates(message: Node<'_>) -> [Vec<Node<'_>>; 2] {
    let may_hold = |node: &Node<'_>| {
        node.kind() == ValueKind::Object
            && node.is_open()
            && node
                .key()
                .is_some_and(|key| !key.to_ascii_lowercase().contains("header"))
    };
    let own = message.children();
    let inside = own.clone().filter(may_hold).flat_map(Node::children);
    let may_be_body = |node: &Node<'_>| may_be_body(*node);
    [
        own.filter(may_be_body).collect(),
        inside.filter(may_be_body).collect(),
    ]
}

/// Those of the first list with any that fits.
fn first_fitting<'t>(lists: &[Vec<Node<'t>>; 2], fits: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let fitting = lists
        .iter()
        .map(|list| list.iter().copied().filter(|node| fits(*node)));
    let mut fitting = fitting.map(Iterator::collect);
    fitting
        .find(|list: &Vec<_>| !list.is_empty())
        .unwrap_or_default()
}

fn may_name_body(name: &[u8]) -> bool {
    let mut about = NAMES.about_bodies.iter();
    let others = [
        &NAMES.bodies,
        &NAMES.forms,
        &NAMES.other_bodies,
        &NAMES.parameters,
    ];
    let mut sides = NAMES.requests.iter().chain(&NAMES.responses);
    contains(name, b"body") && !about.any(|end| name.ends_with(end.as_bytes()))
        || others.iter().any(|known| is_one_of(name, known))
        || sides.any(|side| {
            let rest = name.strip_prefix(side.as_bytes());
            rest.is_some_and(|rest| others.iter().any(|known| is_one_of(rest, known)))
        })
}
