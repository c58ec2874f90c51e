//! Reports: findings in order, folded and placed, and one file for each output format.

mod block;
mod collect;
mod excerpt;
mod failure;
mod format;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod markdown;
mod ndjson;
mod rank;
mod rdjsonl;
mod sarif;
mod skip_groups;
mod summary;
mod suppressed;
mod text;
mod uri;

pub use crate::text::escape_unsafe;
pub use block::{BlockCollector, BlockReport};
pub use collect::{Collector, FindingSink};
pub use failure::Failure;
pub use format::{OutputFormat, OutputTarget};
pub use github::{Github, MOST_ANNOTATIONS};
pub use gitlab::Gitlab;
pub use human::{Human, Verbosity};
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use ndjson::Ndjson;
pub use rdjsonl::Rdjsonl;
pub use sarif::{MOST_RESULTS, Sarif};
pub use text::printable;

use std::io;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::findings::suppression::{BaselineEntry, SuppressionRemark, SuppressionStatus};
use crate::findings::{Finding, digest, fingerprint};
use crate::formats::FileName;
use crate::rules::Severity;
use crate::text::{Location, safe_json};
use crate::traffic::Reason;

/// A way to write a report.
pub trait Reporter {
    /// Writes the whole report.
    fn write(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()>;
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Report {
    /// The day by which findings were graded.
    pub as_of: NaiveDate,
    /// Ordered by file, offset, rule, and then all else that tells findings apart.
    pub findings: Vec<LocatedFinding>,
    /// Findings that do not count, since they are allowed or in the baseline; in the same order.
    pub suppressed: Vec<LocatedFinding>,
    /// What there is to say of allowances and of the baseline themselves.
    pub remarks: Vec<SuppressionRemark>,
    /// Entries of the baseline that match nothing any more.
    pub gone: Vec<BaselineEntry>,
    /// What was left out since it has not changed; `None` where nobody asked for changes.
    pub unchanged: Option<UnchangedFiles>,
    /// What was not checked, grouped by file and reason.
    pub skipped: Vec<SkipGroup>,
    /// The counts.
    pub summary: Summary,
    /// Whether all was read that should have been; not so where the user broke the run off.
    pub complete: bool,
}

/// Files that were left out, since they have not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnchangedFiles {
    /// Since when, as the user says it.
    pub since: String,
    /// How many.
    pub files: usize,
}

/// A finding with its place as people count.
#[derive(Debug)]
pub struct LocatedFinding {
    /// The finding.
    pub finding: Finding,
    /// Whether it counts.
    pub status: SuppressionStatus,
    /// The file's name.
    pub file: Arc<str>,
    /// The file's name in the project, whatever folder the run started in.
    pub rooted: Arc<str>,
    /// What the file is compressed with; places are those of the text inside.
    pub compression: Option<&'static str>,
    /// Where the finding begins.
    pub location: Location,
    /// Where it ends: the place behind its last character.
    pub end: Location,
    /// Where its related elements begin, in their order.
    pub related: Vec<Location>,
    /// Where they end.
    pub related_ends: Vec<Location>,
}

/// Pieces of one file that were not checked for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkipGroup {
    /// The file's name.
    pub file: Arc<str>,
    /// Why.
    pub reason: Reason,
    /// How many pieces.
    pub count: usize,
    /// How many bytes they have together.
    pub bytes: usize,
    /// Where the first is; `None` for the file as a whole.
    pub location: Option<Location>,
    /// What exactly is wrong with the first.
    pub detail: Option<String>,
}

/// What was done, in numbers; the same whatever the number of threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files that were looked into, whatever they turned out to be.
    pub files: usize,
    /// Exchanges and bare bodies in them.
    pub records: usize,
    /// Bytes of all files that were read.
    pub bytes: usize,
    /// Findings (folded) of each severity.
    pub errors: usize,
    /// See `errors`.
    pub warnings: usize,
    /// See `errors`.
    pub notes: usize,
    /// Pieces that were passed over as a matter of course.
    pub unrelated: usize,
    /// Pieces that should have been checked and could not be.
    pub failed: usize,
    /// Records whose operation no rule covers.
    pub no_rule: usize,
    /// Findings (folded) that are allowed.
    pub allowed: usize,
    /// Findings (folded) that the baseline has.
    pub baselined: usize,
    /// Those of them whose element is removed already.
    pub baselined_removed: usize,
}

impl Summary {
    /// How many findings there are of this severity.
    pub fn of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
            Severity::Note => self.notes,
        }
    }

    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.records += other.records;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
        self.unrelated += other.unrelated;
        self.failed += other.failed;
        self.no_rule += other.no_rule;
        self.allowed += other.allowed;
        self.baselined += other.baselined;
        self.baselined_removed += other.baselined_removed;
    }

    fn count(&mut self, placed: &LocatedFinding) {
        match (&placed.status, placed.finding.severity) {
            (SuppressionStatus::Allowed(_), _) => self.allowed += 1,
            (SuppressionStatus::Baselined, _) => {
                self.baselined += 1;
                let removed = placed.finding.days_left.is_some_and(|days| days < 0);
                self.baselined_removed += usize::from(removed);
            }
            (_, Severity::Error) => self.errors += 1,
            (_, Severity::Warning) => self.warnings += 1,
            (_, Severity::Note) => self.notes += 1,
        }
    }
}

impl SkipGroup {
    /// What was not checked, why, and what to do about it, in one safe line; not where.
    pub fn sentence(&self) -> String {
        let detail = self.detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
        let times = if self.count > 1 { format!(" ({} times)", self.count) } else { String::new() };
        let (text, help) = (self.reason.text(), self.reason.help());
        escape_unsafe(&format!("not checked: {text}{detail}{times}; {help}")).into_owned()
    }

    /// Its identity over time.
    pub fn fingerprint(&self) -> String {
        digest(&[self.reason.name(), &self.file])
    }
}

impl LocatedFinding {
    /// From places counted in a block to places in its file: where the block begins, as an offset and as a place, and how
    /// many records stand before it.
    fn shift_into(&mut self, file: &FileName, start: usize, place: Location, records: usize) {
        self.file = Arc::clone(&file.shown);
        self.rooted = Arc::clone(&file.rooted);
        self.location = place.then(self.location);
        self.end = place.then(self.end);
        for location in self.related.iter_mut().chain(&mut self.related_ends) {
            *location = place.then(*location);
        }
        self.finding.shift(start, records);
    }

    /// Takes in a later sighting of the same.
    fn merge(&mut self, other: Self) {
        let Self { finding, related, related_ends, .. } = other;
        let added = self.finding.merge_later(finding);
        self.related.extend(added.iter().filter_map(|&index| related.get(index).copied()));
        self.related_ends
            .extend(added.iter().filter_map(|&index| related_ends.get(index).copied()));
    }

    /// The finding's identity over time.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.finding, &self.rooted)
    }
}
