//! A file of which each scan reads a part. What is said about the whole file follows when all parts have been added.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::skipped_pieces::SkippedPieces;
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
        let details = [self.empty_detail.take(), other.empty_detail];
        self.empty_detail = details.into_iter().flatten().min();
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

    /// The pieces of the whole file that were not checked. A file without a record is one.
    pub(super) fn all_skipped(&self, name: &Arc<str>) -> Vec<((SkipKind, Reason), SkippedPieces)> {
        let skipped = self.skipped.iter();
        let mut all: Vec<_> =
            skipped.map(|((kind, reason, _), pieces)| ((*kind, *reason), pieces.clone())).collect();
        let is_reported = all.iter().any(|((kind, _), _)| *kind == SkipKind::Failed);
        let detail = self.empty_detail.clone().filter(|_| !self.has_record && !is_reported);
        if let Some(detail) = detail {
            let reason = Reason::NothingToCheck;
            // Other pieces account for the bytes.
            let bytes = if all.is_empty() { self.bytes } else { 0 };
            let first = (Arc::clone(name), None, Some(detail));
            all.push(((reason.kind(), reason), SkippedPieces { count: 1, bytes, files: 1, first }));
        }
        all
    }

    /// Returns whether the file fails the run, because nothing in it was checked.
    pub(super) fn is_unread(&self) -> bool {
        self.is_expected && !self.has_record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_parts_does_not_matter() {
        let details = [None, Some("a".to_owned()), Some("b".to_owned())];
        for one in &details {
            for other in &details {
                let [first, second] = [one, other]
                    .map(|detail| CutFile { empty_detail: detail.clone(), ..CutFile::default() });
                let (mut forth, mut back) = (first.clone(), second.clone());
                forth.merge(second);
                back.merge(first);
                assert_eq!(forth, back);
            }
        }
    }
}
