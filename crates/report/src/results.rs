//! The results of a run: findings, what was not checked, and counts.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use sundown_exchange::{Reason, Skip, SkipKind, detail_in_one_line};
use sundown_files::FileName;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Finding, Identity, RunRemark, digest};
use sundown_lint::rules::{Severity, UncalledOperation};
use sundown_text_json::text::{Location, Span, escape_unsafe, printable};

/// Everything that a run has found: the input of every output format.
#[derive(Debug, Default)]
pub struct Report {
    /// The day for which findings were graded.
    pub as_of: NaiveDate,
    /// Ordered by file, offset and rule, then by everything else in which findings differ.
    pub findings: Vec<LocatedFinding>,
    /// Findings that do not count because they are allowed or in the baseline, in the same order.
    pub suppressed: Vec<LocatedFinding>,
    /// Problems with the rules, allowances and the baseline themselves.
    pub remarks: Vec<RunRemark>,
    /// Entries of the baseline that no longer match a finding.
    pub gone: Vec<Identity>,
    /// Files that were left out because they have not changed; `None` without `--changed-since`.
    pub unchanged: Option<UnchangedFiles>,
    /// The skips, grouped by file and reason.
    pub skipped: Vec<SkipGroup>,
    /// The paths that the user named and in which nothing was checked. They fail the run.
    pub unread: Vec<Arc<str>>,
    /// The operations of the user's rules that no call reached.
    pub uncalled: Vec<UncalledOperation>,
    /// The numbers of calls that no rule covers and that packs have rules for, by the name of the pack.
    pub pack_calls: BTreeMap<String, usize>,
    /// The names of the tables whose rules found something, each with the number of findings that count; sorted by name.
    pub tables: Vec<(String, usize)>,
    /// The counts.
    pub summary: Summary,
    /// False if the user interrupted the run before the whole input was read.
    pub complete: bool,
}

/// The files that were left out because they have not changed.
#[derive(Debug)]
pub struct UnchangedFiles {
    /// The revision they were compared with, as the user wrote it.
    pub since: String,
    /// How many.
    pub files: usize,
}

/// A finding with its lines and columns.
#[derive(Debug, Clone)]
pub struct LocatedFinding {
    /// The finding.
    pub finding: Finding,
    /// Its status: it counts, or the reason why it does not.
    pub status: SuppressionStatus,
    /// The file's name.
    pub file: Arc<str>,
    /// The file's name relative to the root of the project, independent of the working directory.
    pub rooted: Arc<str>,
    /// The compression of the file; locations refer to the decompressed text.
    pub compression: Option<&'static str>,
    /// What the file is.
    pub kind: FileKind,
    /// Where the finding begins.
    pub location: Location,
    /// The location after its last character.
    pub end: Location,
    /// Where each of its related elements begins and ends, in their order.
    pub related: Vec<(Location, Location)>,
    /// The change of the file that replaces the element, if the user asked for it.
    pub suggestion: Option<Suggestion>,
}

/// A change of a file that replaces a deprecated element, and brings no other finding.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// What it does, in a few words.
    pub phrase: String,
    /// Whether it keeps the meaning.
    pub is_safe: bool,
    /// The bytes that it replaces.
    pub span: Span,
    /// Where these begin and end.
    pub lines: (Location, Location),
    /// What takes their place.
    pub text: String,
}

/// What a file of a report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileKind {
    /// The recording of one test.
    TestRecording,
    /// Anything else.
    #[default]
    Other,
}

/// Pieces that were not checked, for one reason: those of one file, or of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkipGroup {
    /// The name of the file with the first piece.
    pub file: Arc<str>,
    /// How many files have pieces; none if an earlier group for this reason counts the file.
    pub files: usize,
    /// The reason.
    pub reason: Reason,
    /// How many pieces.
    pub count: usize,
    /// Their total size in bytes.
    pub bytes: usize,
    /// Where the first piece is; `None` for the file as a whole.
    pub location: Option<Location>,
    /// The exact problem of the first piece.
    pub detail: Option<String>,
}

/// The counts of a run; they do not depend on the number of threads. Those of the input alone are kept in an
/// [`InputTally`](super::InputTally): the others follow.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Files that were opened, of whatever kind.
    pub files: usize,
    /// Exchanges and bare bodies in those files, and API descriptions.
    pub records: usize,
    /// API descriptions among the records.
    pub descriptions: usize,
    /// Bytes of all files that were read.
    pub bytes: usize,
    /// Files that were searched for values of the rules, because they are in no format.
    #[serde(skip)]
    pub searched: usize,
    /// Findings (folded) of each severity.
    #[serde(skip)]
    pub errors: usize,
    /// See `errors`.
    #[serde(skip)]
    pub warnings: usize,
    /// See `errors`.
    #[serde(skip)]
    pub notes: usize,
    /// Elements that were still served after their last day.
    #[serde(skip)]
    pub served_late: usize,
    /// Pieces that need no check, such as text that is not a body.
    #[serde(skip)]
    pub unrelated: usize,
    /// Pieces that should have been checked and could not be.
    #[serde(skip)]
    pub failed: usize,
    /// Records whose operation no rule covers.
    pub no_rule: usize,
    /// Findings (folded) that are allowed.
    #[serde(skip)]
    pub allowed: usize,
    /// Findings (folded) that are in the baseline.
    #[serde(skip)]
    pub baselined: usize,
    /// Findings in the baseline whose element has already been removed.
    #[serde(skip)]
    pub baselined_removed: usize,
}

impl Summary {
    /// The number of findings of this severity.
    pub fn of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
            Severity::Note => self.notes,
        }
    }

    /// Counts pieces that were not checked.
    pub(super) fn count_skipped(&mut self, group: &SkipGroup) {
        let count = match group.reason.kind() {
            SkipKind::Unrelated => &mut self.unrelated,
            SkipKind::Failed => &mut self.failed,
        };
        *count = count.saturating_add(group.count);
    }

    /// The counts of the input.
    pub(super) fn of_input(&self) -> Self {
        let mut input = Self::default();
        input.add(self);
        input
    }

    /// Adds the counts of the input of another part of the run, or of another run.
    pub(super) fn add(&mut self, other: &Self) {
        for (own, added) in [
            (&mut self.files, other.files),
            (&mut self.records, other.records),
            (&mut self.descriptions, other.descriptions),
            (&mut self.bytes, other.bytes),
            (&mut self.searched, other.searched),
            (&mut self.no_rule, other.no_rule),
        ] {
            *own = own.saturating_add(added);
        }
    }

    pub(super) fn count(&mut self, located: &LocatedFinding) {
        match (&located.status, located.finding.severity) {
            (SuppressionStatus::Unselected, _) => {}
            (SuppressionStatus::Allowed(_), _) => self.allowed += 1,
            (SuppressionStatus::Baselined, _) => {
                self.baselined += 1;
                self.baselined_removed += usize::from(located.is_removed());
            }
            (_, Severity::Error) => self.errors += 1,
            (_, Severity::Warning) => self.warnings += 1,
            (_, Severity::Note) => self.notes += 1,
        }
    }
}

impl Report {
    /// The skips for reasons of this kind.
    pub fn skips_of(&self, kind: SkipKind) -> impl Iterator<Item = &SkipGroup> {
        self.skipped
            .iter()
            .filter(move |group| group.reason.kind() == kind)
    }
}

impl SkipGroup {
    /// The group of one skip.
    pub(super) fn new(file: &Arc<str>, skip: Skip, location: Option<Location>) -> Self {
        Self {
            file: Arc::clone(file),
            files: 1,
            reason: skip.reason,
            count: skip.count,
            bytes: skip.bytes,
            location,
            detail: skip.detail,
        }
    }

    /// Adds pieces that were not checked for the same reason.
    pub(super) fn absorb(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        if other.order() < self.order() {
            self.file = other.file;
            self.location = other.location;
            self.detail = other.detail;
        }
    }

    /// Whether pieces of one file for a reason, with these details, are in one group.
    pub(crate) fn unites(reason: Reason, details: [Option<&str>; 2]) -> bool {
        let [one, other] = match reason {
            Reason::UnreadCall => details.map(mentioned),
            _ => details,
        };
        !reason.is_reported_singly() || one == other
    }

    /// The order of pieces, of which the first is shown.
    fn order(&self) -> impl Ord + '_ {
        (&self.file, self.location, &self.detail)
    }

    /// One group for each reason, in their order. Neither the order nor the grouping of the groups matters.
    pub(super) fn by_reason(groups: Vec<Self>) -> Vec<Self> {
        let mut by_reason: BTreeMap<Reason, Self> = BTreeMap::new();
        for group in groups {
            match by_reason.get_mut(&group.reason) {
                Some(known) => {
                    known.files = known.files.saturating_add(group.files);
                    known.absorb(group);
                }
                None => drop(by_reason.insert(group.reason, group)),
            }
        }
        by_reason.into_values().collect()
    }

    /// The reason and the remedy in one escaped line, without the location.
    pub fn sentence(&self) -> String {
        let detail = self
            .detail
            .as_ref()
            .map(|detail| format!(": {}", detail_in_one_line(detail)))
            .unwrap_or_default();
        let text = self.reason.text();
        let help = self.reason.help();
        let times = self.times();
        escape_unsafe(&format!("not checked: {text}{detail}{times}; {help}")).into_owned()
    }

    /// The `[[log]]` table that is proposed for records in an unknown layout, for the file alone.
    pub(super) fn proposed_table(&self) -> Option<String> {
        let (file, keys) = self.proposed_keys()?;
        let files = file.map(|file| format!("files = [\"{file}\"]\n"));
        Some(format!("[[log]]\n{}{keys}", files.unwrap_or_default()))
    }

    /// The keys of the `[[log]]` table that is proposed for records in an unknown layout, and the glob of the file, if it has one.
    pub fn proposed_keys(&self) -> Option<(Option<&str>, &str)> {
        let detail = self.detail.as_deref();
        let table = detail.filter(|_| self.reason == Reason::UnknownLayout)?;
        let (_, keys) = table.split_once('\n')?;
        // Standard input has no name, and the other signs mean something in a glob or in TOML.
        let is_plain =
            *self.file != *"-" && !self.file.contains(['<', '"', '\\', '*', '?', '[', '{']);
        Some((is_plain.then_some(&*self.file), keys))
    }

    /// How many pieces for which reason, and where the first is, escaped.
    pub fn phrase(&self) -> String {
        let more = match self.files {
            ..=1 => String::new(),
            2 => " and 1 more file".to_owned(),
            files => format!(" and {} more files", files - 1),
        };
        let text = self.reason.text();
        format!("{} × {text} ({}{more})", self.count, self.place())
    }

    /// Where the first piece is: `FILE:LINE:COLUMN`, or the file alone, escaped.
    pub fn place(&self) -> String {
        let file = escape_unsafe(&self.file);
        self.location
            .map_or_else(|| file.to_string(), |at| format!("{file}:{at}"))
    }

    /// Its identity over time.
    pub fn fingerprint(&self) -> String {
        let mut parts = vec![self.reason.name(), &self.file];
        // One file may have several groups of them.
        if self.reason == Reason::UnreadCall {
            parts.extend(mentioned(self.detail.as_deref()));
        }
        digest(&parts)
    }

    /// The detail as the end of a phrase in one line, escaped; empty without one.
    pub fn detail_text(&self) -> String {
        let detail = self.detail.as_deref();
        detail
            .map(|detail| format!(": {}", escape_unsafe(&detail_in_one_line(detail))))
            .unwrap_or_default()
    }

    /// The number of pieces as the end of a phrase; empty for one.
    pub fn times(&self) -> String {
        if self.count > 1 {
            format!(" ({} times)", self.count)
        } else {
            String::new()
        }
    }
}

/// What a piece mentions. What its detail says after that may be about this piece alone.
fn mentioned(detail: Option<&str>) -> Option<&str> {
    detail?.split("; ").next()
}

impl LocatedFinding {
    /// The finding's identity over time.
    pub fn fingerprint(&self) -> String {
        Identity::of(&self.finding, &self.rooted).fingerprint()
    }

    /// Returns whether its element has been removed.
    fn is_removed(&self) -> bool {
        self.finding.days_left.is_some_and(|days| days < 0)
    }

    /// The name of its file.
    pub(super) fn name(&self) -> FileName {
        FileName {
            shown: Arc::clone(&self.file),
            rooted: Arc::clone(&self.rooted),
        }
    }

    /// The JSON Pointer of the element, escaped and truncated; `None` for what is not in a body, and for a whole one.
    pub(super) fn pointer(&self) -> Option<Cow<'_, str>> {
        let pointer = self.finding.found.exact_pointer();
        pointer.filter(|pointer| !pointer.is_empty()).map(printable)
    }

    /// Its pointer after these words; empty without one.
    pub(super) fn pointer_text(&self, before: &str) -> String {
        let pointer = self.pointer();
        pointer
            .map(|pointer| format!("{before}{pointer}"))
            .unwrap_or_default()
    }

    /// Where it begins: `FILE:LINE:COLUMN`, escaped.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", escape_unsafe(&self.file), self.location)
    }

    /// The test that made its calls, not escaped; `None` unless the file is the recording of a test.
    pub(super) fn recorded_test(&self) -> Option<&str> {
        let is_recording = self.kind == FileKind::TestRecording;
        recorded_test(&self.rooted).filter(|_| is_recording)
    }

    /// Converts positions in a block to positions in its file. The block begins at offset `start` and at `location`, after
    /// so many records.
    pub(super) fn shift_into(
        &mut self,
        file: &FileName,
        start: usize,
        location: Location,
        records: usize,
    ) {
        self.file = Arc::clone(&file.shown);
        self.rooted = Arc::clone(&file.rooted);
        let related = self.related.iter_mut().flat_map(|(from, to)| [from, to]);
        for position in [&mut self.location, &mut self.end]
            .into_iter()
            .chain(related)
        {
            *position = location.then(*position);
        }
        self.finding.shift(start, records);
    }

    /// Adds a later occurrence of the same finding.
    pub(super) fn merge(&mut self, other: Self) {
        for (from, to) in self.finding.merge_later(other.finding) {
            match (self.related.get_mut(to), other.related.get(from)) {
                (Some(known), Some(related)) => *known = *related,
                (None, Some(related)) => self.related.push(*related),
                (_, None) => {}
            }
        }
    }
}

/// The endings of compressed files, then those of cassettes.
const ENDINGS: [&[&str]; 2] = [&[".gz", ".zst", ".br"], &[".yml", ".yaml", ".json"]];

/// The name of the test whose recording has this path: the part below the folder of cassettes, or else the file's own name,
/// without its ending. `None` for standard input.
fn recorded_test(path: &str) -> Option<&str> {
    let mut start = path.rfind('/').map_or(0, |slash| slash + 1);
    for (slash, _) in path.match_indices('/') {
        let folder = path.get(..slash)?.rsplit('/').next().unwrap_or_default();
        if folder.to_ascii_lowercase().ends_with("cassettes") {
            start = slash + 1;
            break;
        }
    }
    let mut name = path.get(start..)?;
    for endings in ENDINGS {
        name = endings
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(name);
    }
    Some(name).filter(|name| !name.is_empty() && *name != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_named_after_tests() {
        for (path, test) in [
            (
                "tests/cassettes/test_orders/test_total[1.5].yaml",
                "test_orders/test_total[1.5]",
            ),
            (
                "spec/fixtures/vcr_cassettes/Orders/has_a_total.yml",
                "Orders/has_a_total",
            ),
            ("Orders_total.json.gz", "Orders_total"),
            ("recorded/orders.yaml", "orders"),
            ("cassettes/a/cassettes/b.yml", "a/cassettes/b"),
        ] {
            assert_eq!(recorded_test(path), Some(test));
        }
        assert_eq!(recorded_test("-"), None);
        assert_eq!(recorded_test("cassettes/.yml"), None);
    }
}
