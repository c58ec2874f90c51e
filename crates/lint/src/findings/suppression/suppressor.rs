//! Compares each finding of a run with the allowances and the baseline. At its end, remarks name those that covered no finding, or not
//! all of them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::allowance::{Allowance, AppliedAllowance};
use super::baseline::{Baseline, entries_of};
use super::rule_filter::known_ids;
use super::scope::{CheckedFiles, Completeness};
use super::{RunScope, Suppression};
use crate::findings::{Check, CheckGrades, Finding, Identity, RemarkKind, RunRemark, UseKind};
use crate::rules::{Grade, Lifecycle, RuleSet};
use sundown_exchange::{Reason, SkipKind};
use sundown_files::FileName;
use sundown_text_json::text::most_similar;

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
    suppression: &'s Suppression,
    set: &'s RuleSet,
    grades: &'s CheckGrades,
    /// The day, and the severities of findings.
    pub lifecycle: Lifecycle,
    scope: RunScope,
    allowances: Vec<TrackedAllowance<'s>>,
    /// The entries of the baseline that match a finding.
    entries: BTreeMap<&'s Identity, TrackedEntry>,
}

/// An allowance, and what it has covered.
#[derive(Debug)]
struct TrackedAllowance<'s> {
    pub allowance: &'s Allowance,
    /// Whether it has covered a finding, or an element inside of one.
    pub is_needed: bool,
    /// The removal that ends it before its date, and the rule: the first in the order of both, so that the order of the findings
    /// does not decide.
    pub cut: Option<(NaiveDate, String)>,
}

/// An entry of the baseline: the uses that it lists, and those that were found.
#[derive(Debug)]
struct TrackedEntry {
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
    fn is_exceeded(&self) -> bool {
        self.listed.is_some_and(|listed| self.found > listed)
    }
}

impl<'s> Suppressor<'s> {
    /// A suppressor for findings of these rules and checks, on the day of the lifecycle, in a run with this scope.
    pub fn new(
        suppression: &'s Suppression,
        set: &'s RuleSet,
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
            set,
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

/// The remarks on allowances and baseline at the end of a run.
#[derive(Debug, Default)]
pub struct SuppressionSummary {
    /// In the order of the lines of their files.
    pub remarks: Vec<RunRemark>,
    /// Entries of the baseline that no longer match a finding.
    pub gone: Vec<Identity>,
}

/// The name of standard input, for which existence is not known.
const STANDARD_INPUT: &str = "-";

impl Suppressor<'_> {
    /// The remarks at the end of the run. `complete` is false if the run was interrupted; `exists` returns whether there is a
    /// file of this name, relative to the root.
    pub fn summarize(
        &self,
        complete: bool,
        files: &CheckedFiles,
        exists: &dyn Fn(&str) -> bool,
    ) -> SuppressionSummary {
        let mut remarks = Vec::new();
        for own in &self.allowances {
            let own_remarks = self.remarks_on(own, complete, files).into_iter();
            remarks.extend(own_remarks.map(|(kind, message)| RunRemark {
                kind,
                file: Arc::clone(&own.allowance.terms.file),
                line: Some(own.allowance.terms.line),
                message,
            }));
        }
        let baseline = self.suppression.baseline.as_ref();
        let gone = match baseline {
            Some(baseline) if complete => self.gone_entries(baseline, files, exists),
            _ => Vec::new(),
        };
        let no_match = ["no longer matches a finding", "no longer match a finding"];
        let more_uses = ["has more uses now", "have more uses now"];
        let exceeded = self.entries.values().filter(|entry| entry.is_exceeded());
        for (kind, count, [of_one, of_several]) in [
            (RemarkKind::GoneEntries, gone.len(), no_match),
            (RemarkKind::MoreUses, exceeded.count(), more_uses),
        ] {
            let message = match count {
                1 => format!("1 entry {of_one}"),
                _ => format!("{count} entries {of_several}"),
            };
            let remark = baseline.filter(|_| count > 0).map(|own| RunRemark {
                kind,
                file: Arc::clone(&own.name),
                line: None,
                message,
            });
            remarks.extend(remark);
        }
        SuppressionSummary { remarks, gone }
    }

    /// What to say of an allowance.
    fn remarks_on(
        &self,
        own: &TrackedAllowance<'_>,
        complete: bool,
        files: &CheckedFiles,
    ) -> Vec<(RemarkKind, String)> {
        let TrackedAllowance { allowance, .. } = own;
        let ids = allowance.rules.iter().map(String::as_str);
        let unknown: Vec<&str> = ids.filter(|id| !self.is_known(id)).collect();
        let mut remarks = Vec::new();
        if let Err(written) = &own.allowance.terms.until {
            let message = format!("\"{written}\" is not a date: this allowance counts as ended");
            remarks.push((RemarkKind::UnreadableDate, message));
        }
        if self.scope.rules == Completeness::Complete {
            let unknown = unknown.iter().map(|id| {
                let nearest = most_similar(id, known_ids(self.set));
                let nearest = nearest.map(|id| format!(", the nearest is `{id}`"));
                let nearest = nearest.unwrap_or_default();
                (
                    RemarkKind::UnknownRule,
                    format!("there is no rule `{id}`{nearest}"),
                )
            });
            remarks.extend(unknown);
        }
        if let (Some((removal, rule)), Ok(until)) = (&own.cut, &own.allowance.terms.until) {
            let message = format!(
                "this allowance ends for `{rule}` with its removal, after {removal} instead of {until}"
            );
            remarks.push((RemarkKind::LateDate, message));
        }
        let is_about_known = unknown.is_empty() || unknown.len() < allowance.rules.len();
        let is_whole = complete && self.scope.files == Completeness::Complete;
        let is_unused = !own.is_needed && is_whole && is_about_known;
        if is_unused && self.was_looked_for(allowance, files) {
            let message = "this allowance covers no finding".to_owned();
            remarks.push((RemarkKind::UnusedAllowance, message));
        }
        remarks
    }

    /// Returns whether an id of an allowance names a rule, a check, or a rule after a check.
    fn is_known(&self, id: &str) -> bool {
        match id.split_once('/') {
            Some((check, rule)) if Check::from_id(check).is_some() => self.set.selects(rule),
            _ => Check::from_id(id).is_some() || self.set.selects(id),
        }
    }

    /// Returns whether the run looked for everything that an allowance covers, with the settings of the project, and read all files
    /// in which it could have found that.
    fn was_looked_for(&self, allowance: &Allowance, files: &CheckedFiles) -> bool {
        let ids = &allowance.rules;
        let has_rules = self.scope.rules == Completeness::Complete
            || !ids.is_empty() && ids.iter().all(|id| self.set.selects(id));
        let has_checks = self.scope.checks == Completeness::Complete
            || !ids
                .iter()
                .any(|id| id.contains('/') || Check::from_id(id).is_some());
        let mut incomplete = files.incomplete.iter();
        has_rules
            && has_checks
            && self.scope.bodies == Completeness::Complete
            && !ids.iter().any(|id| {
                let (check, rule) = id.split_once('/').unwrap_or((id, id));
                self.is_off(check, rule)
            })
            && !incomplete.any(|(file, reason)| match (reason, &allowance.files) {
                // A path that cannot be opened may be a folder with any files.
                (Reason::Unreadable, _) => true,
                (_, Some(own)) => own.matches(file),
                (_, None) => reason.kind() == SkipKind::Failed,
            })
    }

    /// Returns whether the configuration turns a rule or a check off.
    fn is_off(&self, check: &str, rule: &str) -> bool {
        let mut own = self.set.selected(rule).peekable();
        let of_rule = own.peek().is_some() && own.all(|rule| rule.grade == Grade::Off);
        of_rule
            || Check::from_id(check).is_some_and(|check| self.grades.of(check, rule) == Grade::Off)
    }

    /// The entries without a finding, if the run could have found one.
    fn gone_entries(
        &self,
        baseline: &Baseline,
        files: &CheckedFiles,
        exists: &dyn Fn(&str) -> bool,
    ) -> Vec<Identity> {
        let mut incomplete = files.incomplete.iter();
        let unread: HashSet<&str> = incomplete.clone().map(|(file, _)| &*file.rooted).collect();
        let has_failed = incomplete.any(|(_, reason)| reason.kind() == SkipKind::Failed);
        let has_all_files = self.scope.files == Completeness::Complete;
        // Another description may refer to a file to which this one does not.
        let has_all_reached = has_all_files && !has_failed;
        // Names are relative to the root of the run; a run over a part of the project cannot know whether a file is missing.
        let can_miss = has_all_files && self.scope.known == Completeness::Complete;
        let unseen = baseline.entries.keys();
        let unseen = unseen.filter(|entry| !self.entries.contains_key(entry));
        unseen
            .filter(
                |Identity {
                     file, rule, check, ..
                 }| {
                    let file = file.as_str();
                    let is_one = file != STANDARD_INPUT && !file.contains('*');
                    let is_read = if files.reached.contains(file) {
                        has_all_reached
                    } else {
                        files.opened.contains(file) && !unread.contains(file)
                    };
                    can_miss && is_one && !exists(file)
                        || is_read
                            && (self.set.selects(rule) || Check::from_id(rule).is_some())
                            && (check.is_empty() || self.scope.checks == Completeness::Complete)
                            && self.scope.bodies == Completeness::Complete
                            && !self.is_off(check, rule)
                },
            )
            .cloned()
            .collect()
    }
}
