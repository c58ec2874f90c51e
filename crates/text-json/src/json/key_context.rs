//! Keys in unparsed JSON: in a document, or in a document inside a string of another.
//!
//! False positives are allowed, false negatives are not: any text that may be a key counts as one.

use memchr::memmem::Finder;

pub use super::quote_level::QuoteLevel;
use super::quote_level::backslashes_before;
use super::whitespace::is_whitespace;

/// Whether a byte is part of plain names: the only other form of it in JSON is `\u00XX`.
pub const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$')
}

/// The content between the quotes of a string.
pub fn content(literal: &[u8]) -> &[u8] {
    literal
        .get(1..literal.len().saturating_sub(1))
        .unwrap_or_default()
}

/// Whether a text begins and ends like one object or array.
pub fn is_enclosed(text: &[u8]) -> bool {
    matches!(
        (text.first(), text.last()),
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']'))
    )
}

/// The beginning of an escape that may encode a character of a name or of the JSON grammar.
const ESCAPE: &[u8] = b"\\u00";

/// Whether a text has an escape that may hide a name, or a part of the grammar of a document that it writes as a string.
pub fn may_hide_names(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, ESCAPE).any(|at| hides_names(text, at + 1))
}

/// Whether the escape with its `u` at `at` may encode a character of a plain name, a quote, a bracket, white space or
/// another character of the JSON grammar (inside a string, both forms are equivalent), or a part of another escape.
fn hides_names(text: &[u8], at: usize) -> bool {
    // Without four digits, it is not an escape.
    let Some(&[b'0', b'0', high, low]) = text.get(at + 1..at + 5) else {
        return false;
    };
    let [Some(high), Some(low)] = [high, low].map(|digit| char::from(digit).to_digit(16)) else {
        return false;
    };
    let character = 16 * high + low;
    u8::try_from(character).is_ok_and(|byte| {
        let is_grammar = matches!(byte, b'"' | b'\\' | b'{' | b'}' | b'[' | b']' | b':' | b',');
        is_grammar || is_plain(byte) || is_whitespace(byte)
    })
}

/// Whether `start..end` of a document may be a key: in quotes, and with a colon after it.
pub fn is_key(text: &[u8], start: usize, end: usize) -> bool {
    let is_quote = |at: usize| text.get(at) == Some(&b'"');
    let colon = blank(text, end + 1, QuoteLevel::Document);
    start.checked_sub(1).is_some_and(is_quote) && is_quote(end) && text.get(colon) == Some(&b':')
}

/// Whether a value may begin on a line of its own, after another. A broken text with a value on each line is read again
/// from there. The end of its first line shows that a text is one value over several lines.
pub fn may_begin_on_a_line(text: &[u8], level: QuoteLevel) -> bool {
    let line_feed: &[u8] = match level {
        QuoteLevel::Document => b"\n",
        QuoteLevel::String => b"\\n",
    };
    let line_feeds = Finder::new(line_feed);
    let mut from = 0;
    // White space is read once, however many line feeds it has.
    while let Some(found) = text.get(from..).and_then(|rest| line_feeds.find(rest)) {
        let at = from + found;
        from = at + line_feed.len();
        // A backslash before a backslash is content of a string in the text.
        if level == QuoteLevel::String && backslashes_before(text, at) % 2 == 1 {
            continue;
        }
        from = blank(text, from, level);
        let last = blank_before(text, at, level)
            .checked_sub(1)
            .and_then(|last| text.get(last));
        match (last, text.get(from)) {
            (Some(b',' | b':' | b'{' | b'['), _) | (_, Some(b',' | b'}' | b']')) => return false,
            (_, Some(b'{' | b'[')) => return true,
            _ => {}
        }
    }
    false
}

/// Returns the offset after the last byte before `end` that is not white space.
#[inline]
pub(super) fn blank_before(text: &[u8], mut end: usize, level: QuoteLevel) -> usize {
    loop {
        end -= match text.get(..end).unwrap_or_default() {
            [.., byte] if is_whitespace(*byte) => 1,
            [.., b'\\', b'n' | b'r' | b't'] if level == QuoteLevel::String => 2,
            _ => return end,
        };
    }
}

/// Returns the offset of the first byte from `at` on that is not white space. Within a string, white space may be escaped.
#[inline]
pub fn blank(text: &[u8], mut at: usize, level: QuoteLevel) -> usize {
    loop {
        at += match (text.get(at), text.get(at + 1)) {
            (Some(&byte), _) if is_whitespace(byte) => 1,
            (Some(b'\\'), Some(b'n' | b'r' | b't')) if level == QuoteLevel::String => 2,
            _ => return at,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document as it is, and as the content of a string.
    fn both(document: &str) -> [(QuoteLevel, String); 2] {
        let literal = serde_json::to_string(document).unwrap();
        let inside = std::str::from_utf8(content(literal.as_bytes()))
            .unwrap()
            .to_owned();
        [
            (QuoteLevel::Document, document.to_owned()),
            (QuoteLevel::String, inside),
        ]
    }

    #[test]
    fn escapes_that_could_hide_a_name_are_told_from_those_that_cannot() {
        for text in [
            r"\u0061",
            r"\\u005A",
            r"\u005f",
            r"\u0022",
            r"\u005cu0061",
            r"\\u00\u0036\u0031",
        ] {
            assert!(may_hide_names(text.as_bytes()), "{text}");
        }
        for text in [
            r"\u007b", r"\u005D", r"\u000a", r"\u0020", r"\u003a", r"\u002c",
        ] {
            assert!(may_hide_names(text.as_bytes()), "{text}");
        }
        for text in [
            r"\u003c\u003e\u0026",
            r"\u00e9",
            r"\u0141",
            r"u0061",
            r"\u00zz",
            r"x\u003",
            "",
        ] {
            assert!(!may_hide_names(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn values_are_told_from_keys() {
        let text = r#"{"kind":"role","role" :1,"list":["role"],"enrole":2,"roles":3}"#;
        let keys: Vec<_> = memchr::memmem::find_iter(text.as_bytes(), "role")
            .map(|at| is_key(text.as_bytes(), at, at + 4))
            .collect();
        assert_eq!(keys, [false, true, false, false, false]);
    }

    /// What looked at a stretch of white space for each of its line feeds would take hours.
    #[test]
    fn a_million_line_feeds_are_looked_at_once() {
        for line_end in ["\n", " \n", "\n\t", ",\n"] {
            let text = format!("{{\"a\":1{}\"b\":2}}", line_end.repeat(1_000_000));
            for (level, text) in both(&text) {
                assert!(!may_begin_on_a_line(text.as_bytes(), level), "{line_end:?}");
            }
        }
        let text = format!("{{\"a\":1{}{{}}", "\n ".repeat(1_000_000));
        for (level, text) in both(&text) {
            assert!(may_begin_on_a_line(text.as_bytes(), level));
        }
    }

    #[test]
    fn values_on_lines_of_their_own_are_told_from_values_on_several_lines() {
        let values = [
            "{\"a\":1}\n{\"b\":2}",
            "{\"a\":1x \r\n\n [2]\nc}",
            "{\"a\":\"\n{\"b\":2}",
            "{\"a\":t\n\t{\"b\":2}\nrue}",
            "\n{}",
        ];
        for (level, text) in values.into_iter().flat_map(both) {
            assert!(may_begin_on_a_line(text.as_bytes(), level), "{text}");
        }
        let value =
            serde_json::json!({"a": [{"b": [[1, 2], [], {}]}, {"c": {"d": "\n{\\n["}}], "e": {}});
        let value = serde_json::to_string_pretty(&value).unwrap();
        let values = [
            &value.replace('\n', "\r\n\n"),
            &value,
            "{\"a\":\n\n{},\"b\"\n:[1\n]\n}",
            "{}{}",
            "{} n {}",
        ];
        for (level, text) in values.into_iter().flat_map(both) {
            assert!(!may_begin_on_a_line(text.as_bytes(), level), "{text}");
        }
    }
}
