//! Finds the body of a recorded message, and decodes it from base64.
//!
//! Recorders write a text, or an object with the text. Serializers that teams write themselves keep JSON bodies as
//! structure, under `body` or beside it.

use crate::Limits;
use crate::body_content::BodyContent;
use crate::body_form;
use crate::placeholders::recorded_as_json;
use sundown_exchange::RecordPlace;
use sundown_exchange::{Body, Decoded, MaxExpansion, Reason, Unread, decode_base64};
use sundown_text_json::json::{JsonText, MAX_DOCUMENT_DEPTH, Node, ValueKind, is_value};
use sundown_text_json::text::{OffsetMap, Span};

/// The YAML tags before base64: in full, and as Ruby writes it.
const BINARY: [&str; 2] = ["tag:yaml.org,2002:binary", "!binary"];

/// The members with a text in base64, in an object with the body.
const IN_BASE64: [&str; 2] = ["base64_string", "base64"];

/// The members with a body as structure, in a message or in an object with the body.
const STRUCTURES: [&str; 4] = ["parsed_body", "json_body", "body_json", "parsed"];

/// The members with a body in a message, after those with structure. vcrpy once wrote `content` for one of its clients.
const BODIES: [&str; 7] = [
    "body",
    "content",
    "payload",
    "json",
    "data",
    "raw_body",
    "body_text",
];

/// The members of messages that are no bodies, although their names look like it.
const NO_BODIES: [&str; 5] = [
    "content_length",
    "content_type",
    "body_size",
    "body_length",
    "data_received",
];

/// One of the forms in which a message keeps its body.
#[derive(Clone, Copy)]
enum StoredBody<'d> {
    /// A text, with the tag of binary data if it is base64.
    Text(Node<'d>),
    Base64(Node<'d>),
    /// The JSON itself.
    Structure(Node<'d>),
}

/// The body of a message. The error is a body that cannot be read.
pub(super) fn of<'a>(
    message: Node<'_>,
    place: RecordPlace<'a>,
    limits: Limits,
) -> Result<Option<Body<'a>>, Unread> {
    let decoder = BodyDecoder { place, limits };
    let mut stored: Vec<_> = first_of(message, &STRUCTURES)
        .into_iter()
        .flat_map(|first| all_like(message, first))
        .map(StoredBody::Structure)
        .collect();
    if let Some(body) = first_of(message, &BODIES) {
        let is_own = body.get("string").is_some() || first_of(body, &IN_BASE64).is_some();
        if !is_own && let Some(content) = described(body, place) {
            return Ok(content.into_parts().0);
        }
        for body in all_like(message, body) {
            stored.extend(decoder.find_stored(body)?);
        }
    } else if stored.is_empty()
        && let Some(member) = message.children().find(|&member| may_be_body(member))
    {
        let unread = Unread::at(Reason::UnreadBody, place.span(member.label()));
        return Err(unread.in_member(member.key().unwrap_or_default()));
    }
    match *stored {
        [] => Ok(None),
        [only] => decoder.decode(only),
        [first, ..] => decoder.decode_all(first, &stored),
    }
}

/// The body in an object that describes it, as recorders other than those of cassettes write it.
fn described<'a>(body: Node<'_>, place: RecordPlace<'a>) -> Option<BodyContent<'a>> {
    let is_object = body.kind() == ValueKind::Object;
    is_object
        .then(|| body_form::wrapped(body, place, false))
        .flatten()
}

/// The first of these members that is not null.
fn first_of<'d>(object: Node<'d>, names: &[&str]) -> Option<Node<'d>> {
    names
        .iter()
        .filter_map(|name| object.get(name))
        .find(|member| member.kind() != ValueKind::Null)
}

/// The members with the name of one of them: parsers differ in which they keep.
fn all_like<'d>(object: Node<'d>, member: Node<'d>) -> impl Iterator<Item = Node<'d>> {
    object
        .children()
        .filter(move |other| other.key() == member.key())
}

/// Returns whether a member with an unknown name may be the body.
fn may_be_body(member: Node<'_>) -> bool {
    let name = member.key().unwrap_or_default().to_ascii_lowercase();
    let has_content = match member.kind() {
        ValueKind::String => member.text().is_some_and(|text| !text.is_empty()),
        ValueKind::Object | ValueKind::Array => member.children().len() > 0,
        _ => false,
    };
    has_content
        && ["body", "content", "payload", "json", "data"]
            .iter()
            .any(|part| name.contains(part))
        && !NO_BODIES.contains(&&*name)
}

fn is_container(value: Node<'_>) -> bool {
    matches!(value.kind(), ValueKind::Object | ValueKind::Array)
}

fn is_binary(text: Node<'_>) -> bool {
    text.resolved()
        .tag()
        .is_some_and(|tag| BINARY.contains(&tag))
}

struct BodyDecoder<'a> {
    place: RecordPlace<'a>,
    limits: Limits,
}

impl<'a> BodyDecoder<'a> {
    fn unread(&self, value: Node<'_>, reason: Reason) -> Unread {
        Unread::at(reason, self.place.span(value.span()))
    }

    /// Finds the forms of a body in its member: a text, the JSON itself, or an object with either or both.
    fn find_stored<'d>(&self, body: Node<'d>) -> Result<Vec<StoredBody<'d>>, Unread> {
        if !is_container(body) {
            return Ok(vec![StoredBody::Text(body)]);
        }
        let in_base64 = first_of(body, &IN_BASE64).filter(|text| text.kind() == ValueKind::String);
        let string = body.get("string");
        let structure = first_of(body, &STRUCTURES);
        let has_encoding = body
            .get("encoding")
            .is_some_and(|name| name.text().is_some());
        // A body may have members of these names, too.
        let is_holder = has_encoding || body.children().len() == 1 || string.is_some();
        let mut stored: Vec<_> = structure
            .filter(|_| is_holder)
            .map(StoredBody::Structure)
            .into_iter()
            .collect();
        match (in_base64.filter(|_| is_holder), string) {
            (Some(text), _) => stored.push(StoredBody::Base64(text)),
            (None, Some(text)) if is_container(text) => stored.push(StoredBody::Structure(text)),
            (None, Some(text)) => stored.push(StoredBody::Text(text)),
            // The text that vcrpy writes for an open file.
            (None, None) if body.tag().is_some() => {
                return Err(self.unread(body, Reason::BadEncoding));
            }
            // VCR writes an empty text for an empty body.
            (None, None) if has_encoding && body.children().len() == 1 => {
                let missing = self.unread(body, Reason::BodyMissing);
                // In a file that is cut off, the text is in the part that is lost, which has been reported.
                let raw = self.place.file.get(missing.span.start..missing.span.end);
                if raw.is_some_and(|raw| raw.starts_with(b"{") == raw.ends_with(b"}")) {
                    return Err(missing);
                }
            }
            (None, None) if stored.is_empty() => stored.push(StoredBody::Structure(body)),
            (None, None) => {}
        }
        Ok(stored)
    }

    fn decode(&self, stored: StoredBody<'_>) -> Result<Option<Body<'a>>, Unread> {
        match stored {
            StoredBody::Text(text) if !is_binary(text) => Ok(match self.fill_placeholders(text) {
                Some(decoded) => Some(body_form::decoded(text, decoded, self.place)),
                None => body_form::body(text, self.place),
            }),
            // JSON is YAML, too, and needs no copy.
            StoredBody::Structure(value)
                if !is_container(value) || is_value(value.raw().as_bytes(), MAX_DOCUMENT_DEPTH) =>
            {
                Ok(body_form::body(value, self.place))
            }
            StoredBody::Structure(value) => {
                let decoded = self.write_json(value)?;
                Ok(Some(body_form::decoded(value, decoded, self.place)))
            }
            StoredBody::Text(text) | StoredBody::Base64(text) => {
                let bytes = self.decode_base64(text)?;
                Ok(Some(bytes).filter(|bytes| !bytes.is_empty()).map(|bytes| {
                    body_form::decoded(text, Decoded { bytes, map: None }, self.place)
                }))
            }
        }
    }

    /// A text that is JSON but for the placeholders that the recorder wrote in place of secrets.
    fn fill_placeholders(&self, text: Node<'_>) -> Option<Decoded> {
        let bytes = recorded_as_json(text.text()?.as_bytes())?;
        Some(Decoded {
            bytes,
            map: Some(text.text_map(self.place.start)?),
        })
    }

    /// Decodes a body that is kept in several forms. A form is left out if it is no JSON or repeats the first.
    fn decode_all(
        &self,
        first: StoredBody<'_>,
        stored: &[StoredBody<'_>],
    ) -> Result<Option<Body<'a>>, Unread> {
        let mut all: Vec<(Decoded, Option<serde_json::Value>)> = Vec::new();
        for &form in stored {
            let decoded = self.copy(form)?;
            let value = serde_json::from_slice::<serde_json::Value>(&decoded.bytes).ok();
            if value.is_some() && all.iter().all(|(_, other)| *other != value) {
                all.push((decoded, value));
            }
        }
        if all.len() < 2 {
            return self.decode(first);
        }
        let mut joined = Decoded {
            bytes: Vec::new(),
            map: None,
        };
        let mut map = OffsetMap::default();
        for (Decoded { bytes, map: own }, _) in all {
            joined.bytes.extend_from_slice(&bytes);
            joined.bytes.push(b'\n');
            let own = own.unwrap_or_default();
            let end = own.outer(Span::new(own.inner_len(), own.inner_len()));
            map.extend(&own);
            map.push(1, end);
        }
        joined.map = Some(map);
        let (StoredBody::Text(value) | StoredBody::Base64(value) | StoredBody::Structure(value)) =
            first;
        Ok(Some(body_form::decoded(value, joined, self.place)))
    }

    /// The text of a form, with a map.
    fn copy(&self, stored: StoredBody<'_>) -> Result<Decoded, Unread> {
        let (bytes, value) = match stored {
            StoredBody::Structure(value) => return self.write_json(value),
            StoredBody::Text(text) if !is_binary(text) => {
                let bytes = text.text().unwrap_or_default().as_bytes().to_vec();
                if let Some(map) = text.text_map(self.place.start) {
                    return Ok(Decoded {
                        bytes,
                        map: Some(map),
                    });
                }
                (bytes, text)
            }
            StoredBody::Text(text) | StoredBody::Base64(text) => (self.decode_base64(text)?, text),
        };
        let mut map = OffsetMap::default();
        map.push(bytes.len(), self.place.span(value.span()));
        Ok(Decoded {
            bytes,
            map: Some(map),
        })
    }

    fn write_json(&self, value: Node<'_>) -> Result<Decoded, Unread> {
        let most = MaxExpansion::of(value.raw().len(), self.limits.decompression());
        let JsonText { bytes, map } = value
            .to_json_text(self.place.start, most.bytes())
            .ok_or_else(|| self.unread(value, Reason::ExpandsTooFar))?;
        Ok(Decoded {
            bytes,
            map: Some(map),
        })
    }

    fn decode_base64(&self, text: Node<'_>) -> Result<Vec<u8>, Unread> {
        decode_base64(text.text().unwrap_or_default())
            .ok_or_else(|| self.unread(text, Reason::BadEncoding))
    }
}
