//! Members of a record that may be a part of its call, and that no shape reads: where a logger keeps the options of a client, for
//! example. They are looked for only if a rule is about such a part, and the call has none.

use super::message::{is_amount, is_of_response};
use crate::file_head::contains;
use crate::names::{NAMES, has_name};
use crate::pieces::METHODS;
use sundown_exchange::{Reason, RecordValue, Unread};
use sundown_text_json::json::{scan, string};
use sundown_text_json::text::spelling::with_letters;

/// How many objects may be around such a member.
const MAX_LEVELS: usize = 4;

/// The member that may be the query of the call, or have it in a URL or a request line.
pub(super) fn query(record: RecordValue<'_>) -> Option<Unread> {
    let names = [&NAMES.queries, &NAMES.parameters];
    find(record, Reason::UnreadQuery, |key, value, _| {
        let may_be = value.starts_with(b"{") || value.contains(&b'=') || is_other_notation(value);
        may_be && (names.iter().any(|names| has_name(names, key)) || is_path_with_query(key, value))
    })
}

/// Whether a string has parameters of a query as JSON, or as a program prints a map, perhaps after its type. A query of GraphQL begins
/// with a brace, too.
pub(super) fn is_other_notation(value: &[u8]) -> bool {
    let text = value.strip_prefix(b"\"").unwrap_or_default();
    let open = text.iter().position(|byte| b"{[".contains(byte));
    match text.split_at(open.unwrap_or_default()) {
        (b"" | b"map", [b'[', first, ..]) | (b"%", [b'{', first, ..]) => !b"]}".contains(first),
        (b"" | b"map", [b'{', b'\\' | b'\'', ..]) => true,
        (b"" | b"map", [b'{', ..]) => value.contains(&b'=') || contains(value, b": '"),
        // Python has `<QueryDict: {'a': …}>` and `MultiDict([('a', …)])`, Ruby `#<Parameters {"a"=>…}>`.
        ([b'<' | b'#', ..] | [.., b'('], [_, b'\\' | b'\'' | b'(', ..]) => true,
        _ => false,
    }
}

/// Whether a string is a path with a query, after a method or under a name of URLs.
fn is_path_with_query(key: &str, value: &[u8]) -> bool {
    let text = value
        .get(1..)
        .filter(|_| value.contains(&b'?'))
        .unwrap_or_default();
    let is_called = || {
        let key = key.to_ascii_lowercase();
        let has = |parts: &[String]| parts.iter().any(|part| key.contains(part));
        has(&NAMES.urls) && (!has(&NAMES.other_urls) || key.starts_with("original"))
    };
    let is_line = |method: &&[u8]| {
        text.strip_prefix(*method)
            .is_some_and(|rest| rest.starts_with(b"/"))
    };
    METHODS.iter().any(is_line) || text.starts_with(b"/") && is_called()
}

/// The member that may be the header fields of the request.
pub(super) fn request_headers(record: RecordValue<'_>) -> Option<Unread> {
    find(record, Reason::UnreadHeaders, |key, _, is_answer| {
        is_headers(key) && !is_answer()
    })
}

/// The member that may be the header fields of the response.
pub(super) fn response_headers(record: RecordValue<'_>) -> Option<Unread> {
    find(record, Reason::UnreadHeaders, |key, _, is_answer| {
        is_headers(key) && is_answer()
    })
}

fn is_headers(key: &str) -> bool {
    with_letters(key.as_bytes(), |key| {
        let mut parts = NAMES.header_parts.iter();
        parts.any(|part| contains(key, part.as_bytes()))
    })
}

/// Finds the first such member with content, from the outside in, by its name, its value, and whether it is in a response.
fn find(
    record: RecordValue<'_>,
    reason: Reason,
    is_it: impl Fn(&str, &[u8], &dyn Fn() -> bool) -> bool,
) -> Option<Unread> {
    let text = record.raw();
    let mut level = vec![(0, false)];
    for _ in 0..MAX_LEVELS {
        let mut inner = Vec::new();
        for (open, is_answer) in level {
            for member in scan::members(text, open).map_while(Result::ok) {
                let value = member.value.slice(text);
                let has_content = matches!(value, [b'{' | b'[' | b'"', _, _, ..]);
                if !has_content || is_amount(value) {
                    continue;
                }
                let key = string::decode_bytes(text, member.key);
                let is_answer = || is_answer || is_of_response(&key);
                if is_it(&key, value, &is_answer) {
                    let at = member.key.shifted(record.span.start);
                    return Some(Unread::at(reason, at).in_member(&key));
                }
                // What is in a body belongs to that.
                let is_part =
                    || key.contains("body") || has_name(&NAMES.bodies, &*key) || is_headers(&key);
                if value.starts_with(b"{") && !is_part() {
                    inner.push((member.value.start, is_answer()));
                }
            }
        }
        level = inner;
    }
    None
}
