//! Groups the pieces of a block that were not checked, so that memory depends on the number of reasons and not of pieces.

use std::collections::HashMap;
use std::sync::Arc;

use super::SkipGroup;
use sundown_exchange::{Reason, Skip};
use sundown_text_json::text::{CoveredSpans, Location, Span};

/// The skips of one block, grouped.
#[derive(Debug, Default)]
pub(super) struct SkipGroups {
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
    pub(super) fn starts(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().filter_map(start)
    }

    /// Returns whether something was skipped, and for this reason alone.
    pub(super) fn are_all(&self, reason: Reason) -> bool {
        !self.is_empty() && self.groups.iter().all(|group| group.reason == reason)
    }

    /// Returns whether nothing was skipped.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Gives each group the location of its first piece.
    pub(super) fn locate(self, locate: impl Fn(usize) -> Location) -> Vec<SkipGroup> {
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
    let differs = skip.reason.is_reported_singly() && first.detail != skip.detail;
    let has_same_extent = first.span.is_some() == skip.span.is_some();
    first.reason == skip.reason && has_same_extent && !differs
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
