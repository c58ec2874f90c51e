//! Rules that an API description locates: by the members, elements and bodies of its schemas.
//!
//! No path to a member is written down: its rule covers every operation that reaches the schema.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::Sides;
use super::call_patterns::{call_patterns, pattern};
use sundown_exchange::{HostPattern, OperationPattern, PatternSegment, Side};
use sundown_openapi::{
    Carrier, DescribedBody, Description, Direction, Edge, EdgeKind, EntryRoot, LeadingSchemas,
    NodeId, OperationId, Reach, SchemaId, SchemaStep,
};
use sundown_text_json::json::Node;

/// The rules of a file that an API description locates.
#[derive(Debug, Clone)]
pub struct DescribedRules {
    pub description: Arc<Description>,
    /// The rules of each member, element or body, by the node that gives its schema.
    pub properties: HashMap<NodeId, Vec<PropertyRule>>,
    /// The operations of the service, once for each pattern of calls.
    pub operations: Vec<(OperationPattern, OperationId)>,
    /// See [`Self::leading`], by direction.
    pub(super) leading: (OnceLock<Arc<LeadingSchemas>>, OnceLock<Arc<LeadingSchemas>>),
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
    /// Whether a body has a rule, or a value in it.
    pub(super) fn may_hold_rule(&self, body: &DescribedBody) -> bool {
        let leading = self.leading(body.direction);
        self.properties.contains_key(&body.node)
            || body.schema.is_some_and(|schema| leading.leads(schema))
    }

    /// What leads to rules in bodies of a direction, found once for all operations.
    pub(super) fn leading(&self, direction: Direction) -> &Arc<LeadingSchemas> {
        let known = match direction {
            Direction::ToService => &self.leading.0,
            Direction::FromService => &self.leading.1,
        };
        known.get_or_init(|| {
            let has_rule = |node| self.properties.contains_key(&node);
            Arc::new(LeadingSchemas::new(&self.description, direction, has_rule))
        })
    }

    /// The path prefixes of the description's servers.
    pub(super) fn base_paths(&self) -> Vec<Vec<PatternSegment>> {
        let mut seen = HashSet::new();
        let prefixes: Vec<&String> = self
            .description
            .operations()
            .iter()
            .flat_map(|operation| operation.prefixes.iter())
            .filter(|prefix| seen.insert(*prefix))
            .collect();
        prefixes
            .iter()
            .filter_map(|prefix| Some(pattern("*", prefix)?.segments))
            .collect()
    }

    /// The hosts of the description's servers; none if it does not state all of them.
    pub(super) fn hosts(&self) -> Vec<HostPattern> {
        self.description
            .hosts()
            .iter()
            .map(|host| HostPattern::parse(host))
            .collect::<Result<_, _>>()
            .unwrap_or_default()
    }

    /// The users of the properties with a rule that is wanted, in the order of the description.
    pub(super) fn users_of_properties(
        &self,
        is_wanted: impl Fn(&PropertyRule) -> bool,
    ) -> Vec<PropertyUsers> {
        let mut properties: Vec<_> = self
            .properties
            .iter()
            .filter_map(|(node, rules)| Some((*node, *rules.iter().find(|rule| is_wanted(rule))?)))
            .collect();
        properties.sort_unstable_by_key(|(node, _)| *node);
        if properties.is_empty() {
            return Vec::new();
        }
        let mut users: Vec<_> = properties
            .iter()
            .map(|(node, _)| {
                let file = self
                    .description
                    .file(node.file)
                    .map_or("", |file| &file.name);
                let pointer = self
                    .description
                    .value(*node)
                    .map(Node::pointer)
                    .unwrap_or_default();
                PropertyUsers {
                    property: format!("{file}#{pointer}"),
                    operations: Vec::new(),
                }
            })
            .collect();
        self.visit_users(&properties, |property, operation, side| {
            let operation = self.description.operation(operation);
            let pattern = operation.and_then(|operation| {
                call_patterns(&self.description, operation)
                    .into_iter()
                    .next()
            });
            if let (Some(users), Some(pattern)) = (users.get_mut(property), pattern) {
                users.operations.push((pattern.to_string(), side));
            }
        });
        for PropertyUsers { operations, .. } in &mut users {
            operations.sort();
            operations.dedup();
        }
        users
    }

    /// The rules about properties in the bodies of the operations that are wanted.
    pub(super) fn rules_used_by(
        &self,
        is_wanted: impl Fn(&OperationPattern) -> bool,
    ) -> HashSet<usize> {
        let wanted: HashSet<OperationId> = self
            .description
            .operation_ids()
            .zip(self.description.operations())
            .filter(|(_, operation)| {
                call_patterns(&self.description, operation)
                    .first()
                    .is_some_and(&is_wanted)
            })
            .map(|(id, _)| id)
            .collect();
        if wanted.is_empty() {
            return HashSet::new();
        }
        let properties: Vec<_> = self
            .properties
            .iter()
            .flat_map(|(node, rules)| rules.iter().map(|rule| (*node, *rule)))
            .collect();
        let mut found = HashSet::new();
        self.visit_users(&properties, |property, id, _| {
            if wanted.contains(&id) {
                found.extend(properties.get(property).map(|(_, rule)| rule.rule));
            }
        });
        found
    }

    /// The operations whose bodies contain the properties of wanted rules, by rule, each with the side.
    pub(crate) fn users_by_rule(
        &self,
        wanted: &HashSet<usize>,
    ) -> HashMap<usize, BTreeSet<(OperationId, Side)>> {
        let of_node = |(node, rules): (&NodeId, &Vec<PropertyRule>)| {
            let rules = rules.iter().filter(|rule| wanted.contains(&rule.rule));
            rules.map(|rule| (*node, *rule)).collect::<Vec<_>>()
        };
        let properties: Vec<_> = self.properties.iter().flat_map(of_node).collect();
        let mut users: HashMap<usize, BTreeSet<(OperationId, Side)>> = HashMap::new();
        if !properties.is_empty() {
            self.visit_users(&properties, |property, operation, side| {
                if let Some((_, rule)) = properties.get(property) {
                    users
                        .entry(rule.rule)
                        .or_default()
                        .insert((operation, side));
                }
            });
        }
        users
    }

    /// Finds the operations whose bodies contain properties, on the sides of their rules. `visit` receives the index of a property,
    /// an operation and the side, in no order and maybe several times.
    fn visit_users(
        &self,
        properties: &[(NodeId, PropertyRule)],
        mut visit: impl FnMut(usize, OperationId, Side),
    ) {
        let description = &self.description;
        let mut indices: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (index, (node, _)) in properties.iter().enumerate() {
            indices.entry(*node).or_default().push(index);
        }
        // The schemas that have the properties.
        let edges = description.schemas().all_edges().iter();
        let mut holders: HashMap<SchemaId, Vec<(usize, &Edge)>> = HashMap::new();
        for edge in edges {
            let file = description
                .schemas()
                .get(edge.from)
                .map(|schema| schema.node.file);
            let node = file.map(|file| NodeId {
                file,
                value: edge.member,
            });
            let own = node
                .and_then(|node| indices.get(&node))
                .into_iter()
                .flatten();
            for &index in own {
                holders.entry(edge.from).or_default().push((index, edge));
            }
        }
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            for body in &operation.bodies {
                for &index in indices.get(&body.node).into_iter().flatten() {
                    let side = side_of(body);
                    let sides = properties.get(index).map(|(_, rule)| rule.sides);
                    if is_read(body, side) && sides.is_some_and(|sides| sides.contains(side)) {
                        visit(index, id, side);
                    }
                }
            }
        }
        let schemas: Vec<SchemaId> = holders.keys().copied().collect();
        Reach::new(description).find(&schemas, |schema, entry| {
            let EntryRoot::Body(body) = entry.root else {
                return;
            };
            let operation = description.operation(entry.operation);
            let body = operation.and_then(|operation| operation.bodies.get(body));
            let held = schemas.get(schema).and_then(|schema| holders.get(schema));
            let (Some(body), Some(held)) = (body, held) else {
                return;
            };
            let side = side_of(body);
            if !is_read(body, side) {
                return;
            }
            for &(index, edge) in held {
                let sides = properties.get(index).map(|(_, rule)| rule.sides);
                if description.is_open(edge, entry.direction)
                    && sides.is_some_and(|sides| sides.contains(side))
                {
                    visit(index, entry.operation, side);
                }
            }
        });
    }
}

pub(super) fn side_of(body: &DescribedBody) -> Side {
    match body.carrier {
        Carrier::Request => Side::Request,
        Carrier::Response(_) => Side::Response,
    }
}

/// The name of a located element: of a property, or else `lines[]` for the elements of `lines`, `labels.*` for its members of any
/// name, and `requestBody` or `responseBody`. `kind` is the edge to it; a body has none.
pub(super) fn located_name(value: Node<'_>, kind: Option<EdgeKind>) -> String {
    let name = |value: Node<'_>| {
        let key = value.key()?;
        let name = match value.parent()?.key()? {
            "properties" | "schemas" | "definitions" | "$defs" => key,
            "responses" => "responseBody",
            _ if key == "requestBody" => key,
            "requestBodies" => "requestBody",
            _ => return None,
        };
        Some(name.to_owned())
    };
    let around = || std::iter::successors(value.parent(), |value| value.parent()).find_map(name);
    let of = || around().unwrap_or_else(|| "requestBody".to_owned());
    match kind.map(|kind| (kind, kind.step())) {
        Some((EdgeKind::Property, _)) => value.key().unwrap_or_default().to_owned(),
        Some((_, SchemaStep::Element)) => of() + "[]",
        Some(_) => of() + ".*",
        None => of(),
    }
}

/// Whether a body belongs to this side and may be JSON, or a form, which is checked like JSON.
pub(super) fn is_read(body: &DescribedBody, side: Side) -> bool {
    let media_type = body.media_type.to_ascii_lowercase();
    // Event streams and plain text may contain a sequence of JSON values.
    let may_hold_json = [
        "json",
        "*",
        "event-stream",
        "text/plain",
        "form-urlencoded",
        "form-data",
    ];
    side_of(body) == side && may_hold_json.iter().any(|part| media_type.contains(part))
}
