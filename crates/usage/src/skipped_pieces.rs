//! Pieces that were not checked, counted by reason.

use std::sync::Arc;

use super::count::add_count;
use sundown_text_json::text::Location;

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
