//! The result of a scan: counts that can be merged with those of other scans, in any order and grouping.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::caller_uses::CallerUses;
use super::cut_file::CutFile;
use super::element_id::ElementId;
use super::identity::ScanIdentity;
use super::tally::{ReadTally, UseTally, add_count};
use crate::report::Report;
use crate::rules::{Element, Rule};
use crate::text::Location;
use crate::traffic::{Reason, SkipKind};

/// The counts of a scan. Scans of parts of the traffic merge to the scan of all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageScan {
    /// The rules and options of the scan; scans that differ in it are not to be added.
    pub identity: ScanIdentity,
    /// All calls of operations with selected rules.
    pub calls: ReadTally,
    /// The elements, also those that no call reached.
    pub elements: BTreeMap<ElementId, ElementTally>,
    /// The uses by caller.
    pub callers: CallerUses,
    /// The rules of the elements.
    pub rules: BTreeMap<Arc<str>, RuleFacts>,
    /// Calls that the options leave out.
    pub excluded: ExcludedCalls,
    /// Calls with a caller attribute that identifies no one because it is not text, or too long.
    pub unusable_callers: u64,
    /// The input that was read.
    pub input: ScannedInput,
}

/// The counts of an element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ElementTally {
    /// The calls of its operation.
    pub reads: ReadTally,
    /// Its uses.
    pub uses: UseTally,
}

/// What reports say about a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFacts {
    /// The API of its table.
    pub api: String,
    /// The deprecated element.
    pub element: Element,
    /// The last day on which it works.
    pub removal: Option<NaiveDate>,
    /// The replacement.
    pub replacement: Option<String>,
}

/// Calls that the options leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExcludedCalls {
    /// Calls before or after the period.
    pub outside_period: u64,
    /// Calls without a time, if a period is given.
    pub undated: u64,
    /// Calls of callers that a pattern leaves out.
    pub by_caller: u64,
}

/// The input of a scan, and what of it was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScannedInput {
    /// The files that were read.
    pub files: u64,
    /// The records in them.
    pub records: u64,
    /// The API descriptions among the records.
    pub descriptions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The records whose operation no rule covers.
    pub no_rule: u64,
    /// Pieces that were not checked, by reason.
    pub skipped: BTreeMap<(SkipKind, Reason), SkippedPieces>,
    /// Named paths in which nothing was checked.
    pub unread: BTreeSet<Arc<str>>,
    /// Files of which parts were read, by name. Other counts of files do not include them; see [`Self::completed`].
    pub cut_files: BTreeMap<Arc<str>, CutFile>,
    /// Whether the run was interrupted.
    pub is_incomplete: bool,
}

/// Pieces that were not checked for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPieces {
    /// How many there are.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The files that have some; the order of names decides which comes first.
    pub files: u64,
    /// The first of them by file and location, with its detail.
    pub first: (Arc<str>, Option<Location>, Option<String>),
}

impl UsageScan {
    /// Adds the counts of another scan with the same identity, or of a worker of the same run.
    pub fn merge(&mut self, other: Self) {
        self.calls.merge(other.calls);
        for (id, tally) in other.elements {
            let known = self.elements.entry(id).or_default();
            known.reads.merge(tally.reads);
            known.uses.merge(tally.uses);
        }
        self.callers.merge(other.callers);
        self.rules.extend(other.rules);
        self.excluded.merge(other.excluded);
        add_count(&mut self.unusable_callers, other.unusable_callers);
        self.input.merge(other.input);
    }
}

impl UsageScan {
    /// Takes over what the report of a run says about its input.
    pub fn set_input(&mut self, report: &Report) {
        self.input = ScannedInput::of(report);
    }
}

impl RuleFacts {
    pub(super) fn new(rule: &Rule, api: &str) -> Self {
        let Rule { element, removal, replacement, .. } = rule;
        Self {
            api: api.to_owned(),
            element: element.clone(),
            removal: *removal,
            replacement: replacement.clone(),
        }
    }
}

impl ExcludedCalls {
    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.outside_period, other.outside_period);
        add_count(&mut self.undated, other.undated);
        add_count(&mut self.by_caller, other.by_caller);
    }
}

impl ScannedInput {
    /// Takes over what a report says about the input.
    pub(super) fn of(report: &Report) -> Self {
        let summary = &report.summary;
        let mut input = Self {
            files: summary.files as u64,
            records: summary.records as u64,
            descriptions: summary.descriptions as u64,
            bytes: summary.bytes as u64,
            no_rule: summary.no_rule as u64,
            skipped: BTreeMap::new(),
            unread: report.unread.iter().cloned().collect(),
            cut_files: BTreeMap::new(),
            is_incomplete: !report.complete,
        };
        // Whether all calls are at other addresses follows from the counts of all parts; see `skipped_pieces`.
        let kept = report.skipped.iter().filter(|group| group.reason != Reason::NoKnownAddress);
        for group in kept {
            let first = (Arc::clone(&group.file), group.location, group.detail.clone());
            let (count, bytes) = (group.count as u64, group.bytes as u64);
            let pieces = SkippedPieces { count, bytes, files: 1, first };
            input.add_skipped((group.reason.kind(), group.reason), pieces);
        }
        input
    }

    /// The pieces that were not checked, by reason, with what follows from the counts of the whole input.
    pub(super) fn skipped_pieces(&self) -> BTreeMap<(SkipKind, Reason), SkippedPieces> {
        let mut skipped = self.skipped.clone();
        let (other, reason) = (Reason::OtherAddress, Reason::NoKnownAddress);
        let elsewhere = skipped.get(&(other.kind(), other)).filter(|pieces| pieces.count > 0);
        if let Some(pieces) = elsewhere.filter(|_| self.records == self.no_rule) {
            let detail = "calls of known operations on other hosts".to_owned();
            let first = (Arc::clone(&pieces.first.0), None, Some(detail));
            let all = SkippedPieces { count: 1, bytes: 0, files: 1, first };
            skipped.insert((reason.kind(), reason), all);
        }
        skipped
    }

    /// The number of pieces that should have been checked and could not be.
    pub fn failures(&self) -> u64 {
        let skipped = self.skipped_pieces().into_iter();
        skipped
            .filter(|((kind, _), _)| *kind == SkipKind::Failed)
            .map(|(_, pieces)| pieces.count)
            .sum()
    }

    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.files, other.files);
        add_count(&mut self.records, other.records);
        add_count(&mut self.descriptions, other.descriptions);
        self.bytes = self.bytes.saturating_add(other.bytes);
        add_count(&mut self.no_rule, other.no_rule);
        self.unread.extend(other.unread);
        self.is_incomplete |= other.is_incomplete;
        for (key, pieces) in other.skipped {
            self.add_skipped(key, pieces);
        }
        for (name, file) in other.cut_files {
            self.cut_files.entry(name).or_default().merge(file);
        }
    }

    pub(super) fn add_skipped(&mut self, key: (SkipKind, Reason), pieces: SkippedPieces) {
        match self.skipped.get_mut(&key) {
            None => {
                self.skipped.insert(key, pieces);
            }
            Some(known) => known.merge(pieces),
        }
    }
}

impl SkippedPieces {
    /// Adds pieces that were not checked for the same reason.
    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.count, other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        add_count(&mut self.files, other.files);
        if other.first < self.first {
            self.first = other.first;
        }
    }
}
