//! Keys in JSON that nobody has parsed: in a document as it is, or one that stands as the content of a string of another.
//!
//! Everything here errs on one side: what may be a key is said to be one.

/// How a document stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it is.
    Document,
    /// As the content of a JSON string: its quotes are `\"`.
    String,
}

impl Level {
    /// How its quotes are written.
    pub fn quote(self) -> &'static str {
        match self {
            Self::Document => "\"",
            Self::String => "\\\"",
        }
    }
}

/// Whether a byte is one of those of which plain names are made: it can hide in JSON only as `\u00XX`.
pub fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$')
}

/// What stands between the quotes of a string.
pub fn content(literal: &[u8]) -> &[u8] {
    literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default()
}

/// Whether a text begins and ends like one object or array.
pub fn is_enclosed(text: &[u8]) -> bool {
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
}

/// Whether anything that is looked for here may be written as an escape: a character of a plain name, a quote, a bracket,
/// white space or another mark of JSON's grammar (which inside a string is as good as itself), or a part of another escape.
pub fn hides_names(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"\\u00").any(|at| {
        let digits = text.get(at + 4..at + 6).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.is_none_or(|byte| is_plain(byte) || b"\"\\{}[]:, \t\n\r".contains(&byte))
    })
}

/// Whether what stands at `start..end` may be a key: in quotes, and not plainly a value.
pub fn is_key(text: &[u8], start: usize, end: usize, level: Level) -> bool {
    let in_front = start.checked_sub(1).and_then(|at| text.get(at));
    if in_front != Some(&b'"') {
        return false;
    }
    match key_end(text, end, level) {
        Some(behind) => !matches!(text.get(blank(text, behind, level)), Some(b',' | b'}' | b']')),
        None => false,
    }
}

/// Offset behind the quote that ends the key at `end`, if one does.
fn key_end(text: &[u8], end: usize, level: Level) -> Option<usize> {
    let quote = level.quote().as_bytes();
    text.get(end..)?.starts_with(quote).then_some(end + quote.len())
}

/// Looks for members of a name in the values of keys, as long as that is cheaper than reading the whole text.
#[derive(Debug)]
pub struct Members<'t> {
    text: &'t [u8],
    level: Level,
    /// How many bytes may still be looked at.
    budget: usize,
}

impl<'t> Members<'t> {
    /// In this text.
    pub fn of(text: &'t [u8], level: Level) -> Self {
        Self { text, level, budget: 2 * text.len() + 1024 }
    }

    /// Whether the key that ends (without its quote) at `end` may have the member `name` in its value: as its own, or, where
    /// so many `lists` or objects stand between, as theirs.
    pub fn may_be_in_key(&mut self, end: usize, name: &[u8], lists: usize) -> bool {
        let (text, level) = (self.text, self.level);
        let Some(colon) = key_end(text, end, level).map(|behind| blank(text, behind, level)) else {
            return false;
        };
        text.get(colon) != Some(&b':') || self.may_be_at(blank(text, colon + 1, level), name, lists)
    }

    /// Whether the value at `start` may have it.
    pub fn may_be_at(&mut self, start: usize, name: &[u8], lists: usize) -> bool {
        if !matches!(self.text.get(start), Some(b'{' | b'[')) {
            return false;
        }
        let wanted = |at: usize| {
            let end = at + name.len();
            self.text.get(at..end) == Some(name) && is_key(self.text, at, end, self.level)
        };
        let mut brackets = Brackets { level: self.level, depth: 0, in_string: false };
        let mut at = start;
        while at < start + self.budget {
            let Some(next) = brackets.step(self.text, at) else { return true };
            at = next;
            if brackets.depth == 0 {
                self.budget = self.budget.saturating_sub(at - start);
                return false;
            }
            if brackets.in_string && brackets.depth == 1 + lists && wanted(at) {
                return true;
            }
        }
        // Too far to tell.
        true
    }
}

/// What is open in a text that is read from its beginning.
struct Brackets {
    level: Level,
    depth: usize,
    in_string: bool,
}

impl Brackets {
    /// Takes in the piece at `at`, and gives the offset behind it: a bracket, a quote with its backslashes, or a run of
    /// anything else.
    fn step(&mut self, text: &[u8], at: usize) -> Option<usize> {
        match (*text.get(at)?, self.in_string) {
            (b'\\', _) => {
                let run = text.get(at..)?.iter().take_while(|&&byte| byte == b'\\').count();
                let behind = at + run;
                match (self.level, text.get(behind)) {
                    // Of an odd number of backslashes the last belongs to the quote; the others are, in pairs, the document's.
                    (Level::String, Some(b'"')) => {
                        self.in_string ^= (run - 1) / 2 % 2 == 0;
                        Some(behind + 1)
                    }
                    (Level::Document, Some(b'"')) => {
                        self.in_string ^= run % 2 == 0;
                        Some(behind + 1)
                    }
                    _ => Some(behind),
                }
            }
            (b'"', _) => {
                self.in_string ^= self.level == Level::Document;
                Some(at + 1)
            }
            (b'{' | b'[', false) => {
                self.depth += 1;
                Some(at + 1)
            }
            (b'}' | b']', false) => {
                self.depth -= 1;
                Some(at + 1)
            }
            (_, true) => {
                let rest = text.get(at + 1..)?;
                Some(memchr::memchr2(b'"', b'\\', rest).map_or(text.len(), |run| at + 1 + run))
            }
            _ => Some(at + 1),
        }
    }
}

/// Offset of the first byte from `at` on that is no white space, which in a string is often escaped.
fn blank(text: &[u8], mut at: usize, level: Level) -> usize {
    loop {
        at += match (text.get(at), text.get(at + 1)) {
            (Some(b' ' | b'\t' | b'\n' | b'\r'), _) => 1,
            (Some(b'\\'), Some(b'n' | b'r' | b't')) if level == Level::String => 2,
            _ => return at,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::document::{NodeRef, Tree};
    use proptest::prelude::*;

    /// A document as it is, and as the content of a string.
    fn both(document: &str) -> [(Level, String); 2] {
        let literal = serde_json::to_string(document).unwrap();
        let inside = std::str::from_utf8(content(literal.as_bytes())).unwrap().to_owned();
        [(Level::Document, document.to_owned()), (Level::String, inside)]
    }

    #[test]
    fn escapes_that_could_hide_a_name_are_told_from_those_that_cannot() {
        for text in
            [r"\u0061", r"\\u005A", r"\u005f", r"\u0022", r"\u005cu0061", r"\u00zz", r"x\u003"]
        {
            assert!(hides_names(text.as_bytes()), "{text}");
        }
        for text in [r"\u007b", r"\u005D", r"\u000a", r"\u0020", r"\u003a", r"\u002c"] {
            assert!(hides_names(text.as_bytes()), "{text}");
        }
        for text in [r"\u003c\u003e\u0026", r"\u00e9", r"\u0141", r"u0061", ""] {
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

    proptest! {
        /// In a string, every character of a document may be written as an escape.
        #[test]
        fn what_escapes_hide_is_never_told_wrong(
            value in crate::document::tests::value(),
            name in "[a-c]{1,2}",
            escaped in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let document = format!("{{\"parent\" : {value}}}");
            let tree = Tree::parse(&document, 99).unwrap();
            let is_member = tree.root().get("parent").unwrap().get(&name).is_some();
            let escaped: Vec<usize> = escaped.iter().map(|index| index.index(document.len())).collect();
            let mut text = String::new();
            for (at, character) in document.char_indices() {
                match character {
                    _ if escaped.contains(&at) && character.is_ascii() => {
                        let _ = write!(text, "\\u{:04x}", u32::from(character));
                    }
                    '"' | '\\' => text.extend(['\\', character]),
                    _ => text.push(character),
                }
            }
            let text = text.as_bytes();
            if hides_names(text) {
                return Ok(());
            }
            let end = memchr::memmem::find(text, b"parent").unwrap() + "parent".len();
            let found = Members::of(text, Level::String).may_be_in_key(end, name.as_bytes(), 0);
            prop_assert!(found || !is_member, "{}", String::from_utf8_lossy(text));
        }

        #[test]
        fn a_member_is_found_where_a_parser_finds_it(
            value in crate::document::tests::value(),
            name in "[a-c]{1,2}",
            lists in 0usize..3,
        ) {
            let document = format!("{{\"x\":[1,{value}],\"parent\" : {value} , \"y\":\"parent\"}}");
            let tree = Tree::parse(&document, 99).unwrap();
            let mut level_nodes = vec![tree.root().get("parent").unwrap()];
            for _ in 0..lists {
                level_nodes = level_nodes.into_iter().flat_map(NodeRef::children).collect();
            }
            let expected = level_nodes.iter().any(|node| node.get(&name).is_some());
            for (level, text) in both(&document) {
                let text = text.as_bytes();
                let at = memchr::memmem::find_iter(text, b"parent").next().unwrap();
                let end = at + "parent".len();
                prop_assert!(is_key(text, at, end, level));
                let found = Members::of(text, level).may_be_in_key(end, name.as_bytes(), lists);
                prop_assert_eq!(found, expected);
                let at_root = Members::of(text, level).may_be_at(0, b"y", 0);
                prop_assert!(at_root);
                prop_assert!(!Members::of(text, level).may_be_at(0, b"z", 0));
            }
        }
    }
}
