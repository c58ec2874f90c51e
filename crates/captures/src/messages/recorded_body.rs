//! Bodies as recorders of tests keep them: a text, the JSON itself, or an object with either beside its encoding.

use super::body_content::BodyContent;
use super::body_form::{self, Wrapper};
use super::placeholders::recorded_as_json;
use crate::names::{NAMES, is_one_of};
use crate::pieces::is_container;
use sundown_exchange::{Decoded, FormKind, MaxExpansion, Reason, RecordPlace, Unread};
use sundown_text_json::Limits;
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, Node, ValueKind, is_value};

/// The forms of the body that a member keeps: the structure inside of it, and what else it has.
pub(crate) fn forms(member: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let has_text = has_text(member);
    // A body may have members of these names, too.
    let is_wrapper =
        has_text || member.text_of("encoding").is_some() || member.children().len() == 1;
    let mut structures = NAMES.structures.iter().filter_map(|name| member.get(name));
    let structure = structures.find(|form| is_wrapper && form.kind() != ValueKind::Null);
    let is_empty = member.kind() == ValueKind::Null || member.is_empty_text();
    let itself = (!is_empty && (structure.is_none() || has_text)).then_some(member);
    structure.into_iter().chain(itself)
}

/// Whether an object has the text of a body, and is none itself.
fn has_text(member: Node<'_>) -> bool {
    let mut texts = NAMES.recorded_texts.iter();
    texts.any(|name| member.get(name).is_some())
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
    let span = place.span_of(member);
    let name = member.key().unwrap_or_default();
    if is_form(member) {
        return body_form::form(member, FormKind::Multipart, place);
    }
    if member.text().is_some() || is_one_of(name, &NAMES.structures) {
        return value(member, place, limits);
    }
    if let Some(wrapper) = Wrapper::of(member, true).filter(|_| has_text(member)) {
        return match wrapper.text {
            Some(text) if wrapper.is_base64 => body_form::base64(text, place).into(),
            Some(text) => value(text, place, limits),
            // Editors of cassettes write the JSON itself in place of its text.
            None => match member.get("string").filter(|it| is_container(*it)) {
                Some(structure) => value(structure, place, limits),
                None => BodyContent::default(),
            },
        };
    }
    if let Some(body) = body_form::wrapped(member, place, false) {
        return body;
    }
    // The text that vcrpy writes for an open file.
    if member.tag().is_some() {
        return Unread::at(Reason::BadEncoding, span).into();
    }
    // VCR writes an empty text for an empty body. In a file that is cut off, the text is in the part that is lost.
    if member.text_of("encoding").is_some() && member.children().len() == 1 {
        let raw = place.span_of(member).slice(place.file);
        let is_cut = raw.starts_with(b"{") != raw.ends_with(b"}");
        return if is_cut {
            BodyContent::default()
        } else {
            Unread::at(Reason::BodyMissing, span).into()
        };
    }
    value(member, place, limits)
}

/// A body that is a text, which may have placeholders in place of secrets, or the JSON itself.
fn value<'a>(value: Node<'_>, place: RecordPlace<'a>, limits: Limits) -> BodyContent<'a> {
    let written = match value.text() {
        Some(_) if body_form::is_binary(value) => None,
        Some(text) => recorded_as_json(text.as_bytes())
            .and_then(|json| Some((json, value.text_map(place.start)?))),
        // JSON is YAML, too, and needs no copy.
        None if is_value(value.raw_bytes(), MAX_DOCUMENT_DEPTH) => None,
        None => {
            let most = MaxExpansion::of(value.raw().len(), limits);
            let Some(json) = value.to_json_text(place.start, most.bytes()) else {
                let span = place.span_of(value);
                return Unread::at(Reason::ExpandsTooFar, span).into();
            };
            Some((json.bytes, json.map))
        }
    };
    let Some((bytes, map)) = written else {
        return body_form::body(value, place);
    };
    let map = Some(map);
    body_form::decoded(value, Decoded { bytes, map }, place).into()
}

/// The JSON of a form of a body.
pub(crate) fn json(
    member: Node<'_>,
    place: RecordPlace<'_>,
    limits: Limits,
) -> Option<serde_json::Value> {
    let body = content(member, place, limits).body?;
    serde_json::from_slice(&body.decode()?).ok()
}
