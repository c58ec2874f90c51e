//! A form that a file stores field by field.

use super::body_content::BodyContent;
use super::placeholders::as_json;
use crate::file_head::contains;
use crate::pieces;
use sundown_exchange::{
    Body, Decoded, FormField, FormJson, FormKind, MappedText, Reason, RecordPlace, Unread,
    is_disabled,
};
use sundown_text_json::json::Node;
use sundown_text_json::text::Span;

/// The fields of a form, in their order.
#[derive(Debug)]
pub(crate) struct StoredForm {
    kind: FormKind,
    /// Whether people wrote it, with placeholders.
    has_placeholders: bool,
    fields: Vec<FormField>,
    is_too_large: bool,
    /// The first reason why the form is not known completely.
    unread: Option<Unread>,
}

impl StoredForm {
    /// Creates the form of a recorder, without fields. Names and values of a URL-encoded form may be percent-encoded.
    pub(crate) fn recorded(kind: FormKind) -> Self {
        Self {
            kind,
            has_placeholders: false,
            fields: Vec::new(),
            is_too_large: false,
            unread: None,
        }
    }

    /// Creates the form of an API client, which may contain placeholders, without fields.
    pub(crate) fn of_client(kind: FormKind) -> Self {
        Self {
            has_placeholders: true,
            ..Self::recorded(kind)
        }
    }

    /// Adds a field. A name with a placeholder is not known.
    pub(crate) fn add(&mut self, name: MappedText, value: MappedText) {
        let has_placeholder = contains(&name.bytes, b"{{");
        if self.has_placeholders && has_placeholder {
            return self.add_unread(Reason::BodyMissing, name.outer());
        }
        if self.fields.len() >= FormField::MAX {
            self.is_too_large = true;
            return;
        }
        let (name, mut value) = match self.kind {
            FormKind::UrlEncoded => (name.percent_decoded(false), value.percent_decoded(false)),
            FormKind::Multipart => (name, value),
        };
        if self.has_placeholders && matches!(value.bytes.first(), Some(b'{' | b'[')) {
            value.bytes = as_json(&value.bytes).unwrap_or(value.bytes);
        }
        self.fields.push(FormField { name, value });
    }

    /// Adds a field that an object describes: its name in the member `name`, its `value`, and its `type`; unless it is disabled.
    pub(crate) fn add_object(&mut self, field: Node<'_>, name: &str, place: RecordPlace<'_>) {
        if is_disabled(field) {
            return;
        }
        let text = |key: &str| {
            field
                .get(key)
                .map(|value| pieces::mapped_text(value, place))
                .unwrap_or_default()
        };
        let is_file = field.text_of("type") == Some("file")
            || field.get("value").is_none() && field.get("fileName").is_some();
        if is_file {
            self.add_file(text(name));
        } else {
            self.add(text(name), text("value"));
        }
    }

    /// Adds a field whose value is in a file.
    pub(crate) fn add_file(&mut self, name: MappedText) {
        let at = name.outer();
        self.add(name, MappedText::default());
        self.add_unread(Reason::BodyMissing, at);
    }

    /// Records that fields at `at` are not read.
    pub(crate) fn add_unread(&mut self, reason: Reason, at: Span) {
        self.unread.get_or_insert_with(|| Unread::at(reason, at));
    }

    /// The form as the body of a message, which is at `span`.
    pub(crate) fn into_content(self, file: &[u8], span: Span) -> BodyContent<'_> {
        if self.is_too_large {
            return Unread::at(Reason::BeyondLimit, span).into();
        }
        // A client that sends none of the fields that it keeps sends an empty form.
        if self.fields.is_empty() && !(self.has_placeholders && self.unread.is_none()) {
            return BodyContent {
                body: None,
                unread: self.unread,
            };
        }
        let FormJson { text, map, broken } = FormJson::of(&self.fields);
        let decoded = Decoded {
            bytes: text.into_bytes(),
            map: Some(map),
        };
        let mut body = Body::decoded(file, span, decoded);
        body.form = Some(self.kind);
        let broken = broken.map(|value| Unread::at(Reason::InvalidJson, value));
        BodyContent {
            body: Some(body),
            unread: broken.or(self.unread),
        }
    }
}
