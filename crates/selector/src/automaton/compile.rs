//! Compiles patterns into an automaton.

use super::graph::Graph;
use super::ids::PatternId;
use super::ids::{FIRST_NAME, OTHER_INDEX, OTHER_NAME, PatternPosition, Symbol, position};
use super::names::NameTable;
use super::pattern::{Pattern, PatternRole, SegmentTest, SelectorSegment};

/// The patterns, compiled for walking. It is immutable and shared; a `Walk` has the states.
#[derive(Debug, Default)]
pub struct Automaton {
    /// The positions in all patterns, in their order.
    pub(super) positions: Vec<Position>,
    /// The position at which each pattern starts.
    pub(super) starts: Vec<PatternPosition>,
    /// For each symbol, the positions whose next segment names it, in ascending order.
    pub(super) naming: Vec<Vec<PatternPosition>>,
    /// The names in patterns; all other keys are equivalent.
    pub(super) names: NameTable,
    /// The indices in patterns, ascending; all others are equivalent.
    pub(super) indices: Vec<usize>,
}

/// A position in a pattern.
#[derive(Debug)]
pub(super) struct Position {
    pub pattern: PatternId,
    pub role: PatternRole,
    /// The segment after it; `None` at the end.
    pub next: Option<SelectorSegment>,
}

impl Position {
    /// What the next step may be to.
    pub(super) fn tests(&self) -> impl Iterator<Item = &SegmentTest> {
        self.next.iter().flat_map(|segment| &segment.tests)
    }
}

impl Automaton {
    /// Compiles patterns. One without segments (`$`) never matches, because a use has a key.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Self::beside(patterns, None)
    }

    /// Compiles patterns to walk together with a graph.
    pub fn beside(patterns: Vec<Pattern>, graph: Option<&dyn Graph>) -> Self {
        let mut automaton = Self::default();
        let Self {
            positions,
            starts,
            names,
            indices,
            ..
        } = &mut automaton;
        for (pattern, Pattern { segments, role }) in patterns.into_iter().enumerate() {
            starts.push(position(positions.len()));
            let segments = segments.into_iter().map(Some).chain([None]);
            positions.extend(segments.map(|next| Position {
                pattern,
                role,
                next,
            }));
        }
        for test in positions.iter().flat_map(Position::tests) {
            match test {
                SegmentTest::Name(name) => {
                    names.insert(name);
                }
                SegmentTest::Index(index) => indices.push(*index),
                SegmentTest::Wildcard | SegmentTest::Condition(_) => {}
            }
        }
        for name in graph.iter().flat_map(|graph| graph.names()) {
            names.insert(&name);
        }
        indices.extend(0..graph.map_or(0, Graph::indices));
        indices.sort_unstable();
        indices.dedup();
        let mut naming = vec![Vec::new(); automaton.symbols()];
        for (at, from) in automaton.positions.iter().enumerate() {
            for symbol in from.tests().filter_map(|test| automaton.symbol_of(test)) {
                naming
                    .get_mut(symbol)
                    .into_iter()
                    .for_each(|naming| naming.push(position(at)));
            }
        }
        Self {
            naming,
            ..automaton
        }
    }

    /// Whether no pattern can accept anything.
    pub fn is_empty(&self) -> bool {
        let mut positions = self.positions.iter();
        !positions.any(|position| matches!(position.role, PatternRole::Use { .. }))
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

    /// The symbol that a test names.
    fn symbol_of(&self, test: &SegmentTest) -> Option<Symbol> {
        match test {
            SegmentTest::Name(name) => Some(self.symbol_of_key(name.as_bytes())),
            SegmentTest::Index(index) => Some(self.symbol_of_index(*index)),
            SegmentTest::Wildcard | SegmentTest::Condition(_) => None,
        }
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
}
