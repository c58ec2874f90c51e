//! The schema graphs of a call: the descriptions of the operations that it matches, with the rules that they locate.

use std::sync::Arc;

use super::described::is_read;
use super::{DescribedRules, MatchedOperations, PropertyRule, RuleTable};
use sundown_exchange::Side;
use sundown_openapi::{DescribedOperation, NodeId, SchemaGraph, SchemaGraphs, UsePatterns};

/// The matched operations of a call as descriptions declare them.
pub struct MatchedDescriptions<'t> {
    /// Each with the name under which the operation is reported.
    operations: Vec<(Arc<str>, &'t DescribedRules, &'t DescribedOperation)>,
}

impl<'t> MatchedDescriptions<'t> {
    /// Looks up the operations in the descriptions of the table.
    pub fn new(table: &'t RuleTable, matched: &MatchedOperations) -> Self {
        let templates = matched
            .templates
            .iter()
            .filter_map(|&index| Some((index, table.operations().get(index)?)));
        let operations = templates.flat_map(|(index, operation)| {
            let name: Arc<str> = Arc::from(operation.pattern.to_string());
            operation.described.iter().filter_map(move |found| {
                let file = table.file_of_description(found.description);
                if !matched.is_meant(index, file) {
                    return None;
                }
                let described = table.described(found.description)?;
                let operation = described.description.operation(found.operation)?;
                Some((Arc::clone(&name), described, operation))
            })
        });
        Self {
            operations: operations.collect(),
        }
    }

    /// Compiles the graphs of one side whose bodies can contain a use; `None` if there are none. `number` returns the pattern
    /// numbers of a rule about a property, for the operation of the given name.
    pub fn compile(
        &self,
        side: Side,
        mut number: impl FnMut(&PropertyRule, &Arc<str>) -> Option<UsePatterns>,
    ) -> Option<SchemaGraphs> {
        let mut graphs = Vec::new();
        for (name, described, operation) in &self.operations {
            let bodies = || operation.bodies.iter().filter(|body| is_read(body, side));
            let Some(first) = bodies().next() else {
                continue;
            };
            if !bodies().any(|body| described.may_hold_rule(body)) {
                continue;
            }
            let roots: Vec<_> = bodies()
                .filter_map(|body| Some((body.node, body.schema?)))
                .collect();
            // A whole body may look like another one of the operation, of another status or media type.
            let is_doubtful = |node: NodeId| {
                let has_rule = |root: &NodeId| described.properties.contains_key(root);
                let nodes = || roots.iter().map(|(root, _)| root);
                nodes().any(|root| *root == node) && !nodes().all(has_rule)
            };
            let description = Arc::clone(&described.description);
            graphs.push(SchemaGraph::new(
                description,
                first.direction,
                roots.clone(),
                |node| {
                    described
                        .properties
                        .get(&node)
                        .into_iter()
                        .flatten()
                        .filter(|rule| rule.sides.contains(side) && !is_doubtful(node))
                        .filter_map(|rule| number(rule, name))
                        .collect()
                },
            ));
        }
        graphs.retain(|graph| !graph.is_empty());
        (!graphs.is_empty()).then_some(SchemaGraphs(graphs))
    }
}
