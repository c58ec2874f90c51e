//! Builds the [`Message`] of a stored request or response from its header fields and its body.

use std::borrow::Cow;

use super::fields::bare_media_type;
use super::pieces::{self, Place};
use super::placeholders::{as_json, is_placeholder};
use crate::json::{ValueKind, ValueRef};
use crate::text::{OffsetMap, Span};
use crate::traffic::{Body, Decoded, HeaderName, Message, Reason, Signal, Unread, signals};

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
    pub(super) fn of_value(value: ValueRef<'_>, place: Place<'a>) -> Self {
        match value.text().filter(|text| value.kind() == ValueKind::String && text.contains("{{")) {
            Some(text) => {
                let map = place.text_map(value);
                Self::decoded(place.file(), place.span(value.span()), text.into(), map)
            }
            None => place.body(value).map_or(Self::Nothing, Self::Body),
        }
    }

    /// A body that is base64 in a string.
    pub(super) fn of_base64(value: ValueRef<'_>, place: Place<'a>) -> Self {
        place.base64(value).map_or(Self::Nothing, Self::Body)
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
        let HeaderFields { names, media_type, signals } = headers;
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

/// Header fields by name, and the values that matter.
#[derive(Debug, Default)]
pub(super) struct HeaderFields<'a> {
    pub(super) names: Vec<HeaderName<'a>>,
    pub(super) media_type: Option<String>,
    /// The deprecations that they announce.
    pub(super) signals: Vec<Signal>,
}

impl<'a> HeaderFields<'a> {
    /// Header fields that are an object's members: texts, or lists of texts.
    pub(super) fn of_object(fields: ValueRef<'_>, place: Place<'a>) -> Self {
        Self {
            names: place.header_names(fields),
            media_type: pieces::media_type(fields),
            signals: place.signals(fields),
        }
    }

    /// Adds a field with its name at `span`. Its value is evaluated and not kept.
    pub(super) fn add(&mut self, name: &str, span: Span, value: &str) {
        let name = name.trim().to_ascii_lowercase();
        if name == "content-type" && !value.contains("{{") {
            self.media_type = bare_media_type(value);
        }
        self.signals.extend(signals(&name, value, span));
        self.names.push(HeaderName { name: Cow::Owned(name), span });
    }

    /// Sets the media type to JSON if no field says otherwise.
    pub(super) fn or_json(mut self) -> Self {
        self.media_type.get_or_insert_with(|| "application/json".to_owned());
        self
    }
}
