//! Bodies of several JSON values: one on each line, or as the data of server-sent events.

use std::borrow::Cow;

use sundown_exchange::may_be_rpc_batch;
use sundown_text_json::Limits;
use sundown_text_json::json::{is_value, scan, string};
use sundown_text_json::text::{OffsetMap, Span, magic};

/// The character before each value of a JSON text sequence (RFC 7464).
const RECORD_SEPARATOR: char = '\u{1e}';

/// Replaces what is around the values of a JSON text sequence, an event stream or a batch of JSON-RPC, byte for byte. Also returns
/// whether the text may be a stream of values: events, a text sequence, or an object on each line. A batch is none: its values
/// belong to several calls.
pub(super) fn without_framing(text: &str) -> (Cow<'_, str>, bool) {
    if let Some(calls) = calls_of_batch(text) {
        return (Cow::Owned(calls), false);
    }
    let start = text.trim_start();
    if start.starts_with(RECORD_SEPARATOR) {
        return (Cow::Owned(text.replace(RECORD_SEPARATOR, "\n")), true);
    }
    let second = start.split_once('\n').map_or("", |(_, rest)| rest);
    let is_line_wise = start.starts_with('{') && second.trim_start().starts_with('{');
    let values = without_event_framing(text);
    let is_stream = is_line_wise || matches!(values, Cow::Owned(_));
    (values, is_stream)
}

/// The calls in a batch of JSON-RPC 2.0 (its specification, section 6), each on a line of its own.
fn calls_of_batch(text: &str) -> Option<String> {
    let open = text.len() - text.trim_start().len();
    if !may_be_rpc_batch(text.get(open..)?.as_bytes(), b"\"") {
        return None;
    }
    // What follows the list would be left out.
    let list = scan::value(text.as_bytes(), open).ok()?;
    if list.end != text.trim_end().len() {
        return None;
    }
    let mut calls = " ".repeat(open + 1);
    for call in scan::elements(text.as_bytes(), open) {
        let call = call.ok()?;
        calls.push_str(&" ".repeat(call.start.checked_sub(calls.len())?));
        calls.push_str(text.get(call.start..call.end)?);
        calls.push('\n');
    }
    calls.push_str(&" ".repeat(text.len().checked_sub(calls.len())?));
    Some(calls)
}

/// Replaces everything but the data of events with blanks, byte for byte, so that offsets do not change.
///
/// The data of one event may have several lines (WHATWG HTML, section 9.2.6). Text that is not an event stream is unchanged.
pub(super) fn without_event_framing(text: &str) -> Cow<'_, str> {
    let mut first = text;
    while let Some(rest) = first
        .strip_prefix("\r\n")
        .or_else(|| first.strip_prefix('\n'))
    {
        first = rest;
    }
    let mut fields = ["data:", "event:", "id:", "retry:", ":"].iter();
    if !fields.any(|field| first.starts_with(field)) {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let data = content
            .strip_prefix("data:")
            .filter(|data| data.trim() != "[DONE]")
            .unwrap_or_default();
        let blank = content.len() - data.len();
        blanked.extend(std::iter::repeat_n(' ', blank));
        blanked.push_str(data);
        blanked.push_str(line.get(content.len()..).unwrap_or_default());
    }
    Cow::Owned(blanked)
}

/// The number of strings around the JSON of a body that are undone. Real bodies have two.
const MAX_STRINGS: usize = 8;

/// Decodes a body that is one string with JSON in it, as loggers write it that encode a body twice. Returns the JSON and its
/// map to the body.
pub(super) fn text_in_string(text: &str) -> Option<(String, OffsetMap)> {
    let (mut content, mut map) = string_content(text)?;
    for _ in 1..MAX_STRINGS {
        let Some((inner, inside)) = string_content(&content) else {
            break;
        };
        map = inside.through(&map);
        content = inner;
    }
    // A string may begin with a bracket and be no JSON.
    let is_json = content.trim_start().starts_with(['{', '['])
        && is_value(content.as_bytes(), Limits::default().depth);
    is_json.then_some((content, map))
}

/// The content of a text that is one string, with its map to the text.
fn string_content(text: &str) -> Option<(String, OffsetMap)> {
    let literal = text.trim();
    let start = text.len() - text.trim_start().len();
    if !literal.starts_with('"') || scan::value(literal.as_bytes(), 0).ok()?.len() != literal.len()
    {
        return None;
    }
    let span = Span::new(start, start + literal.len());
    let map = string::offset_map(string::between_quotes(text, span), start + 1);
    Some((string::decode(text, span).into_owned(), map))
}

/// Returns the offset of the next value after one that ends at `end`; `None` if anything but the end of a line, or immediately
/// another array or object after one, follows.
pub(super) fn next_value(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let content = rest.trim_start_matches([' ', '\t', '\n', '\r']);
    let blank = rest.len() - content.len();
    if rest.get(..blank)?.contains('\n') {
        // A byte order mark from a file that was appended.
        return Some(text.len() - content.trim_start_matches(BLANK_OR_MARK).len());
    }
    let is_next =
        blank == 0 && content.starts_with(['{', '[']) && text.get(..end)?.ends_with(['}', ']']);
    (content.is_empty() || is_next).then_some(end + blank)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

const BLANK_OR_MARK: [char; 5] = [' ', '\t', '\n', '\r', BYTE_ORDER_MARK];

/// Whether the text has a value on each line, rather than one value over many lines.
///
/// Then some line is a complete value, and none is part of one: none begins with a closing bracket, a key or a comma, or ends where
/// a value goes on. A broken line then does not affect others.
pub(super) fn is_line_wise(text: &[u8]) -> bool {
    let mut whole = 0;
    for line in text
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
    {
        let line = line.strip_prefix(magic::BYTE_ORDER_MARK).unwrap_or(line);
        match (line.first(), line.last()) {
            (Some(b'{' | b'['), _)
                if scan::value(line, 0).is_ok_and(|value| value.len() == line.len()) =>
            {
                whole += 1;
            }
            (Some(b'}' | b']' | b'"' | b','), _) | (_, Some(b',' | b'{' | b'[' | b':')) => {
                return false;
            }
            _ => {}
        }
    }
    whole > 0
}

/// Returns where to continue after a value that is broken at `fault`: at the next line that begins like a value, unless the broken
/// one has several lines. Only for texts with a value on each line, in which no line is part of a value.
pub(super) fn resume_after(text: &str, start: usize, fault: usize) -> Option<usize> {
    let fault = fault.clamp(start, text.len());
    // What is missing at the end of a line is noticed on the next one.
    if text.get(start..fault)?.trim_end().contains('\n') {
        return None;
    }
    let line_end = start + text.get(start..)?.find('\n')?;
    let mut lines = text
        .get(line_end..)?
        .match_indices('\n')
        .map(|(at, _)| line_end + at + 1);
    lines.find_map(|line| {
        let rest = text.get(line..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', BYTE_ORDER_MARK]).len();
        rest.get(blank..)?
            .starts_with(['{', '['])
            .then_some(line + blank)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_framing_is_blanked_and_offsets_stay() {
        let text = "event: message\r\nid: 7\ndata: {\"a\":1}\n\ndata: {\ndata: \"b\":2}\n\n: comment\ndata: [DONE]\n";
        let blanked = without_event_framing(text);
        assert_eq!(blanked.len(), text.len());
        assert_eq!(
            blanked.split_whitespace().collect::<String>(),
            r#"{"a":1}{"b":2}"#
        );
        assert_eq!(blanked.find("\"a\""), text.find("\"a\""));
    }

    #[test]
    fn the_calls_of_a_batch_are_values_at_their_places() {
        let text = r#" [ {"jsonrpc":"2.0","id":[1]} ,{"id":2}]"#;
        let (calls, _) = without_framing(text);
        assert_eq!(
            calls.trim_end(),
            "   {\"jsonrpc\":\"2.0\",\"id\":[1]}\n {\"id\":2}"
        );
        assert_eq!(calls.len(), text.len());
        for text in [
            r#"[{"jsonrpc":1}, "#,
            r#"{"jsonrpc":1}"#,
            r#"[{"id":1}]"#,
            "[]",
        ] {
            assert_eq!(without_framing(text), (text.into(), false));
        }
    }

    #[test]
    fn a_text_sequence_is_one_value_on_each_line() {
        let text = "\u{1e}{\"a\":1}\n\u{1e}[2]\n";
        assert_eq!(without_framing(text), ("\n{\"a\":1}\n\n[2]\n".into(), true));
        assert_eq!(without_framing("{}\u{1e}"), ("{}\u{1e}".into(), false));
        for (text, is_stream) in [
            ("{}\n{}", true),
            ("{}\n\n{}", true),
            ("{\n\"a\":{}}", false),
        ] {
            assert_eq!(without_framing(text).1, is_stream, "{text}");
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in ["{\"data\":1}\ndata: x", "", "\n\n", "[1]"] {
            assert_eq!(without_event_framing(text), text);
        }
    }

    #[test]
    fn json_in_a_string_is_taken_out_of_it_with_the_way_back() {
        let text = " \"{\\\"a\\\":1}\"\n";
        let (content, map) = text_in_string(text).unwrap();
        assert_eq!(content, "{\"a\":1}");
        let key = map.outer(Span::new(1, 4));
        assert_eq!(&text[key.start..key.end], "\\\"a\\\"");
        for text in ["\"plain\"", "\"{}\" 1", "\"{\"", "\"[1}\"", "\"{", "{}", ""] {
            assert!(text_in_string(text).is_none(), "{text}");
        }
    }

    #[test]
    fn values_are_kept_apart_by_line_ends() {
        assert_eq!(next_value("{} \n {}", 2), Some(5));
        assert_eq!(next_value("{} {}", 2), None);
        assert_eq!(next_value("{}  ", 2), Some(4));
        assert_eq!(next_value("{}x", 2), None);
        assert_eq!(next_value("{}{}", 2), Some(2));
        assert_eq!(next_value("[]{}", 2), Some(2));
        assert_eq!(next_value("1{}", 1), None);
        assert_eq!(next_value("{}\n\u{feff}{}", 2), Some(6));
    }

    #[test]
    fn a_broken_line_is_left_behind() {
        let text = "{\"a\": nope}\n{\"b\":1}\n";
        assert_eq!(resume_after(text, 0, 6), Some(12));
        assert_eq!(resume_after("{nope\n\nworse\n  {}\n", 0, 1), Some(15));
        assert_eq!(
            resume_after("{\"a\":1\n{}\n", 0, 7),
            Some(7),
            "a lost bracket is noticed on the next line"
        );
        assert_eq!(
            resume_after("{\n \"a\": nope\n}\n{}", 0, 8),
            None,
            "not a line of its own"
        );
    }

    #[test]
    fn a_value_over_many_lines_is_not_line_wise() {
        for text in ["{}\n{}", "{\"a\":1\n{}\n", "ping\n{}\n", "[1]\r\n\r\n[2]"] {
            assert!(is_line_wise(text.as_bytes()), "{text:?}");
        }
        for text in [
            "{\"note\": nope, \"results\": [\n{\"x\":1}\n]}",
            "[{\"x\": nope},\n{\"t\":1},\n{\"t\":2}]",
            "{\n\"a\":\n{}\n}",
        ] {
            assert!(!is_line_wise(text.as_bytes()), "{text:?}");
        }
    }
}
