//! Builds the [`Message`] of a stored request or response from its header fields and its body.

use super::header_fields::HeaderFields;
use super::pieces;
use super::placeholders::{as_json, is_placeholder};
use super::record_place::RecordPlace;
use crate::json::{ValueKind, ValueRef};
use crate::text::{OffsetMap, Span};
use crate::traffic::{Body, Decoded, Message, Reason, Unread};

/// The body of a stored message.
#[derive(Debug, Default)]
pub(super) enum BodyContent<'a> {
    /// There is none.
    #[default]
    Nothing,
    /// The file contains it.
    Body(Body<'a>),
    /// It is elsewhere, or of another kind.
    Unread(Unread),
}

impl<'a> BodyContent<'a> {
    /// A body that the file contains at `span` byte for byte.
    pub(super) fn verbatim(file: &'a [u8], span: Span) -> Self {
        let mut map = OffsetMap::default();
        map.push(span.len(), span);
        Self::decoded(file, span, span.slice(file).to_vec(), Some(map))
    }

    /// A body that has been decoded from the text at `span`.
    pub(super) fn decoded(
        file: &'a [u8],
        span: Span,
        text: Vec<u8>,
        map: Option<OffsetMap>,
    ) -> Self {
        let content = text.trim_ascii();
        if content.is_empty() {
            return Self::Nothing;
        }
        if is_placeholder(content) {
            return Self::external(span);
        }
        let bytes = as_json(&text).unwrap_or(text);
        Self::Body(Body::decoded(file, span, Decoded { bytes, map }))
    }

    /// A body that is a value of a document: the text in a string, which may contain variables, or JSON as it is.
    pub(super) fn of_value(value: ValueRef<'_>, place: RecordPlace<'a>) -> Self {
        match value.text().filter(|text| value.kind() == ValueKind::String && text.contains("{{")) {
            Some(text) => {
                let map = pieces::text_map(value, place);
                Self::decoded(place.file, place.span(value.span()), text.into(), map)
            }
            None => pieces::body(value, place).map_or(Self::Nothing, Self::Body),
        }
    }

    /// A body that is base64 in a string.
    pub(super) fn of_base64(value: ValueRef<'_>, place: RecordPlace<'a>) -> Self {
        pieces::base64(value, place).map_or(Self::Nothing, Self::Body)
    }

    /// A body that the file only refers to: another file, or a variable.
    pub(super) fn external(span: Span) -> Self {
        Self::Unread(Unread { reason: Reason::BodyMissing, span })
    }

    /// A body whose notation says that it is not JSON, such as a form or GraphQL.
    pub(super) fn not_json(span: Span) -> Self {
        Self::Unread(Unread { reason: Reason::NotJson, span })
    }

    /// The message with this body and these header fields.
    pub(super) fn into_message(self, headers: HeaderFields<'a>) -> Message<'a> {
        let HeaderFields { names, media_type, signals, .. } = headers;
        let message = Message { headers: names, signals, ..Message::default() };
        match self {
            Self::Nothing => message,
            Self::Unread(unread) => Message { unread: Some(unread), ..message },
            Self::Body(mut body) => {
                body.media_type = media_type;
                Message { body: Some(body), ..message }
            }
        }
    }
}
