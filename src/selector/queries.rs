//! Selectors that take more than the way to a node: filters, slices, indices from the end.
//!
//! A filter asks what is inside a node, and an index from the end how many follow it, so these are not decided over bytes:
//! [`Queries`] loads the value into a tree ([`MAX_DEPTH`] levels deep, no more) and runs the automaton over that, telling it
//! with each step which of the [`Condition`]s hold. Roles mean what they mean everywhere: exceptions take back, barriers
//! stop.
//!
//! Every member of an object is a node, those with a name that stands twice too. Inside a filter a name means one
//! member, the last.

use std::borrow::Cow;
use std::sync::Arc;

use crate::json::SyntaxError;
use crate::json::pointer::PathStep;
use crate::selector::automaton::{
    Automaton, ConditionId, Pattern, PatternId, SegmentTest, StateId, Walk,
};
use crate::text::Span;

use super::condition::{Condition, NodePosition};
use super::value::Value;

/// How deep arrays and objects may nest in a value that is to be loaded: the search in it recurses.
pub const MAX_DEPTH: usize = 500;

/// Patterns with conditions, ready to run.
#[derive(Debug)]
pub struct Queries {
    walk: Walk,
    conditions: Vec<Condition>,
}

/// A node that is a use.
#[derive(Debug)]
pub struct SelectedNode<'s> {
    /// Its key, quotes included; `None` for an element of an array.
    pub key: Option<Span>,
    /// The way to it from the root.
    pub steps: &'s [PathStep<'s>],
    /// The patterns that accept it, by their place in the list given to [`Queries::new`].
    pub patterns: &'s [PatternId],
}

impl Queries {
    /// Lays out the patterns, each with the conditions that its tests number from 0 on.
    pub fn new(patterns: impl IntoIterator<Item = (Pattern, Vec<Condition>)>) -> Self {
        let mut conditions = Vec::new();
        let mut all = Vec::new();
        for (mut pattern, own) in patterns {
            for test in pattern.segments.iter_mut().flat_map(|segment| &mut segment.tests) {
                if let SegmentTest::Condition(condition) = test {
                    *condition += conditions.len();
                }
            }
            conditions.extend(own);
            all.push(pattern);
        }
        Self { walk: Walk::new(Arc::new(Automaton::new(all))), conditions }
    }

    /// Tells of every use in the value that begins at byte `start` of `text`, in the order of the text.
    ///
    /// The error is what keeps the value from being loaded: its nesting, or that it is not JSON.
    pub fn select(
        &mut self,
        text: &str,
        start: usize,
        found: &mut dyn FnMut(&SelectedNode<'_>),
    ) -> Result<(), SyntaxError> {
        let root = Value::load(text, start, MAX_DEPTH)?;
        let state = self.walk.start();
        let Self { walk, conditions } = self;
        QueryRun { walk, conditions, root: &root, steps: Vec::new(), found }.below(&root, state);
        Ok(())
    }
}

/// One run over one value.
struct QueryRun<'q, 't> {
    walk: &'q mut Walk,
    conditions: &'q [Condition],
    root: &'t Value,
    /// The way to the node whose children are looked at.
    steps: Vec<PathStep<'t>>,
    found: &'q mut dyn FnMut(&SelectedNode<'_>),
}

impl<'t> QueryRun<'_, 't> {
    /// Looks at the children of a node. Recurses, into no more levels than the tree has.
    fn below(&mut self, node: &'t Value, state: StateId) {
        if !self.walk.is_live(state) {
            return;
        }
        let wanted = self.walk.conditions(state);
        match node {
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    let place = NodePosition::Element { index, of: elements.len() };
                    let holding = self.holding(&wanted, element, place);
                    let next = self.walk.step_index_with(state, index, &holding);
                    self.child(PathStep::Index(index), None, element, next);
                }
            }
            Value::Object(object) => {
                for member in object.members() {
                    let holding = self.holding(&wanted, &member.value, NodePosition::Member);
                    let next = self.walk.step_key_with(state, member.name.as_bytes(), &holding);
                    let step = PathStep::Key(Cow::Borrowed(member.name.as_str()));
                    self.child(step, Some(member.key), &member.value, next);
                }
            }
            _ => {}
        }
    }

    /// Which of the conditions hold of a node.
    fn holding(
        &self,
        wanted: &[ConditionId],
        node: &Value,
        place: NodePosition,
    ) -> Vec<ConditionId> {
        let holds = |id: &ConditionId| {
            let condition = self.conditions.get(*id);
            condition.is_some_and(|condition| condition.holds(node, place, self.root))
        };
        wanted.iter().copied().filter(holds).collect()
    }

    fn child(&mut self, step: PathStep<'t>, key: Option<Span>, node: &'t Value, state: StateId) {
        self.steps.push(step);
        let patterns = self.walk.accepts(state);
        if !patterns.is_empty() {
            (self.found)(&SelectedNode { key, steps: &self.steps, patterns });
        }
        self.below(node, state);
        self.steps.pop();
    }
}
