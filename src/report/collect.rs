//! Puts together what was found in the blocks of all files, in their order, and makes a report of it.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;

use super::gather::MAX_WEIGHT;
use super::{Gathered, Placed, Report, Skipped, Summary};
use crate::exchange::{Reason, Skip, SkipKind};
use crate::finding::FoldKey;
use crate::input::FileName;
use crate::source::Location;

/// Takes findings one by one, as soon as their places are known: in the order of the files, and of their places in each.
pub type Each<'e> = dyn FnMut(&Placed) + Send + 'e;

/// Collects a report, block by block.
pub struct Collector<'e> {
    report: Report,
    fold: bool,
    file: OpenFile,
    /// Who is given findings instead of the report, where repeats are not folded.
    each: Option<&'e mut Each<'e>>,
}

/// The file whose blocks come in.
#[derive(Debug)]
struct OpenFile {
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
            skipped: Vec::new(),
            summary: Summary::default(),
            complete: true,
        };
        let file = OpenFile::new(FileName::standard_input(), 0);
        Self { report, fold, file, each: None }
    }

    /// Gives findings to `each` and keeps none of them.
    #[must_use]
    pub fn handing_to(mut self, each: &'e mut Each<'e>) -> Self {
        self.each = Some(each);
        self
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
        self.file = OpenFile::new(name.clone(), self.report.skipped.len());
        self.file.compression = compression;
    }

    /// A whole path that was not read.
    pub fn skip_path(
        &mut self,
        name: &FileName,
        reason: Reason,
        bytes: usize,
        detail: Option<String>,
    ) {
        self.begin_file(name, None);
        self.skip_file(Skip { detail, ..Skip::file(reason, bytes) });
    }

    /// Something about the file as a whole.
    pub fn skip_file(&mut self, skip: Skip) {
        self.skip_at(skip, None);
    }

    fn skip_at(&mut self, skip: Skip, location: Option<Location>) {
        let Skip { reason, bytes, detail, .. } = skip;
        let file = Arc::clone(&self.file.name.shown);
        self.skip(Skipped { file, reason, count: 1, bytes, location, detail });
    }

    /// Text that was not read, with so many numbered records; its end is counted from its beginning.
    pub fn skip_record(&mut self, skip: Skip, end: Location, numbered: usize) {
        let location = Some(self.file.next);
        self.skip_at(skip, location);
        self.file.next = self.file.next.then(end);
        self.file.numbered += numbered;
    }

    /// The next block of the file. Blocks must come in the file's order.
    pub fn take(&mut self, block: Gathered) {
        self.report.summary.add(&block.summary);
        let mut findings = block.findings;
        if self.each.is_some() {
            findings.sort_by(|a, b| order(a).cmp(&order(b)));
        }
        for placed in findings {
            self.finding(placed, block.start);
        }
        for skipped in block.skips {
            let location = skipped.location.map(|location| self.file.next.then(location));
            self.skip(Skipped { file: Arc::clone(&self.file.name.shown), location, ..skipped });
        }
        self.file.next = self.file.next.then(block.end);
        self.file.numbered += block.numbered;
    }

    /// A finding in the block that begins at `start`.
    fn finding(&mut self, mut placed: Placed, start: usize) {
        placed.compression = self.file.compression;
        placed.move_to(&self.file.name, start, self.file.next, self.file.numbered);
        if !self.fold {
            return self.keep(placed);
        }
        let key = placed.finding.fold_key();
        if let Some(known) =
            self.file.folded.get(&key).and_then(|&index| self.report.findings.get_mut(index))
        {
            return known.absorb(placed);
        }
        self.file.weight += placed.finding.weight();
        if self.file.weight > MAX_WEIGHT {
            let (file, location) = (placed.file, Some(placed.location));
            let reason = Reason::TooMany;
            return self.skip(Skipped { file, reason, count: 1, bytes: 0, location, detail: None });
        }
        self.file.folded.insert(key, self.report.findings.len());
        self.keep(placed);
    }

    fn keep(&mut self, placed: Placed) {
        self.report.summary.count(placed.finding.severity);
        match &mut self.each {
            Some(each) if !self.fold => each(&placed),
            _ => self.report.findings.push(placed),
        }
    }

    fn skip(&mut self, skipped: Skipped) {
        match skipped.reason.kind() {
            SkipKind::Unrelated => self.report.summary.unrelated += skipped.count,
            SkipKind::Failed => self.report.summary.failed += skipped.count,
        }
        let of_file = self.report.skipped.get_mut(self.file.skips..).unwrap_or_default();
        let is_alike = |known: &&mut Skipped| {
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

    /// The report, in order; `complete` says whether all was read that should have been.
    pub fn finish(mut self, complete: bool) -> Report {
        self.report.complete = complete;
        self.report.findings.sort_by(|a, b| order(a).cmp(&order(b)));
        self.report.skipped.sort_by(|a, b| {
            let order = |skipped: &Skipped| (skipped.reason, skipped.location);
            (a.reason.kind(), &a.file, order(a)).cmp(&(b.reason.kind(), &b.file, order(b)))
        });
        self.report
    }
}

impl OpenFile {
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
        finding.check(),
        finding.announcement(),
    )
}
