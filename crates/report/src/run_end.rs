//! What follows from a run as a whole: folders without anything to check.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Collector, Summary};
use sundown_exchange::{Reason, Skip};
use sundown_files::FileName;

/// What follows from a run as a whole, at its end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnd {
    /// Whether everything was read.
    pub is_complete: bool,
    /// The folders that were named.
    pub folders: BTreeSet<FileName>,
    /// Whether files were named.
    pub has_given_files: bool,
}

impl Default for RunEnd {
    fn default() -> Self {
        Self {
            is_complete: true,
            folders: BTreeSet::new(),
            has_given_files: false,
        }
    }
}

impl RunEnd {
    pub(super) fn merge(&mut self, other: Self) {
        self.is_complete &= other.is_complete;
        self.folders.extend(other.folders);
        self.has_given_files |= other.has_given_files;
    }

    /// Adds what follows from all of the input: folders in which nothing was checked.
    pub fn conclude(self, collector: &mut Collector<'_>) {
        if self.is_complete && collector.report.unchanged.is_none() {
            self.report_unread_folders(collector);
        }
    }

    /// Reports folders in which nothing was checked: a run that read nothing, or only calls to other hosts than those of the rules,
    /// is no success. Without anything to check, they are most likely not those that the user meant.
    fn report_unread_folders(&self, collector: &mut Collector<'_>) {
        let is_elsewhere = collector.has_only_calls_elsewhere();
        let Summary {
            files,
            records,
            searched,
            ..
        } = collector.report.summary;
        let is_empty = records == 0 && searched == 0 && !self.has_given_files;
        if !is_empty && !is_elsewhere {
            return;
        }
        let is_known = is_elsewhere || collector.report.summary.failed > 0;
        for folder in &self.folders {
            collector.add_unread(folder);
            if !is_known {
                let skip = Skip::file(Reason::NothingToCheck, 0);
                let detail = (files == 0).then(|| "no files were found in it".to_owned());
                collector.skip_path(folder, Skip { detail, ..skip });
            }
        }
    }
}
