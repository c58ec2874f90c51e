//! What a run found and what it did not check, which can be merged with the results of other runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::file::{PartialError, PartialKind, PartialReader, PartialWriter};
use super::identity::{OtherIdentity, RunIdentity};
use super::run_end::{RunEnd, ScanScope};
use crate::block::HostCount;
use crate::{Collector, LocatedFinding, Report, SkipGroup, Summary, UnchangedFiles};
use sundown_exchange::Reason;
use sundown_files::FileName;
use sundown_lint::findings::suppression::CheckedFiles;
use sundown_lint::findings::{FindingKind, MAX_RELATED};
use sundown_lint::rules::{RequirementTable, Rule, RuleTable};

/// What a run found and what it did not check, before allowances and a baseline are applied.
#[derive(Debug, Clone, Default)]
pub struct CheckScan {
    /// The rules and options of the run; results that differ in it are not to be added.
    pub identity: RunIdentity,
    /// The extent of the run.
    pub scope: ScanScope,
    /// What follows from the run as a whole.
    end: RunEnd,
    totals: RunTotals,
    files: CheckedFiles,
    /// Named paths in which nothing was checked.
    unread: Vec<Arc<str>>,
    skipped: Vec<SkipGroup>,
    findings: Vec<LocatedFinding>,
}

/// Counts of everything that a run has read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunTotals {
    summary: Summary,
    unchanged: Option<UnchangedFiles>,
    other_hosts: HostCount,
    called: BTreeSet<(usize, String)>,
    pack_calls: BTreeMap<String, usize>,
}

/// A line of a partial result.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum CheckLine {
    Scope(ScanScope),
    Run(RunEnd),
    Totals(RunTotals),
    Opened(Arc<str>),
    Reached(Arc<str>),
    Body(FileName),
    Incomplete(FileName, Reason),
    Unread(Arc<str>),
    Skipped(SkipGroup),
    Finding(Box<LocatedFinding>),
    /// The counts of usage follow.
    Usage(()),
}

/// The error about a finding that does not fit the rules, or that no run has.
const INCONSISTENT: &str = "it has a value that no run has";

impl RunTotals {
    fn merge(&mut self, other: Self) {
        self.summary.add(&other.summary);
        if let Some(other) = other.unchanged {
            let files = self.unchanged.as_ref().map_or(0, |own| own.files);
            self.unchanged = Some(UnchangedFiles {
                files: files.saturating_add(other.files),
                ..other
            });
        }
        self.other_hosts.merge(&other.other_hosts);
        self.called.extend(other.called);
        for (pack, count) in other.pack_calls {
            let known = self.pack_calls.entry(pack).or_default();
            *known = known.saturating_add(count);
        }
        self.forget_needless_hosts();
    }

    /// Hosts are counted only for runs without a call at an address of the rules, and are kept no longer than that.
    fn forget_needless_hosts(&mut self) {
        if self.summary.records != self.summary.no_rule {
            self.other_hosts = HostCount::default();
        }
    }
}

impl CheckScan {
    /// The result of a run that has no suppressor, and folds repeats.
    pub fn of(
        collector: Collector<'_>,
        identity: RunIdentity,
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
        let mut totals = RunTotals {
            summary: report.summary.of_input(),
            unchanged: report.unchanged,
            other_hosts,
            called,
            pack_calls: report.pack_calls,
        };
        totals.forget_needless_hosts();
        Self {
            identity,
            scope,
            end,
            totals,
            files,
            unread: report.unread,
            skipped: report.skipped,
            findings: report.findings,
        }
    }

    /// What is said about the input alone, in a size that does not grow with the number of files.
    #[must_use]
    pub fn without_files(self) -> Self {
        Self {
            files: CheckedFiles::default(),
            skipped: SkipGroup::by_reason(self.skipped),
            findings: Vec::new(),
            ..self
        }
    }

    /// Adds the result of another run.
    pub fn merge(&mut self, other: Self) -> Result<(), PartialError> {
        self.identity
            .check(&other.identity, OtherIdentity::FirstPart)?;
        if let Some(file) = self.files.opened.intersection(&other.files.opened).next() {
            let file = file.to_string();
            return Err(PartialError::RepeatedFile { file });
        }
        self.scope.merge(other.scope);
        self.end.merge(other.end);
        self.totals.merge(other.totals);
        self.files.merge(other.files);
        self.unread.extend(other.unread);
        self.skipped.extend(other.skipped);
        self.findings.extend(other.findings);
        Ok(())
    }

    /// Writes the result as a partial result. Equal results give equal bytes.
    pub fn write_partial(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = PartialWriter::start(out, PartialKind::Check, &self.identity)?;
        self.write_lines(&mut writer)?;
        writer.finish()
    }

    /// Writes the lines of the result; those of the counts of usage may follow.
    pub fn write_lines(&self, writer: &mut PartialWriter<'_>) -> io::Result<()> {
        writer.line("scope", &self.scope)?;
        writer.line("run", &self.end)?;
        writer.line("totals", &self.totals)?;
        let CheckedFiles {
            opened,
            reached,
            bodies,
            incomplete,
        } = &self.files;
        write_each("opened", opened, writer)?;
        write_each("reached", reached, writer)?;
        write_each("body", bodies, writer)?;
        write_each("incomplete", incomplete, writer)?;
        writer.sorted_lines("unread", &self.unread)?;
        writer.sorted_lines("skipped", &self.skipped)?;
        writer.sorted_lines("finding", &self.findings)
    }

    /// Reads the rest of a partial result, or what precedes the counts of usage.
    pub fn read_partial(reader: &mut PartialReader<'_>) -> Result<Self, PartialError> {
        let mut scan = Self {
            identity: reader.identity().clone(),
            ..Self::default()
        };
        // Many findings have the same rule.
        let mut rules: HashMap<String, Arc<Rule>> = HashMap::new();
        while let Some(line) = reader.next()? {
            match line {
                CheckLine::Scope(scope) => scan.scope = scope,
                CheckLine::Run(end) => scan.end = end,
                CheckLine::Totals(totals) => scan.totals = totals,
                CheckLine::Opened(name) => drop(scan.files.opened.insert(name)),
                CheckLine::Reached(name) => drop(scan.files.reached.insert(name)),
                CheckLine::Body(name) => drop(scan.files.bodies.insert(name)),
                CheckLine::Incomplete(name, reason) => {
                    scan.files.incomplete.insert((name, reason));
                }
                CheckLine::Unread(name) => scan.unread.push(name),
                CheckLine::Skipped(group) => scan.skipped.push(group),
                CheckLine::Finding(mut located) => {
                    let rule = &mut located.finding.rule;
                    let text = serde_json::to_string(&**rule).unwrap_or_default();
                    *rule = Arc::clone(rules.entry(text).or_insert_with(|| Arc::clone(rule)));
                    if !is_possible(&located) {
                        return Err(reader.damage(INCONSISTENT));
                    }
                    scan.findings.push(*located);
                }
                CheckLine::Usage(()) => break,
            }
        }
        Ok(scan)
    }

    /// Gives violations their requirements, or returns an error about one that the table does not have.
    pub fn link_requirements(&mut self, table: &RuleTable) -> Result<(), &'static str> {
        for LocatedFinding { finding, .. } in &mut self.findings {
            if let FindingKind::Violated(violated) = &mut finding.kind {
                let mut known = table
                    .requirements()
                    .into_iter()
                    .flat_map(RequirementTable::all);
                let known = known.find(|known| known.rule.id == finding.rule.id);
                violated.requirement = Arc::clone(known.ok_or(INCONSISTENT)?);
            }
        }
        Ok(())
    }

    /// Passes everything to a collector, as the run over all files would do it. Returns what follows from the run as a whole.
    pub fn replay(self, collector: &mut Collector<'_>) -> RunEnd {
        let totals = self.totals;
        *collector.summary() = totals.summary;
        collector.files.merge(self.files);
        collector.other_hosts.merge(&totals.other_hosts);
        collector.called.extend(totals.called);
        collector.report.pack_calls = totals.pack_calls;
        collector.report.unread = self.unread;
        collector.report.unchanged = totals.unchanged;
        for located in self.findings {
            collector.restore(located);
        }
        for group in self.skipped {
            collector.restore_skip(group);
        }
        self.end
    }

    /// What is said about the input.
    pub fn input_report(&self) -> Report {
        let mut collector = Collector::new(self.identity.day(), true);
        let end = self.clone().replay(&mut collector);
        let is_complete = end.is_complete;
        end.conclude(&mut collector);
        let mut report = collector.finish(is_complete, &|_| None, &|_| true);
        report.skipped = SkipGroup::by_reason(report.skipped);
        report
    }
}

/// Writes a line for each value of a set.
fn write_each<P: Serialize>(
    kind: &str,
    parts: &BTreeSet<P>,
    writer: &mut PartialWriter<'_>,
) -> io::Result<()> {
    parts.iter().try_for_each(|part| writer.line(kind, part))
}

/// Returns whether a run can have a finding. Dates are no further apart than the days that it allows.
fn is_possible(located: &LocatedFinding) -> bool {
    let days = located.finding.days_left;
    let related = located.finding.related.len();
    days.is_none_or(|days| i32::try_from(days).is_ok())
        && related <= MAX_RELATED
        && related == located.related.len()
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
