//! The header fields of a message: their names with positions, and their values as the capture writes them.

use super::words::WORDS;
use std::borrow::Cow;

use sundown_text_json::json::{scan, string};
use sundown_text_json::text::Span;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderField<'a> {
    /// Its name in lower case.
    pub name: Cow<'a, str>,
    /// The position of the name in the file.
    pub span: Span,
    /// Its value. It is compared with rules, and never reported.
    pub value: HeaderValue<'a>,
}

/// The value of a header field, which is decoded only if it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValue<'a> {
    /// The source does not have it. Such a source may also lack other fields of the message.
    Unknown,
    /// JSON as the file writes it: a string, or a list of strings.
    Json(Cow<'a, [u8]>),
    /// Decoded texts.
    Texts(Vec<String>),
}

impl HeaderValue<'_> {
    /// The value of a field that occurs once.
    pub fn text(text: &str) -> Self {
        Self::Texts(vec![text.to_owned()])
    }

    /// Copies what it borrows.
    pub fn into_owned(self) -> HeaderValue<'static> {
        match self {
            Self::Unknown => HeaderValue::Unknown,
            Self::Json(json) => HeaderValue::Json(Cow::Owned(json.into_owned())),
            Self::Texts(texts) => HeaderValue::Texts(texts),
        }
    }

    /// Decodes the texts; none if the value is unknown or not text.
    pub fn texts(&self) -> Vec<Cow<'_, str>> {
        match self {
            Self::Unknown => Vec::new(),
            Self::Json(json) => json_texts(json),
            Self::Texts(texts) => texts
                .iter()
                .map(|text| Cow::Borrowed(text.as_str()))
                .collect(),
        }
    }
}

impl HeaderField<'_> {
    /// Decodes the texts and, of texts that are lists, their members: a field may have its values in one line or in several
    /// (RFC 9110, section 5.3). The white space around each is left out.
    pub fn values(&self) -> Vec<Cow<'_, str>> {
        let may_be_list = WORDS
            .single_fields
            .iter()
            .all(|single| *single != self.name);
        // A quote in a cookie is a character like others (RFC 6265, section 4.2.1).
        let is_cookie = self.name == "cookie";
        let mut values = Vec::new();
        for text in self.value.texts() {
            if is_cookie {
                values.extend(text.split(';').map(owned_member));
            } else if may_be_list && text.contains(',') {
                values.extend(members(&text).map(owned_member));
            }
            values.push(match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
                Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
            });
        }
        values
    }
}

/// A member of a list, without the space around it.
fn owned_member<'a>(member: &str) -> Cow<'a, str> {
    Cow::Owned(member.trim().to_owned())
}

/// The members of a list. A comma in a quoted string separates none (RFC 9110, section 5.6.1).
fn members(list: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    list.split(move |letter| {
        let is_special = !std::mem::take(&mut is_escaped);
        match letter {
            '"' if is_special => is_quoted = !is_quoted,
            '\\' if is_special => is_escaped = is_quoted,
            _ => {}
        }
        letter == ',' && !is_quoted
    })
}

/// The strings in a JSON string or a list of strings.
fn json_texts(json: &[u8]) -> Vec<Cow<'_, str>> {
    let mut spans = vec![Span::new(0, json.len())];
    if json.starts_with(b"[") {
        spans = scan::elements(json, 0).map_while(Result::ok).collect();
    }
    spans.retain(|span| span.slice(json).starts_with(b"\""));
    spans
        .into_iter()
        .map(|span| string::decode_bytes(json, span))
        .collect()
}

/// Whether JSON with header fields may have a name: one of its strings is the name as written, or has an escape that may
/// encode a letter.
pub fn may_name_header(json: &[u8], is_name: impl Fn(&[u8]) -> bool) -> bool {
    let mut before = None;
    for at in memchr::memchr2_iter(b'"', b'\\', json) {
        if json.get(at) == Some(&b'\\') {
            if json.get(at + 1) == Some(&b'u') {
                return true;
            }
            continue;
        }
        let text = before
            .and_then(|before: usize| json.get(before + 1..at))
            .unwrap_or_default();
        if is_name(text) {
            return true;
        }
        before = Some(at);
    }
    false
}

/// `text/html` from `Text/HTML; charset=utf-8`; `None` for a variable of a client.
pub fn bare_media_type(value: &str) -> Option<String> {
    let bare = value.split(';').next()?.trim().to_ascii_lowercase();
    (!bare.is_empty() && !bare.contains("{{")).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_members_of_lists_are_values_of_their_own() {
        for (name, text, values) in [
            ("x-beta", "a , b", &["a", "b", "a , b"][..]),
            (
                "x-beta",
                r#""a, \", b", c"#,
                &[r#""a, \", b""#, "c", r#""a, \", b", c"#],
            ),
            ("x-beta", r"a\, b", &[r"a\", "b", r"a\, b"]),
            ("x-beta", r#"a, "b, c"#, &["a", r#""b, c"#, r#"a, "b, c"#]),
            (
                "cookie",
                "a=x, \"b; c=y",
                &["a=x, \"b", "c=y", "a=x, \"b; c=y"],
            ),
            (
                "sunset",
                "Sat, 01 Jan 2028 00:00:00 GMT",
                &["Sat, 01 Jan 2028 00:00:00 GMT"],
            ),
            (
                "user-agent",
                "New/2.0 (was Old, Old/1.0)",
                &["New/2.0 (was Old, Old/1.0)"],
            ),
        ] {
            let value = HeaderValue::text(text);
            let field = HeaderField {
                name: name.into(),
                span: Span::new(0, 0),
                value,
            };
            assert_eq!(field.values(), values, "{name}: {text}");
        }
    }

    #[test]
    fn values_are_decoded_from_strings_and_lists() {
        for (json, texts) in [
            (r#""a\u0062""#, &["ab"][..]),
            (r#"["a", 1, "b"]"#, &["a", "b"]),
            ("[]", &[]),
            ("7", &[]),
            ("", &[]),
            (r#"["a"#, &[]),
        ] {
            let value = HeaderValue::Json(Cow::Borrowed(json.as_bytes()));
            assert_eq!(value.texts(), texts, "{json}");
        }
    }
}
