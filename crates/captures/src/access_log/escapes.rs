//! The escapes of web servers for bytes that would break a line: `\x22` (nginx), `\"` and `\n` (Apache), and the escapes of
//! JSON (`escape=json`). They do not contradict each other.

use std::borrow::Cow;

use sundown_exchange::{Body, Decoded, Encoding, MappedText};
use sundown_text_json::text::Span;

/// Decodes a text; bytes that are not UTF-8 are replaced.
pub(super) fn text(raw: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw).is_none() {
        return String::from_utf8_lossy(raw);
    }
    Cow::Owned(String::from_utf8_lossy(&decode(raw, Span::new(0, raw.len())).bytes).into_owned())
}

/// Creates the body at `span` of a line.
pub(super) fn body(file: &[u8], span: Span) -> Body<'_> {
    if span.slice(file).contains(&b'\\') {
        let MappedText { bytes, map } = decode(file, span);
        let map = Some(map);
        Body::decoded(file, span, Decoded { bytes, map })
    } else {
        Body::new(file, span, Encoding::Plain)
    }
}

/// Whether the byte at `at` is escaped by a backslash before it.
pub(super) fn is_escaped(text: &[u8], at: usize) -> bool {
    text.get(..at)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count()
        % 2
        == 1
}

/// The part of a text at `span`, with all escapes undone.
pub(super) fn decode(text: &[u8], span: Span) -> MappedText {
    let written = MappedText::verbatim(text, span);
    if written.bytes.contains(&b'\\') {
        written.decoded(escape)
    } else {
        written
    }
}

/// The meaning and the length of the escape that the text begins with. An unknown one is left as it is.
fn escape(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let byte = match text.strip_prefix(b"\\")? {
        [b'x', ..] => return by_number(text, 2),
        [b'u', ..] => return by_number(text, 4),
        [b'n', ..] => b'\n',
        [b'r', ..] => b'\r',
        [b't', ..] => b'\t',
        [b'b', ..] => 8,
        [b'f', ..] => 12,
        [b'v', ..] => 11,
        [other, ..] => *other,
        [] => return None,
    };
    Some((vec![byte], 2))
}

/// Decodes a byte (`\x22`) or a character (`\u0022`).
fn by_number(text: &[u8], digits: usize) -> Option<(Vec<u8>, usize)> {
    let hex = std::str::from_utf8(text.get(2..2 + digits)?).ok()?;
    let is_number = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(hex, 16).ok().filter(|_| is_number)?;
    let bytes = match u8::try_from(number) {
        Ok(byte) if digits == 2 => vec![byte],
        _ => {
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            character.to_string().into_bytes()
        }
    };
    Some((bytes, 2 + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_all_servers_are_undone() {
        for (raw, expected) in [
            (r"/a\x22b", "/a\"b"),
            (r#"/a\"b\\c"#, "/a\"b\\c"),
            (r"caf\xC3\xA9", "café"),
            (r"\u0041\u00e9\n\t", "Aé\n\t"),
            (r"\xzz\", "\\xzz\\"),
            ("plain", "plain"),
            (r"\x", "\\x"),
            (r"\ud800", "\u{fffd}"),
        ] {
            assert_eq!(text(raw.as_bytes()), expected, "{raw}");
        }
    }

    #[test]
    fn the_way_back_leads_to_the_escape() {
        let file = br#"xx{\x22a\x22:\"\"}"#;
        let body = body(file, Span::new(2, file.len()));
        assert_eq!(&*body.decode().unwrap(), br#"{"a":""}"#);
        assert_eq!(body.map().outer(Span::new(1, 4)).slice(file), br"\x22a\x22");
    }

    #[test]
    fn a_byte_is_escaped_by_an_odd_number_of_backslashes() {
        assert!(is_escaped(br#"\""#, 1) && is_escaped(br#"\\\""#, 3));
        assert!(!is_escaped(br#"\\""#, 2) && !is_escaped(b"\"", 0));
    }
}
