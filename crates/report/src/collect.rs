//! Merges the results of all blocks, in the order of the files, into a report.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::block::{HostCount, MAX_WEIGHT, Repeats};
use super::log_text::plural;
use super::{BlockReport, FileKind, LocatedFinding, Report, SkipGroup, Summary};
use sundown_exchange::{Reason, Skip, SkipKind};
use sundown_files::FileName;
use sundown_lint::findings::suppression::{CheckedFiles, SuppressionStatus, Suppressor};
use sundown_lint::findings::{Declared, FoldKey};
use sundown_lint::rules::UncalledOperation;
use sundown_text_json::text::Location;

/// Receives findings one by one, as soon as their locations are known: in the order of the files and of their offsets.
pub type FindingSink<'e> = dyn FnMut(&LocatedFinding) + Send + 'e;

/// Collects a report, block by block.
pub struct Collector<'e> {
    /// The report so far, not in order.
    pub report: Report,
    repeats: Repeats,
    file: CurrentFile,
    /// The files so far.
    files: CheckedFiles,
    /// Decides which findings count; without it, all do.
    pub suppressor: Option<Suppressor<'e>>,
    /// The number of findings that count, by the ids of their rules.
    by_rule: HashMap<String, usize>,
    /// The hosts of calls at other addresses than those of the rules.
    pub(super) other_hosts: HostCount,
    /// The operations with rules of which calls were checked.
    pub called: BTreeSet<(usize, String)>,
    /// The ids of the rules whose elements were still served after their last day.
    served_late: HashSet<String>,
    /// Receives findings instead of the report, if repeats are not folded.
    pub sink: Option<&'e mut FindingSink<'e>>,
}

/// The file whose blocks are being added.
#[derive(Debug)]
struct CurrentFile {
    name: FileName,
    /// The indices of its findings in the report, by their fold keys, and whether they count.
    folded: HashMap<(FoldKey, bool), usize>,
    /// About how many bytes its findings take.
    weight: usize,
    /// Where the next block begins.
    next: Location,
    /// How many records precede the next block.
    numbered: usize,
    /// The index of its first skips in the report.
    skips: usize,
    /// Its compression.
    compression: Option<&'static str>,
    /// What it is.
    kind: FileKind,
}

impl Collector<'_> {
    /// Starts an empty report.
    pub fn new(as_of: NaiveDate, repeats: Repeats) -> Self {
        Self {
            report: Report {
                as_of,
                complete: true,
                ..Report::default()
            },
            repeats,
            file: CurrentFile::new(FileName::standard_input(), 0),
            files: CheckedFiles::default(),
            suppressor: None,
            by_rule: HashMap::new(),
            other_hosts: HostCount::default(),
            called: BTreeSet::new(),
            served_late: HashSet::new(),
            sink: None,
        }
    }

    /// Returns whether there were calls of known operations, but no record was at an address of the rules.
    pub(super) fn has_only_calls_elsewhere(&self) -> bool {
        let Summary {
            records,
            no_rule,
            descriptions,
            ..
        } = self.report.summary;
        let mut skipped = self.report.skipped.iter();
        records == no_rule
            && descriptions == 0
            && skipped.any(|group| group.reason == Reason::OtherAddress)
    }

    /// Adds a path that the user named and in which nothing was checked.
    pub fn add_unread(&mut self, name: &FileName) {
        self.report.unread.push(Arc::clone(&name.shown));
    }

    /// Ends a file that the user named and whose records no rule covers. Calls that were meant for the rules went to another
    /// address: then nothing in it was checked.
    pub fn end_uncovered_file(&mut self, name: &FileName) {
        let mut skips = self.skips_of_file().iter();
        if skips.any(|group| group.reason == Reason::OtherAddress) {
            self.add_unread(name);
        }
    }

    /// Adds those of the user's operations that no call reached, if there were calls.
    pub fn report_uncalled(&mut self, own: impl Iterator<Item = UncalledOperation>) {
        let Summary {
            records,
            descriptions,
            ..
        } = self.report.summary;
        if records > descriptions {
            let called = &self.called;
            let uncalled = own.filter(|own| !called.contains(&(own.file, own.operation.clone())));
            self.report.uncalled.extend(uncalled);
        }
    }

    /// Begins a file of this kind, with this compression. All later blocks and skips belong to it.
    pub fn begin_file(
        &mut self,
        name: &FileName,
        kind: FileKind,
        compression: Option<&'static str>,
    ) {
        self.open(name);
        self.file.kind = kind;
        self.file.compression = compression;
        self.files.opened.insert(Arc::clone(&name.rooted));
    }

    /// Begins a file to which a description refers.
    pub fn begin_reached_file(&mut self, name: &FileName) {
        self.open(name);
        self.files.reached.insert(Arc::clone(&name.rooted));
    }

    fn open(&mut self, name: &FileName) {
        self.file = CurrentFile::new(name.clone(), self.report.skipped.len());
    }

    /// Adds a path that was not read.
    pub fn skip_path(&mut self, name: &FileName, skip: Skip) {
        self.open(name);
        self.skip_file(skip);
    }

    /// Adds a skip of the file as a whole.
    pub fn skip_file(&mut self, skip: Skip) {
        self.skip_at(skip, None);
    }

    fn skip_at(&mut self, skip: Skip, location: Option<Location>) {
        self.skip(SkipGroup::new(&self.file.name.shown, skip, location));
    }

    /// Adds text that was not read. It contains `numbered` records, and `end` is relative to its start.
    pub fn skip_record(&mut self, skip: Skip, end: Location, numbered: usize) {
        self.skip_at(skip, Some(self.file.next));
        self.file.next = self.file.next.then(end);
        self.file.numbered += numbered;
    }

    /// Adds the next block of the file. Blocks must come in the order of the file.
    pub fn add_block(&mut self, block: BlockReport) {
        self.report.summary.add(&block.summary);
        self.other_hosts.merge(&block.other_hosts);
        self.files.bodies.extend(block.named_bodies);
        let mut findings = block.findings;
        if self.sink.is_some() {
            findings.sort_by(|a, b| order(a).cmp(&order(b)));
        }
        for located in findings {
            self.finding(located, block.start);
        }
        let counted = self.skipped_bytes();
        for skipped in block.skips {
            let location = skipped
                .location
                .map(|location| self.file.next.then(location));
            // A skip of the whole file does not count bytes again that earlier blocks have counted.
            let bytes = skipped.bytes
                - if location.is_none() {
                    counted.min(skipped.bytes)
                } else {
                    0
                };
            self.skip(SkipGroup {
                file: Arc::clone(&self.file.name.shown),
                bytes,
                location,
                ..skipped
            });
        }
        self.file.next = self.file.next.then(block.end);
        self.file.numbered += block.numbered;
    }

    /// Adds a finding of the block that begins at `start`.
    fn finding(&mut self, mut located: LocatedFinding, start: usize) {
        located.compression = self.file.compression;
        located.kind = self.file.kind;
        located.shift_into(&self.file.name, start, self.file.next, self.file.numbered);
        self.note_left_out(&located);
        if let Some(suppressor) = &mut self.suppressor {
            located.status = suppressor.status_of(&located.finding, &self.file.name);
        }
        if self.repeats != Repeats::Kept {
            return self.fold_in(located);
        }
        for inside in self.find_released(&located) {
            self.record(inside);
        }
        self.record(located);
    }

    /// Adds a finding of the file, or merges it into an equal one that comes earlier.
    fn fold_in(&mut self, located: LocatedFinding) {
        let key = (located.finding.fold_key(), located.status.is_counted());
        if let Some(known) = self
            .file
            .folded
            .get(&key)
            .and_then(|&index| self.report.findings.get_mut(index))
        {
            known.merge(located);
            note_served_late(&mut self.served_late, known);
            return;
        }
        self.file.weight += located.finding.weight();
        if self.file.weight > MAX_WEIGHT {
            let at = Some(located.location);
            return self.skip_at(Skip::file(Reason::TooMany, 0), at);
        }
        self.file.folded.insert(key, self.report.findings.len());
        self.record(located);
    }

    /// Notes that the elements inside a finding are not all known.
    fn note_left_out(&mut self, located: &LocatedFinding) {
        if located.finding.has_more_related {
            self.files
                .incomplete
                .insert((located.name(), Reason::TooMany));
        }
    }

    /// Counts a finding, and keeps it or passes it on.
    fn record(&mut self, located: LocatedFinding) {
        self.count(&located);
        match &mut self.sink {
            Some(_) if located.status == SuppressionStatus::Unselected => {}
            Some(sink) => sink(&located),
            None => self.report.findings.push(located),
        }
    }

    fn count(&mut self, located: &LocatedFinding) {
        self.report.summary.count(located);
        note_served_late(&mut self.served_late, located);
        if located.status.is_counted() {
            *self
                .by_rule
                .entry(located.finding.rule.id.clone())
                .or_default() += 1;
        }
    }

    /// The elements inside a finding that does not count, if they count themselves: they become separate findings.
    fn find_released(&mut self, outer: &LocatedFinding) -> Vec<LocatedFinding> {
        let Some(suppressor) = &mut self.suppressor else {
            return Vec::new();
        };
        let name = outer.name();
        let mut released = Vec::new();
        if outer.status.is_counted() {
            return released;
        }
        for (inside, &(location, end)) in outer.finding.related.iter().zip(&outer.related) {
            let finding = outer.finding.separate(inside, &suppressor.lifecycle);
            let status = suppressor.status_of(&finding, &name);
            if status.is_counted() {
                released.push(LocatedFinding {
                    finding,
                    status,
                    location,
                    end,
                    related: Vec::new(),
                    suggestion: None,
                    ..outer.clone()
                });
            }
        }
        released
    }

    /// The skips of the current file so far.
    fn skips_of_file(&self) -> &[SkipGroup] {
        self.report
            .skipped
            .get(self.file.skips..)
            .unwrap_or_default()
    }

    /// How many bytes of the file are in skips.
    fn skipped_bytes(&self) -> usize {
        self.skips_of_file()
            .iter()
            .fold(0, |bytes, skipped| skipped.bytes.saturating_add(bytes))
    }

    /// Adds pieces of the file, together with those that were skipped for the same reason.
    fn skip(&mut self, skipped: SkipGroup) {
        self.files.note_skipped(&self.file.name, skipped.reason);
        self.report.summary.count_skipped(&skipped);
        let of_file = self
            .report
            .skipped
            .get_mut(self.file.skips..)
            .unwrap_or_default();
        let mut known = of_file.iter();
        let is_first = known.all(|known| known.reason != skipped.reason);
        match of_file.iter_mut().find(|known| {
            let details = [&known.detail, &skipped.detail].map(Option::as_deref);
            known.reason == skipped.reason && SkipGroup::unites(skipped.reason, details)
        }) {
            Some(known) => known.absorb(skipped),
            None => {
                let files = usize::from(is_first);
                self.report.skipped.push(SkipGroup { files, ..skipped });
            }
        }
    }

    /// Reports that a file of so many bytes has no record, with how it was read, unless something else says why.
    pub fn skip_empty_file(&mut self, detail: Option<String>, bytes: usize) {
        let skips = self.skips_of_file();
        // What a text mentions does not say which table its records do not fit.
        let is_known = skips.iter().any(|skip| {
            skip.reason.kind() == SkipKind::Failed
                && (skip.reason != Reason::UnreadCall || detail.is_none())
        });
        // Skips of the file account for its bytes.
        let bytes = if skips.is_empty() { bytes } else { 0 };
        if !is_known {
            self.skip_file(Skip {
                detail,
                ..Skip::file(Reason::NothingToCheck, bytes)
            });
        }
    }

    /// Returns the report, in order. `complete` is false if the run was interrupted; `table_of` returns the name of the table
    /// with a rule; `exists` returns whether there is a file of this name, relative to the project's root.
    pub fn finish<'n>(
        mut self,
        complete: bool,
        table_of: &dyn Fn(&str) -> Option<&'n str>,
        exists: &dyn Fn(&str) -> bool,
    ) -> Report {
        self.report.complete = complete;
        self.leave_out_named_bodies();
        // What follows must not depend on the order of the files.
        self.sort();
        self.report.unread.sort_unstable();
        self.report.unread.dedup();
        if complete {
            self.report_no_known_address();
        }
        self.finish_suppression(complete, exists);
        self.report.summary.served_late = self.served_late.len();
        let mut tables: BTreeMap<&str, usize> = BTreeMap::new();
        for (rule, count) in &self.by_rule {
            if let Some(table) = table_of(rule) {
                *tables.entry(table).or_default() += count;
            }
        }
        self.report.tables = tables
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count))
            .collect();
        self.sort();
        (self.report.findings, self.report.suppressed) = std::mem::take(&mut self.report.findings)
            .into_iter()
            .filter(|located| located.status != SuppressionStatus::Unselected)
            .partition(|located| located.status.is_counted());
        self.report
    }

    /// Removes bodies of unknown operation that records name: they were checked with their calls.
    pub fn leave_out_named_bodies(&mut self) {
        let Report {
            skipped, summary, ..
        } = &mut self.report;
        let bodies: HashSet<_> = self.files.bodies.iter().map(|body| &body.shown).collect();
        skipped.retain(|group| {
            let is_named = group.reason == Reason::NoOperation && bodies.contains(&group.file);
            if is_named {
                summary.unrelated = summary.unrelated.saturating_sub(group.count);
            }
            !is_named
        });
    }

    fn sort(&mut self) {
        self.report.findings.sort_by(|a, b| order(a).cmp(&order(b)));
        self.report
            .skipped
            .sort_by(|a, b| order_of_skips(a).cmp(&order_of_skips(b)));
    }
}

impl Collector<'_> {
    /// Completes the suppression after all repeats have been merged: related elements, remarks, and unmatched entries.
    fn finish_suppression(&mut self, complete: bool, exists: &dyn Fn(&str) -> bool) {
        self.release_related();
        let Some(suppressor) = &self.suppressor else {
            return;
        };
        let summary = suppressor.summarize(complete, &self.files, exists);
        (self.report.remarks, self.report.gone) = (summary.remarks, summary.gone);
    }

    /// Reports a run that found calls of known operations, but none at an address of the rules: it checked nothing.
    fn report_no_known_address(&mut self) {
        let is_elsewhere = self.has_only_calls_elsewhere();
        let others = self
            .report
            .skipped
            .iter()
            .filter(|group| group.reason == Reason::OtherAddress);
        let calls = others
            .clone()
            .fold(0_usize, |calls, group| calls.saturating_add(group.count));
        let Some(first) = others.clone().next().filter(|_| is_elsewhere) else {
            return;
        };
        let calls = plural(calls, "call");
        let hosts = self.other_hosts.text();
        let skip = Skip {
            detail: Some(format!("{calls} of known operations on {hosts}")),
            ..Skip::file(Reason::NoKnownAddress, 0)
        };
        let group = SkipGroup::new(&first.file, skip, None);
        self.report.summary.count_skipped(&group);
        self.report.skipped.push(group);
    }

    /// Turns the elements inside findings that do not count into separate findings.
    fn release_related(&mut self) {
        let is_outer =
            |located: &LocatedFinding| !located.status.is_counted() && !located.related.is_empty();
        let findings = std::mem::take(&mut self.report.findings);
        // Repeats may have added elements.
        for located in &findings {
            self.note_left_out(located);
        }
        let mut released: Vec<LocatedFinding> = Vec::new();
        if findings.iter().any(is_outer) {
            let mut known: HashSet<_> = findings.iter().map(identity).collect();
            let inside = findings.iter().flat_map(|outer| self.find_released(outer));
            released.extend(inside.filter(|inside| known.insert(identity(inside))));
        }
        self.report.findings = findings;
        for inside in released {
            self.record(inside);
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
            kind: FileKind::Other,
        }
    }
}

/// Notes the element of a finding that counts if it was still served after its last day.
fn note_served_late(rules: &mut HashSet<String>, located: &LocatedFinding) {
    let finding = &located.finding;
    let is_counted = located.status.is_counted();
    if is_counted && finding.is_served_late() && !rules.contains(&finding.rule.id) {
        rules.insert(finding.rule.id.clone());
    }
}

/// The key by which findings of all files are equal.
fn identity(located: &LocatedFinding) -> (Arc<str>, FoldKey) {
    (Arc::clone(&located.file), located.finding.fold_key())
}

/// The sort key: file, offset and rule, then everything else in which findings can differ, so that the order is total.
fn order(located: &LocatedFinding) -> impl Ord + '_ {
    let finding = &located.finding;
    let exchange = finding
        .found
        .exchange
        .as_ref()
        .map(|exchange| exchange.index);
    (
        &located.file,
        finding.found.span,
        &finding.rule.id,
        finding.found.part,
        &finding.found.operation,
        (
            exchange,
            finding.found.exact_pointer(),
            finding.check(),
            finding.distinction(),
        ),
        // Two descriptions may refer to one file.
        (
            finding.found.certainty,
            finding.declared().map(Declared::order),
        ),
    )
}

/// The sort key of skips: kind, file, reason and location, then everything else in which they can differ.
fn order_of_skips(group: &SkipGroup) -> impl Ord + '_ {
    (
        group.reason.kind(),
        &group.file,
        group.reason,
        group.location,
        &group.detail,
        group.count,
        group.bytes,
    )
}
