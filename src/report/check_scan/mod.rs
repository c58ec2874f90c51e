//! The result of a run of `sundown check` before allowances and a baseline are applied. Results of several runs are added, written
//! as partial results, and turned into the report that one run over all their files has.

mod finding_line;
mod identity;
mod lines;
mod rule_ref;
mod run_end;

pub use identity::CheckIdentity;
pub use run_end::{RunEnd, ScanScope, SeenMaps};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::host_count::HostCount;
use super::{Collector, EmptyFile, LocatedFinding, PartialError, SkipGroup, UnchangedFiles};
use crate::files::FileName;
use crate::findings::suppression::CheckedFiles;
use crate::rules::RuleTable;
use finding_line::{FindingLine, INCONSISTENT};
use lines::InputCounts;
use rule_ref::RuleRefs;

/// What a run of `sundown check` found, before allowances and a baseline are applied.
#[derive(Debug, Clone, Default)]
pub struct CheckScan {
    /// The rules and options of the run; results that differ in it are not to be added.
    pub identity: CheckIdentity,
    /// The extent of the run.
    pub scope: ScanScope,
    /// What follows from the run as a whole.
    pub end: RunEnd,
    findings: Vec<ScannedFinding>,
    skipped: Vec<ScannedSkip>,
    files: CheckedFiles,
    /// Named paths in which nothing was checked.
    unread: Vec<Arc<str>>,
    counts: InputCounts,
    other_hosts: HostCount,
    /// The parts of files that were read, by the names of the files and the offsets of the parts.
    parts: BTreeMap<FileName, BTreeMap<usize, FilePart>>,
}

/// A part of a file, which consists of whole lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePart {
    /// Whether it has a record.
    has_record: bool,
    /// The size of the part, and what is said about the file if no part has a record.
    empty: EmptyFile,
}

/// A finding, and the offset of the part of its file in which it is.
#[derive(Debug, Clone)]
struct ScannedFinding {
    part: Option<usize>,
    line: FindingLine,
}

/// Pieces that were not checked, and the offset of the part of their file in which they are.
#[derive(Debug, Clone)]
struct ScannedSkip {
    part: Option<usize>,
    group: SkipGroup,
}

/// What was found in one part of a file.
#[derive(Default)]
struct PartPieces {
    findings: Vec<FindingLine>,
    skipped: Vec<SkipGroup>,
}

impl CheckScan {
    /// The result of a run that has no suppressor, and folds repeats. With `part`, it has read only that part of a file.
    pub fn of(
        collector: Collector<'_>,
        table: &RuleTable,
        (identity, scope, end): (CheckIdentity, ScanScope, RunEnd),
        part: Option<(FileName, usize, EmptyFile)>,
    ) -> Self {
        let Collector { report, files, other_hosts, .. } = collector;
        let refs = RuleRefs::new(table);
        let offset = part.as_ref().map(|(_, offset, _)| *offset);
        let findings = report
            .findings
            .into_iter()
            .map(|located| ScannedFinding { part: offset, line: FindingLine::of(located, &refs) });
        let skipped = report.skipped.into_iter();
        let mut scan = Self {
            identity,
            scope,
            end,
            findings: findings.collect(),
            skipped: skipped.map(|group| ScannedSkip { part: offset, group }).collect(),
            files,
            unread: report.unread,
            counts: InputCounts::of(
                &report.summary,
                report.unchanged.map_or(0, |unchanged| unchanged.files),
            ),
            other_hosts,
            parts: BTreeMap::new(),
        };
        if let Some((name, offset, empty)) = part {
            // The file counts when all its parts have been added.
            scan.counts.files = 0;
            let has_record = scan.counts.records > 0;
            let part =
                FilePart { has_record, empty: EmptyFile { bytes: scan.counts.bytes, ..empty } };
            scan.parts.entry(name).or_default().insert(offset, part);
        }
        scan.forget_needless_hosts();
        scan
    }

    /// Adds the result of another run.
    pub fn merge(&mut self, other: Self) -> Result<(), PartialError> {
        self.identity.check(&other.identity)?;
        self.refuse_repeated_files(&other)?;
        self.scope.merge(other.scope);
        self.end.merge(other.end);
        self.findings.extend(other.findings);
        self.skipped.extend(other.skipped);
        self.files.merge(other.files);
        self.unread.extend(other.unread);
        self.counts.add(other.counts);
        self.other_hosts.merge(&other.other_hosts);
        self.forget_needless_hosts();
        for (name, parts) in other.parts {
            self.parts.entry(name).or_default().extend(parts);
        }
        Ok(())
    }

    /// Hosts are counted only for runs without a call at an address of the rules, and are kept no longer than that.
    fn forget_needless_hosts(&mut self) {
        if self.counts.records != self.counts.no_rule {
            self.other_hosts = HostCount::default();
        }
    }

    /// Returns an error if a file is in both results: its uses would count twice.
    fn refuse_repeated_files(&self, other: &Self) -> Result<(), PartialError> {
        let cut: BTreeSet<&str> = self.parts.keys().map(|name| &*name.rooted).collect();
        let cut_in_other: BTreeSet<&str> = other.parts.keys().map(|name| &*name.rooted).collect();
        let is_whole = |file: &str| !cut.contains(file) || !cut_in_other.contains(file);
        let mut both = self.files.opened.intersection(&other.files.opened);
        if let Some(file) = both.find(|file| is_whole(file)) {
            return Err(PartialError::RepeatedFile { file: file.to_string() });
        }
        for (name, added) in &other.parts {
            let known = self.parts.get(name).into_iter().flatten();
            let mut all: Vec<_> =
                known.chain(added).map(|(offset, part)| (*offset, part)).collect();
            all.sort_unstable_by_key(|(offset, _)| *offset);
            let overlaps =
                |((start, part), (next, _)): (&(usize, &FilePart), &(usize, &FilePart))| {
                    start == next || start.saturating_add(part.empty.bytes) > *next
                };
            if all.iter().zip(all.iter().skip(1)).any(overlaps) {
                return Err(PartialError::RepeatedFile { file: name.shown.to_string() });
            }
        }
        Ok(())
    }

    /// Passes everything to a collector, as the run over all files would do it. Returns what follows from the run as a whole, or
    /// an error about a finding that fits no rule of the table.
    pub fn replay(
        self,
        table: &RuleTable,
        collector: &mut Collector<'_>,
    ) -> Result<RunEnd, &'static str> {
        self.counts.set(collector.summary());
        collector.files.merge(self.files);
        collector.other_hosts.merge(&self.other_hosts);
        collector.report.unread.extend(self.unread);
        collector.report.unchanged = (self.identity.changed_since)
            .map(|since| UnchangedFiles { since, files: self.counts.unchanged });
        let mut parts: BTreeMap<FileName, BTreeMap<usize, PartPieces>> = BTreeMap::new();
        for ScannedFinding { part, line } in self.findings {
            match part {
                None => collector.restore(line.locate(table)?),
                Some(offset) => {
                    let of_file = parts.entry(line.file_name()).or_default();
                    of_file.entry(offset).or_default().findings.push(line);
                }
            }
        }
        let names: BTreeMap<_, _> =
            self.parts.keys().map(|name| (Arc::clone(&name.shown), name.clone())).collect();
        for ScannedSkip { part, group } in self.skipped {
            match part.zip(names.get(&group.file)) {
                None => collector.restore_skip(group),
                Some((offset, name)) => {
                    let of_file = parts.entry(name.clone()).or_default();
                    of_file.entry(offset).or_default().skipped.push(group);
                }
            }
        }
        for (name, file) in self.parts {
            replay_file(&name, file, parts.remove(&name).unwrap_or_default(), (table, collector))?;
        }
        if parts.is_empty() { Ok(self.end) } else { Err(INCONSISTENT) }
    }
}

/// Passes all parts of a file to a collector.
fn replay_file(
    name: &FileName,
    file: BTreeMap<usize, FilePart>,
    mut pieces: BTreeMap<usize, PartPieces>,
    (table, collector): (&RuleTable, &mut Collector<'_>),
) -> Result<(), &'static str> {
    collector.open(name);
    let files = &mut collector.summary().files;
    *files = files.saturating_add(1);
    let mut whole = FilePart::default();
    for (offset, FilePart { has_record, empty }) in file {
        let PartPieces { findings, skipped } = pieces.remove(&offset).unwrap_or_default();
        for line in findings {
            collector.fold_in(line.locate(table)?);
        }
        for group in skipped {
            collector.skip(group);
        }
        whole.has_record |= has_record;
        let bytes = whole.empty.bytes.saturating_add(empty.bytes);
        whole.empty = EmptyFile { bytes, ..empty };
    }
    if !whole.has_record {
        collector.end_empty_file(whole.empty);
    }
    if pieces.is_empty() { Ok(()) } else { Err(INCONSISTENT) }
}

impl Collector<'_> {
    /// Adds a finding of another run, which has folded repeats.
    fn restore(&mut self, located: LocatedFinding) {
        self.open_again(&located.name());
        self.keep(located);
    }

    /// Adds a group of pieces of another run, which has grouped them.
    fn restore_skip(&mut self, group: SkipGroup) {
        self.report.summary.count_skipped(&group);
        self.report.skipped.push(group);
    }
}
