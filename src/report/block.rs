//! Takes the findings and skips of one block of a file, folds repeats, and finds lines and columns.

use std::collections::HashMap;

use super::skip_groups::SkipGroups;
use super::{LocatedFinding, SkipGroup, Summary};
use crate::findings::suppression::SuppressionStatus;
use crate::findings::{Finding, FoldKey};
use crate::text::{Block, Location, Locations, Span};
use crate::traffic::{Reason, Skip};

/// What is found in one block while it is read.
#[derive(Debug, Default)]
pub struct BlockCollector {
    keep_repeats: bool,
    findings: Vec<Finding>,
    /// Their numbers, by what makes them fold.
    folded: HashMap<FoldKey, usize>,
    /// About how many bytes they take.
    weight: usize,
    /// How many findings found no room, and the first of them.
    left_out: usize,
    first_left_out: Option<Span>,
    skips: SkipGroups,
    summary: Summary,
}

/// What was found in one block; all places and numbers count from its beginning.
#[derive(Debug, Default)]
pub struct BlockReport {
    /// The findings.
    pub(super) findings: Vec<LocatedFinding>,
    /// What was not checked.
    pub(super) skips: Vec<SkipGroup>,
    /// The block's share of the counts.
    pub(super) summary: Summary,
    /// Offset of the block in its file.
    pub(super) start: usize,
    /// The place behind its last byte.
    pub(super) end: Location,
    /// How many records the reader numbered.
    pub(super) numbered: usize,
}

/// Whether a block has lines.
#[derive(Debug, Clone, Copy)]
enum LocationUnit {
    Text,
    None,
}

/// How many bytes the findings of one file may take: enough for hundreds of thousands that differ, and a bound for files
/// that were made to exhaust memory.
pub(super) const MAX_WEIGHT: usize = 256 * 1024 * 1024;

impl BlockReport {
    /// Whether there is nothing to say of what was read: no record, and nothing that was not checked.
    pub fn has_nothing(&self) -> bool {
        self.summary.records == 0 && self.skips.is_empty()
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl BlockCollector {
    /// Nothing yet; `fold` says whether repeats become one finding.
    pub fn new(fold: bool) -> Self {
        Self { keep_repeats: !fold, ..Self::default() }
    }

    /// The block's counts, to be added to.
    pub fn summary(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// How many findings there are so far.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether nothing was found so far.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether there is room for one more finding that differs from all others.
    pub fn has_room(&self) -> bool {
        self.weight <= MAX_WEIGHT
    }

    /// A finding.
    pub fn add_finding(&mut self, finding: Finding) {
        // Whoever asks for every single use gets every single use. In a description, each finding is one at any rate.
        if self.keep_repeats && finding.declared.is_none() {
            return self.findings.push(finding);
        }
        let key = finding.fold_key();
        let known = self.folded.get(&key).filter(|_| !self.keep_repeats);
        if let Some(known) = known.and_then(|&index| self.findings.get_mut(index)) {
            return known.merge(finding);
        }
        self.weight += finding.weight();
        if !self.has_room() {
            self.left_out += 1;
            self.first_left_out.get_or_insert(finding.found.span);
            return;
        }
        self.folded.insert(key, self.findings.len());
        self.findings.push(finding);
    }

    /// Something that was not checked.
    pub fn add_skip(&mut self, skip: Skip) {
        self.skips.add(skip);
    }

    /// Gives everything its place in `block`, which ends at `end`, and in which the reader numbered so many records.
    pub fn locate(self, block: Block<'_>, end: Location, numbered: usize) -> BlockReport {
        self.locate_as(block, end, numbered, LocationUnit::Text)
    }

    /// The same for a block of a file that is no text: it has one line, whose columns are its bytes.
    pub fn locate_bytes(self, block: Block<'_>, numbered: usize) -> BlockReport {
        self.locate_as(block, Location::in_bytes(block.bytes.len()), numbered, LocationUnit::None)
    }

    fn locate_as(
        mut self,
        block: Block<'_>,
        end: Location,
        numbered: usize,
        lines: LocationUnit,
    ) -> BlockReport {
        let mut gathered = BlockReport {
            summary: self.summary,
            start: block.start,
            end,
            numbered,
            ..BlockReport::default()
        };
        if let Some(span) = self.first_left_out {
            let count = self.left_out;
            self.skips.add(Skip { count, bytes: 0, ..Skip::at(Reason::TooMany, span) });
        }
        if self.findings.is_empty() && self.skips.is_empty() {
            return gathered;
        }
        let found = self.findings.iter().flat_map(|finding| {
            let Span { start, end } = finding.found.span;
            let related = finding.related.iter().flat_map(|r| [r.span.start, r.span.end]);
            [start, end].into_iter().chain(related)
        });
        let locations = match lines {
            LocationUnit::Text => Locations::of(block, found.chain(self.skips.starts()).collect()),
            LocationUnit::None => Locations::default(),
        };
        let place = |offset: usize| match lines {
            LocationUnit::Text => locations.get(offset),
            LocationUnit::None => Location::in_bytes(offset),
        };
        gathered.findings =
            self.findings.into_iter().map(|finding| placed(finding, place)).collect();
        gathered.skips = self.skips.placed(place);
        gathered
    }
}

fn placed(finding: Finding, place: impl Fn(usize) -> Location) -> LocatedFinding {
    let related = finding.related.iter().map(|related| place(related.span.start)).collect();
    let related_ends = finding.related.iter().map(|related| place(related.span.end)).collect();
    LocatedFinding {
        location: place(finding.found.span.start),
        end: place(finding.found.span.end),
        related,
        related_ends,
        file: "".into(),
        rooted: "".into(),
        compression: None,
        status: SuppressionStatus::Open,
        finding,
    }
}
