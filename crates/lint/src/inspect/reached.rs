//! What the search of the bodies of one side has found, and which operations reach it: a search backwards from its nodes.

use std::collections::{BTreeMap, HashMap};

use super::automaton::SchemaAutomaton;
use super::conditions::is_sibling;
use super::location::KeyLocation;
use super::replacement::ReplacementStatus;
use super::search::{Declaration, DescriptionSearch, FoundElement, Reached};
use crate::findings::ExchangePart;
use sundown_exchange::Side;
use sundown_openapi::{Ancestry, Direction, NodeId, OperationId, SchemaId};
use sundown_selector::automaton::StateId;

/// The most objects around a property in which its replacement is looked for, the innermost first.
const MAX_AROUND: usize = 1000;

/// A schema that describes a value, with the state there, and the base whose discriminator has chosen it.
pub(super) type SearchNode = (SchemaId, StateId, Option<SchemaId>);

/// The search of one side of a group of operations.
pub(super) struct SideSearch<'a> {
    pub side: Side,
    pub direction: Direction,
    pub automaton: &'a mut SchemaAutomaton<'a>,
    pub nodes: Vec<SearchNode>,
    pub numbers: HashMap<SearchNode, usize>,
    /// Edges between nodes.
    pub edges: Vec<(u32, u32)>,
    /// The calls whose bodies the first nodes describe.
    pub calls: Vec<Vec<OperationId>>,
    /// What is found at a node about a rule, for all calls that reach the node.
    pub found: Vec<(usize, usize, FoundElement)>,
}

impl SideSearch<'_> {
    /// Adds a node, unless it is known or cannot lead to a use.
    pub(super) fn visit(&mut self, node: SearchNode) -> Option<usize> {
        if !self.automaton.walk.is_live(node.1) {
            return None;
        }
        let nodes = &mut self.nodes;
        let number = *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        });
        Some(number)
    }

    pub(super) fn visit_from(&mut self, from: usize, node: SearchNode) {
        let to = self.visit(node).map(u32::try_from);
        if let (Some(Ok(to)), Ok(from)) = (to, u32::try_from(from)) {
            self.edges.push((from, to));
        }
    }

    /// Whether the body of a call begins at a node.
    pub(super) fn is_body(&self, node: usize) -> bool {
        node < self.calls.len()
    }

    pub(super) fn reached(&self, call: OperationId) -> (ExchangePart, OperationId) {
        (ExchangePart::Message(self.side), call)
    }
}

impl DescriptionSearch<'_> {
    /// Adds what was found to the results, with the calls that reach it.
    pub(super) fn resolve(&mut self, mut search: SideSearch<'_>) {
        if search.found.is_empty() {
            return;
        }
        let ancestry = Ancestry::new(search.nodes.len(), &search.edges);
        let mut at_node: BTreeMap<usize, Vec<(usize, FoundElement)>> = BTreeMap::new();
        for (node, rule, found) in std::mem::take(&mut search.found) {
            at_node.entry(node).or_default().push((rule, found));
        }
        let targets: Vec<usize> = at_node.keys().copied().collect();
        for targets in targets.chunks(Ancestry::AT_ONCE) {
            // The first nodes from which each target is reached.
            let mut starts: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
            ancestry.find(targets, |node, reached| {
                for &target in reached.iter().filter(|_| search.is_body(node)) {
                    if let Some(nodes) = starts.get_mut(target) {
                        nodes.push(node);
                    }
                }
            });
            for (&target, starts) in targets.iter().zip(&starts) {
                for (rule, found) in at_node.remove(&target).into_iter().flatten() {
                    if self.has_room() {
                        self.add(target, rule, found, starts, &ancestry, &search);
                    }
                }
            }
        }
    }

    /// Adds what was found about a rule at the node `target`, which is reached from the nodes `starts`.
    fn add(
        &mut self,
        target: usize,
        rule: usize,
        found: FoundElement,
        starts: &[usize],
        ancestry: &Ancestry,
        search: &SideSearch<'_>,
    ) {
        let reached = self.reached_from(starts, rule, &found, search);
        self.work += starts.len() + reached.len();
        if reached.is_empty() {
            return;
        }
        let mut replacement = ReplacementStatus::NotJudged;
        let mut required = None;
        if let FoundElement::Declaration(member, Declaration::Property(_)) = found {
            let around = ancestry.ancestors(target);
            let around = around.filter_map(|node| Some(search.nodes.get(node)?.0));
            replacement = self.replacement_of(rule, around, search);
            let schema = search.nodes.get(target).map(|node| node.0);
            let schema = schema.filter(|_| search.side == Side::Request);
            required = schema.and_then(|schema| self.required_at(member, schema));
        }
        if let Some(known) = self.record(rule, found, reached) {
            known.required = known.required.take().or(required);
            known.judge(replacement);
        }
    }

    /// The calls that reach what was found from these nodes, as far as the conditions of its rule may hold there.
    fn reached_from(
        &mut self,
        starts: &[usize],
        rule: usize,
        found: &FoundElement,
        search: &SideSearch<'_>,
    ) -> Reached {
        let is_example = matches!(found, FoundElement::Example(..));
        let mut reached = Reached::new();
        for &start in starts {
            let Some(&(schema, ..)) = search.nodes.get(start) else {
                continue;
            };
            if is_example
                || self.conditions_may_hold(rule, |one| !is_sibling(one), schema, search.direction)
            {
                let calls = search.calls.get(start).into_iter().flatten();
                reached.extend(calls.map(|&call| search.reached(call)));
            }
        }
        reached
    }

    fn replacement_of(
        &mut self,
        rule: usize,
        mut around: impl Iterator<Item = SchemaId>,
        search: &SideSearch<'_>,
    ) -> ReplacementStatus {
        let rule = self.set.rule_at(rule);
        let replacement = rule.and_then(|rule| rule.replacement.as_deref());
        let nearest = around.by_ref().take(MAX_AROUND);
        match self.property_replacement(replacement, nearest, search.direction) {
            ReplacementStatus::Missing if around.next().is_some() => ReplacementStatus::NotJudged,
            status => status,
        }
    }

    /// The entry of a `required` that names the member of objects with this schema.
    fn required_at(&mut self, member: NodeId, schema: SchemaId) -> Option<KeyLocation> {
        let description = self.description;
        let siblings = self.applied(schema);
        self.work += siblings.len();
        let name = description.value(member)?.key()?;
        siblings.iter().find_map(|&id| {
            let file = description.schemas().get(id)?.node.file;
            let mut listed = description.required(id);
            let found = listed.find(|listed| listed.as_str() == Some(name))?;
            KeyLocation::of_name(description, NodeId::of(file, found))
        })
    }
}
