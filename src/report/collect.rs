//! Puts together what was found in the blocks of all files, in their order, and makes a report of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::block::MAX_WEIGHT;
use super::{BlockReport, LocatedFinding, Report, SkipGroup, Summary, UnchangedFiles};
use crate::findings::FoldKey;
use crate::findings::suppression::Suppressor;
use crate::formats::FileName;
use crate::text::Location;
use crate::traffic::{Reason, Skip, SkipKind};

/// Takes findings one by one, as soon as their places are known: in the order of the files, and of their places in sink.
pub type FindingSink<'e> = dyn FnMut(&LocatedFinding) + Send + 'e;

/// Collects a report, block by block.
pub struct Collector<'e> {
    report: Report,
    fold: bool,
    file: CurrentFile,
    /// Who says which findings count; without one, all do.
    suppressor: Option<Suppressor<'e>>,
    /// Who is given findings instead of the report, where repeats are not folded.
    sink: Option<&'e mut FindingSink<'e>>,
}

/// The file whose blocks come in.
#[derive(Debug)]
struct CurrentFile {
    name: FileName,
    /// Where its findings in the report are, by what makes them fold.
    folded: HashMap<FoldKey, usize>,
    /// About how many bytes they take.
    weight: usize,
    /// Where the next block begins.
    next: Location,
    /// How many records stand before the next block.
    numbered: usize,
    /// Where its skips in the report begin.
    skips: usize,
    /// What it was compressed with.
    compression: Option<&'static str>,
}

impl<'e> Collector<'e> {
    /// An empty report; `fold` says whether repeats in one file become one finding.
    pub fn new(as_of: NaiveDate, fold: bool) -> Self {
        let report = Report {
            as_of,
            findings: Vec::new(),
            suppressed: Vec::new(),
            remarks: Vec::new(),
            gone: Vec::new(),
            unchanged: None,
            skipped: Vec::new(),
            summary: Summary::default(),
            complete: true,
        };
        let file = CurrentFile::new(FileName::standard_input(), 0);
        Self { report, fold, file, suppressor: None, sink: None }
    }

    /// Gives findings to `sink` and keeps none of them.
    #[must_use]
    pub fn with_sink(mut self, sink: &'e mut FindingSink<'e>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Asks `judge` which findings count.
    #[must_use]
    pub fn with_suppressor(mut self, suppressor: Suppressor<'e>) -> Self {
        self.suppressor = Some(suppressor);
        self
    }

    /// Says that files were left out, since they have not changed.
    pub fn set_unchanged(&mut self, unchanged: UnchangedFiles) {
        self.report.unchanged = Some(unchanged);
    }

    /// The counts so far, to be added to.
    pub fn summary(&mut self) -> &mut Summary {
        &mut self.report.summary
    }

    /// Whether something could not be checked so far.
    pub fn has_failures(&self) -> bool {
        self.report.summary.failed > 0
    }

    /// How many findings there are so far.
    pub fn findings(&self) -> usize {
        self.report.findings.len()
    }

    /// What comes next is of this file, which was compressed with that.
    pub fn begin_file(&mut self, name: &FileName, compression: Option<&'static str>) {
        self.open(name);
        self.file.compression = compression;
        if let Some(suppressor) = &mut self.suppressor {
            suppressor.note_opened(name);
        }
    }

    /// What comes next is of this file, to which a description has led.
    pub fn begin_reached_file(&mut self, name: &FileName) {
        self.open(name);
        if let Some(suppressor) = &mut self.suppressor {
            suppressor.note_reached(name);
        }
    }

    fn open(&mut self, name: &FileName) {
        self.file = CurrentFile::new(name.clone(), self.report.skipped.len());
    }

    /// A whole path that was not read.
    pub fn skip_path(
        &mut self,
        name: &FileName,
        reason: Reason,
        bytes: usize,
        detail: Option<String>,
    ) {
        self.open(name);
        self.skip_file(Skip { detail, ..Skip::file(reason, bytes) });
    }

    /// Something about the file as a whole.
    pub fn skip_file(&mut self, skip: Skip) {
        self.skip_at(skip, None);
    }

    fn skip_at(&mut self, skip: Skip, location: Option<Location>) {
        let Skip { reason, count, bytes, detail, .. } = skip;
        let file = Arc::clone(&self.file.name.shown);
        self.skip(SkipGroup { file, reason, count, bytes, location, detail });
    }

    /// Text that was not read, with so many numbered records; its end is counted from its beginning.
    pub fn skip_record(&mut self, skip: Skip, end: Location, numbered: usize) {
        let location = Some(self.file.next);
        self.skip_at(skip, location);
        self.file.next = self.file.next.then(end);
        self.file.numbered += numbered;
    }

    /// The next block of the file. Blocks must come in the file's order.
    pub fn add_block(&mut self, block: BlockReport) {
        self.report.summary.add(&block.summary);
        let mut findings = block.findings;
        if self.sink.is_some() {
            findings.sort_by(|a, b| order(a).cmp(&order(b)));
        }
        for placed in findings {
            self.finding(placed, block.start);
        }
        let counted = self.skipped_bytes();
        for skipped in block.skips {
            let location = skipped.location.map(|location| self.file.next.then(location));
            // Of the file as a whole, what the blocks before have counted is counted.
            let bytes =
                skipped.bytes - if location.is_none() { counted.min(skipped.bytes) } else { 0 };
            let file = Arc::clone(&self.file.name.shown);
            self.skip(SkipGroup { file, bytes, location, ..skipped });
        }
        self.file.next = self.file.next.then(block.end);
        self.file.numbered += block.numbered;
    }

    /// A finding in the block that begins at `start`.
    fn finding(&mut self, mut placed: LocatedFinding, start: usize) {
        placed.compression = self.file.compression;
        placed.shift_into(&self.file.name, start, self.file.next, self.file.numbered);
        if !self.fold {
            return self.keep(placed);
        }
        let key = placed.finding.fold_key();
        if let Some(known) =
            self.file.folded.get(&key).and_then(|&index| self.report.findings.get_mut(index))
        {
            return known.merge(placed);
        }
        self.file.weight += placed.finding.weight();
        if self.file.weight > MAX_WEIGHT {
            let (file, location) = (placed.file, Some(placed.location));
            let reason = Reason::TooMany;
            return self.skip(SkipGroup {
                file,
                reason,
                count: 1,
                bytes: 0,
                location,
                detail: None,
            });
        }
        self.file.folded.insert(key, self.report.findings.len());
        self.keep(placed);
    }

    fn keep(&mut self, mut placed: LocatedFinding) {
        if let Some(suppressor) = &mut self.suppressor {
            placed.status = suppressor.status_of(&placed.finding, &self.file.name);
        }
        self.report.summary.count(&placed);
        if !self.fold {
            for inside in self.find_released(&placed) {
                self.keep_inside(inside);
            }
        }
        match &mut self.sink {
            Some(sink) if !self.fold => sink(&placed),
            _ => self.report.findings.push(placed),
        }
    }

    /// An element inside a finding that does not count.
    fn keep_inside(&mut self, placed: LocatedFinding) {
        self.report.summary.count(&placed);
        match &mut self.sink {
            Some(sink) if !self.fold => sink(&placed),
            _ => self.report.findings.push(placed),
        }
    }

    /// What is inside a finding that does not count, and counts itself: findings of their own.
    fn find_released(&mut self, outer: &LocatedFinding) -> Vec<LocatedFinding> {
        let Some(suppressor) = &mut self.suppressor else { return Vec::new() };
        let name = FileName { shown: Arc::clone(&outer.file), rooted: Arc::clone(&outer.rooted) };
        let mut released = Vec::new();
        if outer.status.is_counted() {
            return released;
        }
        for (finding, (location, end)) in suppressor
            .related_findings(&outer.finding)
            .into_iter()
            .zip(outer.related.iter().zip(&outer.related_ends))
        {
            let Some(finding) = finding else { continue };
            let status = suppressor.status_of(&finding, &name);
            if status.is_counted() {
                released.push(LocatedFinding {
                    finding,
                    status,
                    file: Arc::clone(&outer.file),
                    rooted: Arc::clone(&outer.rooted),
                    compression: outer.compression,
                    location: *location,
                    end: *end,
                    related: Vec::new(),
                    related_ends: Vec::new(),
                });
            }
        }
        released
    }

    /// How many bytes of the file have been counted to be skipped.
    fn skipped_bytes(&self) -> usize {
        let of_file = self.report.skipped.get(self.file.skips..).unwrap_or_default();
        of_file.iter().map(|skipped| skipped.bytes).sum()
    }

    fn skip(&mut self, skipped: SkipGroup) {
        if let Some(suppressor) = &mut self.suppressor {
            suppressor.note_skipped(&self.file.name, skipped.reason);
        }
        match skipped.reason.kind() {
            SkipKind::Unrelated => self.report.summary.unrelated += skipped.count,
            SkipKind::Failed => self.report.summary.failed += skipped.count,
        }
        let of_file = self.report.skipped.get_mut(self.file.skips..).unwrap_or_default();
        let is_alike = |known: &&mut SkipGroup| {
            let told_apart = skipped.reason.is_told_apart() && known.detail != skipped.detail;
            known.reason == skipped.reason && !told_apart
        };
        match of_file.iter_mut().find(is_alike) {
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

    /// The report, in order; `complete` says whether all was read that should have been, `exists` whether there is a file of
    /// this name from the project's root on.
    pub fn finish(mut self, complete: bool, exists: &dyn Fn(&str) -> bool) -> Report {
        self.report.complete = complete;
        self.finish_suppression(complete, exists);
        self.report.findings.sort_by(|a, b| order(a).cmp(&order(b)));
        let findings = std::mem::take(&mut self.report.findings);
        (self.report.findings, self.report.suppressed) =
            findings.into_iter().partition(|placed| placed.status.is_counted());
        self.report.skipped.sort_by(|a, b| {
            let order = |skipped: &SkipGroup| (skipped.reason, skipped.location);
            (a.reason.kind(), &a.file, order(a)).cmp(&(b.reason.kind(), &b.file, order(b)))
        });
        self.report
    }
}

impl Collector<'_> {
    /// Asks what allowances and baseline have come to, now that all is known that repeats have brought in.
    fn finish_suppression(&mut self, complete: bool, exists: &dyn Fn(&str) -> bool) {
        let Some(suppressor) = &mut self.suppressor else { return };
        for LocatedFinding { finding, file, rooted, .. } in &self.report.findings {
            let name = FileName { shown: Arc::clone(file), rooted: Arc::clone(rooted) };
            suppressor.note_related(finding, &name);
        }
        self.release_related();
        let Some(suppressor) = &self.suppressor else { return };
        let account = suppressor.summarize(complete, exists);
        (self.report.remarks, self.report.gone) = (account.remarks, account.gone);
    }

    /// Makes findings of what is inside those that do not count.
    fn release_related(&mut self) {
        let is_outer =
            |placed: &LocatedFinding| !placed.status.is_counted() && !placed.related.is_empty();
        let findings = std::mem::take(&mut self.report.findings);
        let mut released: Vec<LocatedFinding> = Vec::new();
        if findings.iter().any(is_outer) {
            let mut known: HashSet<_> = findings.iter().map(identity).collect();
            let inside = findings.iter().flat_map(|outer| self.find_released(outer));
            released.extend(inside.filter(|inside| known.insert(identity(inside))));
        }
        self.report.findings = findings;
        for inside in released {
            self.keep_inside(inside);
        }
    }
}

impl CurrentFile {
    fn new(name: FileName, skips: usize) -> Self {
        Self {
            name,
            folded: HashMap::new(),
            weight: 0,
            next: Location::START,
            numbered: 0,
            skips,
            compression: None,
        }
    }
}

/// What makes findings of all files equal.
fn identity(placed: &LocatedFinding) -> (Arc<str>, FoldKey) {
    (Arc::clone(&placed.file), placed.finding.fold_key())
}

/// File, offset, rule; then whatever else can differ, so that the order is total.
fn order(placed: &LocatedFinding) -> impl Ord + '_ {
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
        finding.check(),
        finding.announcement(),
    )
}
