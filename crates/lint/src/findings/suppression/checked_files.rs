//! The files of a run, by how they were checked: what decides whether an allowance or an entry of the baseline is still needed.

use std::collections::BTreeSet;
use std::sync::Arc;

use sundown_exchange::{Reason, SkipKind};
use sundown_files::FileName;

/// The files of a run, by how they were checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedFiles {
    /// Files that were opened, by their names relative to the root.
    pub(super) opened: BTreeSet<Arc<str>>,
    /// Files that a description refers to, by the same names.
    pub(super) reached: BTreeSet<Arc<str>>,
    /// Files with a body that a record names: they were checked with its call.
    pub bodies: BTreeSet<FileName>,
    /// Files that were not checked completely, and why.
    pub incomplete: BTreeSet<(FileName, Reason)>,
}

impl CheckedFiles {
    /// Notes that a file was opened.
    pub fn note_opened(&mut self, file: &FileName) {
        self.opened.insert(Arc::clone(&file.rooted));
    }

    /// Notes that a description refers to a file.
    pub fn note_reached(&mut self, file: &FileName) {
        self.reached.insert(Arc::clone(&file.rooted));
    }

    /// Notes that a file or a piece of it was not checked.
    pub fn note_skipped(&mut self, file: &FileName, reason: Reason) {
        let unnamed = matches!(reason, Reason::NoOperation | Reason::NotAFormat);
        if unnamed || reason.kind() == SkipKind::Failed {
            self.incomplete.insert((file.clone(), reason));
        }
    }
}
