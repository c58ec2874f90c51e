//! Selectors that depend on more than the path of a node: filters, slices, indices from the end.
//!
//! A filter depends on the content of a node, and an index from the end on the nodes after it, so a walk over bytes cannot
//! decide them. [`Queries`] runs the automaton over the tree of the value, at most [`Queries::MAX_DEPTH`] levels deep, with the
//! [`Condition`]s that hold at each step. Exceptions and barriers work as everywhere.
//!
//! Every member of an object is a node, also one with a duplicate name. Inside a filter, a name means the last member of that
//! name.

use std::borrow::Cow;
use std::sync::Arc;

use crate::automaton::{Automaton, ConditionId, Pattern, PatternId, SegmentTest, StateId, Walk};
use sundown_text_json::json::pointer::PathStep;
use sundown_text_json::json::{Document, Node, SyntaxError, ValueKind, find_error};
use sundown_text_json::text::Span;

use super::condition::{Condition, NodePosition};
use super::filter_document::FilterDocument;

/// Patterns with conditions, ready to run.
#[derive(Debug)]
pub struct Queries {
    walk: Walk,
    conditions: Vec<Condition>,
}

/// A node that is a use.
#[derive(Debug)]
pub struct SelectedNode<'s> {
    /// Its key with the quotes; `None` for an element of an array.
    pub key: Option<Span>,
    /// The path to it from the root.
    pub steps: &'s [PathStep<'s>],
    /// The patterns that accept it, as indices of the list given to [`Queries::new`].
    pub patterns: &'s [PatternId],
}

impl Queries {
    /// The maximum nesting depth of a value, because the search in it recurses.
    pub const MAX_DEPTH: usize = 500;

    /// Compiles patterns. The tests of each refer to its conditions by number, from 0.
    pub fn new(patterns: impl IntoIterator<Item = (Pattern, Vec<Condition>)>) -> Self {
        let mut conditions = Vec::new();
        let mut all = Vec::new();
        for (mut pattern, own) in patterns {
            for test in pattern
                .segments
                .iter_mut()
                .flat_map(|segment| &mut segment.tests)
            {
                if let SegmentTest::Condition(condition) = test {
                    *condition += conditions.len();
                }
            }
            conditions.extend(own);
            all.push(pattern);
        }
        Self {
            walk: Walk::new(Arc::new(Automaton::new(all))),
            conditions,
        }
    }

    /// Whether uses were lost since the last call, because the states of the automaton became too large.
    pub fn take_overflow(&mut self) -> bool {
        self.walk.take_overflow()
    }

    /// Calls `found` for every selected node of a value that begins at byte `start` of a text, in the order of the text.
    ///
    /// # Errors
    ///
    /// The value nests deeper than [`Self::MAX_DEPTH`].
    pub fn select(
        &mut self,
        document: &Document<'_>,
        start: usize,
        found: &mut dyn FnMut(&SelectedNode<'_>),
    ) -> Result<(), SyntaxError> {
        if let Some(error) = find_error(document.root().raw_bytes(), Self::MAX_DEPTH) {
            return Err(SyntaxError::new(start + error.offset, error.kind));
        }
        let document = FilterDocument::new(document);
        let state = self.walk.start();
        let Self { walk, conditions } = self;
        let root = document.root();
        QueryRun {
            walk,
            conditions,
            document: &document,
            start,
            steps: Vec::new(),
            found,
        }
        .visit_children(root, state);
        Ok(())
    }
}

/// One run over one value.
struct QueryRun<'q, 'd> {
    walk: &'q mut Walk,
    conditions: &'q [Condition],
    document: &'d FilterDocument<'d>,
    /// Offset of the value in the text.
    start: usize,
    /// The path to the node whose children are visited.
    steps: Vec<PathStep<'d>>,
    found: &'q mut dyn FnMut(&SelectedNode<'_>),
}

impl<'d> QueryRun<'_, 'd> {
    /// Visits the descendants of a node. Recurses no deeper than the document.
    fn visit_children(&mut self, node: Node<'d>, state: StateId) {
        if !self.walk.is_live(state) {
            return;
        }
        let conditions = self.walk.conditions(state);
        let is_array = node.kind() == ValueKind::Array;
        let of = node.children().len();
        for (index, child) in node.children().enumerate() {
            let (position, step) = if is_array {
                (NodePosition::Element { index, of }, PathStep::Index(index))
            } else {
                let name = child.key().unwrap_or_default();
                (NodePosition::Member, PathStep::Key(Cow::Borrowed(name)))
            };
            let holding = self.holding(&conditions, child, position);
            let next = match &step {
                PathStep::Index(index) => self.walk.step_index_with(state, *index, &holding),
                PathStep::Key(name) => self.walk.step_key_with(state, name.as_bytes(), &holding),
            };
            self.visit(step, child, next);
        }
    }

    /// Returns those of the given conditions that hold for a node.
    fn holding(
        &self,
        conditions: &[ConditionId],
        node: Node<'d>,
        position: NodePosition,
    ) -> Vec<ConditionId> {
        conditions
            .iter()
            .copied()
            .filter(|id| {
                let condition = self.conditions.get(*id);
                condition.is_some_and(|condition| condition.holds(node, position, self.document))
            })
            .collect()
    }

    fn visit(&mut self, step: PathStep<'d>, node: Node<'d>, state: StateId) {
        self.steps.push(step);
        let patterns = self.walk.accepts(state);
        if !patterns.is_empty() {
            let key = node.key_span().map(|key| key.shifted(self.start));
            (self.found)(&SelectedNode {
                key,
                steps: &self.steps,
                patterns,
            });
        }
        self.visit_children(node, state);
        self.steps.pop();
    }
}
