//! What the search of the bodies of one side has found so far: the nodes, the edges between them, and the uses at nodes.

use std::collections::HashMap;

use super::automaton::SchemaAutomaton;
use super::examples::UseInExample;
use super::search::FoundDeclaration;
use crate::findings::ExchangePart;
use sundown_exchange::Side;
use sundown_openapi::{Direction, SchemaId};
use sundown_selector::automaton::StateId;

/// The search of one side of a group of operations.
pub(super) struct SideSearch<'a> {
    pub side: Side,
    pub direction: Direction,
    pub automaton: &'a mut SchemaAutomaton<'a>,
    /// A schema that describes a value, with the state there.
    pub nodes: Vec<(SchemaId, StateId)>,
    pub numbers: HashMap<(SchemaId, StateId), usize>,
    /// Edges between nodes.
    pub edges: Vec<(u32, u32)>,
    /// The calls whose bodies the first nodes describe.
    pub calls: Vec<Vec<usize>>,
    pub found: Vec<(usize, FoundAtNode)>,
}

/// What is found at a node, for all calls that reach the node.
pub(super) enum FoundAtNode {
    Declaration(FoundDeclaration),
    Example(UseInExample),
    /// The element of the rule should be declared here.
    Expected(usize),
}

impl SideSearch<'_> {
    /// Adds a node, unless it is known or cannot lead to a use.
    pub(super) fn visit(&mut self, schema: SchemaId, state: StateId) -> Option<usize> {
        if !self.automaton.walk.is_live(state) {
            return None;
        }
        let nodes = &mut self.nodes;
        let number = *self.numbers.entry((schema, state)).or_insert_with(|| {
            nodes.push((schema, state));
            nodes.len() - 1
        });
        Some(number)
    }

    pub(super) fn visit_from(&mut self, from: usize, schema: SchemaId, state: StateId) {
        let to = self.visit(schema, state).map(u32::try_from);
        if let (Some(Ok(to)), Ok(from)) = (to, u32::try_from(from)) {
            self.edges.push((from, to));
        }
    }

    /// Records a declaration at a node.
    pub(super) fn find(&mut self, node: usize, found: FoundDeclaration) {
        self.found.push((node, FoundAtNode::Declaration(found)));
    }

    /// Whether the body of a call begins at a node.
    pub(super) fn is_body(&self, node: usize) -> bool {
        node < self.calls.len()
    }

    pub(super) fn reached(&self, call: usize) -> (ExchangePart, usize) {
        (ExchangePart::Message(self.side), call)
    }
}
