//! The allowances and the baseline of a run, and what the run covers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::allowance::Allowance;
use super::baseline::Baseline;
use super::rule_filter::RuleFilter;
use sundown_exchange::{Reason, SkipKind};
use sundown_files::FileName;

/// The allowances and the baseline of a run.
#[derive(Debug, Clone, Default)]
pub struct Suppression {
    /// The allowances of the configuration.
    pub allowances: Vec<Allowance>,
    /// The known findings, if there are any.
    pub baseline: Option<Baseline>,
    /// What it does not select is left out.
    pub filter: RuleFilter,
}

/// How much of something a run covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Completeness {
    /// All of it.
    #[default]
    Complete,
    /// Part of it, or an unknown share.
    Partial,
}

/// The extent of a run. An allowance or entry without a finding means something only if the run could have found one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunScope {
    /// The files of the project, except those that its configuration excludes.
    pub files: Completeness,
    /// The rules of the project.
    pub rules: Completeness,
    /// The checks of descriptions.
    pub checks: Completeness,
    /// The contents of files, read with the settings of the project.
    pub bodies: Completeness,
    /// The files that the baseline may name; several projects may share it.
    pub known: Completeness,
}

/// The files of a run, by how they were checked: what decides whether an allowance or an entry of the baseline is still needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedFiles {
    /// Files that were opened, by their names relative to the root.
    pub opened: BTreeSet<Arc<str>>,
    /// Files that a description refers to, by the same names.
    pub reached: BTreeSet<Arc<str>>,
    /// Files with a body that a record names: they were checked with its call.
    pub bodies: BTreeSet<FileName>,
    /// Files that were not checked completely, and why.
    pub incomplete: BTreeSet<(FileName, Reason)>,
}

impl CheckedFiles {
    /// Notes that a file or a piece of it was not checked.
    pub fn note_skipped(&mut self, file: &FileName, reason: Reason) {
        let unnamed = matches!(reason, Reason::NoOperation | Reason::NotAFormat);
        if unnamed || reason.kind() == SkipKind::Failed {
            self.incomplete.insert((file.clone(), reason));
        }
    }
}
