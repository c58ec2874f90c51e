//! All selectors of one (operation, side) as one deterministic automaton over object keys and array steps.
//!
//! A [`Pattern`] is a selector as a list of segments. [`Automaton`] contains all patterns. [`Walk`] determinizes them lazily:
//! each state is a set of positions in patterns, so a step costs one lookup for any number of patterns.
//!
//! There are three roles: a *use* accepts nodes; an *exception* excludes nodes for its owner; a *barrier* is a free-form map
//! that the patterns of its scope do not enter, unless they name it.
//!
//! A test that needs more than the path of a node (a filter, a slice) is a *condition*: [`Walk::conditions`] returns those that
//! matter below a node, and each step takes those that hold. A walk over bytes passes none.

mod graph;
mod names;
mod pattern;
mod walk;

pub use graph::{Graph, GraphStep, Nodes, Validity};
pub use pattern::{ConditionId, Pattern, PatternRole, SegmentTest, SelectorSegment, Specificity};
pub use walk::{StateId, Walk};

use names::NameTable;

/// The index of a pattern in the list given to [`Automaton::new`].
pub type PatternId = usize;

/// A position in a pattern: the number of matched segments, numbered across all patterns.
type PatternPosition = u32;

/// The patterns, compiled for walking. It is immutable and shared; a [`Walk`] has the states.
#[derive(Debug)]
pub struct Automaton {
    patterns: Vec<Pattern>,
    /// For each position, its pattern and the number of segments matched there.
    positions: Vec<(PatternId, usize)>,
    /// The position at which each pattern starts.
    starts: Vec<PatternPosition>,
    /// The names in patterns; all other keys are equivalent.
    names: NameTable,
    /// The indices in patterns, ascending; all others are equivalent.
    indices: Vec<usize>,
}

/// A class of steps that patterns do not distinguish: any other key, any other index, each name, each index.
type Symbol = usize;

const OTHER_NAME: Symbol = 0;
const OTHER_INDEX: Symbol = 1;
const FIRST_NAME: Symbol = 2;

impl Automaton {
    /// Compiles patterns. One without segments (`$`) never matches, because a use has a key.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Self::beside(patterns, None)
    }

    /// Compiles patterns to walk together with a graph.
    pub fn beside(patterns: Vec<Pattern>, graph: Option<&dyn Graph>) -> Self {
        let mut automaton = Self {
            positions: Vec::new(),
            starts: Vec::new(),
            names: NameTable::default(),
            indices: Vec::new(),
            patterns: Vec::new(),
        };
        for (id, pattern) in patterns.iter().enumerate() {
            automaton.starts.push(position(automaton.positions.len()));
            automaton.positions.extend((0..=pattern.segments.len()).map(|matched| (id, matched)));
            for test in pattern.segments.iter().flat_map(|segment| &segment.tests) {
                automaton.learn(test);
            }
        }
        for name in graph.iter().flat_map(|graph| graph.names()) {
            automaton.names.insert(&name);
        }
        automaton.indices.extend(0..graph.map_or(0, Graph::indices));
        automaton.indices.sort_unstable();
        automaton.indices.dedup();
        automaton.patterns = patterns;
        automaton
    }

    fn learn(&mut self, test: &SegmentTest) {
        match test {
            SegmentTest::Name(name) => {
                self.names.insert(name);
            }
            SegmentTest::Index(index) => self.indices.push(*index),
            SegmentTest::Wildcard | SegmentTest::Condition(_) => {}
        }
    }

    /// Returns whether no pattern can accept anything.
    pub fn is_empty(&self) -> bool {
        !self.patterns.iter().any(|pattern| matches!(pattern.role, PatternRole::Use { .. }))
    }

    #[inline]
    fn symbol_of_key(&self, key: &[u8]) -> Symbol {
        self.names.get(key).map_or(OTHER_NAME, |number| FIRST_NAME + number)
    }

    fn symbol_of_index(&self, index: usize) -> Symbol {
        let number = self.indices.binary_search(&index);
        number.map_or(OTHER_INDEX, |number| FIRST_NAME + self.names.len() + number)
    }

    /// The name of a symbol, if it has one.
    fn name_of(&self, symbol: Symbol) -> Option<&str> {
        self.names.name(symbol.checked_sub(FIRST_NAME)?)
    }

    /// The index of a symbol, if it has one.
    fn index_of(&self, symbol: Symbol) -> Option<usize> {
        self.indices.get(symbol.checked_sub(FIRST_NAME + self.names.len())?).copied()
    }

    /// The number of symbols.
    fn symbols(&self) -> usize {
        FIRST_NAME + self.names.len() + self.indices.len()
    }

    /// `holding` lists the conditions that hold for the target node, in ascending order.
    fn matches(&self, test: &SegmentTest, symbol: Symbol, holding: &[ConditionId]) -> bool {
        match test {
            SegmentTest::Wildcard => true,
            SegmentTest::Name(name) => {
                symbol != OTHER_NAME && self.symbol_of_key(name.as_bytes()) == symbol
            }
            SegmentTest::Index(index) => self.symbol_of_index(*index) == symbol,
            SegmentTest::Condition(condition) => holding.binary_search(condition).is_ok(),
        }
    }
}

/// Converts a position to 32 bits; no memory fits four billion segments.
fn position(count: usize) -> PatternPosition {
    PatternPosition::try_from(count).unwrap_or(PatternPosition::MAX)
}
