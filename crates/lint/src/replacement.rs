//! Finds out whether a body already has the replacement of a deprecated field, at the place that the rule names.

use crate::rules::{ElementPart, Rule};
use sundown_text_json::json::{scan, string};
use sundown_text_json::text::Span;

/// Looks for replacements in one body. The bytes that it reads are limited, so that large objects with many findings cost no
/// more than a few walks over the body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReplacementSearch {
    bytes_left: usize,
}

/// How many times a body is read to find replacements, at most.
const PASSES: usize = 4;

/// The number of names in a replacement, at most.
const MAX_NAMES: usize = 8;

impl ReplacementSearch {
    /// Creates the search in a body of this size.
    pub(super) fn of_size(size: usize) -> Self {
        Self {
            bytes_left: size.saturating_mul(PASSES),
        }
    }

    /// Whether the object that has the key at `key` also has the replacement: a member of this name, or one inside of
    /// members (`answer.trackingToken`). One that is `null` does not count.
    pub(super) fn is_present(&mut self, rule: &Rule, text: &str, key: Span) -> bool {
        if !matches!(rule.element.part, ElementPart::Field(_)) || rule.element.value.is_some() {
            return false;
        }
        let Some(names) = rule.replacement.as_deref().and_then(names) else {
            return false;
        };
        let bytes = text.as_bytes();
        let Some(open) = self.object_around(bytes, key.start) else {
            return false;
        };
        let mut object = open;
        for (number, name) in names.iter().enumerate() {
            let Some(value) = self.member(text, object, name, key) else {
                return false;
            };
            let is_last = number + 1 == names.len();
            let first = bytes.get(value.start);
            if is_last {
                return value.slice(bytes) != b"null";
            }
            if first != Some(&b'{') {
                return false;
            }
            object = value.start;
        }
        false
    }

    /// The value of the last member of this name in the object at `open`, other than the one at `key`.
    fn member(&mut self, text: &str, open: usize, name: &str, key: Span) -> Option<Span> {
        let mut found = None;
        for member in scan::members(text.as_bytes(), open) {
            let Ok(member) = member else {
                self.bytes_left = 0;
                return None;
            };
            self.spend(member.value.end.saturating_sub(member.key.start))?;
            if member.key.start != key.start && string::decode(text, member.key) == name {
                found = Some(member.value);
            }
        }
        found
    }

    /// The offset of the bracket that opens the object with the key at `key`. Brackets are counted backwards: the quote before
    /// a key is outside of strings, and within a string, every quote is escaped.
    fn object_around(&mut self, bytes: &[u8], key: usize) -> Option<usize> {
        let floor = key.saturating_sub(self.bytes_left);
        let mut closed = 0usize;
        let mut at = key;
        while at > floor {
            at -= 1;
            match bytes.get(at)? {
                b'}' | b']' => closed += 1,
                b'{' | b'[' if closed > 0 => closed -= 1,
                b'{' => {
                    self.spend(key - at)?;
                    return Some(at);
                }
                b'[' => break,
                b'"' => match string_start(bytes, floor, at) {
                    Some(start) => at = start,
                    None => break,
                },
                _ => {}
            }
        }
        self.bytes_left = 0;
        None
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(0);
        left.map(|_| ())
    }
}

/// The offset, from `floor` on, of the quote that opens the string which `end` closes.
fn string_start(bytes: &[u8], floor: usize, end: usize) -> Option<usize> {
    let mut at = end;
    loop {
        let before = bytes.get(floor..at)?;
        at = floor + memchr::memrchr(b'"', before)?;
        let escapes = bytes
            .get(..at)?
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count();
        if escapes % 2 == 0 {
            return Some(at);
        }
    }
}

/// The names in a replacement that is a member's name, or names joined by dots; `None` for prose.
fn names(replacement: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = replacement.split('.').take(MAX_NAMES + 1).collect();
    (names.len() <= MAX_NAMES
        && names.iter().all(|name| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'))
        }))
    .then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{RuleFile, RuleTable};

    fn is_present(replacement: &str, text: &str) -> bool {
        let rules = format!(
            "api = 'x'\n[[rule]]\nid = 'r'\noperation = 'GET /a'\nfield = 'old'\nreplacement = '{replacement}'\n"
        );
        let table = RuleTable::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
        let start = text.find("\"old\":").unwrap();
        let key = Span::new(start, start + "\"old\"".len());
        ReplacementSearch::of_size(text.len()).is_present(&table.rules()[0], text, key)
    }

    #[test]
    fn only_a_member_of_the_same_object_is_the_replacement() {
        for (replacement, text, expected) in [
            ("new", r#"{"new":1,"old":2}"#, true),
            ("new", r#"{"old":2,"new":1}"#, true),
            (
                "new",
                r#"[{"x":"\"{[","y":[{}],"old":{"a":[1]}, "new" : "" }]"#,
                true,
            ),
            ("new", r#"{"\u006eew":false,"old":2}"#, true),
            ("new", r#"{"new":null,"old":2}"#, false),
            ("new", r#"{"x":{"new":1},"old":{"new":1}}"#, false),
            ("new", r#"{"new":1,"x":[{"old":2}]}"#, false),
            ("new", r#"{"y":"\\","x":"new\":","old":"new"}"#, false),
            ("new", r#"{"old":2,"new":"#, false),
            ("a.new", r#"{"a":{"new":1},"old":2}"#, true),
            ("a.new", r#"{"a":{"b":{"new":1}},"old":2}"#, false),
            ("a.new", r#"{"a":[{"new":1}],"old":2}"#, false),
            ("a.new", r#"{"a.new":1,"old":2}"#, false),
            ("old", r#"{"old":2}"#, false),
            ("the new one", r#"{"the new one":1,"old":2}"#, false),
        ] {
            assert_eq!(
                is_present(replacement, text),
                expected,
                "{replacement} in {text}"
            );
        }
    }

    #[test]
    fn the_bytes_that_are_read_are_limited() {
        let text = format!("{{{}\"new\":1}}", "\"old\":1,".repeat(1000));
        let mut search = ReplacementSearch::of_size(text.len());
        for _ in 0..10 {
            search.member(&text, 0, "new", Span::new(1, 6));
        }
        assert_eq!(search.bytes_left, 0);
    }
}
