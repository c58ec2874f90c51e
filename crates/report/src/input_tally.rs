//! What scans have read and what they could not check, in a size that does not grow with the number of files.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::block::HostCount;
use super::{Collector, Repeats, Report, SkipGroup, Summary};
use sundown_exchange::{Reason, Skip};
use sundown_files::FileName;

/// What a scan has read and what it could not check. Those of scans of parts merge to that of all of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputTally {
    summary: Summary,
    other_hosts: HostCount,
    /// Named paths in which nothing was checked.
    unread: BTreeSet<Arc<str>>,
    /// One group for each reason.
    skipped: Vec<SkipGroup>,
    /// What follows from the run as a whole.
    end: RunEnd,
}

impl InputTally {
    /// What a collector has about the input.
    pub fn of(collector: Collector<'_>, end: RunEnd) -> Self {
        let Collector {
            report,
            other_hosts,
            ..
        } = collector;
        let mut tally = Self {
            summary: report.summary.of_input(),
            other_hosts,
            unread: report.unread.into_iter().collect(),
            skipped: SkipGroup::by_reason(report.skipped),
            end,
        };
        tally.forget_needless_hosts();
        tally
    }

    /// Adds the input of another scan.
    pub fn merge(&mut self, other: Self) {
        self.summary.add(&other.summary);
        self.other_hosts.merge(&other.other_hosts);
        self.unread.extend(other.unread);
        self.skipped.extend(other.skipped);
        self.skipped = SkipGroup::by_reason(std::mem::take(&mut self.skipped));
        self.end.merge(other.end);
        self.forget_needless_hosts();
    }

    /// Hosts are counted only for scans without a call at an address of the rules, and are kept no longer than that.
    fn forget_needless_hosts(&mut self) {
        if self.summary.records != self.summary.no_rule {
            self.other_hosts = HostCount::default();
        }
    }

    /// The report of a run that found nothing in this input.
    pub fn report(&self) -> Report {
        let mut collector = Collector::new(NaiveDate::default(), Repeats::Folded);
        collector.report.summary = self.summary;
        collector.other_hosts.merge(&self.other_hosts);
        collector.report.unread.extend(self.unread.iter().cloned());
        for group in &self.skipped {
            collector.report.summary.count_skipped(group);
        }
        collector.report.skipped.clone_from(&self.skipped);
        let is_complete = self.end.is_complete;
        self.end.clone().conclude(&mut collector);
        let mut report = collector.finish(is_complete, &|_| None, &|_| true);
        report.skipped = SkipGroup::by_reason(report.skipped);
        report
    }
}

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
