//! The schemas that lead to an element with a rule, found once for all operations of a description.

use crate::ancestry::reachable;
use crate::schema::{Edge, EdgeKind, SchemaId};
use crate::{Ancestry, Description, NodeId};

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
    /// Finds them backwards from the edges whose node `has_rule`.
    pub fn new(description: &Description, has_rule: impl Fn(NodeId) -> bool) -> Self {
        let schemas = description.schemas();
        let all = schemas.all_edges();
        let has_rule = |edge: &Edge| edge.kind.step().is_inside() && has_rule(edge.node);
        let leads = leads(description, all, has_rule);
        let on_the_way = all.iter().filter(|edge| {
            leads.get(edge.to.index()).copied().unwrap_or_default() || has_rule(edge)
        });
        let mut edges = vec![Vec::new(); leads.len()];
        for edge in on_the_way {
            if let Some(list) = edges.get_mut(edge.from.index()) {
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
            let all = inside.chain(description.possible_choices(id));
            all.filter(|&to| self.leads(to))
        })
        .collect()
    }
}

/// Which schemas lead through these edges, or by the choice of a discriminator, to an edge that has a rule.
fn leads(description: &Description, all: &[Edge], has_rule: impl Fn(&Edge) -> bool) -> Vec<bool> {
    let schemas = description.schemas();
    let mut ends: Vec<(u32, u32)> = all.iter().map(|edge| (edge.from.0, edge.to.0)).collect();
    for id in schemas.ids() {
        let choices = description.possible_choices(id);
        ends.extend(choices.map(|to| (id.0, to.0)));
    }
    let holders = all.iter().filter(|edge| has_rule(edge));
    let mut holders: Vec<usize> = holders.map(|edge| edge.from.index()).collect();
    holders.dedup();
    let mut leads = vec![false; schemas.ids().len()];
    Ancestry::new(leads.len(), &ends).find(&holders, |node, _| {
        if let Some(leads) = leads.get_mut(node) {
            *leads = true;
        }
    });
    leads
}
