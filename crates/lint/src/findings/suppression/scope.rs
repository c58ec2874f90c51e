//! The allowances and the baseline of a run, and what the run covers.

use super::allowance::Allowance;
use super::baseline::Baseline;
use super::rule_filter::RuleFilter;
use std::sync::Arc;
use sundown_text_json::text::{Block, Locations};

/// The allowances and the baseline of a run.
#[derive(Debug, Clone, Default)]
pub struct Suppression {
    /// The file that contains the allowances.
    pub(super) file: Arc<str>,
    pub(super) allowances: Vec<ListedAllowance>,
    baseline: Option<Baseline>,
    pub(super) filter: RuleFilter,
}

/// An allowance with its line and date text, for messages.
#[derive(Debug, Clone)]
pub(super) struct ListedAllowance {
    pub allowance: Allowance,
    /// The line on which it begins.
    pub line: usize,
    /// The text of its date, if that is invalid.
    pub written: String,
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

impl Suppression {
    /// Adds the allowances of a file with this name and text.
    #[must_use]
    pub fn with_allowances(self, name: &str, text: &str, allowances: &[Allowance]) -> Self {
        let starts = allowances
            .iter()
            .map(|allowance| allowance.span.start)
            .collect();
        let places = Locations::of(Block::whole(text.as_bytes()), starts);
        let allowances = allowances
            .iter()
            .map(|allowance| ListedAllowance {
                line: places.get(allowance.span.start).line,
                written: allowance.until.written(text),
                allowance: allowance.clone(),
            })
            .collect();
        Self {
            file: name.into(),
            allowances,
            ..self
        }
    }

    /// Leaves out findings that the filter does not select.
    #[must_use]
    pub fn with_filter(self, filter: RuleFilter) -> Self {
        Self { filter, ..self }
    }

    /// Sets the baseline.
    #[must_use]
    pub fn with_baseline(self, baseline: Baseline) -> Self {
        Self {
            baseline: Some(baseline),
            ..self
        }
    }

    /// The baseline, if there is one.
    pub fn baseline(&self) -> Option<&Baseline> {
        self.baseline.as_ref()
    }
}
