//! The schema graphs of a call: the descriptions of the operations that it matches, with the rules that they locate.

use std::sync::Arc;

use super::described::is_read;
use super::{DescribedRules, MatchedOperations, PropertyRule, RuleTable};
use sundown_exchange::Side;
use sundown_openapi::{
    BodyChoice, BodyRoot, DescribedBody, DescribedOperation, Direction, SchemaGraph, SchemaGraphs,
    UsePatterns,
};
use sundown_selector::automaton::Nodes;

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

    /// Compiles the graphs of one side whose bodies can contain a use, with the choice between these bodies; `None` if there are
    /// none. `number` returns the pattern numbers of a rule about a property, for the operation of the given name.
    pub fn compile(
        &self,
        side: Side,
        mut number: impl FnMut(&PropertyRule, &Arc<str>) -> Option<UsePatterns>,
    ) -> Option<(SchemaGraphs, BodyChoice)> {
        let mut graphs = Vec::new();
        let mut choice = BodyChoice::default();
        for (name, described, operation) in &self.operations {
            if let Some((direction, bodies)) = bodies_of(described, operation, side) {
                let number = |rule: &PropertyRule| number(rule, name);
                let roots = bodies.iter().map(|(root, _)| *root).collect();
                let graph = graph(described, side, direction, roots, number);
                if !graph.is_empty() {
                    choice.add(&graph, bodies.into_iter());
                    graphs.push(graph);
                }
            }
        }
        (!graphs.is_empty()).then_some((SchemaGraphs(graphs), choice))
    }

    /// Compiles the graphs of one side of several calls: one for each description, so that what the calls share is followed once.
    /// The nodes are those from which the walk of each call starts, none if its bodies cannot contain a use.
    pub(crate) fn compile_together(
        calls: &[Self],
        side: Side,
        mut number: impl FnMut(&PropertyRule) -> Option<UsePatterns>,
    ) -> Option<(SchemaGraphs, Vec<Nodes>)> {
        let mut descriptions: Vec<(&DescribedRules, Direction, Vec<BodyRoot>)> = Vec::new();
        let mut starts: Vec<Vec<Vec<BodyRoot>>> = Vec::new();
        for call in calls {
            let mut start = Vec::new();
            for (_, described, operation) in &call.operations {
                let Some((direction, bodies)) = bodies_of(described, operation, side) else {
                    continue;
                };
                let roots: Vec<_> = bodies.into_iter().map(|(root, _)| root).collect();
                let known = descriptions
                    .iter()
                    .position(|known| std::ptr::eq(known.0, *described) && known.1 == direction);
                let index = known.unwrap_or(descriptions.len());
                if known.is_none() {
                    descriptions.push((described, direction, Vec::new()));
                }
                if let Some(known) = descriptions.get_mut(index) {
                    known.2.extend(&roots);
                }
                start.resize_with(descriptions.len(), Vec::new);
                if let Some(own) = start.get_mut(index) {
                    own.extend(roots);
                }
            }
            starts.push(start);
        }
        let graphs = descriptions.into_iter();
        let graphs = graphs.map(|(described, direction, roots)| {
            graph(described, side, direction, roots, &mut number)
        });
        let graphs = SchemaGraphs(graphs.collect());
        if graphs.0.iter().all(SchemaGraph::is_empty) {
            return None;
        }
        let starts = starts.iter().map(|roots| graphs.start(roots)).collect();
        Some((graphs, starts))
    }
}

/// The bodies of one side of an operation with their roots, and their direction; `None` if none of them can contain a use.
fn bodies_of<'d>(
    described: &DescribedRules,
    operation: &'d DescribedOperation,
    side: Side,
) -> Option<(Direction, Vec<(BodyRoot, &'d DescribedBody)>)> {
    let bodies = || operation.bodies.iter().filter(|body| is_read(body, side));
    let direction = bodies().next()?.direction;
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
    Some((direction, roots.collect()))
}

/// The graph of these bodies with the rules that the description locates.
fn graph(
    described: &DescribedRules,
    side: Side,
    direction: Direction,
    roots: Vec<BodyRoot>,
    mut number: impl FnMut(&PropertyRule) -> Option<UsePatterns>,
) -> SchemaGraph {
    let description = Arc::clone(&described.description);
    let leading = Arc::clone(described.leading());
    SchemaGraph::new(description, leading, direction, roots, |node| {
        let rules = described.properties.get(&node).into_iter().flatten();
        rules
            .filter(|rule| rule.sides.contains(side))
            .filter_map(&mut number)
            .collect()
    })
}
