//! Bodies as recorders of tests keep them: a text, the JSON itself, or an object with either beside its encoding.

use super::body_content::BodyContent;
use super::body_form;
use super::placeholders::recorded_as_json;
use crate::limits::Limits;
use sundown_exchange::{Body, Decoded, FormKind, MaxExpansion, Reason, RecordPlace, Unread};
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, Node, ValueKind, is_value};

/// The members with a text in base64, in an object with the body.
const IN_BASE64: [&str; 2] = ["base64_string", "base64"];

/// The members with a body as structure, in a message or in an object with the body.
const STRUCTURES: [&str; 4] = ["parsed_body", "json_body", "body_json", "parsed"];

/// The forms of the body that a member keeps: the structure inside of it, and what else it has.
pub(crate) fn forms(member: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let (structure, text) = inside(member);
    let is_empty = member.kind() == ValueKind::Null || member.is_empty_text();
    let itself = (!is_empty && (structure.is_none() || text.is_some())).then_some(member);
    structure.into_iter().chain(itself)
}

/// The structure and the text in an object that is no body itself, but has one. A body may have members of these names, too.
fn inside(member: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let string = member.get("string");
    let has_encoding = member.text_of("encoding").is_some();
    if string.is_none() && !has_encoding && member.children().len() != 1 {
        return (None, None);
    }
    let in_base64 = first_of(member, &IN_BASE64).filter(|text| text.kind() == ValueKind::String);
    (first_of(member, &STRUCTURES), in_base64.or(string))
}

/// The first of these members that is not null.
fn first_of<'d>(object: Node<'d>, names: &[&str]) -> Option<Node<'d>> {
    let mut members = names.iter().filter_map(|name| object.get(name));
    members.find(|member| member.kind() != ValueKind::Null)
}

/// Whether a member has the fields of a form, already decoded. go-vcr keeps them beside the text.
pub(crate) fn is_form(member: Node<'_>) -> bool {
    member.key() == Some("form")
}

/// The body in a member that keeps it in one form.
pub(crate) fn content<'a>(
    member: Node<'_>,
    place: RecordPlace<'a>,
    limits: Limits,
) -> BodyContent<'a> {
    let unread = |reason| BodyContent::Unread(Unread::at(reason, place.span(member.span())));
    let name = member.key().unwrap_or_default();
    if is_form(member) {
        return body_form::form(member, FormKind::Multipart, place);
    }
    if member.text().is_some() || STRUCTURES.contains(&name) {
        return value(member, place, limits);
    }
    match inside(member).1 {
        Some(text) if IN_BASE64.contains(&text.key().unwrap_or_default()) => {
            return body_form::base64(text, place).into();
        }
        Some(text) => return value(text, place, limits),
        None => {}
    }
    if let Some(body) = body_form::wrapped(member, place, false) {
        return body;
    }
    // The text that vcrpy writes for an open file.
    if member.tag().is_some() {
        return unread(Reason::BadEncoding);
    }
    // VCR writes an empty text for an empty body. In a file that is cut off, the text is in the part that is lost.
    if member.text_of("encoding").is_some() && member.children().len() == 1 {
        let raw = place.span(member.span()).slice(place.file);
        let is_cut = raw.starts_with(b"{") != raw.ends_with(b"}");
        return if is_cut {
            BodyContent::Nothing
        } else {
            unread(Reason::BodyMissing)
        };
    }
    value(member, place, limits)
}

/// A body that is a text, which may have placeholders in place of secrets, or the JSON itself.
fn value<'a>(value: Node<'_>, place: RecordPlace<'a>, limits: Limits) -> BodyContent<'a> {
    let written = match value.text() {
        Some(_) if body_form::is_binary(value) => None,
        Some(text) => recorded_as_json(text.as_bytes()).zip(value.text_map(place.start)),
        // JSON is YAML, too, and needs no copy.
        None if is_value(value.raw_bytes(), MAX_DOCUMENT_DEPTH) => None,
        None => {
            let most = MaxExpansion::of(value.raw().len(), limits.decompression());
            let Some(json) = value.to_json_text(place.start, most.bytes()) else {
                let span = place.span(value.span());
                return BodyContent::Unread(Unread::at(Reason::ExpandsTooFar, span));
            };
            Some((json.bytes, json.map))
        }
    };
    let Some((bytes, map)) = written else {
        return body_form::body(value, place);
    };
    let map = Some(map);
    BodyContent::Body(body_form::decoded(value, Decoded { bytes, map }, place))
}

/// The JSON of a form of a body.
pub(crate) fn json(
    member: Node<'_>,
    place: RecordPlace<'_>,
    limits: Limits,
) -> Option<serde_json::Value> {
    let (body, _) = content(member, place, limits).into_parts();
    serde_json::from_slice(&Body::decode(&body?)?).ok()
}
