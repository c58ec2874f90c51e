//! Which operations reach what the search of bodies has found: a search backwards from its nodes.

use std::collections::BTreeMap;

use super::conditions::ConditionStart;
use super::examples::UseInExample;
use super::location::KeyLocation;
use super::replacement::ReplacementStatus;
use super::search::{Declaration, DescriptionSearch, ExampleUse, FoundDeclaration, Reached};
use super::side_search::{FoundAtNode, SideSearch};
use sundown_exchange::Side;
use sundown_openapi::{Ancestry, NodeId, SchemaId};

/// The most objects around a property in which its replacement is looked for, the innermost first.
const MAX_AROUND: usize = 1000;

impl DescriptionSearch<'_> {
    /// The operations that reach a use in an example.
    pub(super) fn example(&mut self, found: UseInExample) -> &mut Reached {
        let examples = self.results.examples.entry((found.rule, found.node));
        let used = examples.or_insert_with(|| ExampleUse {
            location: found.location,
            certainty: found.certainty,
            reached: Reached::new(),
        });
        used.certainty = used.certainty.min(found.certainty);
        &mut used.reached
    }

    /// Adds what was found to the results, with the calls that reach it.
    pub(super) fn resolve(&mut self, mut search: SideSearch<'_>) {
        if search.found.is_empty() {
            return;
        }
        let ancestry = Ancestry::new(search.nodes.len(), &search.edges);
        let mut at_node: BTreeMap<usize, Vec<FoundAtNode>> = BTreeMap::new();
        for (node, found) in std::mem::take(&mut search.found) {
            at_node.entry(node).or_default().push(found);
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
                for found in at_node.remove(&target).into_iter().flatten() {
                    if self.has_room() {
                        self.add(target, found, starts, &ancestry, &search);
                    }
                }
            }
        }
    }

    /// Adds what was found at the node `target`, which is reached from the nodes `starts`.
    fn add(
        &mut self,
        target: usize,
        found: FoundAtNode,
        starts: &[usize],
        ancestry: &Ancestry,
        search: &SideSearch<'_>,
    ) {
        let mut reached = self.reached_from(starts, &found, search);
        self.work += starts.len() + reached.len();
        if reached.is_empty() {
            return;
        }
        match found {
            FoundAtNode::Expected(rule) => {
                let expected = self.results.expected.entry(rule).or_default();
                expected.append(&mut reached);
            }
            FoundAtNode::Example(found) => self.example(found).append(&mut reached),
            FoundAtNode::Declaration(found) => {
                let is_property = matches!(found.declaration, Declaration::Property(_));
                let around = ancestry.ancestors(target);
                let around = around.filter_map(|node| Some(search.nodes.get(node)?.0));
                let replacement =
                    is_property.then(|| self.replacement_of(found.rule, around, search));
                let schema = search.nodes.get(target).map(|node| node.0);
                let schema = schema.filter(|_| is_property && search.side == Side::Request);
                let required = schema.and_then(|schema| self.required_at(found.node, schema));
                if let Some(definition) = self.define(found) {
                    definition.required = definition.required.take().or(required);
                    definition.reached.append(&mut reached);
                    definition.judge(replacement.unwrap_or_default());
                }
            }
        }
    }

    /// The calls that reach a use from these nodes, as far as the conditions of its rule may hold there.
    fn reached_from(
        &mut self,
        starts: &[usize],
        found: &FoundAtNode,
        search: &SideSearch<'_>,
    ) -> Reached {
        let mut reached = Reached::new();
        for &start in starts {
            let may_hold = match (found, search.nodes.get(start)) {
                (
                    FoundAtNode::Declaration(FoundDeclaration { rule, .. })
                    | FoundAtNode::Expected(rule),
                    Some(&(schema, _)),
                ) => {
                    let body = ConditionStart::Body;
                    self.conditions_may_hold(*rule, body, schema, search.direction)
                }
                _ => true,
            };
            if may_hold {
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
        let rule = self.table.rule_at(rule);
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
            let mut listed = description.required(id).into_iter();
            let found = listed.find(|listed| listed.as_str() == Some(name))?;
            KeyLocation::of_name(description, NodeId::of(file, found))
        })
    }
}
