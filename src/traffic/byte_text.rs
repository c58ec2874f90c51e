//! Bytes that recorders wrote as text: base64, hexadecimal digits, lists of either, and characters of Latin-1.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::json::{scan, string};
use crate::text::Span;

/// Captures often lack the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Decodes base64 (RFC 4648, section 4), which may be broken into lines and lack its padding.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    BASE64.decode(digits).ok()
}

/// Returns the bytes that a text may stand for. Most texts of these forms mean themselves: the caller decides by the bytes.
///
/// A list is that of Polly.js, which writes each chunk of a compressed body as hexadecimal digits, or as base64 since
/// version 6.
pub(super) fn written_bytes(text: &[u8]) -> Vec<Vec<u8>> {
    let content = text.trim_ascii();
    match content.first() {
        Some(b'[') => decode_list(content),
        Some(b'"') => match whole_string(content) {
            Some(content) => decode_digits(content.as_bytes()),
            None => Vec::new(),
        },
        // Text that begins like JSON is that, even if it could be decoded further.
        Some(b'{') | None => Vec::new(),
        Some(_) => {
            let mut decoded = decode_digits(content);
            decoded.extend(decode_latin1(text));
            decoded
        }
    }
}

/// Returns whether a list may be one of [`written_bytes`]: its first element is a string. `quote` is how it writes quotes.
pub fn may_be_list_of_bytes(text: &[u8], quote: &[u8]) -> bool {
    text.strip_prefix(b"[").is_some_and(|rest| after_blank(rest).starts_with(quote))
}

/// The text after white space, which is written with escapes inside a string.
pub(super) fn after_blank(mut text: &[u8]) -> &[u8] {
    loop {
        text = match text {
            [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] | [b'\\', b't' | b'n' | b'r', rest @ ..] => {
                rest
            }
            _ => return text,
        };
    }
}

fn is_base64_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The content of a text that is one JSON string.
fn whole_string(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let literal = scan::value(text.as_bytes(), 0).ok().filter(|value| value.len() == text.len())?;
    Some(string::decode(text, Span::new(literal.start, literal.end)).into_owned())
}

/// The bytes by hexadecimal digits, and by base64.
fn decode_digits(text: &[u8]) -> Vec<Vec<u8>> {
    /// Fewer digits are no body.
    const LEAST: usize = 4;
    if text.len() < LEAST || !text.iter().all(|&byte| is_base64_digit(byte) || byte == b'\n') {
        return Vec::new();
    }
    let base64 = std::str::from_utf8(text).ok().and_then(decode_base64);
    decode_hex(text).into_iter().chain(base64).collect()
}

/// The joined chunks of a list of strings, each by hexadecimal digits or each by base64.
fn decode_list(text: &[u8]) -> Vec<Vec<u8>> {
    let is_whole = || scan::value(text, 0).is_ok_and(|value| value.len() == text.len());
    if !may_be_list_of_bytes(text, b"\"") || !is_whole() {
        return Vec::new();
    }
    let (mut hex, mut base64) = (Some(Vec::new()), Some(Vec::new()));
    for chunk in scan::elements(text, 0) {
        let chunk = chunk.ok().map(|span| span.slice(text));
        let digits = chunk.and_then(|chunk| chunk.strip_prefix(b"\"")?.strip_suffix(b"\""));
        let Some(digits) = digits.filter(|digits| digits.iter().copied().all(is_base64_digit))
        else {
            return Vec::new();
        };
        let extend = |bytes: &mut Option<Vec<u8>>, decoded: Option<Vec<u8>>| match (bytes, decoded)
        {
            (Some(bytes), Some(decoded)) => bytes.extend(decoded),
            (bytes, _) => *bytes = None,
        };
        extend(&mut hex, decode_hex(digits));
        let as_base64 = || std::str::from_utf8(digits).ok().and_then(decode_base64);
        let decoded = base64.is_some().then(as_base64).flatten();
        extend(&mut base64, decoded);
        if hex.is_none() && base64.is_none() {
            return Vec::new();
        }
    }
    hex.into_iter().chain(base64).collect()
}

fn decode_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let value =
        |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    pairs.iter().map(|&[high, low]| Some(value(high)? << 4 | value(low)?)).collect()
}

/// The bytes of a text that has one character for each.
fn decode_latin1(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok().filter(|text| !text.is_ascii())?;
    text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_every_form() {
        for text in
            ["7b7d0a", "e30K", "\"7B7D0a\"", "\"e30K\"", r#"["7b","7d0a"]"#, r#"["e30=", "Cg=="]"#]
        {
            let decoded = written_bytes(text.as_bytes());
            assert!(decoded.contains(&b"{}\n".to_vec()), "{text}");
        }
        assert_eq!(written_bytes("\u{1f}\u{8b}".as_bytes()), [b"\x1f\x8b".to_vec()]);
        for text in ["", "[", "[1]", "{}", "a b", "a=1&b=2", "\"a\" 1", r#"["7b",1]"#, "é€"] {
            assert!(written_bytes(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_list_of_bytes_is_noticed_by_its_first_element() {
        for (text, expected) in [
            (r#"["1f8b0800000000000003"]"#, true),
            (r#"["eyJj","e30="]"#, true),
            (r#"["","1f8b"]"#, true),
            (r#"[{"a":1}]"#, false),
            ("[]", false),
            ("", false),
        ] {
            assert_eq!(may_be_list_of_bytes(text.as_bytes(), b"\""), expected, "{text}");
            let inside = text.replace('"', "\\\"").replace('[', "[\\n  ");
            assert_eq!(may_be_list_of_bytes(inside.as_bytes(), b"\\\""), expected, "{text}");
        }
    }
}
