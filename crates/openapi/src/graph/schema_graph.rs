//! The walk through the schemas of a body beside the automaton.

use super::alternatives::{Alternative, decode, encode};
use super::validation::Validation;
use crate::descent::without_leftovers;
use crate::{
    BodyRoot, DeprecationStatus, Description, Direction, Edge, EdgeKind, NodeId, SchemaId,
    SchemaStep, SchemasWithRules, string_of,
};
use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use sundown_selector::automaton::{Graph, GraphStep, Nodes, PatternId, Validity, ValueStep};
use sundown_text_json::json::{Node, ValueKind};

/// The pattern numbers of a rule: one for certain uses, one for possible uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsePatterns {
    /// Certainly a use.
    pub certain: PatternId,
    /// A use in one alternative only.
    pub possible: PatternId,
    /// Whether the value is deprecated in one alternative of its own schema only, so that its value decides.
    pub depends_on_value: bool,
}

/// A value by its declaration.
struct DeclaredValue {
    /// The node whose rules are about it.
    node: Option<NodeId>,
    schema: SchemaId,
    /// Whether bodies of this direction should have it, by `readOnly` and `writeOnly`.
    is_expected: bool,
    /// Whether the declaration applies under a condition that is open.
    is_conditional: bool,
}

/// The bodies of one side of an operation, or of several, with the rules that their schemas locate.
#[derive(Debug)]
pub struct SchemaGraph {
    description: Arc<Description>,
    direction: Direction,
    /// In the order of the calls. The index of each is its node before the first step.
    pub(super) roots: Vec<BodyRoot>,
    /// The rules about bodies and about reachable members and elements, by the node that gives the schema.
    rules: HashMap<NodeId, Vec<UsePatterns>>,
    /// What leads to rules, also to those of other operations.
    leading: Arc<SchemasWithRules>,
    /// The bodies that have a rule themselves.
    marked_bodies: HashSet<SchemaId>,
    /// All schemas that describe a part of these bodies, once they are asked for.
    reachable: OnceCell<Vec<SchemaId>>,
    /// Whether a property does not occur in bodies of this direction, once that is asked for.
    has_one_way_properties: OnceCell<bool>,
    accepts_nameless: bool,
    names: Vec<Box<str>>,
    /// The number of schemas expanded or asked for members so far.
    effort: Cell<usize>,
    /// The nodes that were expanded last, and their alternatives. Most callers ask about one after the other.
    expanded: RefCell<(Vec<u32>, Vec<Alternative>)>,
}

impl SchemaGraph {
    /// Attaches rules to the bodies with these roots, which are in the order of the calls. `number` is called for each body, and each
    /// member or element that can be reached and may have a rule, and returns the pattern numbers of the rules about it.
    pub fn new(
        description: Arc<Description>,
        leading: Arc<SchemasWithRules>,
        direction: Direction,
        roots: Vec<BodyRoot>,
        mut number: impl FnMut(NodeId) -> Vec<UsePatterns>,
    ) -> Self {
        let starts = roots.iter().map(|root| root.schema);
        let found = leading.reachable(&description, starts);
        let inside = found.iter().flat_map(|id| leading.edges(*id));
        let inside = inside.map(|edge| (edge.node, edge.kind != EdgeKind::Property, None));
        let bodies = roots.iter().filter(|root| root.has_rules);
        let bodies = bodies.map(|root| (root.node, true, Some(root.schema)));
        let mut rules = HashMap::new();
        let mut marked_bodies = HashSet::new();
        let mut accepts_nameless = false;
        for (node, is_nameless, body) in inside.chain(bodies) {
            let uses = number(node);
            if !uses.is_empty() {
                accepts_nameless |= is_nameless;
                let body = body.map(|schema| description.schemas().representative(schema));
                marked_bodies.extend(body);
                rules.insert(node, uses);
            }
        }
        let mut graph = Self {
            description,
            direction,
            roots,
            rules,
            leading,
            marked_bodies,
            reachable: OnceCell::new(),
            has_one_way_properties: OnceCell::new(),
            accepts_nameless,
            names: Vec::new(),
            effort: Cell::new(0),
            expanded: RefCell::default(),
        };
        if !graph.is_empty() {
            graph.names = graph.relevant_names(&found);
        }
        graph
    }

    /// Whether no rule is about these bodies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// All schemas that describe a part of these bodies.
    fn reachable(&self) -> &[SchemaId] {
        self.reachable.get_or_init(|| {
            let roots = self.roots.iter().map(|root| root.schema);
            self.description.parts_of(roots).collect()
        })
    }

    fn has_one_way_properties(&self) -> bool {
        *self.has_one_way_properties.get_or_init(|| {
            let mut edges = self.description.schemas().edges_of(self.reachable());
            edges.any(|edge| !self.description.is_open(edge, self.direction))
        })
    }

    fn leads(&self, id: SchemaId) -> bool {
        self.leading.leads(id) || self.marked_bodies.contains(&id)
    }

    /// The names that lead to a rule somewhere. If members of any name do, all declared names count: each of them takes its
    /// member away from the edge for other names.
    fn relevant_names(&self, found: &[SchemaId]) -> Vec<Box<str>> {
        let leading = found.iter().flat_map(|&id| self.leading.edges(id));
        let all = leading
            .clone()
            .map(|edge| edge.kind)
            .any(|kind| kind.step() == SchemaStep::Member && kind != EdgeKind::Property);
        let declared = if all { self.reachable() } else { &[] };
        let declared = self.description.schemas().edges_of(declared);
        let names: BTreeSet<&str> = declared
            .chain(leading)
            .filter_map(|edge| self.description.property_name(edge))
            .collect();
        names.into_iter().map(Box::from).collect()
    }

    /// Expands the compositions of all schemas in the nodes.
    fn expand_nodes(&self, nodes: &[u32]) -> Ref<'_, Vec<Alternative>> {
        if self.expanded.borrow().0 != nodes {
            let alternatives = self.description.expand(&decode(nodes), &self.effort);
            *self.expanded.borrow_mut() = (nodes.to_vec(), alternatives);
        }
        Ref::map(self.expanded.borrow(), |(_, alternatives)| alternatives)
    }

    /// The nodes of these alternatives; none if no alternative leads to a rule.
    fn nodes(&self, alternatives: Vec<Alternative>) -> Nodes {
        if !alternatives
            .iter()
            .any(|one| one.schemas.keys().any(|&id| self.leads(SchemaId(id))))
        {
            return Nodes::default();
        }
        encode(&alternatives.into_iter().collect())
    }

    /// The number of a schema in nodes: the same for schemas that always contain each other.
    fn number_of(&self, id: SchemaId) -> u32 {
        self.description.schemas().representative(id).0
    }

    /// The result of the step that `step` names, in bodies of this direction; `None` means to a member with any other name.
    fn step_by(
        &self,
        from: &[u32],
        step: Option<ValueStep<'_>>,
        status: impl FnMut(SchemaId) -> DeprecationStatus,
    ) -> GraphStep {
        let description = &*self.description;
        if let Some(ValueStep::Start) = step {
            let meant = from
                .iter()
                .filter_map(|&root| self.roots.get(root as usize));
            let all: &[BodyRoot] = if from.is_empty() { &self.roots } else { &[] };
            let outside = Alternative::default();
            let targets = all.iter().chain(meant).map(|root| {
                let value = DeclaredValue {
                    node: root.has_rules.then_some(root.node),
                    schema: root.schema,
                    is_expected: true,
                    is_conditional: false,
                };
                (&outside, vec![value])
            });
            return self.declared(targets, status);
        }
        let alternatives = self.expand_nodes(from);
        let targets = alternatives.iter().map(|alternative| {
            self.effort
                .set(self.effort.get() + alternative.schemas.len());
            let schemas = alternative.schemas.keys().map(|&id| SchemaId(id));
            let edges = schemas.flat_map(|id| match step {
                Some(ValueStep::Member(name)) => description.edges_to_member(id, name),
                Some(ValueStep::Element(index)) => description.edges_to_element(id, index),
                Some(ValueStep::Start) | None => description.edges_to_others(id),
            });
            let edges = without_leftovers(edges.collect()).into_iter();
            let targets = edges.map(|edge| DeclaredValue {
                node: Some(edge.node),
                schema: edge.to,
                is_expected: description.is_open(edge, self.direction),
                is_conditional: alternative.schemas.get(&edge.from.0) == Some(&true),
            });
            (alternative, targets.collect())
        });
        self.declared(targets, status)
    }
}

impl SchemaGraph {
    /// The declarations of a value by some alternatives, each with the nodes whose rules are about the value. `status` returns whether the value is deprecated if that depends on it.
    fn declared<'a>(
        &self,
        alternatives: impl Iterator<Item = (&'a Alternative, Vec<DeclaredValue>)>,
        mut status: impl FnMut(SchemaId) -> DeprecationStatus,
    ) -> GraphStep {
        let mut next = Vec::new();
        // The uses that each alternative declares, and whether they are only possible. Those of contradicted ones are separate.
        let mut open: Vec<Vec<(UsePatterns, bool)>> = Vec::new();
        let mut contradicted = Vec::new();
        let mut is_also_absent = false;
        for (around, targets) in alternatives {
            if targets.is_empty() {
                is_also_absent |= around.is_result && !around.is_contradicted;
                continue;
            }
            let rules = targets.iter().flat_map(|value| {
                let own = value.node.and_then(|node| self.rules.get(&node));
                let own = own.into_iter().flatten();
                own.map(move |&patterns| (value, patterns))
            });
            let uses = rules.filter_map(|(value, patterns)| {
                let status = if patterns.depends_on_value {
                    status(value.schema)
                } else {
                    DeprecationStatus::Deprecated
                };
                let is_possible = status == DeprecationStatus::Possible
                    || !value.is_expected
                    || value.is_conditional;
                (status != DeprecationStatus::NotDeprecated).then_some((patterns, is_possible))
            });
            let uses = uses.collect();
            if around.is_contradicted {
                contradicted.push(uses);
            } else {
                open.push(uses);
            }
            let schemas = targets.iter();
            let schemas = schemas.map(|one| (self.number_of(one.schema), one.is_conditional));
            next.push(around.inside(schemas));
        }
        let declared = if open.is_empty() { contradicted } else { open };
        // An alternative that declares it without a use makes all of them possible, and so does the other result of a condition.
        let is_also_other = is_also_absent || declared.iter().any(Vec::is_empty);
        let accepts = declared.into_iter().flatten();
        let accepts: BTreeSet<PatternId> = accepts
            .map(|(patterns, is_possible)| {
                if is_possible || is_also_other {
                    patterns.possible
                } else {
                    patterns.certain
                }
            })
            .collect();
        GraphStep {
            nodes: self.nodes(next),
            accepts: accepts.into_iter().collect(),
        }
    }

    /// The discriminators of the schemas in expanded alternatives.
    fn discriminators_in(&self, alternatives: &[Alternative]) -> Vec<Box<str>> {
        let found = alternatives
            .iter()
            .flat_map(|alternative| alternative.schemas.keys())
            .filter_map(|&id| self.description.schemas().discriminator(SchemaId(id)));
        let names: BTreeSet<&str> = found.map(|found| found.property.as_str()).collect();
        names.into_iter().map(Box::from).collect()
    }

    /// The alternatives after a discriminator has chosen among their schemas.
    fn chosen(
        &self,
        mut alternatives: Vec<Alternative>,
        discriminator: &str,
        value: &str,
    ) -> Vec<Alternative> {
        for alternative in &mut alternatives {
            let schemas: BTreeSet<u32> = self
                .description
                .expand(std::slice::from_ref(alternative), &self.effort)
                .iter()
                .flat_map(|one| one.schemas.keys().copied())
                .collect();
            for id in schemas.into_iter().map(SchemaId) {
                let known = self.description.schemas().discriminator(id);
                if known.is_some_and(|known| known.property == discriminator)
                    && let Some(branch) = self.description.branch(id, value)
                {
                    alternative.chosen.insert((id.0, branch.0));
                }
            }
        }
        alternatives
    }

    fn validation<'v>(&'v self, validity: &'v mut Validity) -> Validation<'v> {
        Validation {
            description: &self.description,
            direction: self.direction,
            has_one_way_properties: self.has_one_way_properties(),
            validity,
        }
    }

    /// Whether a value is deprecated by the alternatives of its schema to which it conforms.
    fn status_of_value(
        &self,
        schema: SchemaId,
        value: Node<'_>,
        validation: &mut Validation<'_>,
    ) -> DeprecationStatus {
        let mut alternatives = vec![Alternative::of_schema(self.number_of(schema))];
        let mut read: Vec<Box<str>> = Vec::new();
        let all = loop {
            let all = self.description.expand(&alternatives, &self.effort);
            let mut names = self.discriminators_in(&all).into_iter();
            let Some(name) = names.find(|name| !read.contains(name)) else {
                break all;
            };
            if let Some(text) = string_of(value, &name) {
                alternatives = self.chosen(alternatives, &name, text);
            }
            read.push(name);
        };
        let mut alternatives = self.settled(all, &alternatives, value, validation);
        contradict(&mut alternatives, value, validation);
        alternatives.retain(|one| !one.is_contradicted);
        self.description.status_in(&alternatives)
    }
}

impl SchemaGraph {
    /// The `expanded` alternatives, whose conditions the value decides.
    fn settled(
        &self,
        expanded: Vec<Alternative>,
        alternatives: &[Alternative],
        value: Node<'_>,
        validation: &mut Validation<'_>,
    ) -> Vec<Alternative> {
        if !expanded.iter().any(Alternative::has_conditional) {
            return expanded;
        }
        let applies = &mut |edge: &Edge| validation.applies(edge, value);
        self.description
            .expand_if(alternatives, &self.effort, applies)
    }
}

/// Finds the alternatives that a value contradicts. One that contradicts all of them, or none, decides nothing.
fn contradict(
    alternatives: &mut [Alternative],
    value: Node<'_>,
    validation: &mut Validation<'_>,
) -> bool {
    let mut open: Vec<&mut Alternative> = alternatives.iter_mut().collect();
    open.retain(|one| !one.is_contradicted);
    let mut is_valid: Vec<bool> = open
        .iter()
        .map(|one| validation.is_valid(one, value))
        .collect();
    // Null is allowed everywhere, because services send it, but means an alternative that names it.
    if value.kind() == ValueKind::Null {
        let allowed: Vec<bool> = open
            .iter()
            .map(|one| validation.allows_null(one, value))
            .collect();
        if allowed.contains(&true) {
            is_valid = allowed;
        }
    }
    let decides = is_valid.contains(&true) && is_valid.contains(&false);
    for (one, is_valid) in open.into_iter().zip(is_valid) {
        one.is_contradicted = decides && !is_valid;
    }
    decides
}

impl Graph for SchemaGraph {
    fn step(&self, from: &[u32], step: Option<ValueStep<'_>>) -> GraphStep {
        self.step_by(from, step, |_| DeprecationStatus::Possible)
    }

    fn accepts_with(
        &self,
        from: &[u32],
        step: ValueStep<'_>,
        value: Node<'_>,
        validity: &mut Validity,
    ) -> Vec<PatternId> {
        let mut validation = self.validation(validity);
        self.step_by(from, Some(step), |schema| {
            self.status_of_value(schema, value, &mut validation)
        })
        .accepts
    }

    fn distinguishes_other_names(&self, from: &[u32]) -> bool {
        let alternatives = self.expand_nodes(from);
        let mut schemas = alternatives
            .iter()
            .flat_map(|alternative| alternative.schemas.keys());
        schemas.any(|&id| {
            let mut edges = self.description.schemas().unnamed_edges(SchemaId(id));
            // Even a pattern that leads to no rule takes its names away from the edge for other names.
            edges.any(|edge| edge.kind == EdgeKind::PatternProperty)
        })
    }

    fn discriminators(&self, of: &[u32]) -> Vec<Box<str>> {
        self.discriminators_in(&self.expand_nodes(of))
    }

    fn choose(&self, of: &[u32], discriminator: &str, value: &str) -> Nodes {
        self.nodes(self.chosen(decode(of), discriminator, value))
    }

    fn has_alternatives(&self, of: &[u32]) -> bool {
        self.rules
            .values()
            .flatten()
            .any(|patterns| patterns.depends_on_value)
            || {
                let all = self.expand_nodes(of);
                let mut open = all.iter().filter(|one| !one.is_contradicted);
                open.next().is_some_and(Alternative::has_conditional) || open.next().is_some()
            }
    }

    fn decide(&self, of: &[u32], value: Node<'_>, validity: &mut Validity) -> Nodes {
        if of.is_empty() || validity.effort_left == 0 {
            return of.into();
        }
        let mut validation = self.validation(validity);
        let expanded = self.expand_nodes(of).clone();
        let mut alternatives = self.settled(expanded.clone(), &decode(of), value, &mut validation);
        let has_settled = alternatives != expanded;
        for one in &mut alternatives {
            one.is_expanded = true;
        }
        if contradict(&mut alternatives, value, &mut validation) || has_settled {
            self.nodes(alternatives)
        } else {
            of.into()
        }
    }

    fn accepts_nameless(&self) -> bool {
        self.accepts_nameless
    }

    fn names(&self) -> Vec<Box<str>> {
        self.names.clone()
    }

    fn indices(&self) -> usize {
        if self.is_empty() {
            0
        } else {
            self.leading.indices
        }
    }

    fn effort(&self) -> usize {
        self.effort.get()
    }
}
