//! A file of which each scan reads a part. What is said about the whole file follows when all parts have been added.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scan::{ScannedInput, SkippedPieces};
use crate::traffic::{Reason, SkipKind};

/// A file of which parts were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CutFile {
    /// Whether it fails the run if nothing in it can be checked.
    pub is_expected: bool,
    /// What is reported then; `None` if that is nothing.
    pub empty_detail: Option<String>,
    /// Whether the parts have a record.
    pub has_record: bool,
    /// The bytes of the parts.
    pub bytes: u64,
    /// The pieces that were not checked. Those of some reasons are grouped by their detail, too.
    pub skipped: BTreeMap<(SkipKind, Reason, Option<String>), SkippedPieces>,
}

impl CutFile {
    /// Adds other parts of the file.
    pub(super) fn merge(&mut self, other: Self) {
        self.is_expected |= other.is_expected;
        if other.empty_detail < self.empty_detail || self.empty_detail.is_none() {
            self.empty_detail = other.empty_detail;
        }
        self.has_record |= other.has_record;
        self.bytes = self.bytes.saturating_add(other.bytes);
        for ((_, reason, _), pieces) in other.skipped {
            self.add_skipped(reason, pieces);
        }
    }

    /// Adds pieces that were not checked.
    pub(super) fn add_skipped(&mut self, reason: Reason, pieces: SkippedPieces) {
        let detail = pieces.first.2.clone().filter(|_| reason.is_reported_singly());
        match self.skipped.get_mut(&(reason.kind(), reason, detail.clone())) {
            // However many parts have such pieces, the file is one.
            Some(known) => known.merge(SkippedPieces { files: 0, ..pieces }),
            None => {
                let key = (reason.kind(), reason, detail);
                self.skipped.insert(key, SkippedPieces { files: 1, ..pieces });
            }
        }
    }

    /// Adds the file to an input that already has its counts.
    pub(super) fn add_to(&self, name: &Arc<str>, input: &mut ScannedInput) {
        for ((kind, reason, _), pieces) in &self.skipped {
            input.add_skipped((*kind, *reason), pieces.clone());
        }
        if self.has_record {
            return;
        }
        let is_reported = self.skipped.keys().any(|(kind, ..)| *kind == SkipKind::Failed);
        if let Some(detail) = self.empty_detail.clone().filter(|_| !is_reported) {
            let reason = Reason::NothingToCheck;
            // Other pieces account for the bytes.
            let bytes = if self.skipped.is_empty() { self.bytes } else { 0 };
            let first = (Arc::clone(name), None, Some(detail));
            let pieces = SkippedPieces { count: 1, bytes, files: 1, first };
            input.add_skipped((reason.kind(), reason), pieces);
        }
        if self.is_expected {
            input.unread.insert(Arc::clone(name));
        }
    }
}

impl ScannedInput {
    /// Makes the input that of a part of a file.
    pub fn cut(&mut self, name: Arc<str>, file: CutFile) {
        let mut file = CutFile { has_record: self.records > 0, bytes: self.bytes, ..file };
        for ((_, reason), pieces) in std::mem::take(&mut self.skipped) {
            file.add_skipped(reason, pieces);
        }
        // Whether something was read of the file, all its parts decide.
        self.unread.clear();
        self.files = 0;
        self.cut_files.insert(name, file);
    }

    /// The input with what follows from all parts of files.
    #[must_use]
    pub fn completed(&self) -> Self {
        let mut whole = Self { cut_files: BTreeMap::new(), ..self.clone() };
        whole.files += self.cut_files.len() as u64;
        for (name, file) in &self.cut_files {
            file.add_to(name, &mut whole);
        }
        whole
    }
}
