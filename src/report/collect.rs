//! Takes findings and skips file by file, folds repeats, finds lines and columns, and puts all in order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::{Placed, Report, Skipped, Summary};
use crate::exchange::{Reason, Skip, SkipKind};
use crate::finding::{Finding, FoldKey};
use crate::source::{LineIndex, Source, Span};

/// Gathers a report.
#[derive(Debug)]
pub struct Collector {
    report: Report,
    fold: bool,
    /// The findings of the file that is being read.
    findings: Vec<Finding>,
    /// Their numbers, by what makes them fold.
    folded: HashMap<FoldKey, usize>,
    /// About how many bytes they take.
    weight: usize,
    /// The skips of the file that is being read.
    skips: Vec<Skip>,
    /// Pieces that have been told already: a body that is checked as both sides is broken once.
    told: HashSet<(Reason, Span, usize)>,
}

/// How many bytes the findings of one file may take: enough for hundreds of thousands that differ, and a bound for files
/// that were made to exhaust memory.
const MAX_WEIGHT: usize = 256 * 1024 * 1024;

impl Collector {
    /// An empty report; `fold` says whether repeats in one file become one finding.
    pub fn new(as_of: NaiveDate, fold: bool) -> Self {
        let report = Report {
            as_of,
            findings: Vec::new(),
            skipped: Vec::new(),
            summary: Summary::default(),
        };
        Self {
            report,
            fold,
            findings: Vec::new(),
            folded: HashMap::new(),
            weight: 0,
            skips: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// The counts so far, to be added to.
    pub fn summary(&mut self) -> &mut Summary {
        &mut self.report.summary
    }

    /// Whether something could not be checked so far.
    pub fn has_failures(&self) -> bool {
        self.report.summary.failed > 0
    }

    /// A finding in the file that is being read.
    pub fn finding(&mut self, finding: Finding) {
        if self.fold {
            let index = self.folded.get(&finding.fold_key()).copied();
            if let Some(known) = index.and_then(|index| self.findings.get_mut(index)) {
                return known.absorb(finding);
            }
        }
        self.weight += finding.weight();
        // Whoever asks for every single use gets every single use.
        if self.fold && self.weight > MAX_WEIGHT {
            return self
                .skips
                .push(Skip { bytes: 0, ..Skip::at(Reason::TooMany, finding.found.span) });
        }
        if self.fold {
            self.folded.insert(finding.fold_key(), self.findings.len());
        }
        self.findings.push(finding);
    }

    /// Something in the file that is being read that was not checked.
    pub fn skip(&mut self, skip: Skip) {
        if skip.span.is_none_or(|span| self.told.insert((skip.reason, span, skip.bytes))) {
            self.skips.push(skip);
        }
    }

    /// A whole path that was not read.
    pub fn skip_path(&mut self, name: &str, reason: Reason, bytes: usize, detail: Option<String>) {
        self.skips.push(Skip { detail, ..Skip::file(reason, bytes) });
        self.end_file(&Source::new(name, []));
    }

    /// All of `source` has been read: its findings and skips get their places.
    pub fn end_file(&mut self, source: &Source) {
        let file: Arc<str> = Arc::from(source.name.as_str());
        self.folded.clear();
        self.told.clear();
        self.weight = 0;
        if self.findings.is_empty() && self.skips.is_empty() {
            return;
        }
        let lines = LineIndex::new(&source.bytes);
        for finding in std::mem::take(&mut self.findings) {
            self.report.summary.count(finding.severity);
            let related =
                finding.related.iter().map(|related| lines.location(related.span.start)).collect();
            let location = lines.location(finding.found.span.start);
            self.report.findings.push(Placed {
                finding,
                file: Arc::clone(&file),
                location,
                related,
            });
        }
        for skip in std::mem::take(&mut self.skips) {
            match skip.reason.kind() {
                SkipKind::Unrelated => self.report.summary.unrelated += 1,
                SkipKind::Failed => self.report.summary.failed += 1,
            }
            let location = skip.span.map(|span| lines.location(span.start));
            self.group(Skipped {
                file: Arc::clone(&file),
                reason: skip.reason,
                count: 1,
                bytes: skip.bytes,
                location,
                detail: skip.detail,
            });
        }
    }

    fn group(&mut self, skipped: Skipped) {
        let mut recent =
            self.report.skipped.iter_mut().rev().take_while(|known| known.file == skipped.file);
        match recent.find(|known| known.reason == skipped.reason) {
            Some(known) => {
                known.count += skipped.count;
                known.bytes += skipped.bytes;
                if skipped.location < known.location {
                    known.location = skipped.location;
                    known.detail = skipped.detail;
                }
            }
            None => self.report.skipped.push(skipped),
        }
    }

    /// The report, in order.
    pub fn finish(mut self) -> Report {
        self.report.findings.sort_by(|a, b| order(a).cmp(&order(b)));
        self.report.skipped.sort_by(|a, b| {
            (a.reason.kind(), &a.file, a.reason).cmp(&(b.reason.kind(), &b.file, b.reason))
        });
        self.report
    }
}

/// File, offset, rule; then whatever else can differ, so that the order is total.
fn order(placed: &Placed) -> impl Ord + '_ {
    let finding = &placed.finding;
    let pointer = finding.found.pointer.as_ref().map(|pointer| pointer.exact.as_str());
    let exchange = finding.found.exchange.as_ref().map(|exchange| exchange.index);
    (
        &placed.file,
        finding.found.span,
        &finding.rule.id,
        finding.found.part,
        &finding.found.operation,
        exchange,
        pointer,
    )
}
