//! Makes the body of a stored message of its value, and reads its parts.

use super::body_content::BodyContent;
use super::body_form;
use super::placeholders::{as_json, is_placeholder};
use sundown_exchange::{Body, Decoded, MappedText, Reason, RecordPlace, Unread};
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, Node, ValueKind, is_value};
use sundown_text_json::text::{OffsetMap, Span};

impl<'a> BodyContent<'a> {
    /// A body that the file contains at `span` byte for byte. It need not be valid JSON: see [`BodyContent`].
    pub(crate) fn verbatim(file: &'a [u8], span: Span) -> Self {
        let text = MappedText::verbatim(file, span);
        Self::decoded(file, span, text.bytes, Some(text.map))
    }

    /// A body that has been decoded from the text at `span`; `map` maps each of its bytes back to the file.
    ///
    /// Placeholders and comments may remain in `text`. Other notations than JSON (`{name: 'value'}`) are reported as invalid,
    /// unless the reader rewrites them as JSON.
    pub(crate) fn decoded(
        file: &'a [u8],
        span: Span,
        text: Vec<u8>,
        map: Option<OffsetMap>,
    ) -> Self {
        let content = text.trim_ascii();
        if content.is_empty() {
            return Self::default();
        }
        if is_placeholder(content) {
            return Self::external(span);
        }
        let bytes = as_json(&text).unwrap_or(text);
        Body::decoded(file, span, Decoded { bytes, map }).into()
    }

    /// A body that is a value of a document: the text in a string, which may contain variables, or JSON as it is.
    pub(crate) fn of_value(value: Node<'_>, place: RecordPlace<'a>) -> Self {
        let text = value.text().filter(|_| value.kind() == ValueKind::String);
        match text.filter(|text| text.contains("{{") || has_bare_names(text.as_bytes())) {
            Some(text) => {
                let map = value.text_map(place.start);
                Self::decoded(place.file, place.span_of(value), text.into(), map)
            }
            None => body_form::body(value, place),
        }
    }

    /// A body that is base64 in a string.
    pub(crate) fn of_base64(value: Node<'_>, place: RecordPlace<'a>) -> Self {
        body_form::base64(value, place).into()
    }

    /// A body in a file of its own, whose name is at `span`.
    pub(crate) fn in_file(name: &str, span: Span) -> Self {
        Unread::at(Reason::BodyMissing, span).in_file(name).into()
    }

    /// A body in the file that a value of a document names.
    pub(crate) fn in_file_of(name: Node<'_>, place: RecordPlace<'a>) -> Self {
        Self::in_file(name.text().unwrap_or_default(), place.span_of(name))
    }
}

/// The body that a file contains whose name a capture has, and what of it cannot be checked. All of it is at that name.
pub fn body_of_file(unread: &Unread, text: Vec<u8>) -> (Option<Body<'static>>, Option<Unread>) {
    let content = BodyContent::decoded(&[], unread.span, text, None);
    (content.body, content.unread)
}

/// Whether a text looks like an object or a list and has a name that is not in double quotes, as in `{name: 1}`.
///
/// The service may accept such a name or not.
pub(crate) fn has_bare_names(text: &[u8]) -> bool {
    let is_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_$-".contains(byte) || *byte >= 0x80;
    if !matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
        || is_value(text, MAX_DOCUMENT_DEPTH)
    {
        return false;
    }
    let mut rest = text;
    while let Some(&first) = rest.first() {
        // A text in single quotes is one word.
        let length = match first {
            b'"' | b'\'' => string_length(rest),
            _ => rest.iter().take_while(|byte| is_word(byte)).count(),
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
        let is_bare = first == b'\'' || is_word(&first);
        if is_bare && rest.trim_ascii_start().starts_with(b":") {
            return true;
        }
    }
    false
}

/// The length of the string that a text begins with. A string that is not closed ends with its line.
fn string_length(text: &[u8]) -> usize {
    let quote = text.first();
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if Some(byte) == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_double_quotes_are_noticed() {
        for text in [
            "{a: 1}",
            "{ 'a': 1 }",
            " [{\"a\": 1, $b_c : 2}]",
            "{\"a\": 'x\\'', b: 1}",
            "{\"a: 1,\n b: 2}",
            "{\u{e9}: 1}",
            "{\"a\": 1} {a: 1",
        ] {
            assert!(has_bare_names(text.as_bytes()), "{text}");
        }
        for text in [
            "{\"a\": \"b: 1\", \"c: \\\": d: \": true}",
            "[{\"a\": [1, null",
            "{\"a\": 1, \"b\": x}",
            "{\"a\": 'b: c', \"d\": 1}",
            "[a, b]",
            "a: 1",
            "",
        ] {
            assert!(!has_bare_names(text.as_bytes()), "{text}");
        }
    }
}
