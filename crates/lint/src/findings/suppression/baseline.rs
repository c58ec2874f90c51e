//! The baseline: a file that lists the known findings, so that only new ones count.
//!
//! It is a JSON array with one object per line, in order. The last object is the version of the format, so that every entry
//! ends with a comma, and two branches that add entries merge without conflicts.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::Serialize;

use crate::findings::{Check, Finding, Identity};
use sundown_files::toml_file::{Disclosure, FileMistakes, MessageText, Mistake};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentError, DocumentFormat, Node, ValueKind};
use sundown_text_json::text::{Block, Locations, join, safe_json};

/// The version of the format that is read and written.
const VERSION: i64 = 1;

/// How many duplicate entries are reported one by one.
const SHOWN_DUPLICATES: usize = 20;

/// The maximum nesting depth of a baseline.
const DEPTH: usize = 8;

/// A parsed baseline.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The name of its file, for messages.
    pub name: Arc<str>,
    /// In the file's order.
    entries: Vec<BaselineEntry>,
    /// The indices of the entries by their fingerprints.
    indices: HashMap<String, usize>,
}

/// A known finding, without its lines and dates. Entries are equal if they are about the same finding.
#[derive(Debug, Clone, Serialize)]
pub struct BaselineEntry {
    /// The file's name, relative to the project's root, with `*` in place of dates.
    pub file: String,
    /// The rule's id.
    pub rule: String,
    /// The check of a description; empty for traffic.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub check: String,
    /// The operation; empty in a description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operation: String,
    /// The part of the exchange; empty in a description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub side: String,
    /// The pointer with starred array indices; empty for an element that is not in a body.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The number of uses; with more, the finding is new. `None` for any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<usize>,
}

impl BaselineEntry {
    fn identity(&self) -> impl Ord + '_ {
        let Self {
            file,
            rule,
            check,
            operation,
            side,
            pointer,
            uses: _,
        } = self;
        (file, rule, check, operation, side, pointer)
    }
}

impl Ord for BaselineEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.identity().cmp(&other.identity())
    }
}

impl PartialOrd for BaselineEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BaselineEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for BaselineEntry {}

impl BaselineEntry {
    /// The entries of a finding and of the elements inside it, which would be findings if the outer one were not. Elements inside
    /// others, and those that descriptions declare, are not counted.
    pub fn all_of<'f>(finding: &'f Finding, file: &'f str) -> impl Iterator<Item = Self> + 'f {
        let declared = finding.declared();
        let is_counted = declared.is_none_or(|declared| declared.check == Check::Mentioned);
        let uses = is_counted.then_some(finding.sightings.count);
        finding
            .related
            .iter()
            .map(|inside| (Identity::inside(finding, inside), None))
            .chain([(Identity::of(finding), uses)])
            .map(move |(identity, uses)| Self::new(identity, file, uses))
    }

    /// Adds the uses of a finding with the same identity.
    pub fn add_uses(&mut self, other: &Self) {
        self.uses = match (self.uses, other.uses) {
            (Some(own), Some(other)) => Some(own.saturating_add(other)),
            (own, other) => own.or(other),
        };
    }

    fn new(identity: Identity<'_>, file: &str, uses: Option<usize>) -> Self {
        Self {
            file: identity.file(file).into_owned(),
            rule: identity.rule.to_owned(),
            check: identity.check.to_owned(),
            operation: identity.operation.to_owned(),
            side: identity.part.to_owned(),
            pointer: identity.pointer.to_owned(),
            uses,
        }
    }

    /// The fingerprint of its findings.
    pub fn fingerprint(&self) -> String {
        let identity = Identity {
            rule: &self.rule,
            check: &self.check,
            operation: &self.operation,
            part: &self.side,
            pointer: &self.pointer,
        };
        identity.fingerprint(&self.file)
    }

    /// Its name for people. Not escaped.
    pub fn title(&self) -> String {
        let check = if self.check.is_empty() || self.check == self.rule {
            String::new()
        } else {
            format!("{}/", self.check)
        };
        let own = [&self.rule, &self.operation, &self.side, &self.pointer];
        let own = join(own.into_iter().filter(|part| !part.is_empty()), " ");
        format!("{}: {check}{own}", self.file)
    }
}

impl Identity<'_> {
    /// The name of the file of a finding in a baseline.
    pub(super) fn file<'n>(&self, name: &'n str) -> Cow<'n, str> {
        name_of_file(self.check, name)
    }
}

/// The name of a file in a baseline, for a finding of this check.
fn name_of_file<'n>(check: &str, name: &'n str) -> Cow<'n, str> {
    match check {
        "" => undated(name),
        // A date may be the version of a description.
        _ => name.into(),
    }
}

/// A name with `*` in place of dates and times of day: the log of another day has the same findings.
fn undated(name: &str) -> Cow<'_, str> {
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // The day, perhaps a time of it, and no further digit.
        Regex::new(
            r"(?P<before>^|\D)(19|20)\d\d[-_./]?(0[1-9]|1[0-2])[-_./]?(0[1-9]|[12]\d|3[01])([T_-]?([01]\d|2[0-3])([-_:.]?[0-5]\d){0,2}Z?)?(?P<after>\D|$)",
        )
        .ok()
    });
    match &*DATE {
        Some(date) => date.replace_all(name, "${before}*${after}"),
        None => name.into(),
    }
}

impl Baseline {
    /// Parses a baseline; the error holds all of its mistakes. Messages use `name`.
    pub fn parse(name: &str, text: &str) -> Result<Self, Box<FileMistakes>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = BaselineReader::default();
        reader.read(text);
        if !reader.mistakes.is_empty() {
            let masked = Disclosure::Masked;
            let mistakes = reader.mistakes;
            return Err(Box::new(FileMistakes::new(
                masked, "baseline", name, text, mistakes,
            )));
        }
        Ok(Self {
            name: name.into(),
            ..reader.baseline
        })
    }

    /// A baseline without entries.
    pub fn empty(name: &str) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The same baseline, for findings with any number of uses.
    #[must_use]
    pub fn without_counts(mut self) -> Self {
        for entry in &mut self.entries {
            entry.uses = None;
        }
        self
    }

    /// Its entries.
    pub fn entries(&self) -> &[BaselineEntry] {
        &self.entries
    }

    /// The index of the entry with this fingerprint.
    pub fn index_of(&self, fingerprint: &str) -> Option<usize> {
        self.indices.get(fingerprint).copied()
    }

    /// The text of a baseline with these entries.
    pub fn text(entries: &BTreeSet<BaselineEntry>) -> std::io::Result<String> {
        let mut text = b"[\n".to_vec();
        for entry in entries {
            safe_json::compact(&mut text, entry)?;
            text.extend(b",\n");
        }
        text.extend(format!("{{\"version\":{VERSION}}}\n]\n").bytes());
        String::from_utf8(text).map_err(std::io::Error::other)
    }
}

/// Parses entries and collects their mistakes.
#[derive(Default)]
struct BaselineReader {
    baseline: Baseline,
    mistakes: Vec<Mistake>,
    /// Where each entry begins.
    starts: Vec<usize>,
    /// Duplicate entries, each with the start of its first copy.
    duplicates: Vec<(Range<usize>, usize)>,
    has_version: bool,
}

impl BaselineReader {
    fn read(&mut self, text: &str) {
        self.find_conflict_markers(text);
        // All other mistakes follow from them.
        if !self.mistakes.is_empty() {
            return;
        }
        let limits = Limits {
            depth: DEPTH,
            ..Limits::default()
        };
        let document = match Document::parse_within(text, DocumentFormat::Json, limits) {
            Ok(document) => document,
            Err(DocumentError { offset, kind }) => {
                let at = offset.min(text.len());
                return self.add_mistake(
                    at..at,
                    MessageText::own(format!("not JSON: {kind}")),
                    HELP,
                );
            }
        };
        let root = document.root();
        if root.kind() != ValueKind::Array {
            return self.add_mistake(0..0, "a baseline is a list of entries", HELP);
        }
        for child in root.children() {
            self.read_item(child);
        }
        self.report_duplicates(text);
        if !self.has_version && self.mistakes.is_empty() {
            let end = text.trim_end().len();
            let message = "the version is missing";
            let help = format!("the last line before `]` is {{\"version\":{VERSION}}}");
            self.add_mistake(end..end, message, MessageText::own(help));
        }
    }

    /// Reports the conflict markers of an unfinished merge.
    fn find_conflict_markers(&mut self, text: &str) {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            let marks = ["<<<<<<<", "|||||||", ">>>>>>>"]
                .iter()
                .any(|mark| bare.starts_with(mark));
            if marks || bare == "=======" {
                let help =
                    "keep the entries of both sides, each once, and remove the conflict markers";
                let message = "this merge conflict is not resolved";
                self.add_mistake(at..at + bare.len(), message, help);
            }
            at += line.len();
        }
    }

    fn read_item(&mut self, node: Node<'_>) {
        let span = node.span();
        let span = span.start..span.end;
        if is_version(node) {
            self.has_version = true;
            let version = node.get("version").and_then(Node::as_i64);
            if version != Some(VERSION) {
                let help = format!(
                    "this program reads version {VERSION}: use the program that wrote the file"
                );
                self.add_mistake(
                    span,
                    "unsupported version of the format",
                    MessageText::own(help),
                );
            }
            return;
        }
        let entry = match parse_entry(node) {
            Ok(entry) => entry,
            Err(message) => return self.add_mistake(span, message, HELP),
        };
        let print = entry.fingerprint();
        let Baseline {
            entries, indices, ..
        } = &mut self.baseline;
        if let Some(&number) = indices.get(&print) {
            let known = entries.get_mut(number);
            let is_of_another_day = node.text_of("file").is_some_and(|name| *name != entry.file);
            // A merge may keep the counts of both sides.
            if is_of_another_day {
                if let Some(known) = known {
                    known.add_uses(&entry);
                }
            } else if let Some(known) = known.filter(|known| known.uses != entry.uses) {
                known.uses = known
                    .uses
                    .zip(entry.uses)
                    .map(|(one, other)| one.max(other));
            } else if let Some(first) = self.starts.get(number) {
                self.duplicates.push((span, *first));
            }
            return;
        }
        indices.insert(print, entries.len());
        self.starts.push(span.start);
        entries.push(entry);
    }

    /// Reports the first duplicate entries, each with an excerpt, and how many more there are.
    fn report_duplicates(&mut self, text: &str) {
        let duplicates = std::mem::take(&mut self.duplicates);
        let shown = duplicates.get(..SHOWN_DUPLICATES).unwrap_or(&duplicates);
        let firsts = shown.iter().map(|(_, first)| *first).collect();
        let places = Locations::of(Block::whole(text.as_bytes()), firsts);
        for (span, first) in shown {
            let message = format!("this entry is also on line {}", places.get(*first).line);
            self.add_mistake(span.clone(), message, "remove one of the two");
        }
        if let Some((span, _)) = duplicates.get(SHOWN_DUPLICATES) {
            let message = match duplicates.len() - SHOWN_DUPLICATES {
                1 => "1 more duplicate entry, this one".to_owned(),
                more => format!("{more} more duplicate entries, beginning with this one"),
            };
            self.add_mistake(span.clone(), message, "remove one copy of each");
        }
    }

    fn add_mistake(
        &mut self,
        span: Range<usize>,
        message: impl Into<MessageText>,
        help: impl Into<MessageText>,
    ) {
        self.mistakes
            .push(Mistake::new(span, message).with_help(help));
    }
}

const HELP: &str =
    "`sundown baseline` writes one; an entry is an object with `file`, `rule` and a location";

fn is_version(node: Node<'_>) -> bool {
    node.get("version").is_some() && node.get("rule").is_none()
}

/// Parses an entry; the error says why the object is not one.
fn parse_entry(node: Node<'_>) -> Result<BaselineEntry, MessageText> {
    let mut values: [Option<String>; NAMES.len()] = Default::default();
    let mut uses = None;
    if node.kind() != ValueKind::Object {
        return Err("an entry is an object".into());
    }
    for member in node.children() {
        let key = member.key().unwrap_or_default();
        if key == "uses" {
            let count = member
                .as_i64()
                .and_then(|count| usize::try_from(count).ok());
            if uses.replace(count.ok_or("`uses` is a number")?).is_some() {
                return Err("`uses` appears twice in one entry".into());
            }
            continue;
        }
        let known = NAMES.iter().position(|name| *name == key);
        let Some(slot) = known.and_then(|number| values.get_mut(number)) else {
            return Err(MessageText::unknown_key(key));
        };
        let known = |what: &str| MessageText::own(format!("`{key}` {what}"));
        let Some(text) = member.as_str() else {
            return Err(known("is a string"));
        };
        if slot.replace(text.to_owned()).is_some() {
            return Err(known("appears twice in one entry"));
        }
    }
    let [file, rule, check, operation, side, pointer] = values;
    let missing = |name: &str| MessageText::own(format!("`{name}` is missing"));
    let file = file.ok_or_else(|| missing("file"))?;
    let check = check.unwrap_or_default();
    let entry = BaselineEntry {
        file: name_of_file(&check, &file).into_owned(),
        rule: rule.ok_or_else(|| missing("rule"))?,
        check,
        operation: operation.unwrap_or_default(),
        side: side.unwrap_or_default(),
        pointer: pointer.unwrap_or_default(),
        uses,
    };
    match (entry.check.is_empty(), entry.side.is_empty()) {
        (true, true) => Err(missing("side")),
        (false, false) => Err("an entry has a `check` or a `side`".into()),
        _ => Ok(entry),
    }
}

/// The members of an entry, in their order.
const NAMES: [&str; 6] = ["file", "rule", "check", "operation", "side", "pointer"];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mistakes(text: &str) -> Vec<(usize, String)> {
        let error = Baseline::parse("b.json", text).unwrap_err();
        let place = |mistake: &Mistake| {
            let start = mistake.span.start;
            Locations::of(Block::whole(text.as_bytes()), vec![start])
                .get(start)
                .line
        };
        error
            .mistakes
            .iter()
            .map(|m| (place(m), m.message.clone()))
            .collect()
    }

    fn assert_mistake(text: &str, line: usize, message: &str) {
        assert_eq!(mistakes(text), [(line, message.to_owned())], "{text}");
    }

    const A: &str =
        r#"{"file":"a","rule":"x","operation":"POST /x","side":"request","pointer":"/a"}"#;

    #[test]
    fn mistakes_are_reported_with_their_lines() {
        let end = "{\"version\":1}\n]\n";
        assert_mistake(
            &format!("[\n{A},\n{A},\n{end}"),
            3,
            "this entry is also on line 2",
        );
        assert_mistake(
            "[\n{\"file\":\"a\"},\n{\"version\":1}]",
            2,
            "`rule` is missing",
        );
        assert_mistake(
            "[{\"file\":\"a\",\"rule\":\"x\"},\n{\"version\":1}]",
            1,
            "`side` is missing",
        );
        assert_mistake(
            "[{\"file\":\"a\",\"rule\":1},\n{\"version\":1}]",
            1,
            "`rule` is a string",
        );
        assert_mistake("[{\"line\":1},\n{\"version\":1}]", 1, "unknown key `line`");
        assert_mistake(
            &format!("[\n{A},\n{{\"version\":2}}]"),
            3,
            "unsupported version of the format",
        );
        assert_mistake(&format!("[\n{A}\n]\n"), 3, "the version is missing");
        assert_mistake("[\n\n1]", 3, "an entry is an object");
        assert_mistake("\n{}", 1, "a baseline is a list of entries");
        assert_eq!(mistakes("[\n{\"version\":1}\n").len(), 1, "it is cut");
        assert_eq!(mistakes("").len(), 1);
    }

    #[test]
    fn the_first_duplicates_are_reported_and_the_others_counted() {
        let text = |count: usize| {
            format!(
                "[\n{}{{\"version\":1}}\n]\n",
                format!("{A},\n").repeat(count)
            )
        };
        assert_eq!(
            mistakes(&text(1 + SHOWN_DUPLICATES)).len(),
            SHOWN_DUPLICATES
        );
        let found = mistakes(&text(1 + SHOWN_DUPLICATES + 30));
        assert_eq!(found.len(), SHOWN_DUPLICATES + 1);
        let more = "30 more duplicate entries, beginning with this one".to_owned();
        assert_eq!(found.last(), Some(&(2 + 1 + SHOWN_DUPLICATES, more)));
    }

    #[test]
    fn of_two_counts_the_greater_one_is_kept() {
        let with = |uses: &str| A.replace('}', &format!("{uses}}}"));
        for (one, other, uses) in [
            (",\"uses\":2", ",\"uses\":5", Some(5)),
            (",\"uses\":2", "", None),
        ] {
            let text = format!(
                "[\n{},\n{},\n{{\"version\":1}}\n]\n",
                with(one),
                with(other)
            );
            let read = Baseline::parse("b", &text).unwrap();
            assert_eq!(read.entries().len(), 1);
            assert_eq!(read.entries()[0].uses, uses);
        }
        assert_mistake(
            &format!("[\n{},\n{{\"version\":1}}]", with(",\"uses\":\"2\"")),
            2,
            "`uses` is a number",
        );
        assert_mistake(
            &format!("[\n{},\n{{\"version\":1}}]", with(",\"uses\":2,\"uses\":5")),
            2,
            "`uses` appears twice in one entry",
        );
    }

    #[test]
    fn conflict_markers_are_reported_before_other_mistakes() {
        let text = format!(
            "[\r\n<<<<<<< ours\r\n{A},\r\n=======\r\n{A},\r\n>>>>>>> theirs\r\n{{\"version\":1}}\r\n]\r\n"
        );
        let lines: Vec<usize> = mistakes(&text).iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 4, 6]);
    }

    proptest! {
        #[test]
        fn a_written_baseline_can_be_parsed(texts in prop::collection::vec("(a|/|\\PC|\u{1b}|\"|\\\\|\u{202e}|#){0,6}", 5)) {
            let [file, rule, operation, side, pointer] = <[String; 5]>::try_from(texts).unwrap();
            let check = if side.is_empty() { "c".to_owned() } else { String::new() };
            let operation = if side.is_empty() { String::new() } else { operation };
            let entry = BaselineEntry { file, rule, check, operation, side, pointer, uses: Some(3) };
            let other = BaselineEntry { file: format!("{}2", entry.file), uses: None, ..entry.clone() };
            let entries: BTreeSet<BaselineEntry> = [entry, other].into();
            let text = Baseline::text(&entries).unwrap();
            prop_assert_eq!(text.lines().count(), 5, "one entry is one line");
            prop_assert!(text.chars().all(|c| c == '\n' || !sundown_text_json::text::is_unsafe(c)));
            for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
                let read = Baseline::parse("b", &text).unwrap();
                let all: BTreeSet<BaselineEntry> = read.entries().iter().cloned().collect();
                prop_assert_eq!(&all, &entries);
                let uses = |all: &BTreeSet<BaselineEntry>| all.iter().map(|one| one.uses).collect::<Vec<_>>();
                prop_assert_eq!(uses(&all), uses(&entries));
            }
        }
    }
}
