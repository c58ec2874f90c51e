//! Compiles patterns into an automaton.

use super::graph::Graph;
use super::ids::PatternId;
use super::ids::{FIRST_NAME, OTHER_INDEX, OTHER_NAME, PatternPosition, Symbol, position};
use super::names::NameTable;
use super::pattern::{ConditionId, Pattern, PatternRole, SegmentTest};

/// The patterns, compiled for walking. It is immutable and shared; a `Walk` has the states.
#[derive(Debug)]
pub struct Automaton {
    pub(super) patterns: Vec<Pattern>,
    /// For each position, its pattern and the number of segments matched there.
    pub(super) positions: Vec<(PatternId, usize)>,
    /// The position at which each pattern starts.
    pub(super) starts: Vec<PatternPosition>,
    /// The names in patterns; all other keys are equivalent.
    pub(super) names: NameTable,
    /// The indices in patterns, ascending; all others are equivalent.
    pub(super) indices: Vec<usize>,
}

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
            automaton
                .positions
                .extend((0..=pattern.segments.len()).map(|matched| (id, matched)));
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

    /// Whether no pattern can accept anything.
    pub fn is_empty(&self) -> bool {
        !self
            .patterns
            .iter()
            .any(|pattern| matches!(pattern.role, PatternRole::Use { .. }))
    }

    #[inline]
    pub(super) fn symbol_of_key(&self, key: &[u8]) -> Symbol {
        self.names
            .get(key)
            .map_or(OTHER_NAME, |number| FIRST_NAME + number)
    }

    pub(super) fn symbol_of_index(&self, index: usize) -> Symbol {
        let number = self.indices.binary_search(&index);
        number.map_or(OTHER_INDEX, |number| FIRST_NAME + self.names.len() + number)
    }

    /// The name of a symbol, if it has one.
    pub(super) fn name_of(&self, symbol: Symbol) -> Option<&str> {
        self.names.name(symbol.checked_sub(FIRST_NAME)?)
    }

    /// The index of a symbol, if it has one.
    pub(super) fn index_of(&self, symbol: Symbol) -> Option<usize> {
        self.indices
            .get(symbol.checked_sub(FIRST_NAME + self.names.len())?)
            .copied()
    }

    /// The number of symbols.
    pub(super) fn symbols(&self) -> usize {
        FIRST_NAME + self.names.len() + self.indices.len()
    }

    /// `holding` lists the conditions that hold for the target node, in ascending order.
    pub(super) fn matches(
        &self,
        test: &SegmentTest,
        symbol: Symbol,
        holding: &[ConditionId],
    ) -> bool {
        match test {
            SegmentTest::Wildcard => true,
            SegmentTest::Name(name) => self.name_of(symbol) == Some(&**name),
            SegmentTest::Index(index) => self.index_of(symbol) == Some(*index),
            SegmentTest::Condition(condition) => holding.binary_search(condition).is_ok(),
        }
    }
}
