//! Collects the findings and skips of one block of a file, folds repeats, and computes lines and columns.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{FileKind, LocatedFinding, SkipGroup, Summary};
use sundown_exchange::{Host, Reason, Skip, SkipKind, parameter_positions};
use sundown_files::FileName;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Finding, FoldKey, Occurrence};
use sundown_lint::rules::Rule;
use sundown_text_json::text::{Block, CoveredSpans, Location, Locations, Span, percent_decode};

/// Collects the findings and skips of one block while it is read.
#[derive(Debug, Default)]
pub struct BlockCollector {
    repeats: Repeats,
    findings: Vec<Finding>,
    /// The indices of the last finding of each fold key.
    folded: HashMap<FoldKey, usize>,
    /// About how many bytes the findings take, and may take.
    weight: usize,
    room: usize,
    /// How many findings exceeded the limit.
    left_out: usize,
    /// The position of the first of them.
    first_left_out: Option<Span>,
    skips: SkipGroups,
    other_hosts: HostCount,
    named_bodies: BTreeSet<FileName>,
    summary: Summary,
}

/// What becomes of equal findings of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Repeats {
    /// They are one finding, at the place of the first.
    #[default]
    Folded,
    /// The uses that the baseline has are one finding, and the uses after them another, at the place of the first new one. So a block
    /// keeps them apart, as long as they take little memory.
    FoldedByStatus,
    /// Each is a finding.
    Kept,
}

/// The results of one block; all positions and record numbers are relative to its start.
#[derive(Debug, Default)]
pub struct BlockReport {
    /// The findings.
    pub(super) findings: Vec<LocatedFinding>,
    /// The pieces that were not checked.
    pub(super) skips: Vec<SkipGroup>,
    /// The hosts of calls at other addresses than those of the rules.
    pub(super) other_hosts: HostCount,
    /// The files with bodies that records of the block name.
    pub(super) named_bodies: BTreeSet<FileName>,
    /// The counts of the block.
    pub(super) summary: Summary,
    /// The offset of the block in its file.
    pub(super) start: usize,
    /// The location after its last byte.
    pub(super) end: Location,
    /// The number of records in the block.
    pub(super) numbered: usize,
}

impl BlockReport {
    /// The findings, in the order of the block.
    pub fn into_findings(self) -> Vec<LocatedFinding> {
        self.findings
    }

    /// The number of pieces that could not be checked.
    pub fn failures(&self) -> usize {
        self.skips
            .iter()
            .filter(|skip| skip.reason.kind() == SkipKind::Failed)
            .map(|skip| skip.count)
            .sum()
    }
}

/// How many bytes the findings of one file may take: enough for hundreds of thousands of different findings, and a limit
/// for files that are made to exhaust memory.
pub const MAX_WEIGHT: usize = 256 * 1024 * 1024;

/// How many bytes the findings of one block may take before repeats are folded although the baseline may have only some of them.
const MAX_APART: usize = 32 * 1024 * 1024;

impl BlockCollector {
    /// Starts a block, whose findings may take about this many bytes. If repeats become one finding, no file has more than 256 MiB.
    pub fn new(repeats: Repeats, room: usize) -> Self {
        let is_kept = repeats == Repeats::Kept;
        Self {
            repeats,
            room: if is_kept { room } else { room.min(MAX_WEIGHT) },
            ..Self::default()
        }
    }

    /// The counts of the block, for the caller to increase.
    pub fn summary(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// Returns whether there is room for another finding that differs from all others.
    pub fn has_room(&self) -> bool {
        self.weight <= self.room
    }

    /// Adds a finding, or merges it into an equal one.
    pub fn add_finding(&mut self, finding: Finding) {
        let key = (self.repeats != Repeats::Kept).then(|| finding.fold_key());
        let is_folded = match self.repeats {
            Repeats::Folded => true,
            Repeats::FoldedByStatus => self.weight > MAX_APART,
            Repeats::Kept => false,
        };
        let known = key.as_ref().filter(|_| is_folded);
        let known = known.and_then(|key| self.folded.get(key));
        if let Some(known) = known.and_then(|&index| self.findings.get_mut(index)) {
            return known.merge(finding);
        }
        self.weight += finding.weight();
        if !self.has_room() {
            self.left_out += 1;
            self.first_left_out.get_or_insert(finding.found.span);
            return;
        }
        self.folded
            .extend(key.map(|key| (key, self.findings.len())));
        self.findings.push(finding);
    }

    /// The findings so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Adds a piece that was not checked.
    pub fn add_skip(&mut self, skip: Skip) {
        self.skips.add(skip);
    }

    /// Whether nothing but bodies of unknown operation has been found.
    pub fn has_only_unknown_bodies(&self) -> bool {
        self.summary.records == 0 && self.skips.are_all(Reason::NoOperation)
    }

    /// Notes the host of a call that is at another address than those of the rules.
    pub fn add_other_host(&mut self, host: Option<&Host<'_>>) {
        if let Some(host) = host {
            self.other_hosts.add(host.name());
        }
    }

    /// Notes a file with a body that a record names.
    pub fn add_named_body(&mut self, file: FileName) {
        self.named_bodies.insert(file);
    }

    /// Computes the locations of everything in `block`, which ends at `end` and contains `numbered` records.
    pub fn locate(self, block: Block<'_>, end: Location, numbered: usize) -> BlockReport {
        self.locate_as(block, Some(end), numbered)
    }

    /// Computes the locations in a block that is not text: it counts as one line whose columns are its bytes.
    pub fn locate_bytes(self, block: Block<'_>, numbered: usize) -> BlockReport {
        self.locate_as(block, None, numbered)
    }

    /// Without an end in lines and columns, locations are counted in bytes.
    fn locate_as(
        mut self,
        block: Block<'_>,
        end: Option<Location>,
        numbered: usize,
    ) -> BlockReport {
        let mut report = BlockReport {
            summary: self.summary,
            other_hosts: std::mem::take(&mut self.other_hosts),
            named_bodies: std::mem::take(&mut self.named_bodies),
            start: block.start,
            end: end.unwrap_or_else(|| Location::in_bytes(block.bytes.len())),
            numbered,
            ..BlockReport::default()
        };
        if let Some(span) = self.first_left_out {
            self.skips.add(Skip {
                count: self.left_out,
                bytes: 0,
                ..Skip::at(Reason::TooMany, span)
            });
        }
        if self.findings.is_empty() && self.skips.is_empty() {
            return report;
        }
        for finding in &mut self.findings {
            read_name(&mut finding.found, &finding.rule, block.bytes);
        }
        let found = self.findings.iter().flat_map(|finding| {
            let Span { start, end } = finding.found.span;
            let related = finding
                .related
                .iter()
                .flat_map(|r| [r.span.start, r.span.end]);
            [start, end].into_iter().chain(related)
        });
        let locations =
            end.map(|_| Locations::of(block, found.chain(self.skips.starts()).collect()));
        let locate = |offset: usize| match &locations {
            Some(locations) => locations.get(offset),
            None => Location::in_bytes(offset),
        };
        report.findings = self
            .findings
            .into_iter()
            .map(|finding| locate_finding(finding, locate))
            .collect();
        report.skips = self.skips.locate(locate);
        report
    }
}

/// Narrows the span of a query parameter, and takes the name of a header field as the file writes it, or the member that states the
/// operation: `apiVersion: batch/v1beta1`. What the file writes in another way stays as it is.
fn read_name(found: &mut Occurrence, rule: &Rule, file: &[u8]) {
    let written = std::str::from_utf8(found.span.slice(file)).unwrap_or_default();
    match (found.shown.parameter.take(), &found.shown.key) {
        (Some(number), _) => {
            let text = written.trim_matches(is_quote);
            let start = written.len() - written.trim_start_matches(is_quote).len();
            let own = parameter_positions(text).nth(number);
            let own = own.filter(|_| !text.contains('\\'));
            let name = rule.element.name().unwrap_or_default();
            let name = name.split('[').next().unwrap_or_default();
            let own = own.filter(|own| {
                let pair = String::from_utf8_lossy(own.slice(text.as_bytes())).replace('+', " ");
                percent_decode(&pair).starts_with(name)
            });
            if let Some(own) = own {
                found.span = own.shifted(found.span.start + start);
            }
        }
        (None, Some(key)) if written.trim_matches(is_quote).eq_ignore_ascii_case(key) => {
            found.shown.key = Some(written.to_owned());
        }
        // Only of a manifest: the text of an address can be as long and as secret as it likes.
        (None, None) if rule.element.is_endpoint() => {
            let (name, value) = written.split_once(':').unwrap_or_default();
            let is_version = name.trim_matches(is_quote) == "apiVersion";
            let value = if is_version { value } else { "" };
            let value = value.trim_matches(|c| is_quote(c) || c == ' ');
            if !value.is_empty() && found.operation.contains(&format!("/{value}/")) {
                found.shown.key = Some(written.to_owned());
            }
        }
        (None, _) => {}
    }
}

/// Whether a character opens or closes a text.
fn is_quote(c: char) -> bool {
    c == '"' || c == '\''
}

fn locate_finding(finding: Finding, locate: impl Fn(usize) -> Location) -> LocatedFinding {
    let locate = |span: Span| (locate(span.start), locate(span.end));
    let related = finding.related.iter();
    let (location, end) = locate(finding.found.span);
    LocatedFinding {
        location,
        end,
        related: related.map(|related| locate(related.span)).collect(),
        file: "".into(),
        rooted: "".into(),
        compression: None,
        kind: FileKind::Other,
        suggestion: None,
        status: SuppressionStatus::Open,
        finding,
    }
}

/// Counts different hosts without keeping their names: by the hashes of these, up to a limit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct HostCount(BTreeSet<u64>);

/// The largest number of hosts that are counted.
const MAX_HOSTS: usize = 10_000;

impl HostCount {
    /// Counts a host.
    fn add(&mut self, name: &str) {
        self.add_hash(BuildHasherDefault::<DefaultHasher>::default().hash_one(name));
    }

    /// Counts the hosts of another part of the run.
    pub(super) fn merge(&mut self, other: &Self) {
        for &hash in &other.0 {
            self.add_hash(hash);
        }
    }

    fn add_hash(&mut self, hash: u64) {
        if self.0.len() < MAX_HOSTS {
            self.0.insert(hash);
        }
    }

    /// The number of hosts, for people.
    pub(super) fn text(&self) -> String {
        match self.0.len() {
            0 => "unnamed hosts".to_owned(),
            1 => "1 host".to_owned(),
            MAX_HOSTS.. => format!("at least {MAX_HOSTS} hosts"),
            count => format!("{count} hosts"),
        }
    }
}

/// The skips of one block, grouped.
#[derive(Debug, Default)]
struct SkipGroups {
    groups: Vec<Skip>,
    recent: RecentSkips,
    /// The bytes already counted: a piece that could not be read in two ways counts once.
    cover: CoveredSpans,
    /// The total size of all groups in bytes.
    bytes: usize,
}

impl SkipGroups {
    /// Adds a piece.
    pub(super) fn add(&mut self, skip: Skip) {
        if !self.is_new(&skip) {
            return;
        }
        let bytes = match skip.span {
            Some(_) => self.cover.add(skip.stretch()),
            // A skip of the whole file does not count bytes again.
            None => skip.bytes.saturating_sub(self.bytes),
        };
        self.bytes += bytes;
        let skip = Skip { bytes, ..skip };
        match self.groups.iter_mut().find(|first| is_of(first, &skip)) {
            Some(first) => absorb(first, skip),
            None => self.groups.push(skip),
        }
    }

    /// Returns whether the piece is new: a body that is checked as both sides is reported once.
    fn is_new(&mut self, skip: &Skip) -> bool {
        // Calls without bodies are not pieces of text: several may share one URL, and each counts.
        let Some(span) = skip.span.filter(|_| skip.reason != Reason::NoBody) else {
            return true;
        };
        self.recent.insert(skip.reason, span, skip.bytes)
    }

    /// Where the first piece of each group begins.
    fn starts(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().filter_map(start)
    }

    /// Returns whether something was skipped, and for this reason alone.
    fn are_all(&self, reason: Reason) -> bool {
        !self.is_empty() && self.groups.iter().all(|group| group.reason == reason)
    }

    /// Returns whether nothing was skipped.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Gives each group the location of its first piece.
    fn locate(self, locate: impl Fn(usize) -> Location) -> Vec<SkipGroup> {
        let unnamed = Arc::from("");
        let groups = self.groups.into_iter().map(|first| {
            let location = start(&first).map(&locate);
            SkipGroup::new(&unnamed, first, location)
        });
        groups.collect()
    }
}

/// Returns whether a piece belongs to the group of another. Skips of the whole file are separate, because the collector subtracts
/// the bytes of earlier blocks from them.
fn is_of(first: &Skip, skip: &Skip) -> bool {
    let has_same_extent = first.span.is_some() == skip.span.is_some();
    let details = [&first.detail, &skip.detail].map(Option::as_deref);
    first.reason == skip.reason && has_same_extent && SkipGroup::unites(skip.reason, details)
}

fn start(skip: &Skip) -> Option<usize> {
    skip.span.map(|span| span.start)
}

/// Adds a piece to the first of its group, which has the counts of all.
fn absorb(first: &mut Skip, other: Skip) {
    let count = first.count + other.count;
    let bytes = first.bytes + other.bytes;
    if start(&other) < start(first) {
        *first = other;
    }
    (first.count, first.bytes) = (count, bytes);
}

/// The pieces that were added last.
#[derive(Debug, Default)]
struct RecentSkips {
    /// With their counted bytes.
    recent: HashMap<(Reason, Span), usize>,
    /// The pieces before them.
    older: HashMap<(Reason, Span), usize>,
    /// The end of all pieces: a piece that begins after it is new.
    end: usize,
}

/// How many pieces are remembered at least. Those of one record are close to each other.
const REMEMBERED: usize = 16 * 1024;

impl RecentSkips {
    /// Remembers a piece; returns `false` if it is known. A piece with counted bytes is not added again without them.
    fn insert(&mut self, reason: Reason, span: Span, bytes: usize) -> bool {
        if span.start < self.end || span.is_empty() {
            let known = self
                .recent
                .get(&(reason, span))
                .or_else(|| self.older.get(&(reason, span)));
            if known.is_some_and(|&known| bytes == 0 || bytes == known) {
                return false;
            }
        }
        if self.recent.len() >= REMEMBERED {
            std::mem::swap(&mut self.older, &mut self.recent);
            self.recent.clear();
        }
        self.recent.insert((reason, span), bytes);
        self.end = self.end.max(span.end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(reason: Reason, start: usize, len: usize) -> Skip {
        Skip::at(reason, Span::new(start, start + len))
    }

    fn counts(skips: SkipGroups) -> Vec<(Reason, usize, usize, Option<Location>)> {
        let located = skips.locate(Location::in_bytes);
        located
            .into_iter()
            .map(|s| (s.reason, s.count, s.bytes, s.location))
            .collect()
    }

    #[test]
    fn equal_pieces_are_one_group_at_the_first_of_them() {
        let mut skips = SkipGroups::default();
        for start in [30, 10, 20] {
            skips.add(skip(Reason::NoExchange, start, 5));
        }
        skips.add(skip(Reason::InvalidJson, 40, 7));
        assert_eq!(skips.starts().collect::<Vec<_>>(), [10, 40]);
        assert_eq!(
            counts(skips),
            [
                (Reason::NoExchange, 3, 15, Some(Location::in_bytes(10))),
                (Reason::InvalidJson, 1, 7, Some(Location::in_bytes(40))),
            ]
        );
    }

    #[test]
    fn a_piece_counts_once_and_a_call_without_body_each_time() {
        let mut skips = SkipGroups::default();
        for _ in 0..2 {
            for start in 0..100 {
                skips.add(skip(Reason::InvalidJson, start * 10, 8));
            }
            // The same piece without counted bytes is not added.
            skips.add(Skip {
                bytes: 0,
                ..skip(Reason::InvalidJson, 50, 8)
            });
            skips.add(Skip {
                bytes: 0,
                ..skip(Reason::NoBody, 0, 8)
            });
        }
        let counts = counts(skips);
        assert_eq!((counts[0].1, counts[0].2), (100, 800));
        assert_eq!((counts[1].1, counts[1].2), (2, 0));
    }

    #[test]
    fn a_skip_of_the_whole_file_counts_the_remaining_bytes() {
        let mut skips = SkipGroups::default();
        skips.add(skip(Reason::InvalidJson, 10, 20));
        skips.add(Skip::file(Reason::Empty, 100));
        assert_eq!(
            counts(skips),
            [
                (Reason::InvalidJson, 1, 20, Some(Location::in_bytes(10))),
                (Reason::Empty, 1, 80, None),
            ]
        );
    }

    #[test]
    fn memory_is_flat_however_many_pieces_there_are() {
        let mut skips = SkipGroups::default();
        for at in 0..10 * REMEMBERED {
            skips.add(skip(Reason::NoExchange, at * 3, 2));
        }
        assert!(skips.recent.recent.len() <= REMEMBERED && skips.recent.older.len() <= REMEMBERED);
        assert_eq!(skips.groups.len(), 1);
        let counts = counts(skips);
        assert_eq!(
            (counts[0].1, counts[0].2),
            (10 * REMEMBERED, 20 * REMEMBERED)
        );
    }
}
