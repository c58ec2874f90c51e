//! The schemas that lead to an element with a rule, found once for all operations of a description.

use crate::ancestry::{beside, neighbours};
use crate::{Description, Edge, EdgeKind, NodeId, SchemaId, reachable};

/// The schemas from which an element with a rule can be reached, and the edges on the way. A property for one direction
/// may be sent in the other, too: clients send back what they read.
#[derive(Debug)]
pub struct SchemasWithRules {
    /// The most first elements that a list declares one by one.
    pub(super) indices: usize,
    leads: Vec<bool>,
    /// By schema: the edges from it that have a rule or lead to one.
    edges: Vec<Vec<Edge>>,
}

impl SchemasWithRules {
    /// Finds them backwards from the edges whose node `has_rule`, through all edges and the choices of discriminators.
    pub fn new(description: &Description, has_rule: impl Fn(NodeId) -> bool) -> Self {
        let schemas = description.schemas();
        let all = schemas.all_edges();
        let has_rule = |edge: &Edge| edge.kind.step().is_inside() && has_rule(edge.node);
        let inside = all.iter().map(|edge| (edge.to.0, edge.from.0));
        let choices = schemas.ids().flat_map(|id| {
            let choices = description.choices(id);
            choices.map(move |(_, to)| (to.0, id.0))
        });
        let incoming = neighbours(schemas.ids().len(), inside.chain(choices));
        let holders = all.iter().filter(|edge| has_rule(edge));
        let holders = holders.map(|edge| edge.from.0);
        let mut leads = vec![false; incoming.len()];
        for node in reachable(holders, |node| beside(&incoming, node).iter().copied()) {
            if let Some(leads) = leads.get_mut(node as usize) {
                *leads = true;
            }
        }
        let mut edges = vec![Vec::new(); leads.len()];
        for edge in all {
            if (leads.get(edge.to.index()) == Some(&true) || has_rule(edge))
                && let Some(list) = edges.get_mut(edge.from.index())
            {
                list.push(*edge);
            }
        }
        let first_elements = all.iter().filter(|edge| edge.kind == EdgeKind::PrefixItem);
        let first_elements = first_elements.map(|edge| edge.index as usize + 1);
        Self {
            indices: first_elements.max().unwrap_or(0),
            leads,
            edges,
        }
    }

    /// Whether an element with a rule can be reached from this schema.
    pub fn leads(&self, id: SchemaId) -> bool {
        self.leads.get(id.index()).copied().unwrap_or_default()
    }

    /// The edges from a schema that have a rule or lead to one.
    pub(super) fn edges(&self, id: SchemaId) -> &[Edge] {
        self.edges.get(id.index()).map_or(&[], Vec::as_slice)
    }

    /// The schemas that lead to a rule and can be reached from these.
    pub(super) fn reachable(
        &self,
        description: &Description,
        roots: impl Iterator<Item = SchemaId>,
    ) -> Vec<SchemaId> {
        let roots = roots.filter(|&root| self.leads(root));
        reachable(roots, |id| {
            let inside = self.edges(id).iter().map(|edge| edge.to);
            let all = inside.chain(description.choices(id).map(|(_, to)| to));
            all.filter(|&to| self.leads(to))
        })
        .collect()
    }
}
