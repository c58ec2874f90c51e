//! The file that names the findings which were there before: they are known, and only new ones count.
//!
//! It is a JSON array with one object a line, in order, and the version of the format as the last one. So every entry's
//! line ends alike, and two branches that add entries merge without touching each other's lines.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::findings::{Finding, FindingSite, Identity};
use crate::json::{NodeRef, SyntaxError, Tree};
use crate::text::{Block, Locations, safe_json};
use crate::toml_file::{FileMistakes, MessageText, Mistake};

/// The version of the format that is read and written.
const VERSION: i64 = 1;

/// How many entries that stand there twice are told one by one.
const SHOWN_DOUBLES: usize = 20;

/// How deep entries nest; deeper ones are none.
const DEPTH: usize = 8;

/// A baseline as it was read.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// Its file's name, for messages.
    pub name: Arc<str>,
    /// In the file's order.
    entries: Vec<BaselineEntry>,
    /// The entries' numbers by their fingerprints.
    numbers: HashMap<String, usize>,
}

/// A finding without its lines and dates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct BaselineEntry {
    /// The file's name, from the project's root on.
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
    /// The pointer with array indices starred; empty for what is not in a body.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
}

#[derive(Serialize)]
struct BaselineVersion {
    version: i64,
}

impl BaselineEntry {
    /// The entry of a finding in the file of this name.
    pub fn of(finding: &Finding, file: &str) -> Self {
        Self::new(Identity::of(finding), file)
    }

    /// The entries of a finding and of what is inside it, which would be findings if the outer one were not.
    pub fn all_of<'f>(finding: &'f Finding, file: &'f str) -> impl Iterator<Item = Self> + 'f {
        let inside = finding.related.iter().map(|inside| Identity::inside(finding, inside));
        inside.chain([Identity::of(finding)]).map(move |identity| Self::new(identity, file))
    }

    fn new(identity: Identity<'_>, file: &str) -> Self {
        let Identity { rule, site, pointer } = identity;
        let (check, operation, side) = match site {
            FindingSite::Traffic { operation, part } => ("", operation, part),
            FindingSite::Check(check) => (check, "", ""),
        };
        let [file, rule, check, operation, side, pointer] =
            [file, rule, check, operation, side, pointer].map(str::to_owned);
        Self { file, rule, check, operation, side, pointer }
    }

    /// The fingerprint of its findings.
    pub fn fingerprint(&self) -> String {
        let site = if self.check.is_empty() {
            FindingSite::Traffic { operation: &self.operation, part: &self.side }
        } else {
            FindingSite::Check(&self.check)
        };
        Identity { rule: &self.rule, site, pointer: &self.pointer }.fingerprint(&self.file)
    }

    /// What people call it. Not escaped.
    pub fn title(&self) -> String {
        let check = if self.check.is_empty() || self.check == self.rule {
            String::new()
        } else {
            format!("{}/", self.check)
        };
        let own = [self.rule.as_str(), &self.operation, &self.side, &self.pointer];
        let own: Vec<&str> = own.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}: {check}{}", self.file, own.join(" "))
    }
}

impl Baseline {
    /// Reads a baseline; the error holds every mistake in it. `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Self, Box<FileMistakes>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = BaselineReader::default();
        reader.read(text);
        if !reader.mistakes.is_empty() {
            return Err(Box::new(FileMistakes::new("baseline", name, text, reader.mistakes)));
        }
        Ok(Self { name: name.into(), entries: reader.entries, numbers: reader.numbers })
    }

    /// A baseline without an entry.
    pub fn empty(name: &str) -> Self {
        Self { name: name.into(), entries: Vec::new(), numbers: HashMap::new() }
    }

    /// Its entries.
    pub fn entries(&self) -> &[BaselineEntry] {
        &self.entries
    }

    /// The number of the entry with this fingerprint.
    pub fn number(&self, fingerprint: &str) -> Option<usize> {
        self.numbers.get(fingerprint).copied()
    }

    /// The text of a baseline with these entries.
    pub fn text(entries: &BTreeSet<BaselineEntry>) -> std::io::Result<String> {
        let mut text = b"[\n".to_vec();
        for entry in entries {
            safe_json::compact(&mut text, entry)?;
            text.extend(b",\n");
        }
        safe_json::compact(&mut text, &BaselineVersion { version: VERSION })?;
        text.extend(b"\n]\n");
        String::from_utf8(text).map_err(std::io::Error::other)
    }
}

/// Reads entries, and collects what is wrong with them.
#[derive(Default)]
struct BaselineReader {
    entries: Vec<BaselineEntry>,
    numbers: HashMap<String, usize>,
    mistakes: Vec<Mistake>,
    /// Where each entry begins.
    starts: Vec<usize>,
    /// Entries that stand there once more, each with where the first one begins.
    doubles: Vec<(Range<usize>, usize)>,
    has_version: bool,
}

impl BaselineReader {
    fn read(&mut self, text: &str) {
        self.leftovers(text);
        // All else that is wrong follows from them.
        if !self.mistakes.is_empty() {
            return;
        }
        let tree = match Tree::parse(text, DEPTH) {
            Ok(tree) => tree,
            Err(SyntaxError { offset, kind }) => {
                let at = offset.min(text.len());
                return self.add_mistake(
                    at..at,
                    MessageText::own(format!("not JSON: {kind}")),
                    HELP,
                );
            }
        };
        let root = tree.root();
        if !is_list(root) {
            return self.add_mistake(0..0, "a baseline is a list of entries", HELP);
        }
        for child in root.children() {
            self.item(child);
        }
        self.tell_doubles(text);
        if !self.has_version && self.mistakes.is_empty() {
            let end = text.trim_end().len();
            let message = "the version is missing";
            let help = format!("the last line before `]` is {{\"version\":{VERSION}}}");
            self.add_mistake(end..end, message, MessageText::own(help));
        }
    }

    /// What a merge has left where it could not go on.
    fn leftovers(&mut self, text: &str) {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            let marks = ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|mark| bare.starts_with(mark));
            if marks || bare == "=======" {
                let help = "keep the entries of both sides, each once, and take the marks out";
                let message = "a merge was not finished here";
                self.add_mistake(at..at + bare.len(), message, help);
            }
            at += line.len();
        }
    }

    fn item(&mut self, node: NodeRef<'_>) {
        let span = node.span();
        let span = span.start..span.end;
        if is_version(node) {
            self.has_version = true;
            let version = node.get("version").and_then(NodeRef::as_i64);
            if version != Some(VERSION) {
                let help =
                    format!("this program reads version {VERSION}: use the one that wrote it");
                self.add_mistake(span, "another version of the format", MessageText::own(help));
            }
            return;
        }
        let entry = match entry(node) {
            Ok(entry) => entry,
            Err(message) => return self.add_mistake(span, message, HELP),
        };
        let print = entry.fingerprint();
        if let Some(first) = self.numbers.get(&print).and_then(|&number| self.starts.get(number)) {
            return self.doubles.push((span, *first));
        }
        self.numbers.insert(print, self.entries.len());
        self.starts.push(span.start);
        self.entries.push(entry);
    }

    /// The first entries that stand there twice, and how many more there are: each is shown with an excerpt.
    fn tell_doubles(&mut self, text: &str) {
        let doubles = std::mem::take(&mut self.doubles);
        let shown = doubles.get(..SHOWN_DOUBLES).unwrap_or(&doubles);
        let firsts = shown.iter().map(|(_, first)| *first).collect();
        let places = Locations::of(Block::whole(text.as_bytes()), firsts);
        for (span, first) in shown {
            let message = format!("the same entry stands on line {}", places.get(*first).line);
            self.add_mistake(span.clone(), message, "take one of the two out");
        }
        if let Some((span, _)) = doubles.get(SHOWN_DOUBLES) {
            let message = match doubles.len() - SHOWN_DOUBLES {
                1 => "1 more entry stands there twice, this one".to_owned(),
                more => format!("{more} more entries stand there twice, this one first"),
            };
            self.add_mistake(span.clone(), message, "take one of each two out");
        }
    }

    fn add_mistake(
        &mut self,
        span: Range<usize>,
        message: impl Into<MessageText>,
        help: impl Into<MessageText>,
    ) {
        self.mistakes.push(Mistake::new(span, message).with_help(help));
    }
}

const HELP: &str =
    "`sundown baseline` writes one; an entry is an object with `file`, `rule`, and where it is";

fn is_list(node: NodeRef<'_>) -> bool {
    node.kind() == crate::json::ValueKind::Array
}

fn is_version(node: NodeRef<'_>) -> bool {
    node.get("version").is_some() && node.get("rule").is_none()
}

/// The entry that an object is, or why it is none.
fn entry(node: NodeRef<'_>) -> Result<BaselineEntry, MessageText> {
    let mut values: [Option<String>; NAMES.len()] = Default::default();
    if node.kind() != crate::json::ValueKind::Object {
        return Err("an entry is an object".into());
    }
    for member in node.children() {
        let key = member.key().unwrap_or_default();
        let known = NAMES.iter().position(|name| *name == key);
        let Some(slot) = known.and_then(|number| values.get_mut(number)) else {
            return Err(MessageText::unknown_key(&key));
        };
        let known = |what: &str| MessageText::own(format!("`{key}` {what}"));
        let Some(text) = member.as_str() else { return Err(known("is a string")) };
        if slot.replace(text.into_owned()).is_some() {
            return Err(known("stands twice in one entry"));
        }
    }
    let [file, rule, check, operation, side, pointer] = values;
    let missing = |name: &str| MessageText::own(format!("`{name}` is missing"));
    let entry = BaselineEntry {
        file: file.ok_or_else(|| missing("file"))?,
        rule: rule.ok_or_else(|| missing("rule"))?,
        check: check.unwrap_or_default(),
        operation: operation.unwrap_or_default(),
        side: side.unwrap_or_default(),
        pointer: pointer.unwrap_or_default(),
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
            Locations::of(Block::whole(text.as_bytes()), vec![start]).get(start).line
        };
        error.mistakes.iter().map(|m| (place(m), m.message.clone())).collect()
    }

    fn told(text: &str, line: usize, message: &str) {
        assert_eq!(mistakes(text), [(line, message.to_owned())], "{text}");
    }

    const A: &str =
        r#"{"file":"a","rule":"x","operation":"POST /x","side":"request","pointer":"/a"}"#;

    #[test]
    fn what_is_broken_is_told_with_its_line() {
        let end = "{\"version\":1}\n]\n";
        told(&format!("[\n{A},\n{A},\n{end}"), 3, "the same entry stands on line 2");
        told("[\n{\"file\":\"a\"},\n{\"version\":1}]", 2, "`rule` is missing");
        told("[{\"file\":\"a\",\"rule\":\"x\"},\n{\"version\":1}]", 1, "`side` is missing");
        told("[{\"file\":\"a\",\"rule\":1},\n{\"version\":1}]", 1, "`rule` is a string");
        told("[{\"line\":1},\n{\"version\":1}]", 1, "unknown key `line`");
        told(&format!("[\n{A},\n{{\"version\":2}}]"), 3, "another version of the format");
        told(&format!("[\n{A}\n]\n"), 3, "the version is missing");
        told("[\n\n1]", 3, "an entry is an object");
        told("\n{}", 1, "a baseline is a list of entries");
        assert_eq!(mistakes("[\n{\"version\":1}\n").len(), 1, "it is cut");
        assert_eq!(mistakes("").len(), 1);
    }

    #[test]
    fn of_many_that_stand_there_twice_the_first_are_told_and_the_others_counted() {
        let text =
            |count: usize| format!("[\n{}{{\"version\":1}}\n]\n", format!("{A},\n").repeat(count));
        assert_eq!(mistakes(&text(1 + SHOWN_DOUBLES)).len(), SHOWN_DOUBLES);
        let told = mistakes(&text(1 + SHOWN_DOUBLES + 30));
        assert_eq!(told.len(), SHOWN_DOUBLES + 1);
        let more = "30 more entries stand there twice, this one first".to_owned();
        assert_eq!(told.last(), Some(&(2 + 1 + SHOWN_DOUBLES, more)));
    }

    #[test]
    fn what_a_merge_left_is_told_before_all_else() {
        let text = format!(
            "[\r\n<<<<<<< ours\r\n{A},\r\n=======\r\n{A},\r\n>>>>>>> theirs\r\n{{\"version\":1}}\r\n]\r\n"
        );
        let lines: Vec<usize> = mistakes(&text).iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 4, 6]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(texts in prop::collection::vec("(a|/|\\PC|\u{1b}|\"|\\\\|\u{202e}|#){0,6}", 5)) {
            let [file, rule, operation, side, pointer] = <[String; 5]>::try_from(texts).unwrap();
            let check = if side.is_empty() { "c".to_owned() } else { String::new() };
            let operation = if side.is_empty() { String::new() } else { operation };
            let entry = BaselineEntry { file, rule, check, operation, side, pointer };
            let other = BaselineEntry { file: format!("{}2", entry.file), ..entry.clone() };
            let entries: BTreeSet<BaselineEntry> = [entry, other].into();
            let text = Baseline::text(&entries).unwrap();
            prop_assert_eq!(text.lines().count(), 5, "one entry is one line");
            prop_assert!(text.chars().all(|c| c == '\n' || !crate::text::is_unsafe(c)));
            for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
                let read = Baseline::parse("b", &text).unwrap();
                let all: BTreeSet<BaselineEntry> = read.entries().iter().cloned().collect();
                prop_assert_eq!(&all, &entries);
            }
        }
    }
}
