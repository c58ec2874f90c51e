//! Rules that an API description locates: by their properties in its schemas.
//!
//! No path to a property is written down: its rule covers every operation that reaches the schema.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Sides;
use super::call_patterns::{call_patterns, pattern_segment};
use crate::json::ValueRef;
use crate::openapi::{Carrier, Description, EntryPoint, EntryRoot, NodeId, OperationId, Reach};
use crate::traffic::{HostPattern, OperationPattern, PatternSegment, Side};

/// The rules of a file that an API description locates.
#[derive(Debug, Clone)]
pub struct DescribedRules {
    /// The description.
    pub description: Arc<Description>,
    /// The rules of each property, by the property's node.
    pub properties: HashMap<NodeId, Vec<PropertyRule>>,
    /// The operations of the service, once for each pattern of calls.
    pub operations: Vec<(OperationPattern, OperationId)>,
}

/// A rule about a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyRule {
    /// The index of the rule in its file, or, once the file is in a table, in the table.
    pub rule: usize,
    /// Whether every use of the property is a use of the rule.
    pub certainty: PropertyCertainty,
    /// The sides on which the rule applies.
    pub sides: Sides,
}

/// Whether every use of a property is a use of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyCertainty {
    /// It is.
    Certain,
    /// The rule is about one alternative of the property's schema only.
    Possible,
    /// As [`Self::Possible`], and the alternative has a marker, so that the value decides.
    DependsOnValue,
}

/// A property and the operations whose bodies contain it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyUsers {
    /// The file and the property's JSON Pointer: `api.yaml#/components/schemas/Order/properties/id`.
    pub property: String,
    /// The operations, each with the side.
    pub operations: Vec<(String, Side)>,
}

impl DescribedRules {
    /// The path prefixes of the description's servers.
    pub(super) fn base_paths(&self) -> Vec<Vec<PatternSegment>> {
        let mut seen = HashSet::new();
        let operations = self.description.operations().iter();
        let all = operations.flat_map(|operation| operation.prefixes.iter());
        let prefixes: Vec<&String> = all.filter(|prefix| seen.insert(*prefix)).collect();
        let segments = |prefix: &&String| {
            let segments: Vec<&str> = prefix.split('/').map(pattern_segment).collect();
            let text = format!("* /{}", segments.join("/").trim_start_matches('/'));
            Some(OperationPattern::parse(&text).ok()?.segments)
        };
        prefixes.iter().filter_map(segments).collect()
    }

    /// The hosts of the description's servers; none if it does not state all of them.
    pub(super) fn hosts(&self) -> Vec<HostPattern> {
        let patterns = self.description.hosts().iter().map(|host| HostPattern::parse(host));
        patterns.collect::<Result<_, _>>().unwrap_or_default()
    }

    /// The properties with a rule that is wanted, in the order of the description, each with its first such rule.
    pub(super) fn properties_with(
        &self,
        is_wanted: impl Fn(&PropertyRule) -> bool,
    ) -> Vec<(NodeId, PropertyRule)> {
        let wanted = self
            .properties
            .iter()
            .filter_map(|(node, rules)| Some((*node, *rules.iter().find(|rule| is_wanted(rule))?)));
        let mut properties: Vec<_> = wanted.collect();
        properties.sort_unstable_by_key(|(node, _)| *node);
        properties
    }

    /// The users of the properties with a rule that is wanted, in the order of the description.
    pub(super) fn users_of_properties(
        &self,
        is_wanted: impl Fn(&PropertyRule) -> bool,
    ) -> Vec<PropertyUsers> {
        let properties = self.properties_with(is_wanted);
        if properties.is_empty() {
            return Vec::new();
        }
        let mut reach = Reach::new(&self.description);
        properties
            .into_iter()
            .map(|(node, rule)| self.users_of(node, rule.sides, &mut reach))
            .collect()
    }

    fn users_of(&self, node: NodeId, sides: Sides, reach: &mut Reach<'_>) -> PropertyUsers {
        let description = &self.description;
        let file = description.file(node.file).map_or("", |file| &file.name);
        let pointer = description.value(node).map(ValueRef::pointer).unwrap_or_default();
        let edges = description.schemas().all_edges().iter();
        let holders = edges.filter(|edge| {
            let of = description.schemas().get(edge.from).map(|schema| schema.node.file);
            edge.member == node.value && of == Some(node.file)
        });
        let entries = holders.flat_map(|edge| {
            let entries = reach.operations(edge.from).into_iter();
            entries.filter(|entry| description.is_open(edge, entry.direction)).collect::<Vec<_>>()
        });
        let operation = |entry: EntryPoint| {
            let operation = description.operation(entry.operation)?;
            let EntryRoot::Body(body) = entry.root else { return None };
            let side = match operation.bodies.get(body)?.carrier {
                Carrier::Request => Side::Request,
                Carrier::Response(_) => Side::Response,
            };
            Some((call_patterns(operation).first()?.to_string(), side))
        };
        let operations = entries.filter_map(operation);
        let mut operations: Vec<_> = operations.filter(|(_, side)| sides.contains(*side)).collect();
        operations.sort();
        operations.dedup();
        PropertyUsers { property: format!("{file}#{pointer}"), operations }
    }
}
