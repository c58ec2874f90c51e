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

/// Returns whether a list may be one of [`written_bytes`], by its first string. `quote` is how it writes quotes.
pub fn may_be_list_of_bytes(text: &[u8], quote: &[u8]) -> bool {
    /// So many digits of base64 are rarely a word.
    const ENOUGH: usize = 12;
    let first =
        text.strip_prefix(b"[").and_then(|rest| rest.trim_ascii_start().strip_prefix(quote));
    let Some(first) = first else { return false };
    let digits = first.iter().take(ENOUGH).take_while(|byte| is_base64_digit(**byte)).count();
    let is_short = first.get(digits..).is_some_and(|rest| rest.starts_with(quote));
    let is_hex = first.get(..digits).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    digits == ENOUGH || is_short && is_hex && digits > 0
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
    let is_of_strings = text.get(1..).and_then(|rest| rest.trim_ascii_start().first());
    if is_of_strings != Some(&b'"') {
        return Vec::new();
    }
    let Ok(chunks) = serde_json::from_slice::<Vec<String>>(text) else { return Vec::new() };
    let join = |decode: &dyn Fn(&String) -> Option<Vec<u8>>| {
        chunks.iter().map(decode).collect::<Option<Vec<_>>>().map(|chunks| chunks.concat())
    };
    let hex = join(&|chunk| decode_hex(chunk.as_bytes()));
    let base64 = join(&|chunk| decode_base64(chunk));
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
    fn a_list_of_bytes_is_noticed_by_its_first_string() {
        for (text, expected) in [
            (r#"["1f8b0800000000000003"]"#, true),
            (r#"["H4sIAAAAAAAAAw=="]"#, true),
            (r#"["7b","7d"]"#, true),
            (r#"["role"]"#, false),
            (r#"["a role with words"]"#, false),
            (r#"[{"a":1}]"#, false),
            (r#"[""]"#, false),
            ("[]", false),
            ("", false),
        ] {
            assert_eq!(may_be_list_of_bytes(text.as_bytes(), b"\""), expected, "{text}");
            let inside = text.replace('"', "\\\"");
            assert_eq!(may_be_list_of_bytes(inside.as_bytes(), b"\\\""), expected, "{text}");
        }
    }
}
