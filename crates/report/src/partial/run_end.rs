//! What follows from a run as a whole: folders without anything to check.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Collector;
use sundown_exchange::{Reason, Skip};
use sundown_files::FileName;
use sundown_lint::findings::suppression::{Completeness, RunScope};

/// What a run covers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanScope {
    /// The paths that the user named.
    pub paths: BTreeSet<String>,
    /// Whether the paths are those of the configuration.
    pub has_configured_paths: bool,
    /// The files of the project.
    pub files: Completeness,
    /// The checks of descriptions.
    pub checks: Completeness,
    /// The contents of files, read with the settings of the project.
    pub bodies: Completeness,
}

/// What follows from a run as a whole, at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnd {
    /// Whether everything was read.
    pub is_complete: bool,
    /// The folders that were named.
    pub folders: BTreeSet<FileName>,
    /// Whether files were named.
    pub has_given_files: bool,
}

impl ScanScope {
    /// Takes over the scope of a run, whose paths the user names or does not.
    pub fn of(scope: RunScope, paths: BTreeSet<String>) -> Self {
        let RunScope {
            files,
            checks,
            bodies,
            ..
        } = scope;
        Self {
            has_configured_paths: paths.is_empty(),
            paths,
            files,
            checks,
            bodies,
        }
    }

    /// The scope of a run over all files, whose rules and baseline are those of `own`.
    pub fn completed_by(&self, own: RunScope) -> RunScope {
        RunScope {
            files: self.files,
            checks: self.checks,
            bodies: self.bodies,
            ..own
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.has_configured_paths |= other.has_configured_paths;
        // A run over the root of the project and one over a folder in it read all files together. A run with a role leaves out
        // checks of its files.
        self.files = self.files.min(other.files);
        self.checks = self.checks.max(other.checks);
        self.bodies = self.bodies.max(other.bodies);
    }
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
}

impl RunEnd {
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
        let is_empty = collector.summary().records == 0 && !self.has_given_files;
        if !is_empty && !is_elsewhere {
            return;
        }
        let is_known = is_elsewhere || collector.report.summary.failed > 0;
        for folder in &self.folders {
            collector.add_unread(folder);
            if !is_known {
                collector.skip_path(folder, Skip::file(Reason::NothingToCheck, 0));
            }
        }
    }
}
