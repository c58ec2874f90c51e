//! Collects the findings and skips of one block of a file, folds repeats, and computes lines and columns.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use serde::{Deserialize, Serialize};

use super::skip_groups::SkipGroups;
use super::{FileKind, LocatedFinding, SkipGroup, Summary};
use sundown_exchange::{Host, Reason, Skip, SkipKind, parameter_position};
use sundown_files::FileName;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Finding, FoldKey, Occurrence};
use sundown_lint::rules::Rule;
use sundown_text_json::text::{Block, Location, Locations, Span, percent_decode};

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
            let own = parameter_position(text, number).filter(|_| !text.contains('\\'));
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
