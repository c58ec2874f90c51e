//! Bytes that recorders wrote as text: base64, hexadecimal digits, lists of either, lists of numbers, objects that say how they
//! encode their content, literals of Python, and characters of Latin-1.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use sundown_text_json::json::{scan, string};
use sundown_text_json::text::Span;

/// Captures often lack the padding.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

/// Decodes base64 (RFC 4648), which may be broken into lines and lack its padding. If it has a digit of the URL-safe alphabet
/// (section 5), it is in that alphabet.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let is_url_safe = digits.iter().any(|byte| matches!(byte, b'-' | b'_'));
    if is_url_safe {
        BASE64_URL.decode(digits)
    } else {
        BASE64.decode(digits)
    }
    .ok()
}

/// Decodes a text that represents bytes without doubt: an object as Node.js writes a `Buffer`, or a `bytes` literal as Python
/// writes it.
pub(super) fn surely_written_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let content = text.trim_ascii();
    match content {
        [b'{', ..] => decode_buffer(content),
        [b'b', b'"' | b'\'', ..] => decode_python_bytes(content.get(1..)?),
        _ => None,
    }
}

/// Returns the bytes that a text may represent. Most texts of these forms mean themselves: the caller decides by the bytes.
///
/// A list is that of Polly.js, which writes each chunk of a compressed body as hexadecimal digits, or as base64 since
/// version 6.
pub(super) fn written_bytes(text: &[u8]) -> Vec<Vec<u8>> {
    let content = text.trim_ascii();
    match content.first() {
        Some(b'[') if may_be_list_of_strings(content, b"\"") => decode_list(content),
        Some(b'[') if may_be_other_notation(content, b"\"") => {
            decode_numbers(content).into_iter().collect()
        }
        Some(b'[') => Vec::new(),
        Some(b'"') => match whole_string(content) {
            Some(content) => decode_digits(content.as_bytes()),
            None => Vec::new(),
        },
        // Another object is JSON, even if it could be decoded further.
        Some(b'{') => decode_described(content).into_iter().collect(),
        None => Vec::new(),
        Some(_) => {
            let mut decoded = decode_digits(content);
            decoded.extend(decode_latin1(text));
            decoded
        }
    }
}

/// Whether a text that begins like JSON may represent something else than its names and values show: other bytes, a
/// batch of calls, or a value in another notation. It looks at little more than the first name. `quote` is how the text writes
/// quotes.
pub fn may_be_other_notation(text: &[u8], quote: &[u8]) -> bool {
    let text = after_blank(text);
    if text.starts_with(b"[") {
        let first = after_blank(text.get(1..).unwrap_or_default());
        return match first.first() {
            Some(b'{') => may_be_rpc_batch(text, quote) || may_be_other_notation(first, quote),
            Some(b'[' | b'-' | b']') => false,
            Some(b'0'..=b'9') => may_begin_bytes(first),
            // A list of texts may represent bytes.
            _ => ![&b"true"[..], b"false", b"null"]
                .iter()
                .any(|word| first.starts_with(word)),
        };
    }
    let Some(rest) = text.strip_prefix(b"{").map(after_blank) else {
        return false;
    };
    if rest.starts_with(b"}") {
        return false;
    }
    let Some((name, rest)) = rest
        .strip_prefix(quote)
        .and_then(|rest| split_at(rest, quote))
    else {
        return true;
    };
    match after_blank(rest).strip_prefix(b":").map(after_blank) {
        Some(value) => may_describe_bytes(name, value, quote),
        None => true,
    }
}

/// Whether a text is a batch of JSON-RPC (its specification, section 6), by the beginning of its first call. `quote` is
/// how it writes quotes.
pub fn may_be_rpc_batch(text: &[u8], quote: &[u8]) -> bool {
    const VERSION: &[u8] = b"jsonrpc";
    let Some(name) = text
        .strip_prefix(b"[")
        .map(after_blank)
        .and_then(|rest| rest.strip_prefix(b"{"))
        .map(after_blank)
        .and_then(|rest| rest.strip_prefix(quote))
    else {
        return false;
    };
    let begins = |known: &[u8]| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.starts_with(quote))
    };
    let head = name.get(..FIRST_CALL).unwrap_or(name);
    begins(VERSION)
        || [&b"id"[..], b"method", b"params", b"result"]
            .into_iter()
            .any(begins)
            && memchr::memmem::find(head, VERSION).is_some()
}

/// The length of the beginning of a call in which its version is searched.
const FIRST_CALL: usize = 1024;

/// Whether the first of several numbers is the first byte of JSON, of compressed data, or of a byte order mark.
fn may_begin_bytes(numbers: &[u8]) -> bool {
    let digits = numbers
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (first, rest) = numbers.split_at_checked(digits).unwrap_or_default();
    let known: [&[u8]; 8] = [b"123", b"91", b"31", b"40", b"120", b"239", b"254", b"255"];
    known.contains(&first) && after_blank(rest).starts_with(b",")
}

/// Whether an object that begins with this name and value may be one that describes how it encodes its content.
fn may_describe_bytes(name: &[u8], value: &[u8], quote: &[u8]) -> bool {
    match name {
        b"type" => value
            .strip_prefix(quote)
            .is_some_and(|rest| rest.starts_with(b"Buffer")),
        b"encoding" => {
            let rest = value.strip_prefix(quote).unwrap_or_default();
            ENCODINGS
                .iter()
                .any(|name| rest.starts_with(name.as_bytes()))
        }
        name if CONTENTS.iter().any(|known| known.as_bytes() == name) => {
            let tail = value
                .get(value.len().saturating_sub(MAX_TAIL_BYTES)..)
                .unwrap_or_default();
            ENCODINGS
                .iter()
                .chain(&["Buffer"])
                .any(|name| memchr::memmem::find(tail, name.as_bytes()).is_some())
        }
        _ => false,
    }
}

/// The encodings that an object names, and the members with its content.
const ENCODINGS: [&str; 4] = ["base64", "BASE64", "Base64", "hex"];
const CONTENTS: [&str; 7] = [
    "encoded",
    "base64_string",
    "base64",
    "string",
    "text",
    "data",
    "body",
];

/// The length of the end of an object in which its encoding is.
const MAX_TAIL_BYTES: usize = 64;

/// The text before and after the first of these marks.
fn split_at<'t>(text: &'t [u8], mark: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = memchr::memmem::find(text, mark)?;
    Some((text.get(..at)?, text.get(at + mark.len()..)?))
}

/// Whether the first element of a list is a string.
fn may_be_list_of_strings(text: &[u8], quote: &[u8]) -> bool {
    text.strip_prefix(b"[")
        .is_some_and(|rest| after_blank(rest).starts_with(quote))
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
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// The content of a text that is one JSON string.
fn whole_string(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let literal = scan::value(text.as_bytes(), 0)
        .ok()
        .filter(|value| value.len() == text.len())?;
    Some(string::decode(text, Span::new(literal.start, literal.end)).into_owned())
}

/// The bytes by hexadecimal digits, and by base64.
fn decode_digits(text: &[u8]) -> Vec<Vec<u8>> {
    /// Fewer digits are no body.
    const LEAST: usize = 4;
    if text.len() < LEAST
        || !text
            .iter()
            .all(|&byte| is_base64_digit(byte) || matches!(byte, b'\r' | b'\n'))
    {
        return Vec::new();
    }
    let base64 = std::str::from_utf8(text).ok().and_then(decode_base64);
    decode_hex(text).into_iter().chain(base64).collect()
}

/// The joined chunks of a list of strings, each by hexadecimal digits or each by base64.
fn decode_list(text: &[u8]) -> Vec<Vec<u8>> {
    if !is_whole(text) {
        return Vec::new();
    }
    let mut hex = Some(Vec::new());
    let mut base64 = Some(Vec::new());
    for chunk in scan::elements(text, 0) {
        let chunk = chunk.ok().map(|span| span.slice(text));
        let digits = chunk.and_then(|chunk| chunk.strip_prefix(b"\"")?.strip_suffix(b"\""));
        let Some(digits) = digits.filter(|digits| digits.iter().copied().all(is_base64_digit))
        else {
            return Vec::new();
        };
        let decoded = base64
            .is_some()
            .then(|| std::str::from_utf8(digits).ok().and_then(decode_base64))
            .flatten();
        for read in [(&mut hex, decode_hex(digits)), (&mut base64, decoded)] {
            match read {
                (Some(bytes), Some(decoded)) => bytes.extend(decoded),
                (bytes, _) => *bytes = None,
            }
        }
        if hex.is_none() && base64.is_none() {
            return Vec::new();
        }
    }
    hex.into_iter().chain(base64).collect()
}

fn decode_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    pairs
        .iter()
        .map(|&[high, low]| hex_byte(high, low))
        .collect()
}

/// The byte that two hexadecimal digits stand for.
pub(super) fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let [high, low] = [high, low].map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

/// Whether a text is one JSON value by its brackets and quotes.
fn is_whole(text: &[u8]) -> bool {
    scan::value(text, 0).is_ok_and(|value| value.len() == text.len())
}

/// The bytes of a list of numbers, which may be signed.
fn decode_numbers(list: &[u8]) -> Option<Vec<u8>> {
    let numbers: Vec<i16> = serde_json::from_slice(list).ok()?;
    numbers
        .into_iter()
        .map(|number| match number {
            -128..0 => u8::try_from(number + 256).ok(),
            _ => u8::try_from(number).ok(),
        })
        .collect()
}

/// The members of an object that has few; `None` for any other text.
fn few_members(object: &[u8]) -> Option<Vec<(Cow<'_, str>, &[u8])>> {
    const MAX_MEMBERS: usize = 4;
    if !is_whole(object) {
        return None;
    }
    let mut members = Vec::new();
    for (key, value) in scan::keys(object, 0) {
        let value = scan::value(object, value).ok()?;
        members.push((string::decode_bytes(object, key), value.slice(object)));
        if members.len() > MAX_MEMBERS {
            return None;
        }
    }
    Some(members)
}

/// The bytes of a `Buffer` in JSON (`{"type":"Buffer","data":[...]}`).
fn decode_buffer(object: &[u8]) -> Option<Vec<u8>> {
    let members = few_members(object)?;
    let get = |wanted| {
        members
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| *value)
    };
    let is_buffer = members.len() == 2 && get("type")? == b"\"Buffer\"";
    get("data").filter(|_| is_buffer).and_then(decode_numbers)
}

/// The bytes of an object with a text and the name of its encoding.
fn decode_described(object: &[u8]) -> Option<Vec<u8>> {
    let members = few_members(object)?;
    let text_of = |names: &[&str]| {
        let (_, value) = members.iter().find(|(name, _)| names.contains(&&**name))?;
        whole_string(value)
    };
    let encoding = text_of(&["encoding"])?;
    let content = text_of(&CONTENTS)?;
    match &*encoding.to_ascii_lowercase() {
        "base64" => decode_base64(&content),
        "hex" => decode_hex(content.as_bytes()),
        _ => None,
    }
}

/// The bytes of a literal of Python in its quotes, as `repr` writes it.
fn decode_python_bytes(literal: &[u8]) -> Option<Vec<u8>> {
    let quote = *literal.first()?;
    let content = literal.get(1..)?.strip_suffix(&[quote])?;
    let mut bytes = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                bytes.push(match escape {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'\\' | b'\'' | b'"' => escape,
                    b'x' => {
                        let (digits, after) = rest.split_at_checked(2)?;
                        rest = after;
                        *decode_hex(digits)?.first()?
                    }
                    _ => return None,
                });
            }
            byte if byte == quote || !(b' '..=b'~').contains(&byte) => return None,
            byte => bytes.push(byte),
        }
    }
    Some(bytes)
}

/// The bytes of a text that has one character for each.
fn decode_latin1(text: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(text)
        .ok()
        .filter(|text| !text.is_ascii())?
        .chars()
        .map(|character| u8::try_from(u32::from(character)).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_every_form() {
        for text in [
            "7b7d0a",
            "e30K",
            "\"7B7D0a\"",
            "\"e30K\"",
            r#"["7b","7d0a"]"#,
            r#"["e30=", "Cg=="]"#,
        ] {
            let decoded = written_bytes(text.as_bytes());
            assert!(decoded.contains(&b"{}\n".to_vec()), "{text}");
        }
        assert_eq!(
            written_bytes("\u{1f}\u{8b}".as_bytes()),
            [b"\x1f\x8b".to_vec()]
        );
        for text in [
            "",
            "[",
            "[1]",
            "{}",
            "a b",
            "a=1&b=2",
            "\"a\" 1",
            r#"["7b",1]"#,
            "é€",
        ] {
            assert!(written_bytes(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn bytes_are_read_from_lists_objects_and_literals() {
        for text in [
            "[123,125,10]",
            "[ 123, 125, 10 ]",
            r#"{"encoding":"base64","encoded":"e30K"}"#,
            r#"{"text":"e30K","encoding":"Base64"}"#,
            r#"{"encoding":"hex","data":"7b7d0a"}"#,
            "e30K\r\n",
        ] {
            let decoded = written_bytes(text.as_bytes());
            assert!(decoded.contains(&b"{}\n".to_vec()), "{text}");
        }
        assert_eq!(written_bytes(b"[31,-117,8]"), [b"\x1f\x8b\x08".to_vec()]);
        for (text, expected) in [
            (r#"{"type":"Buffer","data":[123,125]}"#, &b"{}"[..]),
            (r#"{"data":[123,125],"type":"Buffer"}"#, b"{}"),
            (r#"b'{"a": "\\n\xc3\\"}'"#, b"{\"a\": \"\\n\xc3\\\"}"),
            (r#"b"it's""#, b"it's"),
        ] {
            assert_eq!(
                surely_written_bytes(text.as_bytes()).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for text in [
            r#"{"type":"Buffer","data":[256]}"#,
            r#"{"type":"Buffer","data":[1],"id":2}"#,
            r#"{"type":"buffer","data":[1]}"#,
            "b'a'b'",
            "b'a",
            "b'\\q'",
            "b'\u{e9}'",
            "'a'",
        ] {
            assert_eq!(surely_written_bytes(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn other_notations_are_noticed_by_their_beginning() {
        for (text, expected) in [
            (r#"["1f8b0800000000000003"]"#, true),
            (r#"["eyJj","e30="]"#, true),
            (r#"["","1f8b"]"#, true),
            ("[123,125]", true),
            ("[object Object]", true),
            (r#"{"type":"Buffer","data":[]}"#, true),
            (r#"{ "encoding": "base64", "encoded": "" }"#, true),
            (r#"{"text":"e30=","encoding":"base64"}"#, true),
            ("{'a': 1}", true),
            (" {'a': 1}", true),
            ("[{'a': 1}]", true),
            ("{a: 1}", true),
            (r#"{"a"=>1}"#, true),
            (r#"[{"a":1}]"#, false),
            (r#"{"type":"buffer","data":[]}"#, false),
            (r#"{"encoding":"utf-8","text":"a"}"#, false),
            (r#"{"text":"a"}"#, false),
            ("[null,1]", false),
            (r#"[{"jsonrpc":"2.0"}]"#, true),
            (r#"[{"id":1,"jsonrpc":"2.0"}]"#, true),
            (r#"[{"id":1}]"#, false),
            ("[true]", false),
            ("[[],1]", false),
            (r#"[["a"]]"#, false),
            (r#"{"data":[123],"type":"Buffer"}"#, true),
            ("[]", false),
            ("{}", false),
            ("", false),
        ] {
            assert_eq!(
                may_be_other_notation(text.as_bytes(), b"\""),
                expected,
                "{text}"
            );
            let inside = text.replace('"', "\\\"").replace('[', "[\\n  ");
            assert_eq!(
                may_be_other_notation(inside.as_bytes(), b"\\\""),
                expected,
                "{text}"
            );
        }
    }
}
