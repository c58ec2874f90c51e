//! The search of bodies, for all operations with the same rules about them at once.
//!
//! The walk over the schemas records what it finds at its nodes. Afterwards, a search backwards from these nodes finds the
//! operations that reach them, so that thousands of operations that share schemas take one walk.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::automaton::{SchemaAutomaton, SchemaUse};
use super::conditions::{is_about, is_sibling};
use super::examples::{self, ExampleExtent};
use super::location::KeyLocation;
use super::reached::SideSearch;
use super::search::{Declaration, DescriptionSearch, FoundElement};
use crate::findings::Certainty;
use crate::rules::{Rule, RulePlace, side_of};
use sundown_exchange::Side;
use sundown_openapi::{Direction, Edge, EdgeKind, NodeId, OperationId, SchemaId, SchemaStep};
use sundown_selector::automaton::{StateId, Validity};
use sundown_text_json::json::{Document, DocumentFormat, Node, ValueKind};

/// Operations with the same rules about the bodies of one side.
struct CallGroup<'t> {
    side: Side,
    places: Vec<(usize, &'t RulePlace)>,
    calls: Vec<OperationId>,
}

impl<'t> CallGroup<'t> {
    /// Groups the calls that rules are about, in the description's order.
    fn all(search: &DescriptionSearch<'t>) -> Vec<Self> {
        let set = search.set;
        let mut groups: Vec<Self> = Vec::new();
        // A place is known by its address.
        let mut known: HashMap<(Side, Vec<_>), usize> = HashMap::new();
        let operations = search.description.numbered_operations();
        let matched = operations.zip(search.calls);
        for ((id, _), call) in matched.filter(|(_, call)| !call.matched.is_empty()) {
            let places = set.matched_places(&call.matched);
            for side in Side::BOTH {
                let own = places.iter().filter(|found| {
                    let is_field = found.own.element.field_name().is_some();
                    is_field && found.place.sides.contains(side)
                });
                let places: Vec<_> = own.map(|found| (found.rule, found.place)).collect();
                let key = places
                    .iter()
                    .map(|&(rule, place)| (rule, std::ptr::from_ref(place)));
                let group = *known.entry((side, key.collect())).or_insert_with(|| {
                    let calls = Vec::new();
                    groups.push(Self {
                        side,
                        places,
                        calls,
                    });
                    groups.len() - 1
                });
                if let Some(group) = groups.get_mut(group) {
                    group.calls.push(id);
                }
            }
        }
        groups
    }
}

impl DescriptionSearch<'_> {
    /// Searches the bodies of all operations.
    pub(super) fn search_bodies(&mut self) {
        for group in CallGroup::all(self) {
            self.search_group(&group);
        }
    }

    /// Searches the bodies of one side of all operations of a group.
    fn search_group(&mut self, group: &CallGroup<'_>) {
        let side = group.side;
        let calls = group.calls.iter();
        let matched = calls.filter_map(|call| self.calls.get(call.index()));
        let matched: Vec<_> = matched.map(|call| &call.matched).collect();
        let Some(mut automaton) = SchemaAutomaton::new(self.set, &matched, &group.places, side)
        else {
            return;
        };
        let mut search = SideSearch {
            side,
            direction: side.of([Direction::ToService, Direction::FromService]),
            automaton: &mut automaton,
            nodes: Vec::new(),
            numbers: HashMap::new(),
            edges: Vec::new(),
            calls: Vec::new(),
            found: Vec::new(),
        };
        for (number, &call) in group.calls.iter().enumerate() {
            self.begin(call, number, &mut search);
        }
        self.visit_nodes(&mut search);
        self.resolve(search);
    }

    /// Searches the examples of the bodies of a call, which has this number in the search, and adds the nodes of their schemas.
    fn begin(&mut self, call: OperationId, number: usize, search: &mut SideSearch<'_>) {
        let description = self.description;
        let Some(operation) = description.operation(call) else {
            return;
        };
        let side = search.side;
        let bodies = operation
            .bodies
            .iter()
            .filter(|body| side_of(&body.carrier) == side);
        let mut examples = Vec::new();
        for body in bodies {
            let start = search.automaton.start(number, Some(body));
            for &example in &body.examples {
                let bodies = self.shown_bodies(example, body.is_sequence).into_iter();
                examples.extend(bodies.map(|example| (example, ExampleExtent::Body, start)));
            }
            let Some(schema) = body.schema else { continue };
            let uses = search.automaton.uses(start, |_| false).into_iter();
            for found in uses.filter(SchemaUse::is_about_unnamed) {
                let declared = FoundElement::Declaration(body.node, Declaration::Body(schema));
                self.record(found.number, declared, [search.reached(call)]);
            }
            let schema = description.schemas().representative(schema);
            if let Some(node) = search.visit((schema, start, None)) {
                search.calls.resize_with(search.nodes.len(), Vec::new);
                if let Some(calls) = search.calls.get_mut(node) {
                    calls.push(call);
                }
            }
            if self.has_properties(schema, search.direction) {
                for &rule in &search.automaton.held_by_root {
                    self.record(rule, FoundElement::Expected, [search.reached(call)]);
                }
            }
        }
        if side == Side::Request {
            let samples = description.code_samples(operation).into_iter();
            let start = search.automaton.start(number, None);
            examples.extend(samples.map(|sample| (sample, ExampleExtent::Code, start)));
        }
        for (example, extent, start) in examples {
            for (rule, found) in self.examine(example, extent, start, search) {
                self.record(rule, found, [search.reached(call)]);
            }
        }
    }

    fn visit_nodes(&mut self, search: &mut SideSearch<'_>) {
        let mut next = 0;
        while next < search.nodes.len() {
            if search.nodes.len() > self.most_nodes || !self.has_room() {
                self.results.is_cut = true;
                break;
            }
            let before = search.automaton.walk.effort();
            self.visit_node(next, search);
            self.work += 1 + search.automaton.walk.effort() - before;
            self.results.is_cut |= search.automaton.walk.take_overflow();
            next += 1;
        }
    }

    fn visit_node(&mut self, number: usize, search: &mut SideSearch<'_>) {
        let Some(&(schema, state, chosen_by)) = search.nodes.get(number) else {
            return;
        };
        let description = self.description;
        let applied = self.applied(schema);
        let edges = description.schemas().edges_of(&applied);
        let open: Vec<Edge> = edges
            .filter(|edge| description.is_open(edge, search.direction))
            .copied()
            .collect();
        self.work += open.len();
        let names = open
            .iter()
            .filter_map(|edge| description.property_name(edge));
        let names: Vec<&str> = names.collect();
        let mut decided = HashMap::new();
        for edge in &open {
            let state = *decided
                .entry(edge.from)
                .or_insert_with(|| self.state_of_own(edge.from, state, search));
            let step = edge.kind.step();
            let name = description.property_name(edge);
            for next in search.automaton.step(state, step, name, &names) {
                self.visit_value(number, schema, edge, &open, next, search);
            }
        }
        self.visit_choices(number, state, &applied, chosen_by, search);
        let extent = if search.is_body(number) {
            ExampleExtent::Body
        } else {
            ExampleExtent::Part
        };
        for &id in &*applied {
            for example in description.schema_examples(id) {
                for (rule, found) in self.examine(example, extent, state, search) {
                    search.found.push((number, rule, found));
                }
            }
        }
    }

    /// Adds the schemas that discriminators choose for the value of the node `number`. The subtypes of a chosen schema are mostly those
    /// of the base that has chosen it, and are not chosen again: each way to the same one would be a node of its own.
    fn visit_choices(
        &mut self,
        number: usize,
        state: StateId,
        applied: &[SchemaId],
        chosen_by: Option<SchemaId>,
        search: &mut SideSearch<'_>,
    ) {
        let schemas = self.description.schemas();
        let chosen = chosen_by.map(|base| self.description.choices(base));
        let known: HashSet<_> = chosen.into_iter().flatten().map(|(_, to)| to).collect();
        for &id in applied {
            let Some(discriminator) = schemas.discriminator(id) else {
                continue;
            };
            let choices = self.description.choices(id);
            let choices = choices.filter(|(_, to)| *to != id && !known.contains(to));
            let choices: Vec<_> = choices.collect();
            self.work += choices.len();
            if choices.iter().any(|(_, to)| applied.contains(to)) {
                continue;
            }
            for (value, to) in choices {
                let chosen = search.automaton.walk.discriminate(state, |name| {
                    value
                        .filter(|_| name == discriminator.property)
                        .map(Cow::Borrowed)
                });
                search.visit_from(number, (schemas.representative(to), chosen, Some(id)));
            }
        }
    }

    /// Records the uses at a member or an element of the node `number`, which has this schema, and the rules whose element should be a
    /// member of it.
    fn visit_value(
        &mut self,
        number: usize,
        schema: SchemaId,
        edge: &Edge,
        open: &[Edge],
        next: StateId,
        search: &mut SideSearch<'_>,
    ) {
        let is_property = edge.kind == EdgeKind::Property;
        let description = self.description;
        let uses = search.automaton.uses(next, |rule| {
            let own = rule.schema.as_ref().zip(description.value(edge.node));
            own.is_some_and(|(reference, value)| reference.pointer == value.pointer())
        });
        for found in uses {
            let rule = found.number;
            if found.certainty == Certainty::Possible && self.is_other(edge, open, found.rule) {
                continue;
            }
            let is_use = if is_property {
                self.conditions_may_hold(rule, is_sibling, schema, search.direction)
            } else {
                found.is_about_unnamed()
            };
            if !is_use {
                continue;
            }
            if let Some(value) = found.rule.element.exact_value() {
                self.find_enum_value(number, rule, value, edge, search);
                continue;
            }
            let declaration = if is_property {
                Declaration::Property(edge.to)
            } else {
                Declaration::Unnamed(edge.to)
            };
            let found = FoundElement::Declaration(edge.node, declaration);
            search.found.push((number, rule, found));
        }
        let held: Vec<usize> = search.automaton.held(next).collect();
        if !held.is_empty() && self.has_properties(edge.to, search.direction) {
            let expected = held
                .into_iter()
                .map(|rule| (number, rule, FoundElement::Expected));
            search.found.extend(expected);
        }
        let to = self.description.schemas().representative(edge.to);
        search.visit_from(number, (to, next, None));
    }

    /// Whether another of the `open` declarations of a name has the mark that a rule is about, and this one has not.
    fn is_other(&mut self, edge: &Edge, open: &[Edge], rule: &Rule) -> bool {
        let description = self.description;
        self.work += open.len();
        let is_marked = |edge: &Edge| {
            let mut markers = description.schema_markers(edge.to).into_iter();
            markers.any(|marker| is_about(marker, rule))
        };
        let name = description.property_name(edge);
        let mut others = open
            .iter()
            .filter(|one| description.property_name(one) == name);
        !is_marked(edge) && others.any(is_marked)
    }

    /// The state of the objects of which a schema declares members, if what it requires decides between the alternatives of rules:
    /// members with one value, such as the name of a kind.
    fn state_of_own(
        &mut self,
        schema: SchemaId,
        state: StateId,
        search: &mut SideSearch<'_>,
    ) -> StateId {
        if !search.automaton.walk.has_alternatives() {
            return state;
        }
        let description = self.description;
        let mut known = Map::new();
        let required = description.required(schema);
        for name in required.filter_map(Node::as_str) {
            for edge in description.edges_to_member(schema, name) {
                let applied = self.applied(edge.to);
                let mut parts = description.schemas().edges_of(&applied);
                let values = applied.iter().flat_map(|&id| description.enum_values(id));
                let values: Vec<_> = values.map(Node::as_str).collect();
                // An alternative of the member may have other values.
                if let [Some(only)] = values[..]
                    && parts.all(|part| part.kind.step() != SchemaStep::Conditional)
                {
                    known.insert(name.into(), only.into());
                }
            }
        }
        if known.is_empty() {
            return state;
        }
        let json = Value::Object(known).to_string();
        let Ok(object) = Document::parse(&json, DocumentFormat::Json) else {
            return state;
        };
        let mut validity = Validity::new(object.all().len());
        validity.is_partial = true;
        search.automaton.enter(state, object.root(), &mut validity)
    }

    /// Records the deprecated value, where the property's schema lists its values.
    fn find_enum_value(
        &mut self,
        number: usize,
        rule: usize,
        value: &str,
        edge: &Edge,
        search: &mut SideSearch<'_>,
    ) {
        let description = self.description;
        let mut is_listed = false;
        for id in self.schemas_of_values(edge.to) {
            let Some(file) = description.schemas().get(id).map(|schema| schema.node.file) else {
                continue;
            };
            for node in description.schema_examples(id) {
                let is_use = description.value(node).and_then(Node::text) == Some(value);
                if is_use && let Some(location) = KeyLocation::of_node(description, node) {
                    let found = FoundElement::Example(node, location, Certainty::Certain);
                    search.found.push((number, rule, found));
                }
            }
            for listed in description.enum_values(id) {
                is_listed = true;
                if listed.text() == Some(value) {
                    let listed = NodeId::of(file, listed);
                    let found = FoundElement::Declaration(listed, Declaration::Value(id));
                    search.found.push((number, rule, found));
                }
            }
        }
        if is_listed {
            search.found.push((number, rule, FoundElement::Expected));
        } else {
            self.results.unlisted.insert(rule);
        }
    }

    /// The schemas that apply to a property's value and to the elements of a list: a rule about a value covers both. Many rules may ask
    /// for those of one schema.
    fn schemas_of_values(&mut self, schema: SchemaId) -> Vec<SchemaId> {
        let own = self.applied(schema);
        let elements = self.description.schemas().elements_of(&own);
        let mut parts = vec![schema];
        parts.extend(elements.map(|edge| edge.to));
        let mut seen = HashSet::new();
        let all = parts.into_iter().flat_map(|id| self.applied(id).to_vec());
        all.filter(|&id| seen.insert(id)).collect()
    }

    /// The bodies that an example shows. The example of a sequence is a list of its items.
    fn shown_bodies(&self, example: NodeId, is_sequence: bool) -> Vec<NodeId> {
        let list = self
            .description
            .value(example)
            .filter(|value| value.kind() == ValueKind::Array);
        match list.filter(|_| is_sequence) {
            Some(list) => list
                .children()
                .map(|item| NodeId::of(example.file, item))
                .collect(),
            None => vec![example],
        }
    }

    /// The uses in an example whose root is in this state, each with its rule.
    fn examine(
        &mut self,
        example: NodeId,
        extent: ExampleExtent,
        state: StateId,
        search: &mut SideSearch<'_>,
    ) -> Vec<(usize, FoundElement)> {
        if !self.has_room() {
            return Vec::new();
        }
        let value = self.description.value(example);
        self.work += value.map_or(0, |value| 1 + value.span().len() / 16);
        let uses = examples::find_uses(self.description, example, extent, state, search.automaton);
        // Each use has been given its location, which takes more work than a step.
        self.work += 16 * uses.len();
        uses
    }
}
