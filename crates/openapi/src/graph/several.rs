//! Several schema graphs side by side: more than one description may know an operation.

use std::collections::BTreeSet;

use crate::{SchemaGraph, narrow};
use sundown_selector::automaton::{Graph, GraphStep, Nodes, PatternId, Validity, ValueStep};
use sundown_text_json::json::Node;

/// Schema graphs that the automaton follows together. The nodes of each graph come after their count.
#[derive(Debug)]
pub struct SchemaGraphs(pub Vec<SchemaGraph>);

impl SchemaGraphs {
    /// The graphs with their numbers and nodes.
    fn parts<'n>(
        &self,
        nodes: &'n [u32],
    ) -> impl Iterator<Item = (usize, &SchemaGraph, &'n [u32])> {
        let mut rest = nodes;
        self.0.iter().enumerate().map(move |(number, graph)| {
            let own = rest.split_first();
            let own = own.and_then(|(len, after)| after.split_at_checked(*len as usize));
            let (own, others) = own.unwrap_or_default();
            rest = others;
            (number, graph, own)
        })
    }
}

/// The nodes of several graphs as those of one.
pub(super) fn join(parts: impl Iterator<Item = Nodes>) -> Nodes {
    let parts: Vec<Nodes> = parts.collect();
    if parts.iter().all(|part| part.is_empty()) {
        return Nodes::default();
    }
    parts
        .iter()
        .flat_map(|part| [narrow(part.len())].into_iter().chain(part.iter().copied()))
        .collect()
}

impl Graph for SchemaGraphs {
    fn step(&self, from: &[u32], step: Option<ValueStep<'_>>) -> GraphStep {
        let is_start = matches!(step, Some(ValueStep::Start)) && from.is_empty();
        let mut accepts = BTreeSet::new();
        let parts = self.parts(from).map(|(_, graph, nodes)| {
            if nodes.is_empty() && !is_start {
                return Nodes::default();
            }
            let reached = graph.step(nodes, step);
            accepts.extend(reached.accepts);
            reached.nodes
        });
        let nodes = join(parts);
        GraphStep {
            nodes,
            accepts: accepts.into_iter().collect(),
        }
    }

    fn distinguishes_other_names(&self, from: &[u32]) -> bool {
        self.parts(from)
            .any(|(_, graph, nodes)| graph.distinguishes_other_names(nodes))
    }

    fn discriminators(&self, of: &[u32]) -> Vec<Box<str>> {
        let parts = self.parts(of);
        let names = parts.flat_map(|(_, graph, nodes)| graph.discriminators(nodes));
        let names: BTreeSet<_> = names.collect();
        names.into_iter().collect()
    }

    fn choose(&self, of: &[u32], discriminator: &str, value: &str) -> Nodes {
        let parts = self.parts(of);
        join(parts.map(|(_, graph, nodes)| graph.choose(nodes, discriminator, value)))
    }

    fn has_alternatives(&self, of: &[u32]) -> bool {
        self.parts(of)
            .any(|(_, graph, nodes)| !nodes.is_empty() && graph.has_alternatives(nodes))
    }

    fn decide(&self, of: &[u32], value: Node<'_>, validity: &mut Validity) -> Nodes {
        join(self.parts(of).map(|(number, graph, nodes)| {
            validity.graph = number;
            graph.decide(nodes, value, validity)
        }))
    }

    fn accepts_with(
        &self,
        from: &[u32],
        step: ValueStep<'_>,
        value: Node<'_>,
        validity: &mut Validity,
    ) -> Vec<PatternId> {
        let mut accepts = BTreeSet::new();
        for (number, graph, nodes) in self.parts(from) {
            if !nodes.is_empty() {
                validity.graph = number;
                accepts.extend(graph.accepts_with(nodes, step, value, validity));
            }
        }
        accepts.into_iter().collect()
    }

    fn names(&self) -> Vec<Box<str>> {
        self.0.iter().flat_map(Graph::names).collect()
    }

    fn accepts_nameless(&self) -> bool {
        self.0.iter().any(Graph::accepts_nameless)
    }

    fn indices(&self) -> usize {
        self.0.iter().map(Graph::indices).max().unwrap_or(0)
    }

    fn effort(&self) -> usize {
        self.0.iter().map(Graph::effort).sum()
    }
}
