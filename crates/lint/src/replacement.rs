//! Finds out whether a body already has the replacement of a deprecated field, at the place that the rule names.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::findings::ReplacementState;
use crate::rules::{ElementPart, Rule};
use sundown_text_json::json::scan::MemberSpans;
use sundown_text_json::json::{scan, string};
use sundown_text_json::text::Span;

/// Looks for replacements in one body. The bytes that it reads are limited, so that large objects with many findings cost no
/// more than a few walks over the body.
#[derive(Debug, Default)]
pub(super) struct ReplacementSearch {
    bytes_left: usize,
    /// The members of the object that was searched last: it may have hundreds of deprecated ones.
    members: Members,
}

/// The members of an object by name: for each, where its key begins, and its value.
type Members = HashMap<String, Vec<(usize, Span)>>;

/// The body does not show all members: it is no JSON there, a template makes some, or too many bytes were read before.
#[derive(Debug)]
struct SearchEnded;

/// Whether the name of a member is one that a template makes (`{{name}}`, `<name>`, `<%= name %>`), or empty, as that of a template
/// in the place of members is read.
pub(crate) fn is_template_name(name: &str) -> bool {
    name.is_empty() || name.contains(['{', '}', '<', '>', '%'])
}

/// The name of a member; empty if a template makes it.
fn literal_name(text: &str, key: Span) -> Cow<'_, str> {
    let name = string::decode(text, key);
    if is_template_name(&name) {
        "".into()
    } else {
        name
    }
}

/// How many times a body is read to find replacements, at most.
const PASSES: usize = 16;

/// The number of names in a replacement, at most.
const MAX_NAMES: usize = 8;

impl ReplacementSearch {
    /// Creates the search in a body of this size.
    pub(super) fn of_size(size: usize) -> Self {
        Self {
            bytes_left: size.saturating_mul(PASSES),
            ..Self::default()
        }
    }

    /// The search in another text, with the bytes that are left of this one.
    pub(super) fn in_another_text(&self) -> Self {
        Self {
            bytes_left: self.bytes_left,
            ..Self::default()
        }
    }

    /// Whether the object that has the key at `key` also has the replacement: the member to which a fix renames the key, or else one
    /// with the name of the replacement, or inside of members (`answer.trackingToken`).
    pub(super) fn state(&mut self, rule: &Rule, text: &str, key: Span) -> ReplacementState {
        if !matches!(rule.element.part, ElementPart::Field(_)) || rule.element.value.is_some() {
            return ReplacementState::Unknown;
        }
        let renamed = rule.renamed().map(|new| vec![new]);
        let names = renamed.or_else(|| rule.replacement.as_deref().and_then(names));
        let found = names.map(|names| self.find(&names, text, key));
        match found.and_then(Result::ok) {
            None => ReplacementState::Unknown,
            Some(None) => ReplacementState::Absent,
            Some(Some(value)) if value.slice(text.as_bytes()) == b"null" => ReplacementState::Null,
            Some(Some(_)) => ReplacementState::Present,
        }
    }

    /// The value at the end of a path of names that begins in the object with the key at `key`.
    fn find(&mut self, names: &[&str], text: &str, key: Span) -> Result<Option<Span>, SearchEnded> {
        let mut names = names.iter();
        let first = names.next().copied().unwrap_or_default();
        let mut value = self.sibling(text, first, key)?;
        for name in names {
            let open = value.map(|value| value.start);
            let open = open.filter(|open| text.as_bytes().get(*open) == Some(&b'{'));
            let Some(open) = open else {
                return Ok(None);
            };
            value = last_value(&self.read(text, open)?, name, key)?;
        }
        Ok(value)
    }

    /// The value of the last member of this name in the object with the key at `key`, other than that one.
    fn sibling(&mut self, text: &str, name: &str, key: Span) -> Result<Option<Span>, SearchEnded> {
        let same = self.members.get(&*literal_name(text, key));
        let is_known = same.is_some_and(|same| {
            // They are in the order of the text.
            same.binary_search_by_key(&key.start, |(start, _)| *start)
                .is_ok()
        });
        if !is_known {
            let open = self.object_around(text.as_bytes(), key.start)?;
            self.members = self.read(text, open)?;
        }
        last_value(&self.members, name, key)
    }

    /// All members of the object at `open`.
    fn read(&mut self, text: &str, open: usize) -> Result<Members, SearchEnded> {
        let mut members = Members::new();
        for member in scan::members(text.as_bytes(), open) {
            let Ok(MemberSpans { key, value, .. }) = member else {
                self.bytes_left = 0;
                return Err(SearchEnded);
            };
            self.spend(value.end.saturating_sub(key.start))?;
            let name = literal_name(text, key).into_owned();
            members.entry(name).or_default().push((key.start, value));
        }
        Ok(members)
    }

    /// The offset of the bracket that opens the object with the key at `key`. Brackets are counted backwards: the quote before
    /// a key is outside of strings, and within a string, every quote is escaped.
    fn object_around(&mut self, bytes: &[u8], key: usize) -> Result<usize, SearchEnded> {
        let floor = key.saturating_sub(self.bytes_left);
        let mut closed = 0usize;
        let mut at = key;
        while at > floor {
            at -= 1;
            match bytes.get(at).ok_or(SearchEnded)? {
                b'}' | b']' => closed += 1,
                b'{' | b'[' if closed > 0 => closed -= 1,
                b'{' => {
                    self.spend(key - at)?;
                    return Ok(at);
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
        Err(SearchEnded)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), SearchEnded> {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(SearchEnded)
    }
}

/// The value of the last member of this name, other than the one at `key`.
fn last_value(members: &Members, name: &str, key: Span) -> Result<Option<Span>, SearchEnded> {
    let mut others = members.get(name).into_iter().flatten().rev();
    match others.find(|(start, _)| *start != key.start) {
        None if members.contains_key("") => Err(SearchEnded),
        found => Ok(found.map(|(_, value)| *value)),
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
    use crate::rules::{RuleFile, RuleSet};

    fn state(replacement: &str, text: &str) -> ReplacementState {
        let rules = format!(
            "api = 'x'\n[[rule]]\nid = 'r'\noperation = 'GET /a'\nfield = 'old'\nreplacement = '{replacement}'\n"
        );
        let set = RuleSet::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
        let start = text.find("\"old\":").unwrap();
        let key = Span::new(start, start + "\"old\"".len());
        ReplacementSearch::of_size(text.len()).state(&set.rules()[0], text, key)
    }

    #[test]
    fn only_a_member_of_the_same_object_is_the_replacement() {
        use ReplacementState::{Absent, Null, Present, Unknown};
        for (replacement, text, expected) in [
            ("new", r#"{"new":1,"old":2}"#, Present),
            ("new", r#"{"old":2,"new":1}"#, Present),
            (
                "new",
                r#"[{"x":"\"{[","y":[{}],"old":{"a":[1]}, "new" : "" }]"#,
                Present,
            ),
            ("new", r#"{"\u006eew":false,"old":2}"#, Present),
            ("new", r#"{"new":null,"old":2}"#, Null),
            ("new", r#"{"x":{"new":1},"old":{"new":1}}"#, Absent),
            ("new", r#"{"new":1,"x":[{"old":2}]}"#, Absent),
            ("new", r#"{"y":"\\","x":"new\":","old":"new"}"#, Absent),
            ("new", r#"{"old":2,"new":"#, Unknown),
            ("new", r#"{"old":2,"":0}"#, Unknown),
            ("new", r#"{"{{x}}":1,"old":2,"new":1}"#, Present),
            ("new", r#"{"{{x}}":1,"old":2,"y":{"<x>":1}}"#, Unknown),
            ("a.new", r#"{"a":{"new":1},"old":2}"#, Present),
            ("a.new", r#"{"a":{"b":{"new":1}},"old":2}"#, Absent),
            ("a.new", r#"{"a":[{"new":1}],"old":2}"#, Absent),
            ("a.new", r#"{"a.new":1,"old":2}"#, Absent),
            ("old", r#"{"old":2}"#, Absent),
            ("the new one", r#"{"the new one":1,"old":2}"#, Unknown),
        ] {
            assert_eq!(
                state(replacement, text),
                expected,
                "{replacement} in {text}"
            );
        }
    }

    #[test]
    fn hundreds_of_fields_of_one_object_are_all_looked_up() {
        let rule = |number: usize| {
            format!(
                "[[rule]]\nid = 'r{number}'\noperation = 'GET /a'\nfield = 'old{number}'\nreplacement = 'new{number}'\n"
            )
        };
        let rules: String = (0..300).map(rule).collect();
        let file = RuleFile::parse("test", &format!("api = 'x'\n{rules}")).unwrap();
        let set = RuleSet::new(vec![file]).unwrap();
        let old = (0..300).map(|number| format!("\"old{number}\":{{\"new{number}\":1}}"));
        let new = (0..300).step_by(3);
        let new = new.map(|number| format!("\"new{number}\":1"));
        let mut members: Vec<_> = old.chain(new).collect();
        members.push("\"{{x}}\":1".to_owned());
        let text = format!("{{{}}}", members.join(","));
        let mut search = ReplacementSearch::of_size(text.len());
        for (number, rule) in set.rules().iter().enumerate() {
            let start = text.find(&format!("\"old{number}\":")).unwrap();
            let key = Span::new(start, start + format!("\"old{number}\"").len());
            let expected = if number % 3 == 0 {
                ReplacementState::Present
            } else {
                ReplacementState::Unknown
            };
            assert_eq!(search.state(rule, &text, key), expected, "{number}");
        }
    }

    #[test]
    fn the_bytes_that_are_read_are_limited() {
        let text = format!("{{{}\"new\":1}}", "\"old\":1,".repeat(1000));
        let mut search = ReplacementSearch::of_size(text.len());
        for _ in 0..2 * PASSES {
            let _ = search.read(&text, 0);
        }
        assert_eq!(search.bytes_left, 0);
    }
}
