//! The schema graphs of a call: the descriptions of the operations that it matches, with the rules that they locate.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::described::is_read;
use super::{DescribedRules, MatchedOperations, PropertyRule, RuleTable};
use sundown_exchange::Side;
use sundown_openapi::{
    BodyChoice, BodyRoot, DescribedBody, DescribedOperation, Direction, SchemaGraph, SchemaGraphs,
    UsePatterns,
};

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

    /// Compiles the graphs of one side of several calls: one for each description, so that what the calls share is followed once.
    /// `None` if no body can contain a use. `number` returns the pattern numbers of a rule about a property, for the operation of the
    /// given name.
    pub fn compile(
        calls: &[Self],
        side: Side,
        mut number: impl FnMut(&PropertyRule, &Arc<str>) -> Option<UsePatterns>,
    ) -> Option<DescribedSide<'t>> {
        let mut described: Vec<DescribedBodies<'_, 't>> = Vec::new();
        for (call, matched) in calls.iter().enumerate() {
            for (name, rules, operation) in &matched.operations {
                let Some(bodies) = bodies_of(rules, operation, side) else {
                    continue;
                };
                let Some((_, DescribedBody { direction, .. })) = bodies.first() else {
                    continue;
                };
                let is_same = |one: &&mut DescribedBodies<'_, '_>| {
                    std::ptr::eq(one.rules, *rules) && one.direction == *direction
                };
                match described.iter_mut().find(is_same) {
                    Some(known) => known.bodies.entry(call).or_default().extend(bodies),
                    None => described.push(DescribedBodies {
                        name,
                        rules,
                        direction: *direction,
                        bodies: BTreeMap::from([(call, bodies)]),
                    }),
                }
            }
        }
        let graphs = described.iter().map(|one| {
            let roots = one.bodies.values().flatten().map(|(root, _)| *root);
            let description = Arc::clone(&one.rules.description);
            let leading = Arc::clone(one.rules.leading());
            SchemaGraph::new(
                description,
                leading,
                one.direction,
                roots.collect(),
                |node| {
                    let rules = one.rules.properties.get(&node).into_iter().flatten();
                    rules
                        .filter(|rule| rule.sides.contains(side))
                        .filter_map(|rule| number(rule, one.name))
                        .collect()
                },
            )
        });
        let graphs = SchemaGraphs(graphs.collect());
        let bodies = described.into_iter().map(|one| one.bodies).collect();
        let is_empty = graphs.0.iter().all(SchemaGraph::is_empty);
        (!is_empty).then_some(DescribedSide { graphs, bodies })
    }
}

/// The bodies of one side of several calls that a description declares.
struct DescribedBodies<'c, 't> {
    /// The name of the first operation.
    name: &'c Arc<str>,
    rules: &'t DescribedRules,
    direction: Direction,
    bodies: BodiesByCall<'t>,
}

/// The bodies of each call that can contain a use, with their roots.
type BodiesByCall<'t> = BTreeMap<usize, Vec<(BodyRoot, &'t DescribedBody)>>;

/// The compiled graphs of one side.
pub struct DescribedSide<'t> {
    pub graphs: SchemaGraphs,
    /// By graph.
    bodies: Vec<BodiesByCall<'t>>,
}

impl DescribedSide<'_> {
    /// The choice between the bodies of a call.
    pub fn choice(&self, call: usize) -> BodyChoice {
        let mut choice = BodyChoice::default();
        for (graph, bodies) in self.graphs.0.iter().zip(&self.bodies) {
            let bodies = bodies.get(&call).into_iter().flatten();
            choice.add(graph, bodies.map(|(root, body)| (*root, *body)));
        }
        choice
    }
}

/// The bodies of one side of an operation with their roots; `None` if none of them can contain a use.
fn bodies_of<'d>(
    described: &DescribedRules,
    operation: &'d DescribedOperation,
    side: Side,
) -> Option<Vec<(BodyRoot, &'d DescribedBody)>> {
    let bodies = || operation.bodies.iter().filter(|body| is_read(body, side));
    if !bodies().any(|body| described.may_hold_rule(body)) {
        return None;
    }
    // A whole body may look like another one of the operation, of another status or media type.
    let mut nodes = bodies().filter(|body| body.schema.is_some());
    let has_rules = nodes.all(|body| described.properties.contains_key(&body.node));
    let roots = bodies().filter_map(|body| {
        let root = BodyRoot {
            node: body.node,
            schema: body.schema?,
            has_rules,
        };
        Some((root, body))
    });
    Some(roots.collect())
}
