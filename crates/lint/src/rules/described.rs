//! Rules that an API description locates: by the members, elements and bodies of its schemas.
//!
//! No path to a member is written down: its rule covers every operation that reaches the schema. The operations become patterns that
//! match calls.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::{Element, Sides};
use sundown_exchange::{HostPattern, OperationPattern, PatternSegment, Side};
use sundown_openapi::{
    Carrier, DeprecationStatus, DescribedBody, DescribedOperation, Description, Edge, EdgeKind,
    NodeId, OperationId, OperationRole, Reach, SchemaId, SchemaStep, SchemasWithRules,
};
use sundown_text_json::json::Node;
use sundown_text_json::text::join;

/// The rules of a file that an API description locates.
#[derive(Debug, Clone)]
pub struct DescribedRules {
    pub description: Arc<Description>,
    /// The index of its file, once the file is in a set.
    pub file: usize,
    /// The rules of each member, element or body, by the node that gives its schema.
    pub properties: HashMap<NodeId, Vec<PropertyRule>>,
    /// The operations of the service, once for each pattern of calls.
    pub operations: Vec<(OperationPattern, OperationId)>,
    /// See [`Self::leading`].
    leading: OnceLock<Arc<SchemasWithRules>>,
}

/// A rule about a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyRule {
    /// The index of the rule in its file, or, once the file is in a set, in the set.
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

impl PropertyCertainty {
    /// That of a rule about an element whose values have this schema.
    pub(super) fn of(description: &Description, schema: SchemaId, element: &Element) -> Self {
        match (description.deprecation_of(schema), &element.value) {
            (DeprecationStatus::Possible, None) => Self::DependsOnValue,
            (DeprecationStatus::Possible, Some(_)) => Self::Possible,
            _ => Self::Certain,
        }
    }
}

impl DescribedRules {
    /// A description that locates no rules yet.
    pub(super) fn new(description: Arc<Description>) -> Self {
        let served = description.numbered_operations();
        let served = served.filter(|(_, one)| one.role == OperationRole::Served);
        let operations = served.flat_map(|(id, operation)| {
            let patterns = call_patterns(&description, operation).into_iter();
            patterns.map(move |pattern| (pattern, id))
        });
        Self {
            operations: operations.collect(),
            description,
            file: 0,
            properties: HashMap::new(),
            leading: OnceLock::new(),
        }
    }

    /// Whether a body has a rule, or a value in it.
    pub(super) fn may_hold_rule(&self, body: &DescribedBody) -> bool {
        let leading = self.leading();
        self.properties.contains_key(&body.node)
            || body.schema.is_some_and(|schema| leading.leads(schema))
    }

    /// What leads to rules, found once for all operations.
    pub(super) fn leading(&self) -> &Arc<SchemasWithRules> {
        self.leading.get_or_init(|| {
            Arc::new(SchemasWithRules::new(&self.description, |node| {
                self.properties.contains_key(&node)
            }))
        })
    }

    /// The path prefixes of the description's servers.
    pub(super) fn base_paths(&self) -> Vec<Vec<PatternSegment>> {
        let mut seen = HashSet::new();
        self.description
            .operations()
            .iter()
            .flat_map(|operation| operation.prefixes.iter())
            .filter(|prefix| seen.insert(*prefix))
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

    /// The operation as calls have it.
    pub(super) fn pattern(&self, operation: OperationId) -> Option<OperationPattern> {
        let operation = self.description.operation(operation)?;
        call_patterns(&self.description, operation)
            .into_iter()
            .next()
    }

    /// The property at a node, with these users.
    pub(super) fn property_users(
        &self,
        node: NodeId,
        users: &BTreeSet<(OperationId, Side)>,
    ) -> PropertyUsers {
        let description = &self.description;
        let file = description.file(node.file).map_or("", |file| &file.name);
        let pointer = description.value(node).map(Node::pointer);
        let operations: BTreeSet<_> = users
            .iter()
            .filter_map(|&(operation, side)| Some((self.pattern(operation)?.to_string(), side)))
            .collect();
        PropertyUsers {
            property: format!("{file}#{}", pointer.unwrap_or_default()),
            operations: operations.into_iter().collect(),
        }
    }

    /// The rules about properties in the bodies of the operations that are wanted.
    pub(super) fn rules_used_by(
        &self,
        is_wanted: impl Fn(&OperationPattern) -> bool,
    ) -> HashSet<usize> {
        let all = self.description.numbered_operations().map(|(id, _)| id);
        let wanted: HashSet<OperationId> = all
            .filter(|id| self.pattern(*id).is_some_and(|pattern| is_wanted(&pattern)))
            .collect();
        if wanted.is_empty() {
            return HashSet::new();
        }
        let users = self.users(|_| true).into_iter();
        users
            .filter(|(_, users)| users.iter().any(|(id, _)| wanted.contains(id)))
            .map(|((_, rule), _)| rule)
            .collect()
    }

    /// The operations whose bodies contain the properties of wanted rules, on the sides of these rules: by property and rule, in the
    /// order of the description.
    pub(crate) fn users(
        &self,
        is_wanted: impl Fn(&PropertyRule) -> bool,
    ) -> BTreeMap<(NodeId, usize), BTreeSet<(OperationId, Side)>> {
        let description = &self.description;
        let mut users = BTreeMap::new();
        let mut wanted: HashMap<NodeId, Vec<PropertyRule>> = HashMap::new();
        for (&node, rules) in &self.properties {
            for rule in rules.iter().filter(|rule| is_wanted(rule)) {
                wanted.entry(node).or_default().push(*rule);
                users.insert((node, rule.rule), BTreeSet::new());
            }
        }
        if wanted.is_empty() {
            return users;
        }
        // The schemas that have the properties.
        let mut holders: HashMap<SchemaId, Vec<&Edge>> = HashMap::new();
        for edge in description.schemas().all_edges() {
            if wanted.contains_key(&edge.node) {
                holders.entry(edge.from).or_default().push(edge);
            }
        }
        let mut add = |node: NodeId, operation: OperationId, side: Side| {
            let rules = wanted.get(&node).into_iter().flatten();
            for rule in rules.filter(|rule| rule.sides.contains(side)) {
                let known = users.entry((node, rule.rule)).or_default();
                known.insert((operation, side));
            }
        };
        for (id, operation) in description.numbered_operations() {
            for body in &operation.bodies {
                let side = side_of(&body.carrier);
                if is_read(body, side) {
                    add(body.node, id, side);
                }
            }
        }
        let schemas: Vec<SchemaId> = holders.keys().copied().collect();
        Reach::new(description).find(&schemas, |schema, entry| {
            let operation = description.operation(entry.operation);
            let body = operation.and_then(|operation| operation.bodies.get(entry.body?));
            let side = side_of(&entry.carrier);
            if !body.is_some_and(|body| is_read(body, side)) {
                return;
            }
            let held = schemas.get(schema).and_then(|schema| holders.get(schema));
            for edge in held.into_iter().flatten() {
                if description.is_open(edge, entry.direction) {
                    add(edge.node, entry.operation, side);
                }
            }
        });
        users
    }
}

/// The side of the message that carries a body or a header field.
pub(crate) fn side_of(carrier: &Carrier) -> Side {
    match carrier {
        Carrier::Request => Side::Request,
        Carrier::Response(_) => Side::Response,
    }
}

/// The name of a located element: of a property, or else `lines[]` for the elements of `lines`, `labels.*` for its members of any
/// name, and `requestBody` or `responseBody`. `kind` is the edge to it; a body has none.
pub(super) fn located_name(value: Node<'_>, kind: Option<EdgeKind>) -> String {
    if kind == Some(EdgeKind::Property) {
        return value.key().unwrap_or_default().to_owned();
    }
    let mut around = std::iter::successors(value.parent(), |value| value.parent());
    let name = around.find_map(name_of).unwrap_or("requestBody");
    match kind.map(EdgeKind::step) {
        Some(SchemaStep::Element) => format!("{name}[]"),
        Some(_) => format!("{name}.*"),
        None => name.to_owned(),
    }
}

/// The name of what a value of a description declares: of a property, of a schema, or of a body.
fn name_of(value: Node<'_>) -> Option<&str> {
    let key = value.key()?;
    match value.parent()?.key()? {
        "properties" | "schemas" | "definitions" | "$defs" => Some(key),
        "responses" => Some("responseBody"),
        _ if key == "requestBody" => Some(key),
        "requestBodies" => Some("requestBody"),
        _ => None,
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
    side_of(&body.carrier) == side && may_hold_json.iter().any(|part| media_type.contains(part))
}

/// The patterns of an operation, for each path prefix. There is none if calls do not show what distinguishes it.
fn call_patterns(
    description: &Description,
    operation: &DescribedOperation,
) -> Vec<OperationPattern> {
    let mut patterns: Vec<OperationPattern> = Vec::new();
    let templates = description.path_templates(operation);
    for prefix in operation.prefixes.iter() {
        let written = format!("{prefix}{}", operation.path);
        let written = format!("{} /{}", operation.method, written.trim_start_matches('/'));
        for template in &templates {
            let pattern = pattern(&operation.method, &format!("{prefix}{template}"));
            let pattern = pattern.map(|pattern| pattern.written_as(written.clone()));
            patterns.extend(pattern.filter(|pattern| !patterns.contains(pattern)));
        }
    }
    patterns
}

/// The pattern of a path. A segment that is no template becomes a variable: `*` is no wildcard in a description.
fn pattern(method: &str, path: &str) -> Option<OperationPattern> {
    without_wildcards(method, path).or_else(|| {
        let segments = path
            .split('/')
            .map(|segment| match without_wildcards(method, segment) {
                Some(_) => segment,
                None => "{variable}",
            });
        without_wildcards(method, &join(segments, "/"))
    })
}

fn without_wildcards(method: &str, path: &str) -> Option<OperationPattern> {
    let path = path.trim_start_matches('/');
    let pattern = OperationPattern::parse(&format!("{method} /{path}")).ok()?;
    let mut segments = pattern.segments.iter();
    let is_one = !segments.any(|one| matches!(one, PatternSegment::AnyOne | PatternSegment::Rest));
    is_one.then_some(pattern)
}
