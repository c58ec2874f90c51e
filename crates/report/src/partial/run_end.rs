//! What follows from a run as a whole: folders without anything to check, and source maps that no script has.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Collector, plural};
use sundown_exchange::{Reason, Skip};
use sundown_files::FileName;
use sundown_lint::findings::suppression::{Completeness, RunScope};

/// How many URLs of scripts are kept in memory and counted. The files of others are searched again.
pub const MAX_SCRIPTS: usize = 10_000;

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
    /// The source maps, by the names of their folders.
    pub maps: BTreeMap<String, SeenMaps>,
}

/// The source maps that were searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenMaps {
    /// The maps that cannot be read, by their names, each with what is wrong.
    pub damaged: BTreeMap<String, String>,
    /// Whether a script has a map.
    pub has_map: bool,
    /// The scripts; only if none has a map.
    pub scripts: BTreeSet<String>,
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
            maps: BTreeMap::new(),
        }
    }
}

impl RunEnd {
    pub(super) fn merge(&mut self, other: Self) {
        self.is_complete &= other.is_complete;
        self.folders.extend(other.folders);
        self.has_given_files |= other.has_given_files;
        for (name, maps) in other.maps {
            self.maps.entry(name).or_default().merge(maps);
        }
    }
}

impl SeenMaps {
    fn merge(&mut self, other: Self) {
        self.damaged.extend(other.damaged);
        self.has_map |= other.has_map;
        self.scripts.extend(other.scripts);
        if self.has_map {
            self.scripts.clear();
        }
    }
}

impl RunEnd {
    /// Adds what follows from all of the input: folders in which nothing was checked, and source maps that are no help.
    pub fn conclude(self, collector: &mut Collector<'_>) {
        if self.is_complete && collector.report.unchanged.is_none() {
            self.report_unread_folders(collector);
        }
        for (folder, maps) in self.maps {
            maps.report(&folder, collector);
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

impl SeenMaps {
    /// Reports source maps that cannot be read, and a folder without a map for any script.
    fn report(self, folder: &str, collector: &mut Collector<'_>) {
        for (damaged, detail) in self.damaged {
            let name = FileName::verbatim(&damaged);
            let skip = Skip::file(Reason::BrokenSourceMap, 0).because(detail);
            collector.skip_path(&name, skip);
        }
        if !self.has_map && !self.scripts.is_empty() {
            let detail = plural(self.scripts.len().min(MAX_SCRIPTS), "script");
            let name = FileName::verbatim(folder);
            collector.skip_path(&name, Skip::file(Reason::NoSourceMap, 0).because(detail));
        }
    }
}
