//! The baseline: a file that lists the known findings, so that only new ones count.
//!
//! It is a JSON array with one object per line, in order. The last object is the version of the format, so that every entry
//! ends with a comma, and two branches that add entries merge without conflicts.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::Serialize;

use crate::findings::{Check, Finding, Identity};
use sundown_files::toml_file::{Disclosure, FileMistakes, MessageText, Mistake};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentError, DocumentFormat, Node, ValueKind};
use sundown_text_json::text::{Block, Locations, safe_json};

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
    /// What it lists.
    pub entries: KnownFindings,
}

/// Known findings, each with the number of its uses; with more, the finding is new. `None` is any number.
pub type KnownFindings = BTreeMap<Identity, Option<usize>>;

/// A line of the file.
#[derive(Serialize)]
struct EntryLine<'e> {
    #[serde(flatten)]
    entry: &'e Identity,
    #[serde(skip_serializing_if = "Option::is_none")]
    uses: Option<usize>,
}

/// The entries of the elements inside a finding, which would be findings if the outer one were not, and last its own. Elements inside
/// others, and those that descriptions declare, are not counted.
pub fn entries_of(
    finding: &Finding,
    file: &str,
) -> impl Iterator<Item = (Identity, Option<usize>)> {
    let declared = finding.declared();
    let is_counted = declared.is_none_or(|declared| declared.check == Check::Mentioned);
    let own = undated(Identity::of(finding, file));
    let inside = finding.related.iter();
    inside
        .map(|inside| (undated(Identity::inside(finding, inside, file)), None))
        .chain([(own, is_counted.then_some(finding.sightings.count))])
}

/// Adds the uses of another finding with the same entry.
pub fn add_uses(known: &mut Option<usize>, more: Option<usize>) {
    *known = match (*known, more) {
        (Some(known), Some(more)) => Some(known.saturating_add(more)),
        (known, more) => known.or(more),
    };
}

/// The identity with `*` in place of dates and times of day in the name of a file with traffic: the log of another day has the same
/// findings. In that of a description, a date may be the version.
fn undated(mut identity: Identity) -> Identity {
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // The day, perhaps a time of it, and no further digit.
        Regex::new(
            r"(?P<before>^|\D)(19|20)\d\d[-_./]?(0[1-9]|1[0-2])[-_./]?(0[1-9]|[12]\d|3[01])([T_-]?([01]\d|2[0-3])([-_:.]?[0-5]\d){0,2}Z?)?(?P<after>\D|$)",
        )
        .ok()
    });
    if let Some(date) = DATE.as_ref().filter(|_| identity.check.is_empty()) {
        let file = date.replace_all(&identity.file, "${before}*${after}");
        identity.file = file.into_owned();
    }
    identity
}

impl Baseline {
    /// Parses a baseline; the error holds all of its mistakes. Messages use `name`.
    pub fn parse(name: &str, text: &str) -> Result<Self, Box<FileMistakes>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = BaselineReader {
            mistakes: conflict_markers(text),
            ..BaselineReader::default()
        };
        // All other mistakes follow from them.
        if reader.mistakes.is_empty()
            && let Err(mistake) = reader.read(text)
        {
            reader.mistakes.push(mistake);
        }
        if !reader.mistakes.is_empty() {
            let masked = Disclosure::Masked;
            let error = FileMistakes::new(masked, "baseline", name, text, reader.mistakes);
            return Err(Box::new(error));
        }
        let entries = reader.entries.into_iter();
        Ok(Self {
            name: name.into(),
            entries: entries.map(|(entry, (uses, _))| (entry, uses)).collect(),
        })
    }

    /// The text of a baseline with these entries.
    pub fn text(entries: &KnownFindings) -> std::io::Result<String> {
        let mut text = b"[\n".to_vec();
        for (entry, &uses) in entries {
            safe_json::compact(&mut text, &EntryLine { entry, uses })?;
            text.extend(b",\n");
        }
        text.extend(format!("{{\"version\":{VERSION}}}\n]\n").bytes());
        String::from_utf8(text).map_err(std::io::Error::other)
    }
}

/// The conflict markers of an unfinished merge.
fn conflict_markers(text: &str) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let marks = ["<<<<<<<", "|||||||", ">>>>>>>"];
        if bare == "=======" || marks.iter().any(|mark| bare.starts_with(mark)) {
            let help = "keep the entries of both sides, each once, and remove the conflict markers";
            let message = "this merge conflict is not resolved";
            mistakes.push(Mistake::new(at..at + bare.len(), message).with_help(help));
        }
        at += line.len();
    }
    mistakes
}

/// Parses entries and collects their mistakes.
#[derive(Default)]
struct BaselineReader {
    /// Each with its uses, and where it begins.
    entries: BTreeMap<Identity, (Option<usize>, usize)>,
    mistakes: Vec<Mistake>,
    /// Duplicate entries, each with the start of its first copy.
    duplicates: Vec<(Range<usize>, usize)>,
    has_version: bool,
}

const HELP: &str =
    "`sundown baseline` writes one; an entry is an object with `file`, `rule` and a location";

impl BaselineReader {
    /// Reads all entries; the error is a mistake that concerns the whole text.
    fn read(&mut self, text: &str) -> Result<(), Mistake> {
        let limits = Limits {
            depth: DEPTH,
            ..Limits::default()
        };
        let document = Document::parse_within(text, DocumentFormat::Json, limits);
        let document = document.map_err(|DocumentError { offset, kind }| {
            let at = offset.min(text.len());
            let message = MessageText::own(format!("not JSON: {kind}"));
            Mistake::new(at..at, message).with_help(HELP)
        })?;
        let root = document.root();
        if root.kind() != ValueKind::Array {
            return Err(Mistake::new(0..0, "a baseline is a list of entries").with_help(HELP));
        }
        for item in root.children() {
            let read = self.read_item(item);
            self.mistakes.extend(read.err());
        }
        self.report_duplicates(text);
        if !self.has_version && self.mistakes.is_empty() {
            let end = text.trim_end().len();
            let help = format!("the last line before `]` is {{\"version\":{VERSION}}}");
            let mistake = Mistake::new(end..end, "the version is missing");
            return Err(mistake.with_help(MessageText::own(help)));
        }
        Ok(())
    }

    fn read_item(&mut self, node: Node<'_>) -> Result<(), Mistake> {
        let span = node.span();
        let span = span.start..span.end;
        if let Some(version) = node.get("version")
            && node.get("rule").is_none()
        {
            self.has_version = true;
            if version.as_i64() == Some(VERSION) {
                return Ok(());
            }
            let help = format!(
                "this program reads version {VERSION}: use the program that wrote the file"
            );
            let mistake = Mistake::new(span, "unsupported version of the format");
            return Err(mistake.with_help(MessageText::own(help)));
        }
        let (entry, uses) = parse_entry(node)
            .map_err(|message| Mistake::new(span.clone(), message).with_help(HELP))?;
        let is_of_another_day = node.text_of("file") != Some(&*entry.file);
        let (known, first) = match self.entries.entry(entry) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert((uses, span.start));
                return Ok(());
            }
        };
        if is_of_another_day {
            add_uses(known, uses);
        } else if *known == uses {
            self.duplicates.push((span, *first));
        } else {
            // A merge may keep the counts of both sides.
            *known = known.zip(uses).map(|(one, other)| one.max(other));
        }
        Ok(())
    }

    /// Reports the first duplicate entries, each with an excerpt, and how many more there are.
    fn report_duplicates(&mut self, text: &str) {
        let firsts = self.duplicates.iter().map(|(_, first)| *first).collect();
        let places = Locations::of(Block::whole(text.as_bytes()), firsts);
        for (span, first) in self.duplicates.iter().take(SHOWN_DUPLICATES) {
            let message = format!("this entry is also on line {}", places.get(*first).line);
            let mistake = Mistake::new(span.clone(), message);
            self.mistakes
                .push(mistake.with_help("remove one of the two"));
        }
        if let Some((span, _)) = self.duplicates.get(SHOWN_DUPLICATES) {
            let message = match self.duplicates.len() - SHOWN_DUPLICATES {
                1 => "1 more duplicate entry, this one".to_owned(),
                more => format!("{more} more duplicate entries, beginning with this one"),
            };
            let mistake = Mistake::new(span.clone(), message);
            self.mistakes
                .push(mistake.with_help("remove one copy of each"));
        }
    }
}

/// Parses an entry and its number of uses; the error says why the object is not one.
fn parse_entry(node: Node<'_>) -> Result<(Identity, Option<usize>), MessageText> {
    if node.kind() != ValueKind::Object {
        return Err("an entry is an object".into());
    }
    let mut entry = Identity::default();
    let mut uses = None;
    let mut seen = BTreeSet::new();
    for member in node.children() {
        let key = member.key().unwrap_or_default();
        if key == "uses" {
            let count = member.as_i64();
            let count = count.and_then(|count| usize::try_from(count).ok());
            uses = Some(count.ok_or_else(|| about(key, "is a number"))?);
        } else {
            let own = match key {
                "file" => &mut entry.file,
                "rule" => &mut entry.rule,
                "check" => &mut entry.check,
                "operation" => &mut entry.operation,
                "side" => &mut entry.side,
                "pointer" => &mut entry.pointer,
                _ => return Err(MessageText::unknown_key(key)),
            };
            let text = member.as_str().ok_or_else(|| about(key, "is a string"))?;
            text.clone_into(own);
        }
        if !seen.insert(key) {
            return Err(about(key, "appears twice in one entry"));
        }
    }
    if let Some(key) = ["file", "rule"].iter().find(|key| !seen.contains(*key)) {
        return Err(about(key, "is missing"));
    }
    match (entry.check.is_empty(), entry.side.is_empty()) {
        (true, true) => Err(about("side", "is missing")),
        (false, false) => Err("an entry has a `check` or a `side`".into()),
        (true, false) => Ok((undated(entry), uses)),
        (false, true) => {
            // The operations that reach an element of a description change with it.
            entry.operation.clear();
            Ok((entry, uses))
        }
    }
}

/// A message about a key of entries.
fn about(key: &str, what: &str) -> MessageText {
    MessageText::own(format!("`{key}` {what}"))
}

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
            assert_eq!(read.entries.into_values().collect::<Vec<_>>(), [uses]);
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
            let entry = Identity { file, rule, check, operation, side, pointer };
            let other = Identity { file: format!("{}2", entry.file), ..entry.clone() };
            let entries = KnownFindings::from([(entry, Some(3)), (other, None)]);
            let text = Baseline::text(&entries).unwrap();
            prop_assert_eq!(text.lines().count(), 5, "one entry is one line");
            prop_assert!(text.chars().all(|c| c == '\n' || !sundown_text_json::text::is_unsafe(c)));
            for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
                let read = Baseline::parse("b", &text).unwrap();
                prop_assert_eq!(&read.entries, &entries);
            }
        }
    }
}
