//! The net of one call: finds names of its rules in what of its record was not read.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use memchr::memmem;

use super::name_signs::{
    is_assigned, is_column, is_in_brackets, is_in_form, is_in_markup, is_page, is_quoted,
};
use super::net::{MAX_URL, Mention, NamedElements, distinctive_value, elements, has_word, is_word};
use super::path_words::is_of_records;
use super::plain_text::PlainText;
use super::plan::Plan;
use crate::rules::{Rule, RuleSet, in_backticks};
use sundown_text_json::json::scan::{self, MemberSpans};
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

/// Whether two spans have a byte in common: a quote around a body is no part of it in YAML.
fn overlaps(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

/// The text before a part, and after it.
fn around(text: &[u8], part: Span) -> (&[u8], &[u8]) {
    let before = text.get(..part.start).unwrap_or_default();
    (before, text.get(part.end..).unwrap_or_default())
}

/// A member of an object in a record that has parts of a call: its name is of the record.
struct FrameMember {
    spans: MemberSpans,
    /// Whether it is such a part, or has one inside.
    is_read: bool,
}

/// The members of the objects in a record that have parts that were `read`, and of the outermost ones.
fn frame(text: &[u8], start: usize, read: &[Span]) -> Vec<FrameMember> {
    let mut open = objects(text);
    let mut members = Vec::new();
    while let Some(object) = open.pop() {
        for spans in scan::members(text, object).map_while(Result::ok) {
            let value = spans.value.shifted(start);
            let holds = |part: &Span| is_inside(*part, value) && *part != value;
            let is_outer = read.iter().any(holds);
            if is_outer {
                open.push(spans.value.start);
            }
            let is_read = is_outer || read.iter().any(|part| is_inside(value, *part));
            members.push(FrameMember { spans, is_read });
        }
    }
    members
}

/// The names of the members that the rules of a plan are about, to be found in calls whose bodies were not read.
#[derive(Debug)]
pub(super) struct ElementNet {
    automaton: AhoCorasick,
    /// The patterns of the automaton.
    spellings: Vec<Spelling>,
}

/// What is searched.
#[derive(Debug)]
struct Spelling {
    text: String,
    /// What it is in a message.
    what: String,
    /// The value of the member, if only that is deprecated.
    value: Option<String>,
    kind: SpellingKind,
    /// Whether records have members of this name, too.
    is_common: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpellingKind {
    Name,
    /// The name of a public field in Go or C#, which begins with a capital.
    Printed,
    /// A value that says enough without the name.
    Value,
    /// A name in a value that is encoded, or the beginning of one that cannot be searched.
    Encoded,
}

/// How values begin that cannot be searched, as they are in JSON: gzip and zstd in base64, and the bytes of JSON and of gzip as numbers.
const ENCODED: [(&str, &str); 6] = [
    ("\"H4sIA", "compressed text"),
    ("\"KLUv/", "compressed text"),
    ("[123,34,", "text as a list of numbers"),
    ("[123, 34, ", "text as a list of numbers"),
    ("[31,139,8,", "compressed text"),
    ("[31, 139, 8, ", "compressed text"),
];

/// The name of such a field for a member: `OldTotal` for `oldTotal` and `old_total`; `None` if that is the name itself.
fn in_capitals(name: &str) -> Option<String> {
    let words = name.split(['_', '-']);
    let text: String = words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters)
        })
        .collect();
    (text != name).then_some(text)
}

/// The bytes of a part of a token, at most: it is sent in a header field.
const MAX_TOKEN: usize = 8 * 1024;

/// Whether a text ends in a part of a token that follows another one (JSON Web Signature, RFC 7515, section 7.1).
fn is_in_token(before: &[u8]) -> bool {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let mut before = before.rchunks(MAX_TOKEN);
    let mut last = before.next().unwrap_or_default().iter();
    last.rfind(|byte| !is_base64(byte)) == Some(&b'.')
}

/// Shorter names are in random base64.
const MIN_ENCODED: usize = 5;

/// The characters of a JSON string in base64, wherever it begins in what is encoded (RFC 4648, section 4), but for those that what is
/// around it decides.
fn in_base64(name: &str) -> impl Iterator<Item = String> {
    let quoted = format!("\"{name}\"");
    // Three bytes are four characters.
    (0..3).map(move |before| {
        let text = BASE64.encode([&vec![0; before], quoted.as_bytes()].concat());
        let end = (before + quoted.len()) * 8 / 6;
        text.get((before * 8).div_ceil(6)..end)
            .unwrap_or_default()
            .to_owned()
    })
}

impl ElementNet {
    /// Compiles the names of a plan; `None` if there are none, or too many.
    pub(super) fn new(set: &RuleSet, plan: &Plan, named: NamedElements) -> Option<Self> {
        let mut spellings = Vec::new();
        for (name, value) in elements(set, plan, named) {
            let spelling = |text: &str, kind| Spelling {
                text: text.to_owned(),
                what: in_backticks(name),
                value: value
                    .map(str::to_owned)
                    .filter(|_| kind != SpellingKind::Encoded),
                kind,
                is_common: is_of_records(name),
            };
            spellings.push(spelling(name, SpellingKind::Name));
            spellings.extend(in_capitals(name).map(|text| spelling(&text, SpellingKind::Printed)));
            if name.len() >= MIN_ENCODED {
                spellings
                    .extend(in_base64(name).map(|text| spelling(&text, SpellingKind::Encoded)));
            }
        }
        if spellings.is_empty() {
            return None;
        }
        let elements = plan.elements().iter();
        let rules = elements.filter_map(|element| set.rule_at(element.rule));
        // Beside a body, a value may be of anything.
        let is_beside = matches!(named, NamedElements::MembersOf(_));
        let rules = rules.filter(|rule| !is_beside && rule.element.field_name().is_some());
        let values: BTreeSet<_> = rules.filter_map(|rule| distinctive_value(rule)).collect();
        spellings.extend(values.into_iter().map(|value| Spelling {
            text: value.to_owned(),
            what: in_backticks(value),
            value: None,
            kind: SpellingKind::Value,
            is_common: false,
        }));
        spellings.extend(ENCODED.map(|(text, what)| Spelling {
            text: text.to_owned(),
            what: what.to_owned(),
            value: None,
            kind: SpellingKind::Encoded,
            is_common: false,
        }));
        let automaton = AhoCorasick::new(spellings.iter().map(|spelling| &spelling.text));
        Some(Self {
            automaton: automaton.ok()?,
            spellings,
        })
    }

    /// Finds the first key with one of the names, or a value that cannot be searched, in a record with a body: in the values beside the
    /// parts that were read, which may be the other body. The keys of the objects with these parts are of the record, as its identifier
    /// is. What the call uses may be there in another form, and does not count.
    pub(super) fn find_beside(
        &self,
        file: &[u8],
        record: Span,
        read: &[Span],
        used: &[Arc<Rule>],
    ) -> Option<Mention> {
        let text = record.slice(file);
        // Most records have none, and need no walk.
        if self.automaton.find(text).is_none() {
            memmem::find(text, br"\u")?;
        }
        let frame = frame(text, record.start, read);
        if frame.is_empty() {
            return self.find_key(file, record, read, used);
        }
        let mut beside = frame.iter().filter(|member| !member.is_read);
        beside.find_map(|member| {
            let value = member.spans.value;
            let found = self.find_key(file, value.shifted(record.start), &[], used)?;
            let start = found.start + value.start;
            Some(Mention { start, ..found })
        })
    }

    /// Finds the first name that is a key in JSON, or in JSON in a JSON string, outside of the parts that were read.
    fn find_key(
        &self,
        file: &[u8],
        piece: Span,
        read: &[Span],
        used: &[Arc<Rule>],
    ) -> Option<Mention> {
        let plain = PlainText::of(piece.slice(file));
        let text = plain.bytes();
        let is_key = |at: Span, kind| {
            let (before, after) = around(text, at);
            let value = after.strip_prefix(b"\"").map(<[u8]>::trim_ascii_start);
            kind == SpellingKind::Name
                && before.ends_with(b"\"")
                && value.is_some_and(|value| value.starts_with(b":"))
        };
        let mut found = self.found(&plain, is_key);
        let is_new = |(_, spelling, written): &(Mention, &Spelling, Span)| {
            let written = written.shifted(piece.start);
            let mut names = used.iter().filter_map(|rule| rule.element.name());
            !read.iter().any(|part| overlaps(written, *part))
                && !names.any(|name| spelling.what == in_backticks(name))
        };
        found.find(is_new).map(|(mention, ..)| mention)
    }

    /// Finds the first name in a piece of a file, outside of the parts that were read. Quotes show that it is one, or a sign before its
    /// value, in JSON within brackets in a string; so do a tag, and in a piece that is a body by itself, the first line of a table.
    /// Common words beside the parts that were read are names of the record.
    pub(super) fn find(&self, file: &[u8], piece: Span, read: &[Span]) -> Option<Mention> {
        let plain = PlainText::of(piece.slice(file));
        let text = plain.bytes();
        let is_record = text.starts_with(b"{");
        let is_whole = !read.iter().any(|part| is_inside(*part, piece));
        let is_page = LazyCell::new(|| is_page(text));
        let is_name = |at: Span, kind| {
            let (before, after) = around(text, at);
            let is_in_text = || is_in_brackets(plain.before_as_written(at.start));
            // A capital before a colon and a blank begins a sentence.
            let is_label = kind == SpellingKind::Printed && after.starts_with(b": ");
            let is_printed = || {
                (!is_record || is_in_text()) && !is_label && is_assigned(before, after, is_record)
            };
            is_word(text, at.start, at.end)
                && (is_printed()
                    || kind == SpellingKind::Name
                        && (is_quoted(before, after)
                            || is_in_form(before, after)
                            || is_in_markup(before, after) && !*is_page
                            || is_whole && is_column(before, after)))
        };
        let frame = LazyCell::new(|| frame(piece.slice(file), piece.start, read));
        let mut found = self.found(&plain, is_name);
        let is_unread = |(_, spelling, written): &(Mention, &Spelling, Span)| {
            let is_of_record = |member: &FrameMember| {
                is_inside(*written, member.spans.key) && (member.is_read || spelling.is_common)
            };
            // A body that begins so has a media type that says what it is.
            let is_body = spelling.kind == SpellingKind::Encoded && written.start == 0;
            let in_file = written.shifted(piece.start);
            !is_body
                && !read.iter().any(|part| overlaps(in_file, *part))
                && !frame.iter().any(is_of_record)
        };
        found.find(is_unread).map(|(mention, ..)| mention)
    }

    /// The spellings in a text that are names, each with its place as written. If only a value is deprecated, it has to be near.
    fn found<'n>(
        &'n self,
        plain: &'n PlainText<'_>,
        is_name: impl Fn(Span, SpellingKind) -> bool + 'n,
    ) -> impl Iterator<Item = (Mention, &'n Spelling, Span)> {
        let text = plain.bytes();
        let matches = self.automaton.find_overlapping_iter(text);
        matches.filter_map(move |found| {
            let spelling = self.spellings.get(found.pattern().as_usize())?;
            let at = Span::new(found.start(), found.end());
            let (before, after) = around(text, at);
            let is_found = match spelling.kind {
                kind @ (SpellingKind::Name | SpellingKind::Printed) => is_name(at, kind),
                SpellingKind::Value => is_word(text, at.start, at.end),
                SpellingKind::Encoded => !is_in_token(before),
            };
            let near = after.get(..MAX_URL).unwrap_or(after);
            let mut value = spelling.value.iter();
            if !is_found || !value.all(|value| has_word(near, value)) {
                return None;
            }
            let written = Span::new(plain.written(at.start), plain.written(at.end));
            let mention = Mention {
                start: written.start,
                what: spelling.what.clone(),
                around: Span::new(0, plain.as_written().len()),
            };
            Some((mention, spelling, written))
        })
    }
}
