//! All selectors of one (operation, side) as one deterministic automaton over object keys and array steps.
//!
//! A [`Pattern`] is a selector as a chain of segments. [`Automaton`] holds all patterns; [`Walk`] determinises them as
//! far as the bodies it sees require, each state a set of places in patterns, so that a step costs one look-up however
//! many patterns there are.
//!
//! Three roles: a *use* accepts nodes; an *exception* takes nodes back from the pattern's own owner; a *barrier* is a
//! free-form map into which the patterns of its scope do not reach, unless they came to it by its own name.
//!
//! What takes more than the way to a node (a filter, a slice) is a *condition* to the automaton: [`Walk::conditions`] says
//! which ones matter below a node, and a step is told which of them hold. Whoever walks bytes tells of none.

mod graph;
mod names;
mod pattern;
mod walk;

pub use graph::{Graph, GraphStep, Nodes};
pub use pattern::{ConditionId, Pattern, PatternRole, SegmentTest, SelectorSegment, Specificity};
pub use walk::{StateId, Walk};

use names::NameTable;

/// Index of a pattern, in the order in which they were given to [`Automaton::new`].
pub type PatternId = usize;

/// A place in a pattern: how many of its segments have been matched, counted over all patterns.
type PatternPosition = u32;

/// The patterns, laid out for walking. Immutable and shared; what is learnt on the way lies in [`Walk`].
#[derive(Debug)]
pub struct Automaton {
    patterns: Vec<Pattern>,
    /// For each position, its pattern and the number of segments matched there.
    positions: Vec<(PatternId, usize)>,
    /// The position at which each pattern starts.
    starts: Vec<PatternPosition>,
    /// The names that stand in patterns; all other keys are alike.
    names: NameTable,
    /// The indices that stand in patterns, ascending; all others are alike.
    indices: Vec<usize>,
}

/// What a step can be, as far as patterns can tell steps apart: any other key, any other index, the names, the indices.
type Symbol = usize;

const OTHER_NAME: Symbol = 0;
const OTHER_INDEX: Symbol = 1;
const FIRST_NAME: Symbol = 2;

impl Automaton {
    /// Lays out the patterns. One without segments (`$`) never matches: a use has a key.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Self::beside(patterns, None)
    }

    /// The same, to be walked beside a graph.
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

    /// Whether no pattern of it can accept anything.
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

    /// The name that a symbol stands for, if it is one of the names.
    fn name_of(&self, symbol: Symbol) -> Option<&str> {
        self.names.name(symbol.checked_sub(FIRST_NAME)?)
    }

    /// The index that a symbol stands for, if it is one of the indices.
    fn index_of(&self, symbol: Symbol) -> Option<usize> {
        self.indices.get(symbol.checked_sub(FIRST_NAME + self.names.len())?).copied()
    }

    /// How many symbols there are.
    fn symbols(&self) -> usize {
        FIRST_NAME + self.names.len() + self.indices.len()
    }

    /// `holding` are the conditions that hold of the node stepped to, in ascending order.
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

/// Positions are counted in 32 bits: four thousand million segments of selectors fit in no memory.
fn position(count: usize) -> PatternPosition {
    PatternPosition::try_from(count).unwrap_or(PatternPosition::MAX)
}
