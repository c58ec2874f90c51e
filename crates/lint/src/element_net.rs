//! The net of one call: finds names of its rules in what of its record was not read.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, Match};

use super::net::{MAX_URL, Mention, QUOTE_OF_NGINX, elements, has_word, is_word};
use super::plan::Plan;
use crate::rules::{Rule, RuleTable};
use sundown_exchange::Side;
use sundown_text_json::json::scan;
use sundown_text_json::text::Span;

/// The offsets of the JSON objects in a text. There may be other text around them.
fn objects(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'{', text.get(at..).unwrap_or_default()) {
        let Ok(object) = scan::value(text, at + open) else {
            break;
        };
        // One in a JSON string has no members that can be read there.
        if let Some(Ok(_)) = scan::members(text, object.start).next() {
            found.push(object.start);
        }
        at = object.end;
    }
    found
}

fn is_inside(one: Span, other: Span) -> bool {
    other.start <= one.start && one.end <= other.end
}

/// The names of the members that the rules of a plan are about, to be found in calls whose bodies were not read.
#[derive(Debug)]
pub(super) struct ElementNet {
    automaton: AhoCorasick,
    /// Each with its value, if only that is deprecated.
    elements: Vec<(String, Option<String>)>,
}

impl ElementNet {
    /// Compiles the names of a plan; `None` if there are none, or too many.
    pub(super) fn new(table: &RuleTable, plan: &Plan, body: Option<Side>) -> Option<Self> {
        let elements = elements(table, plan, body);
        let elements: Vec<_> = elements
            .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)))
            .collect();
        if elements.is_empty() {
            return None;
        }
        let automaton = AhoCorasick::new(elements.iter().map(|(name, _)| name));
        Some(Self {
            automaton: automaton.ok()?,
            elements,
        })
    }

    /// Finds the first key with one of the names in a record of which one body was read: in the values beside the parts that were read,
    /// which may be the other body. The keys of the objects with these parts are of the record, as its identifier is.
    /// What the call uses may be there in another form, and does not count.
    pub(super) fn find_beside(
        &self,
        file: &[u8],
        record: Span,
        read: &[Span],
        used: &[Arc<Rule>],
    ) -> Option<Mention> {
        let text = record.slice(file);
        // Most records have none, and need no walk.
        self.automaton.find(text)?;
        let mut open = objects(text);
        if open.is_empty() {
            return self.find_key(file, record, read, used);
        }
        while let Some(object) = open.pop() {
            for member in scan::members(text, object).map_while(Result::ok) {
                let value = member.value.shifted(record.start);
                if read
                    .iter()
                    .any(|part| is_inside(*part, value) && *part != value)
                {
                    open.push(member.value.start);
                } else if !read.iter().any(|part| is_inside(value, *part))
                    && let Some(found) = self.find_key(file, value, &[], used)
                {
                    let start = found.start + member.value.start;
                    return Some(Mention { start, ..found });
                }
            }
        }
        None
    }

    /// Finds the first name that is a key in JSON, or in JSON in a JSON string, outside of the parts that were read.
    fn find_key(
        &self,
        file: &[u8],
        piece: Span,
        read: &[Span],
        used: &[Arc<Rule>],
    ) -> Option<Mention> {
        let text = piece.slice(file);
        let mut matches = self.automaton.find_overlapping_iter(text);
        matches.find_map(|found| {
            let (before, after) = (text.get(..found.start())?, text.get(found.end()..)?);
            let is_key = [&b"\""[..], br#"\""#].iter().any(|quote| {
                let value = after.strip_prefix(*quote).map(<[u8]>::trim_ascii_start);
                before.ends_with(quote) && value.is_some_and(|value| value.starts_with(b":"))
            });
            let at = Span::new(found.start(), found.end());
            let is_used =
                |rule: &Arc<Rule>| rule.element.name().map(str::as_bytes) == Some(at.slice(text));
            let at_file = at.shifted(piece.start);
            if !is_key
                || read.iter().any(|part| is_inside(at_file, *part))
                || used.iter().any(is_used)
            {
                return None;
            }
            self.mention(text, &found)
        })
    }

    /// Finds the first name in a piece of a file, outside of the parts that were read. A quote after it shows that it is one, or in a text
    /// that is no JSON record a sign before its value.
    pub(super) fn find(&self, file: &[u8], piece: Span, read: &[Span]) -> Option<Mention> {
        let text = piece.slice(file);
        let quotes: [&[u8]; 6] = [b"\"", br#"\""#, QUOTE_OF_NGINX, b"'", b"&quot;", b"%22"];
        let is_record = text.starts_with(b"{");
        let begins_line = |before: &[u8]| {
            let before = before.trim_ascii_end();
            before.is_empty()
                || [&b"\""[..], br"\n", b"-"]
                    .iter()
                    .any(|end| before.ends_with(end))
        };
        let is_assigned = |before: &[u8], after: &[u8]| match (before, after) {
            _ if is_record => false,
            // YAML has a space there, Go has none. In a sentence, it would be an ordinary word.
            (_, [b':', next, ..]) => !next.is_ascii_whitespace() || begins_line(before),
            // As objects of Java and Python are printed. In XML, it is an attribute, and in a form no member.
            ([.., b'(' | b'[' | b'{'] | [.., b',', b' '], [b'=', ..]) => true,
            _ => false,
        };
        let mut matches = self.automaton.find_overlapping_iter(text);
        // A member was read if its name or its value is in such a part.
        let is_read = |start: usize, end: usize| {
            let after = text.get(end..).unwrap_or_default().trim_ascii_start();
            let value = after.strip_prefix(b"\"").map(<[u8]>::trim_ascii_start);
            let value = value.and_then(|value| value.strip_prefix(b":"));
            let value = value.map(|value| piece.end - value.trim_ascii_start().len());
            let at = piece.start + start;
            read.iter().any(|part| {
                let holds = |at: usize| part.start <= at && at < part.end;
                holds(at) || value.is_some_and(|value| holds(value) || holds(value + 1))
            })
        };
        matches.find_map(|found| {
            if !is_word(text, found.start(), found.end()) || is_read(found.start(), found.end()) {
                return None;
            }
            let after = text.get(found.end()..).unwrap_or_default();
            let before = text.get(..found.start()).unwrap_or_default();
            let is_name =
                is_assigned(before, after) || quotes.iter().any(|quote| after.starts_with(quote));
            self.mention(text, &found).filter(|_| is_name)
        })
    }

    /// The mention of a name that was found in a text, if the value that it should have is near.
    fn mention(&self, text: &[u8], found: &Match) -> Option<Mention> {
        let (name, value) = self.elements.get(found.pattern().as_usize())?;
        let after = text.get(found.end()..).unwrap_or_default();
        let near = after.get(..MAX_URL).unwrap_or(after);
        let has_value = value.as_ref().is_none_or(|value| has_word(near, value));
        has_value.then(|| Mention {
            start: found.start(),
            what: format!("`{name}`"),
            around: Span::new(0, text.len()),
        })
    }
}
