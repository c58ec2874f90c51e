//! The escapes of web servers for bytes that would break a line: `\x22` (nginx), `\"` and `\n` (Apache), and the escapes of
//! JSON (`escape=json`). They do not contradict each other.

use std::borrow::Cow;

use sundown_exchange::{Body, Decoded, Encoding};
use sundown_text_json::text::{OffsetMap, Span};

/// Decodes a text; bytes that are not UTF-8 are replaced.
pub(super) fn text(raw: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw).is_none() {
        return String::from_utf8_lossy(raw);
    }
    Cow::Owned(String::from_utf8_lossy(&decode(raw, 0).bytes).into_owned())
}

/// Creates the body at `span` of a line.
pub(super) fn body(file: &[u8], span: Span) -> Body<'_> {
    if span.slice(file).contains(&b'\\') {
        Body::decoded(file, span, decode(span.slice(file), span.start))
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

/// Decodes all escapes, and maps the bytes to a text that begins at `start`.
fn decode(raw: &[u8], start: usize) -> Decoded {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut map = OffsetMap::default();
    let mut at = 0;
    while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        let before = bytes.len();
        let length = match rest.get(..plain).filter(|run| !run.is_empty()) {
            Some(run) => {
                bytes.extend_from_slice(run);
                plain
            }
            None => escape(rest, &mut bytes),
        };
        map.push(
            bytes.len() - before,
            Span::new(start + at, start + at + length),
        );
        at += length;
    }
    Decoded {
        bytes,
        map: Some(map),
    }
}

/// Decodes the escape at the beginning of `text`, and returns its length. An unknown escape is left as it is.
fn escape(text: &[u8], bytes: &mut Vec<u8>) -> usize {
    let byte = match text.get(1) {
        Some(b'x') => return by_number(text, 2, bytes),
        Some(b'u') => return by_number(text, 4, bytes),
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'v') => 11,
        Some(&other) => other,
        None => b'\\',
    };
    bytes.push(byte);
    text.len().min(2)
}

/// Decodes a byte (`\x22`) or a character (`\u0022`).
fn by_number(text: &[u8], digits: usize, bytes: &mut Vec<u8>) -> usize {
    let number = text.get(2..2 + digits).and_then(|hex| {
        let hex = std::str::from_utf8(hex)
            .ok()
            .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(hex, 16).ok()
    });
    match number {
        Some(number) if digits == 2 => bytes.extend(u8::try_from(number)),
        Some(number) => {
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        None => {
            bytes.push(b'\\');
            return 1;
        }
    }
    2 + digits
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
