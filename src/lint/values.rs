//! Bodies that are several JSON values: on lines of their own, or as the data of server-sent events.

use std::borrow::Cow;

use crate::document::{scan, string};
use crate::source::{OffsetMap, Span};

/// The text with everything but the events' data blanked out, byte for byte, so that offsets stay what they are.
///
/// The data of one event may stand on several lines (WHATWG HTML, section 9.2.6). What is no event stream is left alone.
pub(super) fn without_event_framing(text: &str) -> Cow<'_, str> {
    let is_field = |line: &str| {
        ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| line.starts_with(field))
    };
    if !text.lines().find(|line| !line.is_empty()).is_some_and(is_field) {
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

/// The JSON inside a body that is one string and nothing else, as loggers write that encode a body twice, and the way
/// back from it.
pub(super) fn text_in_string(text: &str) -> Option<(String, OffsetMap)> {
    let literal = text.trim();
    let start = text.len() - text.trim_start().len();
    if !literal.starts_with('"') || scan::value(literal.as_bytes(), 0).ok()?.len() != literal.len()
    {
        return None;
    }
    let span = Span::new(start, start + literal.len());
    let content = string::decode(text, span);
    let is_json = content.trim_start().starts_with(['{', '[']);
    is_json.then(|| {
        (content.into_owned(), string::offset_map(string::between_quotes(text, span), start + 1))
    })
}

/// Where to read on behind a value that ends at `end`; `None` where something other than a line's end follows it.
pub(super) fn next_value(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let content = rest.trim_start_matches([' ', '\t', '\n', '\r']);
    let blank = rest.len() - content.len();
    let on_new_line = rest.get(..blank)?.contains('\n');
    (content.is_empty() || on_new_line).then_some(end + blank)
}

/// Where to read on behind a value that is broken at `fault`: the next line that begins like a value, if the broken one was
/// one line of its own.
///
/// In a text whose framing has been blanked out, values do not begin at the start of their lines.
pub(super) fn resume_after(text: &str, start: usize, fault: usize, framed: bool) -> Option<usize> {
    let fault = fault.clamp(start, text.len());
    if text.get(start..fault)?.contains('\n') {
        return None;
    }
    let behind = text.get(fault..)?;
    let mut lines = behind.match_indices('\n').map(|(at, _)| fault + at + 1);
    lines.find_map(|line| {
        let rest = text.get(line..)?;
        let blank =
            if framed { rest.len() - rest.trim_start_matches([' ', '\t']).len() } else { 0 };
        rest.get(blank..)?.starts_with(['{', '[']).then_some(line + blank)
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
        assert_eq!(blanked.split_whitespace().collect::<String>(), r#"{"a":1}{"b":2}"#);
        assert_eq!(blanked.find("\"a\""), text.find("\"a\""));
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
        for text in ["\"plain\"", "\"{}\" 1", "\"{", "{}", ""] {
            assert!(text_in_string(text).is_none(), "{text}");
        }
    }

    #[test]
    fn values_are_kept_apart_by_line_ends() {
        assert_eq!(next_value("{} \n {}", 2), Some(5));
        assert_eq!(next_value("{} {}", 2), None);
        assert_eq!(next_value("{}  ", 2), Some(4));
        assert_eq!(next_value("{}x", 2), None);
    }

    #[test]
    fn a_broken_line_is_left_behind_and_a_broken_document_is_not() {
        let text = "{\"a\": nope}\n{\"b\":1}\n";
        assert_eq!(resume_after(text, 0, 6, false), Some(12));
        assert_eq!(
            resume_after("{\n \"a\": nope\n}\n{}", 0, 8, false),
            None,
            "not a line of its own"
        );
        assert_eq!(
            resume_after("{\"a\": nope,\n\"b\":1}", 0, 6, false),
            None,
            "the next line is no value"
        );
        assert_eq!(resume_after("      ping\n\n      {}\n", 6, 6, true), Some(18));
    }
}
