//! All selectors of one (operation, side) as one deterministic automaton over object keys and array steps.
//!
//! A [`Pattern`] is a selector as a chain of segments. [`Automaton`] holds all patterns; [`Walk`] determinises them as
//! far as the bodies it sees require, each state a set of places in patterns, so that a step costs one look-up however
//! many patterns there are.
//!
//! Three roles: a *use* accepts nodes; an *exception* takes nodes back from the pattern's own owner; a *barrier* is a
//! free-form map into which the patterns of its scope do not reach, unless they came to it by its own name.

mod pattern;
mod walk;

pub use pattern::{Pattern, Role, Segment, Specificity, Test};
pub use walk::{StateId, Walk};

use std::collections::HashMap;

/// Index of a pattern, in the order in which they were given to [`Automaton::new`].
pub type PatternId = usize;

/// A place in a pattern: how many of its segments have been matched, counted over all patterns.
type Position = u32;

/// The patterns, laid out for walking. Immutable and shared; what is learnt on the way lies in [`Walk`].
#[derive(Debug)]
pub struct Automaton {
    patterns: Vec<Pattern>,
    /// For each position, its pattern and the number of segments matched there.
    positions: Vec<(PatternId, usize)>,
    /// The position at which each pattern starts.
    starts: Vec<Position>,
    /// The names that stand in patterns; all other keys are alike.
    names: HashMap<Box<str>, Symbol>,
    /// The array indices from which on all are alike: one more than the largest that stands in a pattern.
    index_bound: usize,
}

/// What a step can be, as far as patterns can tell steps apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Symbol {
    /// A key that stands in a pattern, by its number.
    Name(u32),
    /// Any other key.
    OtherName,
    /// An array index; from the bound on, all are the bound.
    Index(usize),
}

impl Automaton {
    /// Lays out the patterns. One without segments (`$`) never matches: a use has a key.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        let mut automaton = Self {
            positions: Vec::new(),
            starts: Vec::new(),
            names: HashMap::new(),
            index_bound: 0,
            patterns: Vec::new(),
        };
        for (id, pattern) in patterns.iter().enumerate() {
            automaton.starts.push(position(automaton.positions.len()));
            automaton.positions.extend((0..=pattern.segments.len()).map(|matched| (id, matched)));
            for test in pattern.segments.iter().flat_map(|segment| &segment.tests) {
                automaton.learn(test);
            }
        }
        automaton.patterns = patterns;
        automaton
    }

    fn learn(&mut self, test: &Test) {
        match test {
            Test::Name(name) => {
                let next = position(self.names.len());
                self.names.entry(name.clone()).or_insert(Symbol::Name(next));
            }
            Test::Index(index) => self.index_bound = self.index_bound.max(index + 1),
            Test::Wildcard => {}
        }
    }

    /// Whether no pattern of it can accept anything.
    pub fn is_empty(&self) -> bool {
        !self.patterns.iter().any(|pattern| matches!(pattern.role, Role::Use { .. }))
    }

    fn symbol_of_key(&self, key: &str) -> Symbol {
        self.names.get(key).copied().unwrap_or(Symbol::OtherName)
    }

    fn symbol_of_index(&self, index: usize) -> Symbol {
        Symbol::Index(index.min(self.index_bound))
    }

    fn matches(&self, test: &Test, symbol: Symbol) -> bool {
        match test {
            Test::Wildcard => true,
            Test::Name(name) => self.names.get(name) == Some(&symbol),
            Test::Index(index) => symbol == Symbol::Index(*index),
        }
    }
}

/// Positions are counted in 32 bits: four thousand million segments of selectors fit in no memory.
fn position(count: usize) -> Position {
    Position::try_from(count).unwrap_or(Position::MAX)
}
