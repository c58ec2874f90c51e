//! Compares each finding of a run with the allowances and the baseline, and reports those that covered no finding.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::allowance::{AppliedAllowance, Expiry, OperationCache};
use super::baseline::{Baseline, BaselineEntry};
use super::checked_files::CheckedFiles;
use super::rule_filter::known_ids;
use super::scope::ListedAllowance;
use super::{Completeness, RunScope, Suppression};
use crate::findings::{
    Check, CheckGrades, ExcerptParts, Finding, Identity, Occurrence, Related, RemarkKind,
    RunRemark, UseKind,
};
use crate::rules::{ElementPart, Grade, Lifecycle, Rule, RuleTable};
use sundown_exchange::{Reason, SkipKind};
use sundown_files::FileName;
use sundown_text_json::json::pointer;
use sundown_text_json::text::{join, most_similar};

/// The status of a finding: it counts, or the reason why it does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SuppressionStatus {
    /// It counts.
    #[default]
    Open,
    /// Its allowance has expired: it counts.
    Expired(Arc<AppliedAllowance>),
    /// It is allowed and does not count.
    Allowed(Arc<AppliedAllowance>),
    /// The baseline contains it: it does not count.
    Baselined,
    /// The user asks for other findings: it is left out.
    Unselected,
}

/// Decides which findings of a run count, and keeps track of allowances and entries that were needed.
#[derive(Debug)]
pub struct Suppressor<'s> {
    suppression: &'s Suppression,
    table: &'s RuleTable,
    grades: &'s CheckGrades,
    lifecycle: Lifecycle,
    scope: RunScope,
    /// The findings that each allowance has covered.
    matches: Vec<AllowanceMatches>,
    /// The file of the last finding, and whether each allowance applies to it.
    selected: Option<(FileName, Vec<bool>)>,
    operations: OperationCache,
    /// Indices of the baseline's entries that match a finding.
    seen: HashSet<usize>,
    /// The uses of the findings that entries of the baseline match.
    uses: HashMap<usize, usize>,
}

/// The findings that an allowance has covered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum AllowanceMatches {
    #[default]
    Nothing,
    Findings,
    /// Findings of this rule, whose removal ends the allowance before its date.
    Removal {
        rule: String,
        removal: NaiveDate,
        until: NaiveDate,
    },
}

/// The remarks on allowances and baseline at the end of a run.
#[derive(Debug, Default)]
pub struct SuppressionSummary {
    /// In the order of the lines of their files.
    pub remarks: Vec<RunRemark>,
    /// Entries of the baseline that no longer match a finding.
    pub gone: Vec<BaselineEntry>,
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

impl<'s> Suppressor<'s> {
    /// A suppressor for findings of these rules and checks, on the day of the lifecycle, in a run with this scope.
    pub fn new(
        suppression: &'s Suppression,
        table: &'s RuleTable,
        grades: &'s CheckGrades,
        lifecycle: Lifecycle,
        scope: RunScope,
    ) -> Self {
        Self {
            suppression,
            table,
            grades,
            lifecycle,
            scope,
            matches: vec![AllowanceMatches::Nothing; suppression.allowances.len()],
            selected: None,
            operations: OperationCache::default(),
            seen: HashSet::new(),
            uses: HashMap::new(),
        }
    }

    /// Decides whether a finding in this file counts. The uses of one element must come in the order in which the baseline has
    /// counted them: those after the number that it lists are new.
    pub fn status_of(&mut self, finding: &Finding, file: &FileName) -> SuppressionStatus {
        // Elements inside a finding are no separate findings, but they exist, and need their entries.
        for inside in &finding.related {
            self.find_entry(Identity::inside(finding, inside), file);
        }
        let entry = self.find_entry(Identity::of(finding), file);
        match self.find_allowance(finding, file) {
            _ if !self.suppression.filter.selects(finding) => SuppressionStatus::Unselected,
            Some(grant) if grant.end.is_after(self.lifecycle.as_of) => {
                SuppressionStatus::Allowed(Arc::new(grant))
            }
            Some(grant) => SuppressionStatus::Expired(Arc::new(grant)),
            None => match entry {
                Some(entry) if !self.has_more_uses(entry, finding) => SuppressionStatus::Baselined,
                _ => SuppressionStatus::Open,
            },
        }
    }

    /// Selects the allowances that apply to a file. The last selection is kept, because findings come file by file.
    fn select_file(&mut self, file: &FileName) {
        if self
            .selected
            .as_ref()
            .is_none_or(|(known, _)| known != file)
        {
            let allowances = self.suppression.allowances.iter();
            let selected = allowances.map(|listed| listed.allowance.is_about_file(file));
            self.selected = Some((file.clone(), selected.collect()));
        }
    }

    /// The allowance that expires last, of all that cover the finding. One that covers only elements inside it is needed, too.
    fn find_allowance(&mut self, finding: &Finding, file: &FileName) -> Option<AppliedAllowance> {
        let removal = finding.rule.removal;
        let mut best: Option<(&ListedAllowance, Expiry)> = None;
        self.select_file(file);
        let selected = self.selected.iter().flat_map(|(_, selected)| selected);
        let allowances = self.suppression.allowances.iter().zip(&mut self.matches);
        let selected = allowances.zip(selected).filter(|(_, is_own)| **is_own);
        for ((listed, matches), _) in selected {
            let allowance = &listed.allowance;
            if allowance.covers(finding, &mut self.operations) {
                let end = allowance.end(removal, &listed.written);
                matches.add(finding, &end);
                if best
                    .as_ref()
                    .is_none_or(|(_, known)| known.day() < end.day())
                {
                    best = Some((listed, end));
                }
            } else if *matches == AllowanceMatches::Nothing
                && allowance.covers_inside(finding, &mut self.operations)
            {
                *matches = AllowanceMatches::Findings;
            }
        }
        let (listed, end) = best?;
        let file = Arc::clone(&self.suppression.file);
        Some(AppliedAllowance {
            file,
            line: listed.line,
            reason: join(listed.allowance.reason.split_whitespace(), " "),
            end,
        })
    }

    /// The index of the baseline's entry for a finding, which is noted as seen.
    fn find_entry(&mut self, identity: Identity<'_>, file: &FileName) -> Option<usize> {
        let baseline = self.suppression.baseline()?;
        let entry = baseline.index_of(&identity.fingerprint(&identity.file(&file.rooted)))?;
        self.seen.insert(entry);
        Some(entry)
    }

    /// Counts the uses of a finding with this entry, and returns whether there are more than it lists.
    fn has_more_uses(&mut self, entry: usize, finding: &Finding) -> bool {
        if finding.use_kind == UseKind::Own {
            let uses = self.uses.entry(entry).or_default();
            *uses = uses.saturating_add(finding.sightings.count);
        }
        self.is_exceeded(entry)
    }

    fn is_exceeded(&self, number: usize) -> bool {
        let entries = self.suppression.baseline().map(Baseline::entries);
        let listed = entries.and_then(|entries| entries.get(number)?.uses);
        let found = self.uses.get(&number);
        listed
            .zip(found)
            .is_some_and(|(listed, found)| *found > listed)
    }

    /// The elements inside a finding as separate findings, in their order; `None` for an element without a rule in the table.
    pub fn related_findings(&self, outer: &Finding) -> Vec<Option<Finding>> {
        outer
            .related
            .iter()
            .map(|inside| {
                let rule = self.rule_of(inside)?;
                let key = match member_name(inside) {
                    Some(member) => Some(format!("\"{member}\"")),
                    None if matches!(rule.element.part, ElementPart::Header(_)) => {
                        rule.element.name().map(str::to_owned)
                    }
                    None => None,
                };
                let found = Occurrence {
                    operation: Arc::clone(&outer.found.operation),
                    part: inside.part,
                    pointer: inside.pointer.clone(),
                    span: inside.span,
                    shown: ExcerptParts {
                        key,
                        encoded: inside.encoded,
                        ..ExcerptParts::default()
                    },
                    // It may come from a folded repeat of the outer finding in another exchange.
                    exchange: None,
                    certainty: inside.certainty,
                };
                Some(Finding::new(&rule, &self.lifecycle, found))
            })
            .collect()
    }

    /// The rule of an element. A rule about a schema has an entry for each name.
    fn rule_of(&self, inside: &Related) -> Option<Arc<Rule>> {
        let name = member_name(inside);
        let mut of_id = self
            .table
            .rules()
            .iter()
            .filter(|rule| rule.id == inside.rule);
        of_id
            .clone()
            .find(|rule| name.is_some() && rule.element.name() == name.as_deref())
            .or_else(|| of_id.next())
            .cloned()
            .or_else(|| self.table.rule_of_version(&inside.rule))
    }

    /// The remarks at the end of the run. `complete` is false if the run was interrupted; `exists` returns whether there is a
    /// file of this name, relative to the root.
    pub fn summarize(
        &self,
        complete: bool,
        files: &CheckedFiles,
        exists: &dyn Fn(&str) -> bool,
    ) -> SuppressionSummary {
        let extent = if complete {
            self.scope.files
        } else {
            Completeness::Partial
        };
        let mut remarks = self.allowance_remarks(extent, files);
        let gone = if complete {
            self.gone_entries(files, exists)
        } else {
            Vec::new()
        };
        let exceeded = self.uses.keys().filter(|number| self.is_exceeded(**number));
        let more_uses = match exceeded.count() {
            0 => None,
            1 => Some("1 entry has more uses now".to_owned()),
            count => Some(format!("{count} entries have more uses now")),
        };
        let without_finding = match gone.len() {
            0 => None,
            1 => Some("1 entry no longer matches a finding".to_owned()),
            count => Some(format!("{count} entries no longer match a finding")),
        };
        let messages = [
            (RemarkKind::GoneEntries, without_finding),
            (RemarkKind::MoreUses, more_uses),
        ];
        for (kind, message) in messages {
            if let (Some(baseline), Some(message)) = (self.suppression.baseline(), message) {
                remarks.push(RunRemark {
                    kind,
                    file: Arc::clone(&baseline.name),
                    line: None,
                    message,
                });
            }
        }
        SuppressionSummary { remarks, gone }
    }

    fn allowance_remarks(&self, extent: Completeness, files: &CheckedFiles) -> Vec<RunRemark> {
        let mut remarks = Vec::new();
        for (listed, matches) in self.suppression.allowances.iter().zip(&self.matches) {
            let mut say = |kind, message| {
                let file = Arc::clone(&self.suppression.file);
                remarks.push(RunRemark {
                    kind,
                    file,
                    line: Some(listed.line),
                    message,
                });
            };
            let unknown = self.unknown_rules(listed);
            let all_unknown = !unknown.is_empty() && unknown.len() == listed.allowance.rules.len();
            if listed.allowance.end(None, "").day().is_none() {
                let message = format!(
                    "\"{}\" is not a date: this allowance counts as ended",
                    listed.written
                );
                say(RemarkKind::UnreadableDate, message);
            }
            if self.scope.rules == Completeness::Complete {
                for id in &unknown {
                    say(RemarkKind::UnknownRule, self.unknown_rule_message(id));
                }
            }
            match matches {
                AllowanceMatches::Removal {
                    rule,
                    removal,
                    until,
                } => say(
                    RemarkKind::LateDate,
                    format!(
                        "this allowance ends for `{rule}` with its removal, after {removal} instead of {until}"
                    ),
                ),
                AllowanceMatches::Nothing
                    if extent == Completeness::Complete
                        && !all_unknown
                        && self.was_looked_for(listed, &unknown)
                        && self.could_have_matched(listed, files) =>
                {
                    say(
                        RemarkKind::UnusedAllowance,
                        "this allowance covers no finding".to_owned(),
                    );
                }
                AllowanceMatches::Nothing | AllowanceMatches::Findings => {}
            }
        }
        remarks
    }

    fn unknown_rules<'l>(&self, listed: &'l ListedAllowance) -> Vec<&'l str> {
        let ids = listed.allowance.rules.iter().map(String::as_str);
        ids.filter(|id| {
            let of_check = id
                .split_once('/')
                .filter(|(check, _)| Check::from_id(check).is_some());
            let rule = of_check.map_or(*id, |(_, rule)| rule);
            let is_check = of_check.is_none() && Check::from_id(id).is_some();
            !is_check && !self.table.selects(rule)
        })
        .collect()
    }

    fn unknown_rule_message(&self, id: &str) -> String {
        let nearest = most_similar(id, known_ids(self.table))
            .map(|id| format!(", the nearest is `{id}`"))
            .unwrap_or_default();
        format!("there is no rule `{id}`{nearest}")
    }

    /// Returns whether the run looked for everything that an allowance covers, with the settings of the project.
    fn was_looked_for(&self, listed: &ListedAllowance, unknown: &[&str]) -> bool {
        let rules = &listed.allowance.rules;
        let has_rules = self.scope.rules == Completeness::Complete
            || !rules.is_empty()
                && unknown.is_empty()
                && rules.iter().all(|id| self.table.selects(id));
        has_rules
            && self.scope.bodies == Completeness::Complete
            && !rules.iter().any(|id| match id.split_once('/') {
                Some((check, rule)) => self.is_off(check, rule),
                None if self.table.selects(id) => self.is_off("", id),
                None => self.is_off(id, ""),
            })
    }

    /// Returns whether the configuration turns a rule or a check off.
    fn is_off(&self, check: &str, rule: &str) -> bool {
        let mut own = self
            .table
            .rules_called(rule)
            .chain(self.table.rule_of_requirement(rule))
            .cloned()
            .chain(self.table.rule_of_version(rule))
            .peekable();
        let of_rule = own.peek().is_some() && own.all(|rule| rule.grade == Grade::Off);
        of_rule
            || Check::from_id(check).is_some_and(|check| self.grades.of(check, rule) == Grade::Off)
    }

    /// Returns whether all files in which an allowance could cover a finding were read, and all checks were made.
    fn could_have_matched(&self, listed: &ListedAllowance, checked: &CheckedFiles) -> bool {
        let files = listed.allowance.files.as_ref();
        let about_checks = listed
            .allowance
            .rules
            .iter()
            .any(|id| id.contains('/') || Check::from_id(id).is_some());
        (self.scope.checks == Completeness::Complete || !about_checks)
            && !checked
                .incomplete
                .iter()
                .any(|(file, reason)| match *reason {
                    // A path that cannot be opened may be a folder with any files.
                    Reason::Unreadable => true,
                    _ if files.is_some_and(|files| files.matches(file)) => true,
                    _ => files.is_none() && reason.kind() == SkipKind::Failed,
                })
    }

    /// The entries without a finding, if the run could have found one.
    fn gone_entries(
        &self,
        files: &CheckedFiles,
        exists: &dyn Fn(&str) -> bool,
    ) -> Vec<BaselineEntry> {
        let Some(baseline) = self.suppression.baseline() else {
            return Vec::new();
        };
        let unread: HashSet<&str> = files
            .incomplete
            .iter()
            .map(|(file, _)| &*file.rooted)
            .collect();
        let failed = files
            .incomplete
            .iter()
            .any(|(_, reason)| reason.kind() == SkipKind::Failed);
        let unseen = baseline
            .entries()
            .iter()
            .enumerate()
            .filter(|(number, _)| !self.seen.contains(number))
            .map(|(_, e)| e);
        // Names are relative to the root of the run; a run over a part of the project cannot know whether a file is missing.
        let can_miss = self.scope.files == Completeness::Complete
            && self.scope.known == Completeness::Complete;
        unseen
            .filter(|entry| {
                let file = entry.file.as_str();
                let is_one = file != STANDARD_INPUT && !file.contains('*');
                if can_miss && is_one && !exists(file) {
                    return true;
                }
                let has_rule =
                    self.table.selects(&entry.rule) || Check::from_id(&entry.rule).is_some();
                let has_check =
                    entry.check.is_empty() || self.scope.checks == Completeness::Complete;
                let is_read = if files.reached.contains(file) {
                    // Another description may refer to a file to which this one does not.
                    self.scope.files == Completeness::Complete && !failed
                } else {
                    files.opened.contains(file) && !unread.contains(file)
                };
                let is_looked_for = self.scope.bodies == Completeness::Complete
                    && !self.is_off(&entry.check, &entry.rule);
                has_rule && has_check && is_looked_for && is_read
            })
            .cloned()
            .collect()
    }
}

/// The name of standard input, for which existence is not known.
const STANDARD_INPUT: &str = "-";

/// The name of a member: the last step of its pointer.
fn member_name(inside: &Related) -> Option<String> {
    let last = inside.pointer.as_ref()?.exact.rsplit('/').next()?;
    Some(pointer::unescape(last).into_owned())
}

impl AllowanceMatches {
    fn add(&mut self, finding: &Finding, end: &Expiry) {
        match *end {
            Expiry::Removal { removal, until } => {
                // The order of the findings must not decide.
                let own = (removal, &finding.rule.id);
                let is_later = matches!(self, Self::Removal { removal, rule, .. } if (*removal, &*rule) <= own);
                if !is_later {
                    let rule = finding.rule.id.clone();
                    *self = Self::Removal {
                        rule,
                        removal,
                        until,
                    };
                }
            }
            _ if *self == Self::Nothing => *self = Self::Findings,
            _ => {}
        }
    }
}
