//! The numbers of patterns, positions and symbols.

/// The index of a pattern in the list given to `Automaton::new`.
pub type PatternId = usize;

/// A position in a pattern: the number of matched segments, numbered across all patterns.
pub(super) type PatternPosition = u32;

/// A class of steps that patterns do not distinguish: any other key, any other index, each name, each index.
pub(super) type Symbol = usize;

pub(super) const OTHER_NAME: Symbol = 0;

pub(super) const OTHER_INDEX: Symbol = 1;

pub(super) const FIRST_NAME: Symbol = 2;

/// Converts a position to 32 bits; no memory fits four billion segments.
pub(super) fn position(count: usize) -> PatternPosition {
    PatternPosition::try_from(count).unwrap_or(PatternPosition::MAX)
}
