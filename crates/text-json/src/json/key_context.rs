//! Keys in unparsed JSON: in a document, or in a document inside a string of another.
//!
//! False positives are allowed, false negatives are not: any text that may be a key counts as one.

use memchr::memmem::Finder;

pub use super::marks::QuoteLevel;
use super::marks::backslashes_before;
use super::whitespace::is_whitespace;
use crate::text::Span;

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
pub const ESCAPE: &[u8] = b"\\u00";

/// See [`ESCAPE`].
pub const HIDING_DIGITS: &[u8] = b"01234567";

/// Whether the escape with its `u` at `at` may encode a character of a plain name, a quote, a bracket, white space or
/// another character of the JSON grammar (inside a string, both forms are equivalent), or a part of another escape.
pub fn hides_names(text: &[u8], at: usize) -> bool {
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

/// Whether `start..end` may be a key: in quotes, and with a colon after it.
#[inline]
pub fn is_key(text: &[u8], start: usize, end: usize, level: QuoteLevel) -> bool {
    value_of_key(text, start, end, level).is_some()
}

/// Returns the offset of the value of the text at `start..end`, if that may be a key.
#[inline]
pub fn value_of_key(text: &[u8], start: usize, end: usize, level: QuoteLevel) -> Option<usize> {
    let in_front = start.checked_sub(1).and_then(|at| text.get(at));
    if in_front != Some(&b'"') {
        return None;
    }
    value_start(text, end, level)
}

/// Returns the offset after the quote that ends the key at `end`, if there is one.
#[inline]
fn key_end(text: &[u8], end: usize, level: QuoteLevel) -> Option<usize> {
    let quote = match level {
        QuoteLevel::Document => end,
        QuoteLevel::String if text.get(end) == Some(&b'\\') => end + 1,
        QuoteLevel::String => return None,
    };
    (text.get(quote) == Some(&b'"')).then_some(quote + 1)
}

/// Returns the offset of the value of the key whose name ends at `end`; `None` if it is not a key.
#[inline]
fn value_start(text: &[u8], end: usize, level: QuoteLevel) -> Option<usize> {
    let colon = blank(text, key_end(text, end, level)?, level);
    (text.get(colon) == Some(&b':')).then(|| blank(text, colon + 1, level))
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

/// The parent of an array or object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Under {
    /// A key, which is this without its quotes.
    Key(Span),
    /// No parent, or an array.
    Element,
    /// A key with escapes, or text that is not JSON.
    Unclear,
}

/// Returns the offset after the name of the key of the array or object that opens at `open`, if it may have a key.
#[inline]
pub fn name_end_before(text: &[u8], open: usize, level: QuoteLevel) -> Option<usize> {
    let colon = blank_before(text, open, level).checked_sub(1)?;
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let name = text.get(..blank_before(text, colon, level))?;
    Some(name.strip_suffix(level.quote().as_bytes())?.len())
}

/// Finds the parent of the array or object that opens at `open`.
pub fn under(text: &[u8], open: usize, level: QuoteLevel) -> Under {
    let colon = blank_before(text, open, level);
    let byte = colon.checked_sub(1).and_then(|last| text.get(last));
    match byte {
        Some(b':') => {}
        Some(b',' | b'[') | None => return Under::Element,
        Some(_) => return Under::Unclear,
    }
    let end = blank_before(text, colon - 1, level);
    let opening = end
        .checked_sub(1)
        .and_then(|quote| quote_before(text, quote, level));
    let name = opening.map(|opening| Span::new(opening + 1, end - level.quote().len()));
    match name {
        Some(name) if !name.slice(text).contains(&b'\\') => Under::Key(name),
        _ => Under::Unclear,
    }
}

/// Returns the offset of the last quote before the one at `quote`, if both begin or end a string.
fn quote_before(text: &[u8], quote: usize, level: QuoteLevel) -> Option<usize> {
    let mut before = text.get(..quote).filter(|_| level.is_quote(text, quote))?;
    loop {
        let opening = memchr::memrchr(b'"', before)?;
        if level.is_quote(text, opening) {
            return Some(opening);
        }
        before = before.get(..opening)?;
    }
}

/// Returns the offset after the last byte before `end` that is not white space.
#[inline]
fn blank_before(text: &[u8], mut end: usize, level: QuoteLevel) -> usize {
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
fn blank(text: &[u8], mut at: usize, level: QuoteLevel) -> usize {
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
    use crate::json::{Document, Node};
    use proptest::prelude::*;

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

    /// Whether any escape in a text could.
    fn hides_names(text: &[u8]) -> bool {
        memchr::memmem::find_iter(text, ESCAPE).any(|at| super::hides_names(text, at + 1))
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
            assert!(hides_names(text.as_bytes()), "{text}");
        }
        for text in [
            r"\u007b", r"\u005D", r"\u000a", r"\u0020", r"\u003a", r"\u002c",
        ] {
            assert!(hides_names(text.as_bytes()), "{text}");
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
            assert!(!hides_names(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn values_are_told_from_keys() {
        for (level, text) in
            both(r#"{"kind":"role","role" :1,"list":["role"],"enrole":2,"roles":3}"#)
        {
            let keys: Vec<_> = memchr::memmem::find_iter(text.as_bytes(), "role")
                .map(|at| is_key(text.as_bytes(), at, at + 4, level))
                .collect();
            assert_eq!(keys, [false, true, false, false, false], "{text}");
        }
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

    proptest! {
        #[test]
        fn what_containers_stand_under_is_what_a_parser_says(value in crate::json::tests::value()) {
            let document = format!("{{\"x\":[1,{value}],\"parent\" : {value} , \"y\":[ [ ]]}}");
            for (level, text) in both(&document) {
                let tree = Document::parse_json(&document, 99).unwrap();
                let found: Vec<_> = brackets(text.as_bytes(), level)
                    .into_iter()
                    .map(|open| under(text.as_bytes(), open, level))
                    .map(|under| match under {
                        Under::Key(name) => Some(text[name.start..name.end].to_owned()),
                        Under::Element => None,
                        Under::Unclear => panic!("{text}"),
                    })
                    .collect();
                let mut expected = Vec::new();
                keys_of_containers(tree.root(), &mut expected);
                prop_assert_eq!(found, expected);
            }
        }
    }

    /// Where arrays and objects begin.
    fn brackets(text: &[u8], level: QuoteLevel) -> Vec<usize> {
        let mut in_string = false;
        let mut is_bracket = |at: usize| match text[at] {
            b'"' if level.is_quote(text, at) => {
                in_string = !in_string;
                false
            }
            b'{' | b'[' => !in_string,
            _ => false,
        };
        (0..text.len()).filter(|&at| is_bracket(at)).collect()
    }

    fn keys_of_containers(node: Node<'_>, keys: &mut Vec<Option<String>>) {
        if node.is_open() {
            keys.push(node.key().map(str::to_owned));
            node.children()
                .for_each(|child| keys_of_containers(child, keys));
        }
    }

    #[test]
    fn keys_that_are_not_written_letter_by_letter_are_unclear() {
        for (text, open, level) in [
            (r#"{"\u0061":{"#, 10, QuoteLevel::Document),
            (r#"{"a" {"#, 5, QuoteLevel::Document),
            (r#"{"a\n" : ["#, 9, QuoteLevel::Document),
            (r#"{\"a\\n\" : ["#, 12, QuoteLevel::String),
            (r"\n:[", 3, QuoteLevel::String),
        ] {
            assert!(matches!(text.as_bytes()[open], b'{' | b'['), "{text}");
            assert_eq!(
                under(text.as_bytes(), open, level),
                Under::Unclear,
                "{text}"
            );
        }
    }
}
