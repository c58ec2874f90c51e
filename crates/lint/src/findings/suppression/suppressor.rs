//! Compares each finding of a run with the allowances and the baseline.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::allowance::{Allowance, AppliedAllowance};
use super::baseline::entries_of;
use super::{RunScope, Suppression};
use crate::findings::{CheckGrades, Finding, Identity, UseKind};
use crate::rules::{Lifecycle, RuleSet};
use sundown_files::FileName;

/// The status of a finding: it counts, or the reason why it does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SuppressionStatus {
    /// It counts.
    #[default]
    Open,
    /// Its allowance has expired: it counts.
    Expired(AppliedAllowance),
    /// It is allowed and does not count.
    Allowed(AppliedAllowance),
    /// The baseline contains it: it does not count.
    Baselined,
    /// The user asks for other findings: it is left out.
    Unselected,
}

/// Decides which findings of a run count, and keeps track of allowances and entries that were needed.
#[derive(Debug)]
pub struct Suppressor<'s> {
    pub(super) suppression: &'s Suppression,
    pub(super) table: &'s RuleSet,
    pub(super) grades: &'s CheckGrades,
    /// The day, and the severities of findings.
    pub lifecycle: Lifecycle,
    pub(super) scope: RunScope,
    pub(super) allowances: Vec<TrackedAllowance<'s>>,
    /// The entries of the baseline that match a finding.
    pub(super) entries: BTreeMap<&'s Identity, TrackedEntry>,
}

/// An allowance, and what it has covered.
#[derive(Debug)]
pub(super) struct TrackedAllowance<'s> {
    pub allowance: &'s Allowance,
    /// Whether it has covered a finding, or an element inside of one.
    pub is_needed: bool,
    /// The removal that ends it before its date, and the rule: the first in the order of both, so that the order of the findings
    /// does not decide.
    pub cut: Option<(NaiveDate, String)>,
}

/// An entry of the baseline: the uses that it lists, and those that were found.
#[derive(Debug)]
pub(super) struct TrackedEntry {
    listed: Option<usize>,
    found: usize,
}

impl SuppressionStatus {
    /// Returns whether the finding counts.
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::Open | Self::Expired(_))
    }

    /// The allowance that covers it, active or expired.
    pub fn allowance(&self) -> Option<&AppliedAllowance> {
        match self {
            Self::Expired(grant) | Self::Allowed(grant) => Some(grant),
            Self::Open | Self::Baselined | Self::Unselected => None,
        }
    }

    /// That its allowance has expired, if it has. Not escaped.
    pub fn expiry_note(&self) -> Option<String> {
        match self {
            Self::Expired(grant) => Some(grant.expired_text()),
            _ => None,
        }
    }
}

impl TrackedAllowance<'_> {
    /// The allowance as it applies to a finding, if it covers that. One that covers only elements inside it is needed, too.
    fn apply(&mut self, finding: &Finding, file: &FileName) -> Option<AppliedAllowance> {
        let Self { allowance, .. } = *self;
        let check = finding.check();
        let mut inside = finding.related.iter();
        let covers = allowance.is_about(&finding.rule, check, finding.found.pointer.as_ref());
        let is_needed =
            covers || inside.any(|own| allowance.is_about(&own.rule, check, own.pointer.as_ref()));
        if !is_needed || !allowance.reaches(finding, file) {
            return None;
        }
        self.is_needed = true;
        let applied = covers.then(|| allowance.apply(finding.rule.removal))?;
        if let Some(removal) = applied.removal {
            let own = (removal, finding.rule.id.clone());
            if self.cut.as_ref().is_none_or(|known| own < *known) {
                self.cut = Some(own);
            }
        }
        Some(applied)
    }
}

impl TrackedEntry {
    /// Returns whether there are more uses than the baseline lists.
    pub(super) fn is_exceeded(&self) -> bool {
        self.listed.is_some_and(|listed| self.found > listed)
    }
}

impl<'s> Suppressor<'s> {
    /// A suppressor for findings of these rules and checks, on the day of the lifecycle, in a run with this scope.
    pub fn new(
        suppression: &'s Suppression,
        table: &'s RuleSet,
        grades: &'s CheckGrades,
        lifecycle: Lifecycle,
        scope: RunScope,
    ) -> Self {
        let allowances = suppression.allowances.iter();
        let allowances = allowances.map(|allowance| TrackedAllowance {
            allowance,
            is_needed: false,
            cut: None,
        });
        Self {
            suppression,
            table,
            grades,
            lifecycle,
            scope,
            allowances: allowances.collect(),
            entries: BTreeMap::new(),
        }
    }

    /// Decides whether a finding in this file counts. The uses of one element must come in the order in which the baseline has
    /// counted them: those after the number that it lists are new.
    pub fn status_of(&mut self, finding: &Finding, file: &FileName) -> SuppressionStatus {
        let today = self.lifecycle.as_of;
        let allowances = self.allowances.iter_mut();
        let covering = allowances.filter_map(|own| own.apply(finding, file));
        // The one that expires last; the first of several.
        let allowance = covering.rev().max_by_key(AppliedAllowance::last_day);
        let is_selected = self.suppression.filter.selects(finding);
        let entry = self.find_entry(finding, file);
        match (allowance, entry) {
            _ if !is_selected => SuppressionStatus::Unselected,
            (Some(own), _) if own.last_day().is_some_and(|day| today <= day) => {
                SuppressionStatus::Allowed(own)
            }
            (Some(own), _) => SuppressionStatus::Expired(own),
            (None, Some(entry)) => {
                if finding.use_kind == UseKind::Own {
                    entry.found = entry.found.saturating_add(finding.sightings.count);
                }
                if entry.is_exceeded() {
                    SuppressionStatus::Open
                } else {
                    SuppressionStatus::Baselined
                }
            }
            (None, None) => SuppressionStatus::Open,
        }
    }

    /// The baseline's entry for a finding. Those for elements inside it are noted, too: they are no separate findings, but they exist.
    fn find_entry(&mut self, finding: &Finding, file: &FileName) -> Option<&mut TrackedEntry> {
        let known = &self.suppression.baseline.as_ref()?.entries;
        let mut own = None;
        for (identity, _) in entries_of(finding, &file.rooted) {
            own = known.get_key_value(&identity);
            if let Some((entry, &listed)) = own {
                let new = TrackedEntry { listed, found: 0 };
                self.entries.entry(entry).or_insert(new);
            }
        }
        self.entries.get_mut(own?.0)
    }
}
