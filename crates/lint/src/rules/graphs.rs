//! The schema graphs of calls: the descriptions of the operations that they match, with the rules that they locate.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::described::is_read;
use super::{DescribedRules, MatchedOperations, PropertyRule, RuleSet};
use sundown_exchange::Side;
use sundown_openapi::{
    BodyRoot, DescribedOperation, Direction, SchemaGraph, SchemaGraphs, UsePatterns,
};

/// Compiles one side of calls: a graph for each description, so that what the calls share is followed once. `None` if no body can
/// contain a use. `number` returns the pattern numbers of a rule about a property, for the operation of the given name.
pub(crate) fn schema_graphs(
    set: &RuleSet,
    calls: &[&MatchedOperations],
    side: Side,
    mut number: impl FnMut(&PropertyRule, &Arc<str>) -> Option<UsePatterns>,
) -> Option<SchemaGraphs> {
    // By description: the name of the first operation, and the bodies of all of them.
    let mut described: BTreeMap<usize, (Arc<str>, Vec<BodyRoot>)> = BTreeMap::new();
    for (call, matched) in calls.iter().enumerate() {
        for &template in &matched.templates {
            let Some(operation) = set.operations().get(template) else {
                continue;
            };
            for found in &operation.described {
                let rules = set.described(found.description);
                let rules = rules.filter(|one| matched.is_meant(template, one.file));
                let own = rules.and_then(|rules| {
                    let own = rules.description.operation(found.operation)?;
                    Some(roots_of(rules, own, side, call))
                });
                let own = own.unwrap_or_default();
                if !own.is_empty() {
                    let known = described.entry(found.description);
                    let first = || (operation.pattern.to_string().into(), Vec::new());
                    known.or_insert_with(first).1.extend(own);
                }
            }
        }
    }
    // Only calls of the service itself match operations.
    let direction = side.of([Direction::ToService, Direction::FromService]);
    let graphs = described.into_iter().filter_map(|(index, (name, roots))| {
        let described = set.described(index)?;
        let description = Arc::clone(&described.description);
        let leading = Arc::clone(described.leading());
        let graph = SchemaGraph::new(description, leading, direction, roots, |node| {
            let rules = described.properties.get(&node).into_iter().flatten();
            let rules = rules.filter(|rule| rule.sides.contains(side));
            rules.filter_map(|rule| number(rule, &name)).collect()
        });
        Some(graph)
    });
    let graphs = SchemaGraphs(graphs.collect());
    let is_empty = graphs.0.iter().all(SchemaGraph::is_empty);
    (!is_empty).then_some(graphs)
}

/// The bodies of one side of an operation; none if they cannot contain a use.
fn roots_of(
    described: &DescribedRules,
    operation: &DescribedOperation,
    side: Side,
    call: usize,
) -> Vec<BodyRoot> {
    let bodies = operation.bodies.iter();
    let bodies = bodies.filter(|body| is_read(body, side));
    if !bodies.clone().any(|body| described.may_hold_rule(body)) {
        return Vec::new();
    }
    // A whole body may look like another one of the operation, of another status or media type.
    let mut nodes = bodies.clone().filter(|body| body.schema.is_some());
    let has_rules = nodes.all(|body| described.properties.contains_key(&body.node));
    let roots = bodies.filter_map(|body| BodyRoot::of(body, call, has_rules));
    roots.collect()
}
