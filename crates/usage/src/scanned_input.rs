//! The input of a scan, and what of it was not checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::capped::{add_count, sum_counts};
use sundown_exchange::{Reason, SkipKind};
use sundown_report::Report;
use sundown_text_json::text::Location;

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
    /// The paths that were named.
    pub paths: ScannedPaths,
    /// Whether the run was interrupted.
    pub is_incomplete: bool,
}

/// The paths that a user named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScannedPaths {
    /// The folders. They are reported if all paths are folders and nothing in any of them was checked.
    pub folders: BTreeSet<Arc<str>>,
    /// Whether there are others.
    pub has_files: bool,
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

impl ScannedInput {
    /// Takes over what a report says about the input.
    pub(super) fn of(report: &Report, paths: ScannedPaths) -> Self {
        let summary = &report.summary;
        let mut input = Self {
            files: summary.files as u64,
            records: summary.records as u64,
            descriptions: summary.descriptions as u64,
            bytes: summary.bytes as u64,
            no_rule: summary.no_rule as u64,
            skipped: BTreeMap::new(),
            unread: report.unread.iter().cloned().collect(),
            paths,
            is_incomplete: !report.complete,
        };
        // Whether all calls are at other addresses follows from all parts; see `skipped_pieces`.
        let kept = report
            .skipped
            .iter()
            .filter(|group| group.reason != Reason::NoKnownAddress);
        for group in kept {
            let pieces = SkippedPieces {
                count: group.count as u64,
                bytes: group.bytes as u64,
                files: 1,
                first: (
                    Arc::clone(&group.file),
                    group.location,
                    group.detail.clone(),
                ),
            };
            input.add_skipped((group.reason.kind(), group.reason), pieces);
        }
        input
    }

    /// The pieces that were not checked, by reason, with what follows from the counts of the whole input.
    pub(super) fn skipped_pieces(&self) -> BTreeMap<(SkipKind, Reason), SkippedPieces> {
        let mut skipped = self.skipped.clone();
        let reason = Reason::NoKnownAddress;
        if let Some(pieces) = self.only_calls_elsewhere() {
            let detail = "calls of known operations on other hosts".to_owned();
            let all = SkippedPieces::one(&pieces.first.0, Some(detail));
            skipped.insert((reason.kind(), reason), all);
        }
        skipped
    }

    /// The calls of known operations at other addresses, if nothing else was checked.
    fn only_calls_elsewhere(&self) -> Option<&SkippedPieces> {
        let other = Reason::OtherAddress;
        let elsewhere = self.skipped.get(&(other.kind(), other))?;
        let is_all = self.records == self.no_rule && self.descriptions == 0;
        (is_all && elsewhere.count > 0).then_some(elsewhere)
    }

    /// Returns whether nothing in the folders could be checked: they are empty, and all that was scanned, or all calls went to
    /// other addresses.
    fn has_only_unread_folders(&self) -> bool {
        let is_empty = !self.paths.has_files && self.records == 0;
        !self.is_incomplete && (is_empty || self.only_calls_elsewhere().is_some())
    }

    /// The number of pieces that should have been checked and could not be.
    pub fn failures(&self) -> u64 {
        self.skipped_pieces()
            .into_iter()
            .filter(|((kind, _), _)| *kind == SkipKind::Failed)
            .map(|(_, pieces)| pieces.count)
            .sum()
    }

    /// The number of pieces that could not be checked and may have calls.
    pub(super) fn pieces_that_may_hide_calls(&self) -> u64 {
        let hiding = self
            .skipped
            .iter()
            .filter(|((_, reason), _)| reason.may_hide_calls());
        sum_counts(hiding.map(|(_, pieces)| pieces.count))
    }

    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.files, other.files);
        add_count(&mut self.records, other.records);
        add_count(&mut self.descriptions, other.descriptions);
        self.bytes = self.bytes.saturating_add(other.bytes);
        add_count(&mut self.no_rule, other.no_rule);
        self.unread.extend(other.unread);
        self.paths.folders.extend(other.paths.folders);
        self.paths.has_files |= other.paths.has_files;
        self.is_incomplete |= other.is_incomplete;
        for (key, pieces) in other.skipped {
            self.add_skipped(key, pieces);
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

impl ScannedInput {
    /// The input with what follows from all of it.
    #[must_use]
    pub fn completed(&self) -> Self {
        let mut whole = self.clone();
        if whole.has_only_unread_folders() {
            whole.unread.extend(self.paths.folders.iter().cloned());
            let are_empty = whole.failures() == 0 && whole.records == 0;
            for folder in self.paths.folders.iter().filter(|_| are_empty) {
                let reason = Reason::NothingToCheck;
                let pieces = SkippedPieces::one(folder, None);
                whole.add_skipped((reason.kind(), reason), pieces);
            }
        }
        whole
    }
}

impl SkippedPieces {
    /// A file or folder as a whole.
    fn one(name: &Arc<str>, detail: Option<String>) -> Self {
        Self {
            count: 1,
            bytes: 0,
            files: 1,
            first: (Arc::clone(name), None, detail),
        }
    }

    /// Adds pieces that were not checked for the same reason.
    fn merge(&mut self, other: Self) {
        add_count(&mut self.count, other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        add_count(&mut self.files, other.files);
        if other.first < self.first {
            self.first = other.first;
        }
    }
}
