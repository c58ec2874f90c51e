//! Bytes that recorders wrote as text: base64, lists of it, lists of numbers, and objects that say that their content is one of
//! these. Other notations are recognised, and not read.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::words::WORDS;
use sundown_text_json::json::{scan, string};
use sundown_text_json::text::Span;

/// Captures often lack the padding.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// Fewer digits are no body.
const MIN_DIGITS: usize = 4;

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

/// Returns the bytes that a text may represent. Most texts of these forms mean themselves: the caller decides by the bytes.
///
/// A list is that of Polly.js, which writes each chunk of a compressed body as base64 since version 6.
pub(super) fn written_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let content = text.trim_ascii();
    match content.first()? {
        b'[' if after_blank(content.get(1..)?).starts_with(b"\"") => decode_list(content),
        b'[' if may_be_other_notation(content, b"\"") => decode_numbers(content),
        b'[' => None,
        b'"' => decode_digits(&whole_string(content)?),
        // Another object is JSON, even if it could be decoded further.
        b'{' => described(content, "base64").and_then(|content| decode_base64(&content)),
        _ => decode_digits(std::str::from_utf8(content).ok()?),
    }
}

/// The bytes that a text may represent in notations that are not read, each with its name.
pub(super) fn unread_bytes(text: &[u8]) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let content = text.trim_ascii();
    let is_object = content.starts_with(b"{");
    let hex = if is_object {
        described(content, "hex").and_then(|digits| decode_hex(digits.as_bytes()))
    } else {
        decode_hex(content)
    };
    let members = is_object.then(|| decode_numbered(content)).flatten();
    let is_plain = !matches!(content.first(), Some(b'{' | b'[' | b'"'));
    let latin = is_plain.then(|| decode_latin1(text)).flatten();
    [
        ("hexadecimal digits", hex),
        ("an object with a member for each byte", members),
        ("characters of Latin-1", latin),
    ]
    .into_iter()
    .filter_map(|(notation, bytes)| Some((notation, bytes?)))
}

/// The notation of a text by its beginning. In a record (`is_logged`), it may be what Python prints of a dictionary, list or tuple of
/// texts, perhaps in an object of a class (`MultiDict([('a', 'b')])`).
pub(super) fn other_notation(text: &[u8], is_logged: bool) -> Option<&'static str> {
    let text = text.trim_ascii();
    let mut notations = WORDS.notations.iter();
    if let Some([_, name]) = notations.find(|[start, _]| text.starts_with(start.as_bytes())) {
        return Some(name);
    }
    let class = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'<')
        .count();
    let value = match text.get(class..)? {
        value if class == 0 => value,
        value => (value.strip_prefix(b"(")).or_else(|| value.strip_prefix(b": "))?,
    };
    let open = value
        .iter()
        .take_while(|byte| b"[{( \t\r\n".contains(*byte))
        .count();
    let is_text = matches!(value.get(open..)?, [b'\'', ..] | [b'u' | b'b', b'\'', ..]);
    (is_logged && open > 0 && is_text).then_some("a value as Python prints it")
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
    let rest = rest.strip_prefix(quote).unwrap_or_default();
    let Some(end) = memchr::memmem::find(rest, quote) else {
        return true;
    };
    let (name, rest) = (rest.get(..end), rest.get(end + quote.len()..));
    let (name, rest) = (name.unwrap_or_default(), rest.unwrap_or_default());
    match after_blank(rest).strip_prefix(b":").map(after_blank) {
        Some(value) => may_describe_bytes(name, value, quote),
        None => true,
    }
}

/// Whether a text is a batch of JSON-RPC (its specification, section 6), by the beginning of its first call. `quote` is
/// how it writes quotes.
pub fn may_be_rpc_batch(text: &[u8], quote: &[u8]) -> bool {
    const VERSION: &[u8] = b"jsonrpc";
    let name = first_name(text, quote);
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

/// A list of objects from the first name on, without the quote before that; empty if the text is none.
pub(super) fn first_name<'t>(list: &'t [u8], quote: &[u8]) -> &'t [u8] {
    let mut signs = [b"[", b"{", quote].into_iter();
    let name = signs.try_fold(list, |rest, sign| after_blank(rest).strip_prefix(sign));
    name.unwrap_or_default()
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
        b"0" => may_begin_bytes(value),
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
    is_whole(text.as_bytes()).then(|| string::decode(text, Span::new(0, text.len())).into_owned())
}

/// The bytes by base64.
fn decode_digits(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let is_base64 = text.len() >= MIN_DIGITS
        && bytes.all(|byte| is_base64_digit(byte) || matches!(byte, b'\r' | b'\n'));
    is_base64.then(|| decode_base64(text)).flatten()
}

/// The joined chunks of a list of strings in base64.
fn decode_list(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for chunk in scan::elements(is_whole(text).then_some(text)?, 0) {
        let chunk = chunk.ok()?.slice(text);
        let digits = chunk.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        digits.iter().copied().all(is_base64_digit).then_some(())?;
        bytes.extend(decode_base64(std::str::from_utf8(digits).ok()?)?);
    }
    Some(bytes)
}

/// The bytes by hexadecimal digits, which may be in a string, a list of strings, or lines.
fn decode_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text
        .iter()
        .copied()
        .filter(|byte| !b"[]\", \t\r\n".contains(byte));
    // Most texts are none by one of their first characters.
    let digits: Vec<u8> = digits
        .map(|byte| byte.is_ascii_hexdigit().then_some(byte))
        .collect::<Option<_>>()?;
    (digits.len() >= MIN_DIGITS).then(|| hex_bytes(&digits))?
}

/// The bytes of hexadecimal digits, two for each.
pub fn hex_bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    let bytes = pairs.iter().map(|&[high, low]| hex_byte(high, low));
    bytes.collect()
}

/// The byte of two hexadecimal digits.
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

/// The bytes of an object whose members are numbered from 0.
fn decode_numbered(object: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for (key, value) in scan::keys(object, 0) {
        let number = string::decode_bytes(object, key).parse::<usize>().ok()?;
        let value = scan::value(object, value).ok()?.slice(object);
        let value = std::str::from_utf8(value).ok()?;
        (number == bytes.len()).then_some(())?;
        bytes.push(value.parse().ok()?);
    }
    Some(bytes)
}

/// The members of an object that has few; `None` for any other text.
fn few_members(object: &[u8]) -> Option<Vec<(Cow<'_, str>, &[u8])>> {
    const MAX_MEMBERS: usize = 4;
    if !object.starts_with(b"{") || !is_whole(object) {
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

/// The bytes of a `Buffer` as Node.js writes it (`{"type":"Buffer","data":[...]}`).
pub(super) fn decode_buffer(text: &[u8]) -> Option<Vec<u8>> {
    let members = few_members(text.trim_ascii())?;
    match members.as_slice() {
        [(kind, b"\"Buffer\""), (name, data)] | [(name, data), (kind, b"\"Buffer\"")]
            if kind == "type" && name == "data" =>
        {
            decode_numbers(data)
        }
        _ => None,
    }
}

/// The text of an object that says that it is in this encoding.
fn described(object: &[u8], encoding: &str) -> Option<String> {
    let members = few_members(object)?;
    let text_of = |names: &[&str]| {
        let (_, value) = members.iter().find(|(name, _)| names.contains(&&**name))?;
        whole_string(value)
    };
    let is_said = text_of(&["encoding"])?.eq_ignore_ascii_case(encoding);
    is_said.then(|| text_of(&CONTENTS)).flatten()
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
    fn bytes_are_read_from_base64_and_numbers() {
        for text in [
            "e30K",
            "e30K\r\n",
            "\"e30K\"",
            r#"["e30=", "Cg=="]"#,
            "[123,125,10]",
            "[ 123, 125, 10 ]",
            r#"{"encoding":"base64","encoded":"e30K"}"#,
            r#"{"text":"e30K","encoding":"Base64"}"#,
        ] {
            assert_eq!(written_bytes(text.as_bytes()).unwrap(), b"{}\n", "{text}");
        }
        assert_eq!(written_bytes(b"[31,-117,8]").unwrap(), b"\x1f\x8b\x08");
        for text in [
            "",
            "[",
            "[1]",
            "{}",
            "a b",
            "a=1&b=2",
            "\"a\" 1",
            r#"["e30=",1]"#,
            "é€",
        ] {
            assert!(written_bytes(text.as_bytes()).is_none(), "{text}");
        }
        for text in [
            r#"{"type":"Buffer","data":[123,125]}"#,
            r#"{"data":[123,125],"type":"Buffer"}"#,
        ] {
            assert_eq!(decode_buffer(text.as_bytes()).unwrap(), b"{}", "{text}");
        }
        for text in [
            r#"{"type":"Buffer","data":[256]}"#,
            r#"{"type":"Buffer","data":[1],"id":2}"#,
            r#"{"type":"buffer","data":[1]}"#,
        ] {
            assert_eq!(decode_buffer(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn notations_that_are_not_read_are_recognised() {
        for text in [
            "7b7d0a",
            "\"7B7D0a\"",
            r#"["7b","7d0a"]"#,
            r#"{"encoding":"hex","data":"7b7d0a"}"#,
            r#"{"0":123,"1":125,"2":10}"#,
        ] {
            let mut unread = unread_bytes(text.as_bytes());
            assert!(unread.any(|(_, bytes)| bytes == b"{}\n"), "{text}");
        }
        let latin: Vec<_> = unread_bytes("\u{1f}\u{8b}".as_bytes()).collect();
        assert_eq!(latin, [("characters of Latin-1", b"\x1f\x8b".to_vec())]);
        for text in [
            "7b7d0",
            "a=1",
            "{}1",
            r#"{"1":123}"#,
            r#"{"0":300}"#,
            r#"{"0":{}}"#,
            "é€",
        ] {
            let unread = unread_bytes(text.as_bytes()).filter(|(_, bytes)| !bytes.is_empty());
            assert_eq!(unread.count(), 0, "{text}");
        }
        for text in ["b'a'", "b'a", r#"b"it's""#, "<Buffer 7b>"] {
            assert!(other_notation(text.as_bytes(), false).is_some(), "{text}");
        }
        for text in [
            "{'a': 1}",
            " \n[{u'a': 1}]",
            "('a', 1)",
            "ImmutableMultiDict([('a', '1')])",
            "<QueryDict: {'a': ['1']}>",
        ] {
            assert!(other_notation(text.as_bytes(), true).is_some(), "{text}");
            assert!(other_notation(text.as_bytes(), false).is_none(), "{text}");
        }
        for text in [
            "",
            "'a'",
            "{\"a\": 1}",
            "it('is')",
            "<a href='b'>",
            "null",
            "[1, 'a']",
        ] {
            assert!(other_notation(text.as_bytes(), true).is_none(), "{text}");
        }
    }

    #[test]
    fn other_notations_are_noticed_by_their_beginning() {
        for (text, expected) in [
            (r#"["1f8b0800000000000003"]"#, true),
            (r#"["eyJj","e30="]"#, true),
            (r#"["","1f8b"]"#, true),
            ("[123,125]", true),
            (r#"{"0":123,"1":125}"#, true),
            (r#"{"0":{},"1":{}}"#, false),
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
