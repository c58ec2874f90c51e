//! Header fields in records and documents.

use std::borrow::Cow;

use super::fields::with_content;
use super::record_place::RecordPlace;
use sundown_exchange::{
    Body, ContentCoding, HeaderField, HeaderValue, Host, Signal, bare_media_type, may_be_signal,
    signals,
};
use sundown_text_json::json::{NodeRef, ValueKind, ValueRef};
use sundown_text_json::text::Span;

/// Header fields, and what their values say.
#[derive(Debug, Default)]
pub(super) struct HeaderFields<'a> {
    /// All fields.
    pub(super) list: Vec<HeaderField<'a>>,
    /// The media type of the body.
    pub(super) media_type: Option<String>,
    /// The deprecations that they announce.
    pub(super) signals: Vec<Signal>,
    /// Whether `content-length` promises a body. Only [`Self::of_node`] sets it.
    pub(super) promises_body: bool,
    /// The codings that `content-encoding` names.
    pub(super) codings: Vec<ContentCoding>,
}

impl<'a> HeaderFields<'a> {
    /// Reads an object (`{name: value}`), a list of objects (`{name, value}`), or a list of pairs in a record.
    pub(super) fn of_node(node: NodeRef<'_>, place: RecordPlace<'a>) -> Self {
        with_content(node, place, fields_of_node).unwrap_or_default()
    }

    /// Reads the members of an object in a document: texts, or lists of texts.
    pub(super) fn of_object(object: ValueRef<'_>, place: RecordPlace<'a>) -> Self {
        let media_type = value_of(object, "content-type").and_then(bare_media_type);
        let mut fields = Self {
            media_type,
            ..Self::default()
        };
        for field in object.children() {
            let (Some(name), Some(span)) = (field.key(), field.key_span()) else {
                continue;
            };
            let name = name.to_ascii_lowercase();
            let span = place.span(span);
            let values = texts_of_value(field);
            for value in &values {
                fields.add_codings(&name, value);
            }
            fields
                .signals
                .extend(values.iter().flat_map(|value| signals(&name, value, span)));
            let value = HeaderValue::Texts(values.into_iter().map(str::to_owned).collect());
            fields.list.push(HeaderField {
                name: Cow::Owned(name),
                span,
                value,
            });
        }
        fields
    }

    /// Adds a field with its name at `span`.
    pub(super) fn add(&mut self, name: &str, span: Span, value: &str) {
        let name = name.trim().to_ascii_lowercase();
        if name == "content-type" && !value.contains("{{") {
            self.media_type = bare_media_type(value);
        }
        self.add_codings(&name, value);
        self.signals.extend(signals(&name, value, span));
        let value = HeaderValue::text(value);
        self.list.push(HeaderField {
            name: Cow::Owned(name),
            span,
            value,
        });
    }

    /// Adds the codings that a field names if it is `Content-Encoding`. Several fields are one list (RFC 9110, section 5.3).
    fn add_codings(&mut self, name: &str, value: &str) {
        if name == "content-encoding" {
            self.codings.extend(ContentCoding::parse_list(value));
        }
    }

    /// Adds to a body what the fields say about it.
    pub(super) fn describe(&self, body: &mut Body<'_>) {
        body.media_type.clone_from(&self.media_type);
        body.codings.clone_from(&self.codings);
    }

    /// Sets the media type to JSON if no field says otherwise.
    pub(super) fn or_json(self) -> Self {
        self.or_type("application/json")
    }

    /// Sets the media type to that of a URL-encoded form if there is no field for it.
    pub(super) fn or_form(self) -> Self {
        let is_unknown = self.list.iter().any(|name| name.name == "content-type");
        if is_unknown {
            self
        } else {
            self.or_type("application/x-www-form-urlencoded")
        }
    }

    fn or_type(mut self, media_type: &str) -> Self {
        self.media_type.get_or_insert_with(|| media_type.to_owned());
        self
    }
}

/// Returns the value of the first header field of this name in an object. It must not be kept.
pub(super) fn value_of<'d>(object: ValueRef<'d>, name: &str) -> Option<&'d str> {
    let field = object.children().find(|field| {
        field
            .key()
            .is_some_and(|known| known.eq_ignore_ascii_case(name))
    })?;
    field.element(0).unwrap_or(field).text()
}

/// The host in header fields: `Host`, or `:authority` in HTTP/2.
pub(super) fn host(headers: NodeRef<'_>) -> Option<Host<'static>> {
    fn named(child: NodeRef<'_>) -> Option<Host<'static>> {
        let HeaderNode { name, value } = field_of(child)?;
        let name = match name {
            Named::ByKey(node) => node.key(),
            Named::ByValue(node) => node.as_str(),
        }?;
        let is_host = ["host", ":authority"]
            .iter()
            .any(|host| name.eq_ignore_ascii_case(host));
        Host::parse(&value.filter(|_| is_host).and_then(text_of)?, None).map(Host::into_owned)
    }
    let place = RecordPlace {
        file: &[],
        start: 0,
    };
    with_content(headers, place, |headers, _| {
        headers.children().find_map(named)
    })
    .flatten()
}

/// The value of a pseudo-header field of HTTP/2 (RFC 9113, section 8.3), with its position.
pub(super) fn pseudo_header(
    headers: NodeRef<'_>,
    place: RecordPlace<'_>,
    name: &str,
) -> Option<(String, Span)> {
    with_content(headers, place, |headers, place| {
        let value = headers
            .children()
            .filter_map(field_of)
            .find(|field| match field.name {
                Named::ByKey(node) => node.is_called(name),
                Named::ByValue(node) => node.as_str().is_some_and(|text| text == name),
            })?
            .value?;
        Some((
            text_of(value)?.into_owned(),
            value.span().shifted(place.start),
        ))
    })
    .flatten()
}

/// The raw text of header fields; empty if there are none.
pub(super) fn json<'a>(headers: Option<NodeRef<'_>>, place: RecordPlace<'a>) -> &'a [u8] {
    headers.map_or(&[], |list| {
        list.span().shifted(place.start).slice(place.file)
    })
}

fn fields_of_node<'a>(node: NodeRef<'_>, place: RecordPlace<'a>) -> HeaderFields<'a> {
    let mut headers = HeaderFields {
        list: Vec::with_capacity(16),
        ..HeaderFields::default()
    };
    for child in node.children() {
        let Some(HeaderNode {
            name,
            value: value_node,
        }) = field_of(child)
        else {
            continue;
        };
        let span = match name {
            Named::ByKey(node) => node.key_span(),
            Named::ByValue(node) => Some(node.span()),
        };
        let Some(span) = span.map(|span| span.shifted(place.start)) else {
            continue;
        };
        let name = in_lower_case(place.file, span).or_else(|| {
            let name = match name {
                Named::ByKey(node) => node.key(),
                Named::ByValue(node) => node.as_str(),
            };
            name.map(|name| Cow::Owned(name.to_ascii_lowercase()))
        });
        let Some(name) = name else {
            continue;
        };
        if may_be_signal(&name) {
            let values = value_node.map(texts_of).unwrap_or_default();
            headers
                .signals
                .extend(values.iter().flat_map(|value| signals(&name, value, span)));
        }
        let value = || value_node.and_then(text_of).unwrap_or_default();
        match &*name {
            "content-type" => headers.media_type = bare_media_type(&value()),
            "content-length" => {
                headers.promises_body = value().parse::<u64>().is_ok_and(|length| length > 0);
            }
            "content-encoding" => headers.add_codings(&name, &value()),
            _ => {}
        }
        let value = value_node
            .map(|node| node.span().shifted(place.start).slice(place.file))
            .map_or(HeaderValue::Unknown, |json| HeaderValue::Json(json.into()));
        headers.list.push(HeaderField { name, span, value });
    }
    headers
}

/// The text between the quotes at `literal`, if it is in lower case and needs no decoding.
fn in_lower_case(file: &[u8], literal: Span) -> Option<Cow<'_, str>> {
    let raw = file.get(literal.start + 1..literal.end - 1)?;
    raw.iter()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
        .then(|| std::str::from_utf8(raw).ok().map(Cow::Borrowed))
        .flatten()
}

/// A header field in a list or object.
struct HeaderNode<'t> {
    name: Named<'t>,
    value: Option<NodeRef<'t>>,
}

/// The node with the name of a header field.
#[derive(Clone, Copy)]
enum Named<'t> {
    /// As its key.
    ByKey(NodeRef<'t>),
    /// As its string.
    ByValue(NodeRef<'t>),
}

fn field_of(node: NodeRef<'_>) -> Option<HeaderNode<'_>> {
    if node.key_span().is_some() {
        return Some(HeaderNode {
            name: Named::ByKey(node),
            value: Some(node),
        });
    }
    let (name, value) = match node.kind() {
        ValueKind::Object => (node.get("name")?, node.get("value")),
        ValueKind::Array => (node.children().next()?, node.children().nth(1)),
        _ => return None,
    };
    (name.kind() == ValueKind::String).then_some(HeaderNode {
        name: Named::ByValue(name),
        value,
    })
}

/// The value of a header field, which some write as a list.
fn text_of(node: NodeRef<'_>) -> Option<Cow<'_, str>> {
    if node.kind() == ValueKind::Array {
        node.children().next()?.as_str()
    } else {
        node.as_str()
    }
}

/// All values of a header field, which some write as a list. A value that is not text is present all the same.
fn texts_of(node: NodeRef<'_>) -> Vec<Cow<'_, str>> {
    if node.kind() == ValueKind::Array {
        return node.children().filter_map(NodeRef::as_str).collect();
    }
    vec![node.as_str().unwrap_or_default()]
}

/// The values of a header field in a document: a text, or a list of texts.
fn texts_of_value(field: ValueRef<'_>) -> Vec<&str> {
    match field.kind() {
        ValueKind::Array => field.children().filter_map(ValueRef::text).collect(),
        _ => vec![field.text().unwrap_or_default()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::Outline;

    #[test]
    fn header_names_are_found_in_every_form() {
        for text in [
            r#"{"Content-Type":"Application/JSON; charset=utf-8","X-A":"1"}"#,
            r#"[{"name":"Content-Type","value":"application/json"},{"name":"x-a","value":"1"}]"#,
            r#"[["Content-Type","application/json"],["X-A","1"]]"#,
            r#"{"content-type":["application/json"],"x-a":[]}"#,
        ] {
            let tree = Outline::parse(text, 99).unwrap();
            let place = RecordPlace {
                file: text.as_bytes(),
                start: 0,
            };
            let HeaderFields {
                list: names,
                media_type,
                ..
            } = HeaderFields::of_node(tree.root(), place);
            let names: Vec<_> = names.iter().map(|header| &*header.name).collect();
            assert_eq!(
                (names, media_type.as_deref()),
                (vec!["content-type", "x-a"], Some("application/json")),
                "{text}"
            );
        }
    }
}
