//! Bodies that a recorder keeps in another form: in an object that describes them, or as the list of their lines.

use super::shapes::is_spelled;
use sundown_exchange::{Body, Decoded, Encoding, RecordValue};
use sundown_text_json::json::{Node, ValueKind, key_context, scan, string};
use sundown_text_json::text::{OffsetMap, Span};

/// The members with the text of a body, beside members that describe it.
const TEXTS: [&str; 12] = [
    "string",
    "text",
    "raw",
    "content",
    "data",
    "value",
    "encoded",
    "body",
    "json",
    "payload",
    "base64",
    "base64_string",
];

/// The members that describe a body, in any spelling. Clients keep the forms of other kinds beside it, too.
const DESCRIPTIONS: [&str; 26] = [
    "type",
    "mode",
    "kind",
    "format",
    "language",
    "mimetype",
    "contenttype",
    "mediatype",
    "charset",
    "encoding",
    "contentencoding",
    "isbase64",
    "base64encoded",
    "isbase64encoded",
    "size",
    "length",
    "bytes",
    "truncated",
    "form",
    "formdata",
    "urlencoded",
    "files",
    "file",
    "binary",
    "graphql",
    "options",
];

/// The body in an object that describes it: one text, which is JSON or said to be base64, beside members that describe it. An
/// object with any other member is itself the body.
pub(super) fn wrapped(object: RecordValue<'_>) -> Option<Body<'_>> {
    let raw = object.raw();
    let mut text = None;
    let mut is_base64 = false;
    let mut is_described = false;
    for member in scan::members(raw, 0) {
        let member = member.ok()?;
        let name = string::decode_bytes(raw, member.key);
        let value = member.value.slice(raw);
        let is_text = value.first() == Some(&b'"') && value.len() > 2;
        if TEXTS.contains(&&*name) && is_text && text.is_none() {
            is_base64 |= name.starts_with("base64");
            is_described |= name == "string";
            text = Some(member.value);
        } else if DESCRIPTIONS.iter().any(|known| is_spelled(&name, known)) {
            is_base64 |= value == b"true" && name.to_ascii_lowercase().contains("base64")
                || value.eq_ignore_ascii_case(b"\"base64\"");
            is_described = true;
        } else if is_text || !TEXTS.contains(&&*name) {
            return None;
        }
    }
    let text = text.filter(|_| is_described)?;
    let is_json = begins_json(key_context::content(text.slice(raw)));
    let encoding = if is_base64 && !is_json {
        Encoding::Base64JsonString
    } else {
        Encoding::JsonString
    };
    let span = text.shifted(object.span.start);
    (is_json || is_base64).then(|| Body::new(object.file, span, encoding))
}

/// Returns whether the content of a string begins like an object or a list.
fn begins_json(content: &[u8]) -> bool {
    let mut rest = content;
    loop {
        rest = rest.trim_ascii_start();
        match rest {
            [b'\\', b'n' | b'r' | b't', more @ ..] => rest = more,
            _ => return matches!(rest.first(), Some(b'{' | b'[')),
        }
    }
}

/// The body whose lines are the strings of a list: JSON in several lines, or a value in each.
pub(super) fn lines(list: RecordValue<'_>) -> Option<Body<'_>> {
    let raw = list.raw();
    let first = scan::elements(raw, 0).next()?.ok()?.slice(raw);
    if first.first() != Some(&b'"') || !begins_json(key_context::content(first)) {
        return None;
    }
    list.read(|list, place| {
        let mut joined = Decoded::default();
        let mut map = OffsetMap::default();
        for line in list.children() {
            let text = line.as_str()?;
            joined.bytes.extend_from_slice(text.as_bytes());
            map.extend(&line.text_map(place.start)?);
            if !text.ends_with('\n') {
                joined.bytes.push(b'\n');
                let end = place.span(line.span()).end;
                map.push(1, Span::new(end, end));
            }
        }
        joined.map = Some(map);
        Some(Body::decoded(place.file, place.span(list.span()), joined))
    })
}

/// The body that an array or object keeps in one of these forms.
pub(super) fn kept<'a>(node: Node<'_>, value: RecordValue<'a>) -> Option<Body<'a>> {
    match node.kind() {
        _ if node.document().is_yaml() => None,
        ValueKind::Object => wrapped(value),
        ValueKind::Array => lines(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, read: fn(RecordValue<'_>) -> Option<Body<'_>>) -> Option<String> {
        let value = RecordValue {
            file: text.as_bytes(),
            span: Span::new(0, text.len()),
        };
        let body = read(value)?;
        Some(String::from_utf8(body.decode().unwrap().into_owned()).unwrap())
    }

    #[test]
    fn the_text_of_an_object_that_describes_it_is_the_body() {
        for (text, body) in [
            (r#"{"string":"{\"a\":1}"}"#, r#"{"a":1}"#),
            (
                r#"{"type":"json","raw":"{\"a\":1}","form":[]}"#,
                r#"{"a":1}"#,
            ),
            (
                r#"{"mimeType":"application/json","text":"\n [1]","size":3}"#,
                "\n [1]",
            ),
            (r#"{"encoding":"base64","data":"e30="}"#, "{}"),
            (r#"{"base64_string":"e30=","encoding":"utf-8"}"#, "{}"),
            (r#"{"isBase64Encoded":true,"body":"e30="}"#, "{}"),
            (r#"{"content":"[]","raw":"","content_type":"x"}"#, "[]"),
        ] {
            assert_eq!(read(text, wrapped).as_deref(), Some(body), "{text}");
        }
    }

    #[test]
    fn an_object_with_a_member_of_its_own_is_the_body() {
        for text in [
            r#"{"type":"gift","raw":"plain words","encoding":"none"}"#,
            r#"{"type":"gift","raw":"{}","qty":2}"#,
            r#"{"data":"{}"}"#,
            r#"{"text":"{}"}"#,
            r#"{"type":"x","data":{"a":"{}"}}"#,
            r#"{"type":"x","data":"{}","text":"{}"}"#,
            "{}",
            r#"{"type":"#,
        ] {
            assert_eq!(read(text, wrapped), None, "{text}");
        }
    }

    #[test]
    fn strings_whose_first_begins_like_json_are_lines() {
        let text = r#"["{\"a\":1,\n","\"b\":2}"]"#;
        assert_eq!(read(text, lines).as_deref(), Some("{\"a\":1,\n\"b\":2}\n"));
        let text = r#"["{\"a\":1}","[2]"]"#;
        assert_eq!(read(text, lines).as_deref(), Some("{\"a\":1}\n[2]\n"));
        for text in [r#"["a","b"]"#, r#"["{}",1]"#, "[]", "[{}]"] {
            assert_eq!(read(text, lines), None, "{text}");
        }
    }
}
