//! Runs the automaton. States are created when a body first reaches them, and then looked up.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::compile::Position;
use super::ids::{OTHER_INDEX, OTHER_NAME, PatternPosition, Symbol};
use super::{
    Automaton, ConditionId, Graph, GraphStep, Nodes, PatternId, PatternRole, SegmentTest, Validity,
    ValueStep,
};
use sundown_text_json::json::Node;

/// A state of a [`Walk`], valid until the next [`Walk::start`].
///
/// What a state accepts is apart from what may follow. So the states of a thousand names at any depth, which differ only in what they
/// accept, share their positions and their row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateId {
    /// The index of what may follow.
    row: u32,
    /// The index of the accepted uses.
    accepts: u32,
}

impl StateId {
    /// The state from which no use can be reached.
    pub const DEAD: Self = Self { row: 0, accepts: 0 };

    /// The state that leads where this one does, and accepts nothing.
    #[must_use]
    pub fn without_accepts(self) -> Self {
        Self { accepts: 0, ..self }
    }
}

/// The maximum number of states that are kept from one body to the next, and of steps with conditions. There can be many more
/// sets of positions than positions (`$..a.*.*.*`), and a long run over hostile bodies must not keep them all.
const MAX_KEPT_STATES: usize = 10_000;

/// The maximum size of the states of one body, in words of 32 bits: 128 MiB. A hostile selector and body have a new state with
/// hundreds of positions at every step.
const MAX_STATES_SIZE: usize = 32 << 20;

/// The words that a state takes besides its positions.
const WORDS_OF_STATE: usize = 64;

/// The maximum number of steps in the rows of all states: rows are long if there are many names. Further states look up their
/// steps in a hash table.
const MAX_KEPT_STEPS: usize = 4_000_000;

/// Runs an [`Automaton`], and remembers its states.
#[derive(Debug)]
pub struct Walk {
    automaton: Arc<Automaton>,
    /// The graph that is walked together with the patterns.
    graph: Option<Box<dyn Graph>>,
    states: Vec<WalkState>,
    known: HashMap<(u32, Nodes), u32>,
    sets: Vec<PositionSet>,
    known_sets: HashMap<Vec<PatternPosition>, u32>,
    /// The uses that end at a node without excluded ones, in the order of the patterns.
    accepted: Vec<Vec<PatternId>>,
    known_accepted: HashMap<Vec<PatternId>, u32>,
    /// The known targets of steps that have no place in the row of their state, which accepts nothing.
    further: HashMap<(StateId, FurtherStep), StateId>,
    /// The size of all states, and whether it would have become too large.
    size: usize,
    has_overflowed: bool,
    /// The number of steps in the rows of all states, and its maximum.
    room: usize,
    most_room: usize,
    start: StateId,
    /// The nodes of the graph before the first step; none for all of its bodies.
    start_nodes: Nodes,
    /// Whether a state has alternatives.
    has_alternatives: bool,
    accepts_nameless: bool,
}

/// Positions in patterns. Names at which patterns end lead from them where all other names do, so that a thousand of those cost no
/// more than one.
#[derive(Debug)]
struct PositionSet {
    /// In ascending order.
    positions: Vec<PatternPosition>,
    /// The conditions that matter for the steps from here, in ascending order.
    conditions: Arc<[ConditionId]>,
    last_unnamed: Option<UnnamedStep>,
}

/// A step to a target that no pattern names, or where those end that do.
#[derive(Debug)]
struct UnnamedStep {
    /// The conditions that hold for the target.
    holding: Box<[ConditionId]>,
    /// The ends that do not depend on the name.
    ends: Vec<PatternPosition>,
    /// The set at the target.
    to: u32,
}

/// What may follow a node.
#[derive(Debug)]
struct WalkState {
    /// The index of its positions; 0 is the empty set.
    set: u32,
    /// The known target of each symbol; empty before the first step from here.
    next: Box<[Option<StateId>]>,
    /// The graph nodes that describe the value.
    nodes: Nodes,
    /// Whether the graph distinguishes members with other names.
    distinguishes_other_names: bool,
    /// The members whose value decides which of several nodes describe the object.
    discriminators: Box<[Box<str>]>,
    /// Whether the value may decide between alternatives of the graph.
    has_alternatives: bool,
}

/// A step that has no place in the row of a state.
#[derive(Debug, PartialEq, Eq, Hash)]
enum FurtherStep {
    /// From a state without a row.
    Symbol(Symbol),
    /// To a member with another name, where the graph distinguishes them.
    Name(Box<[u8]>),
    /// Under these conditions.
    Holding(Symbol, Box<[ConditionId]>),
    /// From an object to itself, with this value of a discriminator.
    Choice(Box<str>, Box<str>),
}

impl WalkState {
    fn is_live(&self) -> bool {
        self.set != 0 || !self.nodes.is_empty()
    }
}

impl Walk {
    /// Creates a walk without states.
    pub fn new(automaton: Arc<Automaton>) -> Self {
        Self::beside(automaton, None)
    }

    /// Creates a walk together with a graph, whose names the automaton knows.
    pub fn beside(automaton: Arc<Automaton>, graph: Option<Box<dyn Graph>>) -> Self {
        let accepts_nameless = graph.as_ref().is_some_and(|graph| graph.accepts_nameless());
        let mut walk = Self {
            automaton,
            graph,
            states: Vec::new(),
            known: HashMap::new(),
            sets: Vec::new(),
            known_sets: HashMap::new(),
            accepted: Vec::new(),
            known_accepted: HashMap::new(),
            further: HashMap::new(),
            size: 0,
            has_overflowed: false,
            room: 0,
            most_room: MAX_KEPT_STEPS,
            start: StateId::DEAD,
            start_nodes: Nodes::default(),
            has_alternatives: false,
            accepts_nameless,
        };
        walk.forget();
        walk
    }

    /// The names in patterns and in the graph. All other keys are alike.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.automaton.names.iter()
    }

    /// The state at the root of a body.
    pub fn start(&mut self) -> StateId {
        let is_large = self.size > MAX_STATES_SIZE / 2 || self.room > self.most_room;
        if self.states.len().max(self.further.len()) > MAX_KEPT_STATES || is_large {
            self.forget();
        }
        self.start
    }

    /// Makes walks start with the bodies of these nodes, in the form that [`ValueStep::Start`] takes; without nodes, with all that the
    /// graph describes.
    pub fn describe_by(&mut self, nodes: &[u32]) {
        if *self.start_nodes != *nodes {
            self.start_nodes = nodes.into();
            self.start = self.start_from(Some(nodes));
        }
    }

    /// The state at the root of a body that the graph describes by these nodes, in the form that [`ValueStep::Start`] takes, or by all
    /// without any; `None` if it does not describe it.
    pub fn start_from(&mut self, nodes: Option<&[u32]>) -> StateId {
        let graph = self.graph.as_ref().zip(nodes);
        let reached = graph.map(|(graph, nodes)| graph.step(nodes, Some(ValueStep::Start)));
        let GraphStep { nodes, accepts } = reached.unwrap_or_default();
        let set = self.set(self.automaton.starts.clone());
        self.intern(set, accepts, nodes)
    }

    /// The state of the member `key` (decoded) of a node in state `from`.
    #[inline]
    pub fn step_key(&mut self, from: StateId, key: &[u8]) -> StateId {
        if from.row == 0 {
            return StateId::DEAD;
        }
        let symbol = self.automaton.symbol_of_key(key);
        match self.state(from).and_then(|state| state.next.get(symbol)) {
            Some(&Some(known)) => known,
            _ => self.learn_key(from, symbol, key),
        }
    }

    /// The state of the element `index` of a node in state `from`.
    pub fn step_index(&mut self, from: StateId, index: usize) -> StateId {
        if from.row == 0 {
            return StateId::DEAD;
        }
        self.step(from, self.automaton.symbol_of_index(index))
    }

    /// The state of all elements of a node in state `from`; `None` if it depends on the index.
    pub fn step_any_index(&mut self, from: StateId) -> Option<StateId> {
        let tells_indices = !self.automaton.indices.is_empty();
        (!tells_indices).then(|| self.step_index(from, 0))
    }

    /// The conditions that matter for the steps from `state`, in ascending order.
    pub fn conditions(&self, state: StateId) -> Arc<[ConditionId]> {
        let set = self
            .state(state)
            .and_then(|state| self.sets.get(state.set as usize));
        set.map(|set| Arc::clone(&set.conditions))
            .unwrap_or_default()
    }

    /// [`Walk::step_key`] to a node for which the conditions `holding` hold, in ascending order.
    pub fn step_key_with(&mut self, from: StateId, key: &[u8], holding: &[ConditionId]) -> StateId {
        self.step_holding(from, self.automaton.symbol_of_key(key), holding)
    }

    /// [`Walk::step_index`] to a node for which the conditions `holding` hold, in ascending order.
    pub fn step_index_with(
        &mut self,
        from: StateId,
        index: usize,
        holding: &[ConditionId],
    ) -> StateId {
        self.step_holding(from, self.automaton.symbol_of_index(index), holding)
    }

    /// The uses that end at a node in `state`.
    pub fn accepts(&self, state: StateId) -> &[PatternId] {
        let accepted = self.accepted.get(state.accepts as usize);
        accepted.map_or(&[], |accepted| accepted)
    }

    /// Those of the graph: patterns accept no value without a key.
    pub fn accepts_of_graph(&self, state: StateId) -> &[PatternId] {
        let accepts = self.accepts(state);
        let first = accepts.partition_point(|&id| id < self.automaton.starts.len());
        accepts.get(first..).unwrap_or_default()
    }

    /// Whether a use can be reached below a node in `state`.
    pub fn is_live(&self, state: StateId) -> bool {
        self.state(state).is_some_and(WalkState::is_live)
    }

    /// The discriminators of an object in `state`. [`Self::discriminate`] reads them before any step.
    #[inline]
    pub fn discriminators(&self, state: StateId) -> &[Box<str>] {
        self.state(state).map_or(&[], |state| &state.discriminators)
    }

    /// The state of an object in `state` after its discriminators. `value` returns the content of the member of a name, if it is a
    /// string.
    pub fn discriminate<'v>(
        &mut self,
        mut state: StateId,
        mut value: impl FnMut(&str) -> Option<Cow<'v, str>>,
    ) -> StateId {
        let mut read: Vec<Box<str>> = Vec::new();
        // The chosen schema may have discriminators, too.
        while let Some(next) = self
            .discriminators(state)
            .iter()
            .find(|name| !read.contains(name))
            .cloned()
        {
            if let Some(value) = value(&next) {
                let choice = FurtherStep::Choice(next.clone(), (*value).into());
                let chosen = self.further(state, choice, |walk| {
                    let (Some(graph), Some(known)) = (&walk.graph, walk.state(state)) else {
                        return state;
                    };
                    let nodes = graph.choose(&known.nodes, &next, &value);
                    StateId {
                        row: walk.row(known.set, nodes),
                        ..state
                    }
                });
                state.row = chosen.row;
            }
            read.push(next);
        }
        state
    }

    /// Whether an element, or a body, may be a use.
    pub fn accepts_nameless(&self) -> bool {
        self.accepts_nameless
    }

    /// Whether a state that was met has alternatives, between which [`Self::decide`] may decide.
    pub fn has_alternatives(&self) -> bool {
        self.has_alternatives
    }

    /// The state of a node in `state` whose content is `value`.
    pub fn decide<'v>(
        &mut self,
        state: StateId,
        value: impl FnOnce() -> Option<Node<'v>>,
        validity: &mut Validity,
    ) -> StateId {
        let (Some(graph), Some(known)) = (&self.graph, self.state(state)) else {
            return state;
        };
        if !known.has_alternatives {
            return state;
        }
        let Some(value) = value() else { return state };
        let nodes = graph.decide(&known.nodes, value, validity);
        if nodes == known.nodes {
            return state;
        }
        let row = self.row(known.set, nodes);
        StateId { row, ..state }
    }

    /// The uses that end after `step` from a node in state `from`, where the value is known, in place of `accepts`.
    pub fn accepts_with(
        &self,
        from: StateId,
        step: ValueStep<'_>,
        value: Node<'_>,
        accepts: &[PatternId],
        validity: &mut Validity,
    ) -> Vec<PatternId> {
        let mut all: Vec<PatternId> = accepts
            .iter()
            .copied()
            .filter(|&id| id < self.automaton.starts.len())
            .collect();
        if let (Some(graph), Some(state)) = (&self.graph, self.state(from)) {
            all.extend(graph.accepts_with(&state.nodes, step, value, validity));
        }
        all
    }

    /// Whether the walk has lost uses since the last call, because its states became too large.
    pub fn take_overflow(&mut self) -> bool {
        std::mem::take(&mut self.has_overflowed)
    }

    /// The number of nodes that the graph has visited so far.
    pub fn effort(&self) -> usize {
        self.graph.as_ref().map_or(0, |graph| graph.effort())
    }

    fn forget(&mut self) {
        self.known.clear();
        self.states.clear();
        self.known_sets.clear();
        self.sets.clear();
        self.known_accepted.clear();
        self.accepted.clear();
        self.further.clear();
        (self.room, self.size) = (0, 0);
        // The first state is the dead one, as `StateId::DEAD` says.
        let empty = self.set(Vec::new());
        self.intern(empty, Vec::new(), Nodes::default());
        self.start = self.start_from(Some(&self.start_nodes.clone()));
    }

    fn state(&self, id: StateId) -> Option<&WalkState> {
        self.states.get(id.row as usize)
    }

    #[inline]
    fn step(&mut self, from: StateId, symbol: Symbol) -> StateId {
        match self.state(from).and_then(|state| state.next.get(symbol)) {
            Some(&Some(known)) => known,
            _ => self.learn_step(from, symbol),
        }
    }

    /// The target of a step that has no place in a row. If such steps are very many, they are forgotten; the states stay.
    fn further(
        &mut self,
        from: StateId,
        step: FurtherStep,
        learn: impl FnOnce(&mut Self) -> StateId,
    ) -> StateId {
        let step = (from.without_accepts(), step);
        if let Some(&known) = self.further.get(&step) {
            return known;
        }
        let to = learn(self);
        if self.further.len() >= MAX_KEPT_STEPS {
            self.further.clear();
        }
        self.further.insert(step, to);
        to
    }

    #[cold]
    fn learn_key(&mut self, from: StateId, symbol: Symbol, key: &[u8]) -> StateId {
        let tells = self
            .state(from)
            .is_some_and(|state| state.distinguishes_other_names);
        if symbol != OTHER_NAME || !tells {
            return self.learn_step(from, symbol);
        }
        self.further(from, FurtherStep::Name(key.into()), |walk| {
            walk.successor(from, symbol, &[], std::str::from_utf8(key).ok())
        })
    }

    #[cold]
    fn learn_step(&mut self, from: StateId, symbol: Symbol) -> StateId {
        let (row, symbols) = (from.row as usize, self.automaton.symbols());
        if self.room < self.most_room
            && let Some(state) = self
                .states
                .get_mut(row)
                .filter(|state| state.next.is_empty())
        {
            state.next = vec![None; symbols].into();
            self.room += symbols;
        }
        if self.state(from).is_none_or(|state| state.next.is_empty()) {
            return self.further(from, FurtherStep::Symbol(symbol), |walk| {
                walk.successor(from, symbol, &[], None)
            });
        }
        let to = self.successor(from, symbol, &[], None);
        let state = self.states.get_mut(row);
        if let Some(next) = state.and_then(|state| state.next.get_mut(symbol)) {
            *next = Some(to);
        }
        to
    }

    fn step_holding(&mut self, from: StateId, symbol: Symbol, holding: &[ConditionId]) -> StateId {
        if holding.is_empty() || self.conditions(from).is_empty() {
            return self.step(from, symbol);
        }
        self.further(from, FurtherStep::Holding(symbol, holding.into()), |walk| {
            walk.successor(from, symbol, holding, None)
        })
    }

    /// The state after a step, created if it is new; `other` is the name of a member that has no symbol of its own.
    fn successor(
        &mut self,
        from: StateId,
        symbol: Symbol,
        holding: &[ConditionId],
        other: Option<&str>,
    ) -> StateId {
        let at = self.state(from).map_or(0, |state| state.set);
        let (set, mut accepts) = self.next_set(at, symbol, holding);
        let mut nodes = Nodes::default();
        if let (Some(graph), Some(state)) = (&self.graph, self.state(from))
            && !state.nodes.is_empty()
        {
            let name = self.automaton.name_of(symbol);
            let step = if symbol == OTHER_NAME || name.is_some() {
                name.or(other).map(ValueStep::Member)
            } else {
                // All indices that are not distinguished are equivalent to the last one.
                let index = self.automaton.index_of(symbol).unwrap_or(usize::MAX);
                debug_assert!(
                    symbol == OTHER_INDEX || index != usize::MAX,
                    "a symbol is known"
                );
                Some(ValueStep::Element(index))
            };
            let reached = graph.step(&state.nodes, step);
            nodes = reached.nodes;
            accepts.extend(reached.accepts);
            accepts.sort_unstable();
        }
        self.intern(set, accepts, nodes)
    }

    /// The set after a step from another, and the uses that end there.
    fn next_set(
        &mut self,
        from: u32,
        symbol: Symbol,
        holding: &[ConditionId],
    ) -> (u32, Vec<PatternId>) {
        let (automaton, from) = (Arc::clone(&self.automaton), from as usize);
        let Some(set) = self.sets.get_mut(from) else {
            return (0, Vec::new());
        };
        let named = automaton.named(&set.positions, symbol);
        // A barrier changes what may follow.
        let is_unnamed = named.iter().all(|&next| {
            !matches!(
                automaton.end(next),
                None | Some(PatternRole::Barrier { .. })
            )
        });
        let last = set
            .last_unnamed
            .take_if(|last| is_unnamed && *last.holding == *holding);
        let step = match last {
            Some(last) => last,
            None => {
                let reached = automaton.unnamed(&set.positions, holding);
                UnnamedStep {
                    holding: holding.into(),
                    to: self.set(automaton.open(&reached, &named)),
                    ends: reached
                        .into_iter()
                        .filter(|&next| automaton.end(next).is_some())
                        .collect(),
                }
            }
        };
        let accepts = automaton.accepted(&[&*step.ends, &named].concat());
        let to = step.to;
        if is_unnamed && let Some(set) = self.sets.get_mut(from) {
            set.last_unnamed = Some(step);
        }
        (to, accepts)
    }

    /// The index of a set, created if it is new.
    fn set(&mut self, positions: Vec<PatternPosition>) -> u32 {
        if let Some(&known) = self.known_sets.get(&positions) {
            return known;
        }
        self.size += 2 * positions.len() + WORDS_OF_STATE;
        let id = super::ids::position(self.sets.len());
        self.sets.push(PositionSet {
            conditions: self.automaton.conditions_after(&positions),
            positions: positions.clone(),
            last_unnamed: None,
        });
        self.known_sets.insert(positions, id);
        id
    }

    /// The state of a set, nodes and accepted patterns.
    fn intern(&mut self, set: u32, accepts: Vec<PatternId>, nodes: Nodes) -> StateId {
        let row = self.row(set, nodes);
        if self.has_overflowed {
            return StateId::DEAD;
        }
        let next = super::ids::position(self.accepted.len());
        let accepts = *self
            .known_accepted
            .entry(accepts)
            .or_insert_with_key(|new| {
                self.size += 4 * new.len() + WORDS_OF_STATE;
                self.accepted.push(new.clone());
                next
            });
        StateId { row, accepts }
    }

    /// The index of what may follow a set and nodes, created if it is new.
    fn row(&mut self, set: u32, nodes: Nodes) -> u32 {
        self.has_overflowed |= self.size > MAX_STATES_SIZE;
        if self.has_overflowed {
            return StateId::DEAD.row;
        }
        let key = (set, nodes);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let nodes = &key.1;
        self.size += 2 * nodes.len() + WORDS_OF_STATE;
        let id = super::ids::position(self.states.len());
        let graph = self.graph.as_ref().filter(|_| !nodes.is_empty());
        let (distinguishes_other_names, discriminators) = graph
            .map(|graph| {
                (
                    graph.distinguishes_other_names(nodes),
                    graph.discriminators(nodes),
                )
            })
            .unwrap_or_default();
        let has_alternatives = graph.is_some_and(|graph| graph.has_alternatives(nodes));
        self.has_alternatives |= has_alternatives;
        self.states.push(WalkState {
            set,
            next: Box::default(),
            nodes: nodes.clone(),
            distinguishes_other_names,
            discriminators: discriminators.into(),
            has_alternatives,
        });
        self.known.insert(key, id);
        id
    }
}

impl Automaton {
    /// The positions after a step to a symbol, of those in a set that name it. The work grows with the smaller of the two lists.
    fn named(&self, from: &[PatternPosition], symbol: Symbol) -> Vec<PatternPosition> {
        let naming = self.naming.get(symbol).map_or(&[][..], |naming| naming);
        let (few, many) = if from.len() < naming.len() {
            (from, naming)
        } else {
            (naming, from)
        };
        let both = few
            .iter()
            .filter(|position| many.binary_search(position).is_ok());
        both.map(|position| position + 1).collect()
    }

    /// The positions after any step for which some conditions hold, from those in a set: what names no target.
    fn unnamed(&self, from: &[PatternPosition], holding: &[ConditionId]) -> Vec<PatternPosition> {
        let mut reached = Vec::new();
        for (&position, from) in from.iter().zip(self.all(from)) {
            let is_descendant = from.next.as_ref().is_some_and(|segment| segment.descendant);
            reached.extend(is_descendant.then_some(position));
            let is_reached = from.tests().any(|test| match test {
                SegmentTest::Wildcard => true,
                SegmentTest::Condition(condition) => holding.binary_search(condition).is_ok(),
                SegmentTest::Name(_) | SegmentTest::Index(_) => false,
            });
            reached.extend(is_reached.then_some(position + 1));
        }
        reached
    }

    /// The reached positions that can continue. At a free-form map, these are only those uses of its scope that name it. Exceptions
    /// continue, because they only exclude.
    fn open(&self, unnamed: &[PatternPosition], named: &[PatternPosition]) -> Vec<PatternPosition> {
        let ends =
            [unnamed, named].map(|reached| self.all(reached).filter(|end| end.next.is_none()));
        let barriers: HashSet<usize> = ends
            .into_iter()
            .flatten()
            .filter_map(|end| match end.role {
                PatternRole::Barrier { scope } => Some(scope),
                _ => None,
            })
            .collect();
        let scope = |position| match self.at(position)?.role {
            PatternRole::Use { scope, .. } => Some(scope),
            _ => None,
        };
        let passing = unnamed
            .iter()
            .copied()
            .filter(|&position| scope(position).is_none_or(|scope| !barriers.contains(&scope)));
        let mut open: Vec<_> = passing.chain(named.iter().copied()).collect();
        open.retain(|&position| self.end(position).is_none());
        open.sort_unstable();
        open.dedup();
        // Exceptions and barriers alone cannot accept anything.
        if !open.iter().any(|&position| scope(position).is_some()) {
            open.clear();
        }
        open
    }

    /// The uses that end at these positions, without those that an exception of the same owner excludes.
    fn accepted(&self, reached: &[PatternPosition]) -> Vec<PatternId> {
        let ends = self.all(reached).filter(|end| end.next.is_none());
        let excluded: HashSet<usize> = ends
            .clone()
            .filter_map(|end| match end.role {
                PatternRole::Exception { owner } => Some(owner),
                _ => None,
            })
            .collect();
        let mut accepts: Vec<PatternId> = ends.filter(|end| matches!(end.role, PatternRole::Use { owner, .. } if !excluded.contains(&owner)))
            .map(|end| end.pattern)
            .collect();
        accepts.sort_unstable();
        accepts.dedup();
        accepts
    }

    /// The conditions in the next segments of these positions, in ascending order.
    fn conditions_after(&self, positions: &[PatternPosition]) -> Arc<[ConditionId]> {
        let mut conditions: Vec<_> = self
            .all(positions)
            .flat_map(Position::tests)
            .filter_map(|test| match test {
                SegmentTest::Condition(condition) => Some(*condition),
                _ => None,
            })
            .collect();
        conditions.sort_unstable();
        conditions.dedup();
        conditions.into()
    }

    fn all(&self, positions: &[PatternPosition]) -> impl Iterator<Item = &Position> + Clone {
        positions.iter().filter_map(|&position| self.at(position))
    }

    fn at(&self, position: PatternPosition) -> Option<&Position> {
        self.positions.get(position as usize)
    }

    /// The role of the pattern that ends at a position; `None` within a pattern.
    fn end(&self, position: PatternPosition) -> Option<PatternRole> {
        let end = self.at(position).filter(|at| at.next.is_none());
        end.map(|end| end.role)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pattern, SegmentTest, SelectorSegment};
    use super::*;

    /// `..a.b[0]` as `["..a", "b", "[0]"]`.
    fn pattern(role: PatternRole, segments: &[&str]) -> Pattern {
        let segments = segments
            .iter()
            .map(|text| {
                let name = text.trim_start_matches("..");
                let test = match name.strip_prefix('[') {
                    Some(index) => SegmentTest::Index(index.trim_end_matches(']').parse().unwrap()),
                    None if name == "*" => SegmentTest::Wildcard,
                    None => SegmentTest::Name(name.into()),
                };
                SelectorSegment {
                    descendant: text.starts_with(".."),
                    tests: vec![test],
                }
            })
            .collect();
        Pattern { segments, role }
    }

    const USE: PatternRole = PatternRole::Use { owner: 0, scope: 0 };

    /// The patterns that accept the node at the end of `path`, which is written `a/0/b`.
    fn accepted(patterns: &[Pattern], path: &str) -> Vec<PatternId> {
        let automaton = Automaton::new(patterns.to_vec());
        let mut walk = Walk::new(Arc::new(automaton));
        let mut state = walk.start();
        for step in path.split('/') {
            state = match step.parse() {
                Ok(index) => walk.step_index(state, index),
                Err(_) => walk.step_key(state, step.as_bytes()),
            };
        }
        walk.accepts(state).to_vec()
    }

    #[test]
    fn names_wildcards_indices_and_descendants_match() {
        let patterns = [
            pattern(USE, &["a", "b"]),
            pattern(USE, &["..b"]),
            pattern(USE, &["a", "*", "b"]),
            pattern(USE, &["a", "[1]", "b"]),
            pattern(USE, &["..a", "..b"]),
        ];
        assert_eq!(accepted(&patterns, "a/b"), [0, 1, 4]);
        assert_eq!(accepted(&patterns, "b"), [1]);
        assert_eq!(accepted(&patterns, "a/0/b"), [1, 2, 4]);
        assert_eq!(accepted(&patterns, "a/1/b"), [1, 2, 3, 4]);
        assert_eq!(accepted(&patterns, "a/2/b"), [1, 2, 4]);
        assert_eq!(accepted(&patterns, "x/a/x/0/b"), [1, 4]);
        assert!(accepted(&patterns, "a/b/c").is_empty());
    }

    #[test]
    fn an_exception_takes_the_node_but_not_what_is_below() {
        let patterns = [
            pattern(USE, &["..id"]),
            pattern(PatternRole::Exception { owner: 0 }, &["live", "id"]),
            pattern(PatternRole::Use { owner: 1, scope: 0 }, &["..id"]),
        ];
        assert_eq!(
            accepted(&patterns, "live/id"),
            [2],
            "the other rule's use stands"
        );
        assert_eq!(accepted(&patterns, "live/id/id"), [0, 2]);
        assert_eq!(accepted(&patterns, "id"), [0, 2]);
    }

    #[test]
    fn a_barrier_stops_what_did_not_come_by_name() {
        let patterns = [
            pattern(USE, &["..role"]),
            pattern(USE, &["..free", "role"]),
            pattern(USE, &["*", "role"]),
            pattern(PatternRole::Use { owner: 1, scope: 1 }, &["..role"]),
            pattern(PatternRole::Barrier { scope: 0 }, &["..free"]),
        ];
        assert_eq!(
            accepted(&patterns, "free/role"),
            [1, 3],
            "other tables have other maps"
        );
        assert_eq!(accepted(&patterns, "free/x/role"), [3]);
        assert_eq!(accepted(&patterns, "open/role"), [0, 2, 3]);
        assert_eq!(
            accepted(&[pattern(USE, &["..free"]), patterns[4].clone()], "x/free"),
            [0],
            "the map's own key"
        );
    }

    #[test]
    fn a_subtree_that_can_hold_no_use_is_dead() {
        let automaton = Automaton::new(vec![
            pattern(USE, &["a", "b"]),
            pattern(PatternRole::Exception { owner: 0 }, &["..x"]),
            pattern(PatternRole::Barrier { scope: 0 }, &["..y"]),
        ]);
        let mut walk = Walk::new(Arc::new(automaton));
        let start = walk.start();
        assert!(walk.is_live(start));
        let elsewhere = walk.step_key(start, b"c");
        assert!(!walk.is_live(elsewhere));
        let inside = walk.step_key(start, b"a");
        assert!(walk.is_live(inside));
    }

    #[test]
    fn conditions_are_asked_for_where_they_matter_and_decide_steps() {
        let mut patterns = [pattern(USE, &["a", "*", "b"]), pattern(USE, &["..c"])];
        patterns[0].segments[1].tests = vec![SegmentTest::Condition(4), SegmentTest::Condition(1)];
        let mut walk = Walk::new(Arc::new(Automaton::new(patterns.to_vec())));
        let start = walk.start();
        assert!(walk.conditions(start).is_empty());
        let inside = walk.step_key(start, b"a");
        assert_eq!(*walk.conditions(inside), [1, 4]);
        let ends = [&[][..], &[1], &[4], &[2]].map(|holding| {
            let element = walk.step_index_with(inside, 0, holding);
            let end = walk.step_key_with(element, b"b", &[]);
            walk.accepts(end).to_vec()
        });
        assert_eq!(ends, [vec![], vec![0], vec![0], vec![]]);
    }

    #[test]
    fn states_without_a_row_lead_where_those_with_one_do() {
        let patterns = [
            pattern(USE, &["..a", "*", "b"]),
            pattern(USE, &["a", "[1]", "..b"]),
            pattern(PatternRole::Exception { owner: 0 }, &["b", "..b"]),
        ];
        let automaton = Arc::new(Automaton::new(patterns.to_vec()));
        let ends = |most_room: usize| {
            let mut walk = Walk {
                most_room,
                ..Walk::new(Arc::clone(&automaton))
            };
            // All ways of five steps, twice: learned, then known.
            let ways = (0..2 * 4_usize.pow(5)).map(|way| (0..5).map(move |at| way >> (2 * at) & 3));
            let ends: Vec<_> = ways
                .map(|way| {
                    let start = walk.start();
                    let end = way.fold(start, |state, step| match step {
                        0 => walk.step_index(state, 1),
                        1 => walk.step_key(state, b"a"),
                        2 => walk.step_key(state, b"b"),
                        _ => walk.step_key(state, b"c"),
                    });
                    (walk.accepts(end).to_vec(), walk.is_live(end))
                })
                .collect();
            (ends, walk.room, walk.further.len())
        };
        let (with_rows, room, crowded) = ends(MAX_KEPT_STEPS);
        assert!(room > 0 && crowded == 0);
        let (without, room, crowded) = ends(0);
        assert!(room == 0 && crowded > 0);
        let (with_few, room, crowded) = ends(1);
        assert!(room > 0 && crowded > 0);
        assert_eq!((&without, &with_few), (&with_rows, &with_rows));
        assert!(
            with_rows.iter().any(|(accepts, _)| accepts.len() == 2),
            "the patterns are met"
        );
    }

    #[test]
    fn states_are_made_once() {
        let automaton = Automaton::new(vec![pattern(USE, &["..a", "*", "*"])]);
        let mut walk = Walk::new(Arc::new(automaton));
        for _ in 0..50 {
            let mut state = walk.start();
            for step in 0..200 {
                state = walk.step_key(state, if step % 3 == 0 { b"a" } else { b"b" });
            }
        }
        assert!(walk.states.len() < 20, "{} states", walk.states.len());
    }
}
