//! The schema graphs of a call: the descriptions of the operations that it matches, with the rules that they locate.

use std::sync::Arc;

use super::described::is_read;
use super::{DescribedRules, MatchedOperations, PropertyRule, RuleSet};
use sundown_exchange::Side;
use sundown_openapi::{
    BodyChoice, BodyRoot, DescribedBody, DescribedOperation, Direction, SchemaGraph, SchemaGraphs,
    UsePatterns,
};

/// The compiled graphs of one side of calls: the bodies that descriptions declare, with the rules that they locate.
pub struct DescribedSide<'t> {
    pub graphs: SchemaGraphs,
    /// By graph.
    described: Vec<DescribedBodies<'t>>,
}

impl<'t> DescribedSide<'t> {
    /// Compiles one graph for each description, so that what the calls share is followed once. `None` if no body can contain a use.
    /// `number` returns the pattern numbers of a rule about a property, for the operation of the given name.
    pub fn compile(
        set: &'t RuleSet,
        calls: &[&MatchedOperations],
        side: Side,
        mut number: impl FnMut(&PropertyRule, &Arc<str>) -> Option<UsePatterns>,
    ) -> Option<Self> {
        let mut described: Vec<DescribedBodies<'t>> = Vec::new();
        for (call, matched) in calls.iter().enumerate() {
            for &template in &matched.templates {
                let operation = set.operations().get(template);
                for found in operation.into_iter().flat_map(|one| &one.described) {
                    let rules = set.described(found.description);
                    let Some(rules) = rules.filter(|one| matched.is_meant(template, one.file))
                    else {
                        continue;
                    };
                    let own = rules.description.operation(found.operation);
                    let bodies = own.map(|own| bodies_of(rules, own, side));
                    let bodies = bodies.unwrap_or_default();
                    if bodies.is_empty() {
                        continue;
                    }
                    let bodies = bodies.iter().map(|&(root, body)| (call, root, body));
                    let mut known = described.iter_mut();
                    match known.find(|one| std::ptr::eq(one.rules, rules)) {
                        Some(known) => known.bodies.extend(bodies),
                        None => described.push(DescribedBodies {
                            name: operation.map(|one| one.pattern.to_string().into())?,
                            rules,
                            bodies: bodies.collect(),
                        }),
                    }
                }
            }
        }
        // Only calls of the service itself match operations.
        let direction = side.of([Direction::ToService, Direction::FromService]);
        let graphs = described.iter().map(|one| {
            let roots = one.bodies.iter().map(|(_, root, _)| *root);
            let description = Arc::clone(&one.rules.description);
            let leading = Arc::clone(one.rules.leading());
            SchemaGraph::new(description, leading, direction, roots.collect(), |node| {
                let rules = one.rules.properties.get(&node).into_iter().flatten();
                rules
                    .filter(|rule| rule.sides.contains(side))
                    .filter_map(|rule| number(rule, &one.name))
                    .collect()
            })
        });
        let graphs = SchemaGraphs(graphs.collect());
        let is_empty = graphs.0.iter().all(SchemaGraph::is_empty);
        (!is_empty).then_some(Self { graphs, described })
    }

    /// The choice between the bodies of a call.
    pub fn choice(&self, call: usize) -> BodyChoice {
        let mut choice = BodyChoice::default();
        for (graph, DescribedBodies { bodies, .. }) in self.graphs.0.iter().zip(&self.described) {
            let first = bodies.partition_point(|(own, ..)| *own < call);
            let own = bodies
                .iter()
                .skip(first)
                .take_while(|(own, ..)| *own == call);
            choice.add(graph, own.map(|(_, root, body)| (*root, *body)));
        }
        choice
    }
}

/// The bodies of one side of several calls that a description declares.
struct DescribedBodies<'t> {
    /// The name of the first operation.
    name: Arc<str>,
    rules: &'t DescribedRules,
    /// Those that can contain a use, with their roots, in the order of the calls' indices, which come first.
    bodies: Vec<(usize, BodyRoot, &'t DescribedBody)>,
}

/// The bodies of one side of an operation with their roots; none if they cannot contain a use.
fn bodies_of<'d>(
    described: &DescribedRules,
    operation: &'d DescribedOperation,
    side: Side,
) -> Vec<(BodyRoot, &'d DescribedBody)> {
    let bodies = operation.bodies.iter();
    let bodies = bodies.filter(|body| is_read(body, side));
    if !bodies.clone().any(|body| described.may_hold_rule(body)) {
        return Vec::new();
    }
    // A whole body may look like another one of the operation, of another status or media type.
    let mut nodes = bodies.clone().filter(|body| body.schema.is_some());
    let has_rules = nodes.all(|body| described.properties.contains_key(&body.node));
    let roots = bodies.filter_map(|body| {
        let root = BodyRoot {
            node: body.node,
            schema: body.schema?,
            has_rules,
        };
        Some((root, body))
    });
    roots.collect()
}
