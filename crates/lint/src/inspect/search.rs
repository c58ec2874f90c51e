//! The search of a description: runs the automaton of each operation's rules over the operation's schemas.
//!
//! A node of the search is a schema that describes a value, with the state of the automaton there. Each pair is visited
//! once, so the search ends even if schemas refer to each other in a circle.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::automaton::{SchemaAutomaton, SchemaUse};
use super::calls::{DescribedCall, RuleInCall, rule_places};
use super::examples::{self, ExampleExtent, ShownExample};
use super::location::KeyLocation;
use super::replacement::{ReplacementFinder, ReplacementStatus};
use crate::findings::ExchangePart;
use crate::rules::{MatchedOperations, RuleTable};
use sundown_exchange::Side;
use sundown_openapi::{
    BodyShape, Carrier, DescribedExample, DescribedOperation, Description, Direction, Edge,
    EdgeKind, NodeId, ParameterId, SchemaId, SchemaStep,
};
use sundown_selector::automaton::StateId;
use sundown_text_json::json::ValueKind;

/// The most nodes of the search of one side: far more than real descriptions have.
const MAX_NODES: usize = 1_000_000;

/// The most work of all searches of a description: members, examples, and schemas of rules. Hundreds of operations may
/// share thousands of schemas.
const MAX_WORK: usize = 60_000_000;

/// An element of a rule that the description declares.
#[derive(Debug)]
pub(super) struct DeclaredElement {
    pub(super) location: KeyLocation,
    pub(super) declaration: Declaration,
    /// The operations that reach it: the part, and the index of the call.
    pub(super) reached: BTreeSet<(ExchangePart, usize)>,
    /// Where the description says that requests must contain it.
    pub(super) required: Option<KeyLocation>,
    pub(super) replacement: ReplacementStatus,
}

/// The kind of object that declares an element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declaration {
    /// A property with this schema.
    Property(SchemaId),
    /// An operation, by the index of its call.
    Operation(usize),
    Parameter(ParameterId),
}

/// A declaration as one operation reaches it.
pub(super) struct FoundDeclaration {
    /// The index of the rule.
    pub(super) rule: usize,
    pub(super) node: NodeId,
    pub(super) declaration: Declaration,
    pub(super) location: Option<KeyLocation>,
    pub(super) reached: (ExchangePart, usize),
    pub(super) replacement: ReplacementStatus,
}

/// An example that uses an element.
#[derive(Debug)]
pub(super) struct ExampleUse {
    pub(super) location: KeyLocation,
    pub(super) reached: BTreeSet<(ExchangePart, usize)>,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct SearchResults {
    /// The declared elements, by the index of the rule and the node.
    pub(super) definitions: BTreeMap<(usize, NodeId), DeclaredElement>,
    /// The uses in examples, by the index of the rule and the node.
    pub(super) examples: BTreeMap<(usize, NodeId), ExampleUse>,
    /// By rule: where the object is declared that should contain its element.
    pub(super) expected: BTreeMap<usize, BTreeSet<(ExchangePart, usize)>>,
    /// Whether a search stopped at its limit.
    pub(super) is_cut: bool,
}

/// Searches one description.
pub(super) struct DescriptionSearch<'s> {
    pub(super) description: &'s Description,
    pub(super) table: &'s RuleTable,
    calls: &'s [DescribedCall],
    pub(super) replacements: ReplacementFinder<'s>,
    /// The schemas that apply to a value, by the schema that describes it.
    applied: HashMap<SchemaId, Rc<[SchemaId]>>,
    /// The work of all searches so far.
    pub(super) work: usize,
    most_work: usize,
    most_nodes: usize,
    pub(super) results: SearchResults,
}

/// The search of one side of one operation.
pub(super) struct SideSearch<'a> {
    /// The index of the call.
    call: usize,
    side: Side,
    pub(super) direction: Direction,
    automaton: &'a mut SchemaAutomaton,
    nodes: Vec<SearchNode>,
    seen: HashSet<(SchemaId, StateId)>,
}

#[derive(Debug, Clone, Copy)]
struct SearchNode {
    schema: SchemaId,
    state: StateId,
    /// The index of the node around it.
    around: Option<usize>,
}

impl SideSearch<'_> {
    /// Adds a node, unless it is known or cannot lead to a use.
    fn visit(&mut self, schema: SchemaId, state: StateId, around: Option<usize>) {
        if self.automaton.is_live(state) && self.seen.insert((schema, state)) {
            self.nodes.push(SearchNode {
                schema,
                state,
                around,
            });
        }
    }

    fn reached(&self) -> (ExchangePart, usize) {
        (ExchangePart::Message(self.side), self.call)
    }

    /// The schemas around a node, its own first.
    pub(super) fn schemas_around(&self, node: usize) -> impl Iterator<Item = SchemaId> + '_ {
        std::iter::successors(self.nodes.get(node), |node| {
            node.around.and_then(|around| self.nodes.get(around))
        })
        .map(|node| node.schema)
    }
}

impl<'s> DescriptionSearch<'s> {
    pub(super) fn new(
        description: &'s Description,
        table: &'s RuleTable,
        calls: &'s [DescribedCall],
    ) -> Self {
        let expansion = description.expansion();
        Self {
            description,
            table,
            calls,
            replacements: ReplacementFinder::new(description, calls),
            applied: HashMap::new(),
            work: 0,
            most_work: expansion.times(MAX_WORK),
            most_nodes: expansion.times(MAX_NODES),
            results: SearchResults::default(),
        }
    }

    /// Searches all operations that rules name.
    pub(super) fn run(mut self) -> SearchResults {
        // Elements outside bodies come first: they take little work, and large bodies must not use up the limit.
        for (call, described) in self.calls.iter().enumerate() {
            let Some(operation) = self.description.operation(described.id) else {
                continue;
            };
            for (rule, place) in rule_places(self.table, &described.matched) {
                self.work += 1 + std::mem::take(&mut self.replacements.steps);
                if self.has_room() {
                    self.search_outside_bodies(RuleInCall {
                        rule,
                        place,
                        call,
                        operation,
                    });
                }
            }
        }
        let mut automata: HashMap<(&MatchedOperations, Side), Option<SchemaAutomaton>> =
            HashMap::new();
        for (number, call) in self.calls.iter().enumerate() {
            let Some(operation) = self.description.operation(call.id) else {
                continue;
            };
            if call.matched.is_empty() {
                continue;
            }
            for side in Side::BOTH {
                let compiled = automata.entry((&call.matched, side)).or_insert_with(|| {
                    let places = rule_places(self.table, &call.matched);
                    SchemaAutomaton::new(self.table, &call.matched, &places, side)
                });
                if let Some(automaton) = compiled {
                    self.search_side(number, operation, side, automaton);
                }
            }
        }
        self.results
    }

    /// Records a declaration. Returns `None` if it has no location.
    pub(super) fn define(&mut self, found: FoundDeclaration) -> Option<&mut DeclaredElement> {
        let FoundDeclaration {
            rule,
            node,
            declaration,
            location,
            reached,
            replacement,
        } = found;
        let definition = match self.results.definitions.entry((rule, node)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(DeclaredElement {
                location: location?,
                declaration,
                reached: BTreeSet::new(),
                required: None,
                replacement: ReplacementStatus::NotJudged,
            }),
        };
        definition.reached.insert(reached);
        definition.replacement = std::mem::take(&mut definition.replacement).or(replacement);
        Some(definition)
    }

    /// Searches the bodies of one side of an operation.
    fn search_side(
        &mut self,
        call: usize,
        operation: &DescribedOperation,
        side: Side,
        automaton: &mut SchemaAutomaton,
    ) {
        let start = automaton.start();
        let roots: Vec<usize> = automaton.held_by_root().collect();
        let bodies = operation
            .bodies
            .iter()
            .filter(|body| (body.carrier == Carrier::Request) == (side == Side::Request));
        let direction = match side {
            Side::Request => Direction::ToService,
            Side::Response => Direction::FromService,
        };
        let mut search = SideSearch {
            call,
            side,
            direction,
            automaton,
            nodes: Vec::new(),
            seen: HashSet::new(),
        };
        for body in bodies {
            for &example in &body.examples {
                for example in self.shown_bodies(example, body.shape) {
                    let shown = ShownExample {
                        example,
                        extent: ExampleExtent::Body,
                    };
                    self.examine(shown, start, &mut search);
                }
            }
            let Some(schema) = body.schema else { continue };
            self.define_nameless(body.node, schema, start, &search);
            search.visit(
                self.description.schemas().representative(schema),
                start,
                None,
            );
            if self.has_properties(schema, direction) {
                for &rule in &roots {
                    self.results
                        .expected
                        .entry(rule)
                        .or_default()
                        .insert(search.reached());
                }
            }
        }
        if side == Side::Request {
            for example in self.description.code_samples(operation) {
                let shown = ShownExample {
                    example,
                    extent: ExampleExtent::Body,
                };
                self.examine(shown, start, &mut search);
            }
        }
        self.visit_nodes(&mut search);
    }

    fn visit_nodes(&mut self, search: &mut SideSearch<'_>) {
        let mut next = 0;
        while next < search.nodes.len() {
            if search.nodes.len() > self.most_nodes || !self.has_room() {
                self.results.is_cut = true;
                break;
            }
            let before = search.automaton.effort();
            self.visit_node(next, search);
            self.work += 1 + search.automaton.effort() - before;
            self.results.is_cut |= search.automaton.take_overflow();
            next += 1;
        }
    }

    /// Returns whether the limit allows more work, and records that it does not.
    fn has_room(&mut self) -> bool {
        let has_room = self.work <= self.most_work;
        self.results.is_cut |= !has_room;
        has_room
    }

    fn applied(&mut self, schema: SchemaId) -> Rc<[SchemaId]> {
        let description = self.description;
        let schema = description.schemas().representative(schema);
        let work = &mut self.work;
        let applied = self.applied.entry(schema).or_insert_with(|| {
            let applied: Rc<[_]> = description.applied(&[schema]).into();
            *work += applied.len();
            applied
        });
        Rc::clone(applied)
    }

    /// Returns whether a schema declares properties of its objects.
    fn has_properties(&mut self, schema: SchemaId, direction: Direction) -> bool {
        let description = self.description;
        self.applied(schema)
            .iter()
            .flat_map(|&id| description.schemas().edges(id))
            .any(|edge| edge.kind == EdgeKind::Property && description.is_open(edge, direction))
    }

    fn visit_node(&mut self, number: usize, search: &mut SideSearch<'_>) {
        let Some(&SearchNode {
            schema,
            state,
            around,
        }) = search.nodes.get(number)
        else {
            return;
        };
        let description = self.description;
        let applied = self.applied(schema);
        let open: Vec<Edge> = applied
            .iter()
            .flat_map(|&id| description.schemas().edges(id))
            .filter(|edge| description.is_open(edge, search.direction))
            .copied()
            .collect();
        let properties = open.iter().filter(|edge| edge.kind == EdgeKind::Property);
        self.work += open.len();
        let schemas = description.schemas();
        let names: Vec<&str> = properties
            .filter_map(|edge| Some(description.property(edge)?.0))
            .collect();
        for edge in &open {
            match (edge.kind, edge.kind.step()) {
                (EdgeKind::Property, _) => self.visit_property(number, edge, &applied, search),
                (_, SchemaStep::Member) => {
                    for next in search.automaton.step_to_any_member(state, &names) {
                        self.define_edge(edge, next, search);
                        self.expect_members(edge.to, next, search);
                        search.visit(schemas.representative(edge.to), next, Some(number));
                    }
                }
                (_, SchemaStep::Element) => {
                    let next = search.automaton.step_to_any_element(state);
                    self.define_edge(edge, next, search);
                    self.expect_members(edge.to, next, search);
                    search.visit(schemas.representative(edge.to), next, Some(number));
                }
                (_, SchemaStep::Always | SchemaStep::Conditional) => {}
            }
        }
        for &id in &*applied {
            let extent = around.map_or(ExampleExtent::Body, |_| ExampleExtent::Part);
            for example in description.schema_examples(id) {
                self.examine(ShownExample { example, extent }, state, search);
            }
        }
    }

    fn define_edge(&mut self, edge: &Edge, state: StateId, search: &SideSearch<'_>) {
        if let Some(schema) = self.description.schemas().get(edge.from) {
            let (file, value) = (schema.node.file, edge.member);
            self.define_nameless(NodeId { file, value }, edge.to, state, search);
        }
    }

    /// Records the uses at a body, an element, or a member of any name.
    fn define_nameless(
        &mut self,
        node: NodeId,
        schema: SchemaId,
        state: StateId,
        search: &SideSearch<'_>,
    ) {
        let uses = search.automaton.accepted(self.table, state).uses;
        for found in uses
            .iter()
            .filter(|one| one.is_located() && one.value.is_none())
        {
            self.define(FoundDeclaration {
                rule: found.rule,
                node,
                declaration: Declaration::Property(schema),
                location: KeyLocation::of_node(self.description, node),
                reached: search.reached(),
                replacement: ReplacementStatus::NotJudged,
            });
        }
    }

    /// Records the rules whose element should be a member of this object.
    fn expect_members(&mut self, schema: SchemaId, state: StateId, search: &SideSearch<'_>) {
        let holds = search.automaton.accepted(self.table, state).holds;
        if !holds.is_empty() && self.has_properties(schema, search.direction) {
            for rule in holds {
                self.results
                    .expected
                    .entry(rule)
                    .or_default()
                    .insert(search.reached());
            }
        }
    }

    /// Records the uses at a property of the node `number`, to whose object the schemas `siblings` apply.
    fn visit_property(
        &mut self,
        number: usize,
        edge: &Edge,
        siblings: &[SchemaId],
        search: &mut SideSearch<'_>,
    ) {
        let Some(&SearchNode { state, .. }) = search.nodes.get(number) else {
            return;
        };
        let Some((name, label)) = self.description.property(edge) else {
            return;
        };
        let next = search.automaton.step_to_property(state, name);
        for found in search.automaton.accepted(self.table, next).uses {
            if found.is_conditional && !self.conditions_may_hold(found.rule, number, search) {
                continue;
            }
            if let Some(value) = &found.value {
                self.define_enum_value(&found, value, edge, search);
                continue;
            }
            let member = NodeId {
                file: label.file,
                value: edge.member,
            };
            let replacement = self.replacement_of(found.rule, number, search);
            let is_request = search.side == Side::Request;
            self.work += if is_request { siblings.len() } else { 0 };
            let required = is_request
                .then(|| required_at(self.description, member, siblings))
                .flatten();
            let definition = self.define(FoundDeclaration {
                rule: found.rule,
                node: member,
                declaration: Declaration::Property(edge.to),
                location: KeyLocation::of_node(self.description, member),
                reached: search.reached(),
                replacement,
            });
            if let Some(definition) = definition {
                definition.required = definition.required.take().or(required);
            }
        }
        self.expect_members(edge.to, next, search);
        let to = self.description.schemas().representative(edge.to);
        search.visit(to, next, Some(number));
    }

    fn replacement_of(
        &mut self,
        rule: usize,
        node: usize,
        search: &SideSearch<'_>,
    ) -> ReplacementStatus {
        let rule = self.table.rules().get(rule);
        let replacement = rule.and_then(|rule| rule.replacement.as_deref());
        let around = search.schemas_around(node);
        let status = self
            .replacements
            .of_property(replacement, around, search.direction);
        self.work += std::mem::take(&mut self.replacements.steps);
        status
    }

    /// Records the deprecated value, where the property's schema lists its values.
    fn define_enum_value(
        &mut self,
        found: &SchemaUse,
        value: &str,
        edge: &Edge,
        search: &SideSearch<'_>,
    ) {
        let description = self.description;
        let mut is_listed = false;
        for &id in &*self.schemas_of_values(edge.to) {
            let Some(file) = description.schemas().get(id).map(|schema| schema.node.file) else {
                continue;
            };
            for listed in description.enum_values(id) {
                is_listed = true;
                if listed.text() == Some(value) {
                    let node = NodeId {
                        file,
                        value: listed.index(),
                    };
                    self.define(FoundDeclaration {
                        rule: found.rule,
                        node,
                        declaration: Declaration::Property(id),
                        location: KeyLocation::of_name(description, node),
                        reached: search.reached(),
                        replacement: ReplacementStatus::NotJudged,
                    });
                }
            }
        }
        if is_listed {
            self.results
                .expected
                .entry(found.rule)
                .or_default()
                .insert(search.reached());
        }
    }

    /// The schemas that apply to a property's value and to the elements of its lists: a rule about a value covers both.
    fn schemas_of_values(&mut self, schema: SchemaId) -> Rc<[SchemaId]> {
        let own = self.applied(schema);
        let mut all: Vec<SchemaId> = own.to_vec();
        for edge in own
            .iter()
            .flat_map(|&id| self.description.schemas().edges(id))
        {
            if edge.kind.step() == SchemaStep::Element {
                all.push(edge.to);
            }
        }
        let mut seen = HashSet::new();
        all.into_iter()
            .flat_map(|id| self.applied(id).to_vec())
            .filter(|&id| seen.insert(id))
            .collect()
    }

    /// The bodies that an example shows. The example of a sequence is a list of its items.
    fn shown_bodies(&self, example: DescribedExample, shape: BodyShape) -> Vec<DescribedExample> {
        let node = NodeId {
            file: example.file,
            value: example.value,
        };
        let list = self
            .description
            .value(node)
            .filter(|value| value.kind() == ValueKind::Array);
        match list.filter(|_| shape == BodyShape::EachItem) {
            Some(list) => list
                .children()
                .map(|item| DescribedExample {
                    value: item.index(),
                    ..example
                })
                .collect(),
            None => vec![example],
        }
    }

    fn examine(&mut self, shown: ShownExample, state: StateId, search: &mut SideSearch<'_>) {
        if !self.has_room() {
            return;
        }
        let example = shown.example;
        let value = self.description.value(NodeId {
            file: example.file,
            value: example.value,
        });
        self.work += value.map_or(0, |value| 1 + value.span().len() / 16);
        let reached = search.reached();
        let uses =
            examples::find_uses(self.description, self.table, shown, state, search.automaton);
        // Each use has been given its location, which takes more work than a step.
        self.work += 16 * uses.len();
        for found in uses {
            self.results
                .examples
                .entry((found.rule, found.node))
                .or_insert_with(|| ExampleUse {
                    location: found.location,
                    reached: BTreeSet::new(),
                })
                .reached
                .insert(reached);
        }
    }
}

/// The entry of a `required` that names the member.
fn required_at(
    description: &Description,
    member: NodeId,
    schemas: &[SchemaId],
) -> Option<KeyLocation> {
    let name = description.value(member)?.key()?;
    schemas.iter().find_map(|&id| {
        let file = description.schemas().get(id)?.node.file;
        let mut listed = description.required(id).into_iter();
        let found = listed.find(|listed| listed.as_str() == Some(name))?;
        KeyLocation::of_name(
            description,
            NodeId {
                file,
                value: found.index(),
            },
        )
    })
}
