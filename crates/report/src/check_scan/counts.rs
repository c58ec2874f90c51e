//! The counts of what a partial result of `check` has read.

use crate::Summary;
use serde::{Deserialize, Serialize};

/// The counts of what was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputCounts {
    files: usize,
    pub(super) records: usize,
    descriptions: usize,
    bytes: usize,
    pub(super) no_rule: usize,
    /// Files that were left out because they have not changed.
    pub(super) unchanged: usize,
}

impl InputCounts {
    pub(super) fn of(summary: &Summary, unchanged: usize) -> Self {
        let &Summary {
            files,
            records,
            descriptions,
            bytes,
            no_rule,
            ..
        } = summary;
        Self {
            files,
            records,
            descriptions,
            bytes,
            no_rule,
            unchanged,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (own, added) in [
            (&mut self.files, other.files),
            (&mut self.records, other.records),
            (&mut self.descriptions, other.descriptions),
            (&mut self.bytes, other.bytes),
            (&mut self.no_rule, other.no_rule),
            (&mut self.unchanged, other.unchanged),
        ] {
            *own = own.saturating_add(added);
        }
    }

    /// Sets the counts of a report that has none yet.
    pub(super) fn set(self, summary: &mut Summary) {
        let Self {
            files,
            records,
            descriptions,
            bytes,
            no_rule,
            unchanged: _,
        } = self;
        *summary = Summary {
            files,
            records,
            descriptions,
            bytes,
            no_rule,
            ..*summary
        };
    }
}
