//! The results of a check of some files, which can be merged.

use super::super::block::HostCount;
use super::super::{Collector, LocatedFinding, PartialError, SkipGroup, UnchangedFiles};
use super::counts::InputCounts;
use super::finding_line::FindingLine;
use super::identity::CheckIdentity;
use super::rule_ref::RuleRefs;
use super::run_end::{RunEnd, ScanScope};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use sundown_lint::findings::suppression::CheckedFiles;
use sundown_lint::rules::RuleTable;

/// What a run of `sundown check` found, before allowances and a baseline are applied.
#[derive(Debug, Clone, Default)]
pub struct CheckScan {
    /// The rules and options of the run; results that differ in it are not to be added.
    pub identity: CheckIdentity,
    /// The extent of the run.
    pub scope: ScanScope,
    /// What follows from the run as a whole.
    pub end: RunEnd,
    pub(super) findings: Vec<FindingLine>,
    pub(super) skipped: Vec<SkipGroup>,
    pub(super) files: CheckedFiles,
    /// Named paths in which nothing was checked.
    pub(super) unread: Vec<Arc<str>>,
    pub(super) counts: InputCounts,
    pub(super) other_hosts: HostCount,
    pub(super) called: BTreeSet<(usize, String)>,
    pub(super) pack_calls: BTreeMap<String, usize>,
}

impl CheckScan {
    /// The result of a run that has no suppressor, and folds repeats.
    pub fn of(
        collector: Collector<'_>,
        table: &RuleTable,
        identity: CheckIdentity,
        scope: ScanScope,
        end: RunEnd,
    ) -> Self {
        let Collector {
            report,
            files,
            other_hosts,
            called,
            ..
        } = collector;
        let refs = RuleRefs::new(table);
        let findings = report.findings.into_iter();
        let mut scan = Self {
            identity,
            scope,
            end,
            findings: findings
                .map(|located| FindingLine::of(located, &refs))
                .collect(),
            skipped: report.skipped,
            files,
            unread: report.unread,
            counts: InputCounts::of(
                &report.summary,
                report.unchanged.map_or(0, |unchanged| unchanged.files),
            ),
            other_hosts,
            called,
            pack_calls: report.pack_calls,
        };
        scan.forget_needless_hosts();
        scan
    }

    /// Adds the result of another run.
    pub fn merge(&mut self, other: Self) -> Result<(), PartialError> {
        self.identity.check(&other.identity)?;
        self.refuse_repeated_files(&other)?;
        self.scope.merge(other.scope);
        self.end.merge(other.end);
        self.findings.extend(other.findings);
        self.skipped.extend(other.skipped);
        self.files.merge(other.files);
        self.unread.extend(other.unread);
        self.counts.add(other.counts);
        self.other_hosts.merge(&other.other_hosts);
        self.called.extend(other.called);
        for (pack, count) in other.pack_calls {
            let known = self.pack_calls.entry(pack).or_default();
            *known = known.saturating_add(count);
        }
        self.forget_needless_hosts();
        Ok(())
    }

    /// Hosts are counted only for runs without a call at an address of the rules, and are kept no longer than that.
    fn forget_needless_hosts(&mut self) {
        if self.counts.records != self.counts.no_rule {
            self.other_hosts = HostCount::default();
        }
    }

    /// Returns an error if a file is in both results: its uses would count twice.
    fn refuse_repeated_files(&self, other: &Self) -> Result<(), PartialError> {
        match self.files.opened.intersection(&other.files.opened).next() {
            Some(file) => Err(PartialError::RepeatedFile {
                file: file.to_string(),
            }),
            None => Ok(()),
        }
    }

    /// Passes everything to a collector, as the run over all files would do it. Returns what follows from the run as a whole, or
    /// an error about a finding that fits no rule of the table.
    pub fn replay(
        self,
        table: &RuleTable,
        collector: &mut Collector<'_>,
    ) -> Result<RunEnd, &'static str> {
        self.counts.set(collector.summary());
        collector.files.merge(self.files);
        collector.other_hosts.merge(&self.other_hosts);
        collector.called.extend(self.called);
        collector.add_pack_calls(self.pack_calls);
        collector.report.unread.extend(self.unread);
        collector.report.unchanged = (self.identity.changed_since).map(|since| UnchangedFiles {
            since,
            files: self.counts.unchanged,
        });
        for line in self.findings {
            collector.restore(line.locate(table)?);
        }
        for group in self.skipped {
            collector.restore_skip(group);
        }
        Ok(self.end)
    }
}

impl Collector<'_> {
    /// Adds a finding of another run, which has folded repeats.
    fn restore(&mut self, located: LocatedFinding) {
        self.open_again(&located.name());
        self.keep(located);
    }

    /// Adds a group of pieces of another run, which has grouped them.
    fn restore_skip(&mut self, group: SkipGroup) {
        self.report.summary.count_skipped(&group);
        self.report.skipped.push(group);
    }
}
