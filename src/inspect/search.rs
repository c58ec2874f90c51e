//! The search of a description: its schemas laid under the automaton of each operation's rules.
//!
//! A node of the search is a schema that describes a value, with the state of the automaton there. Each pair is visited
//! once, so the search ends whatever the schemas refer to.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::calls::{DescribedCall, places};
use super::laid::{SchemaAutomaton, SchemaUse};
use super::sample;
use super::{replacement, spot::KeyLocation};
use crate::findings::ExchangePart;
use crate::json::ValueKind;
use crate::openapi::{
    BodyShape, Carrier, DescribedExample, DescribedOperation, Description, Direction, Edge,
    EdgeKind, NodeId, ParameterId, SchemaId, SchemaStep,
};
use crate::rules::{MatchedOperations, RuleTable};
use crate::selector::automaton::StateId;
use crate::traffic::Side;

/// How many nodes one search may have: far more than real descriptions have, and a bound for those made to have no end.
const MOST_NODES: usize = 1_000_000;

/// How much all searches of a description may look at together: members, examples, schemas of rules. Hundreds of operations
/// may share thousands of schemas.
const MOST_WORK: usize = 60_000_000;

/// An element of a rule, where it is declared.
#[derive(Debug)]
pub(super) struct DeclaredElement {
    pub(super) spot: KeyLocation,
    pub(super) what: Declaration,
    /// What reaches it: the part, and the number of the call.
    pub(super) reached: BTreeSet<(ExchangePart, usize)>,
    /// Where requests are said to need it.
    pub(super) required: Option<KeyLocation>,
    pub(super) replacement: replacement::ReplacementStatus,
}

/// What declares an element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declaration {
    /// A property of this schema.
    Property(SchemaId),
    /// An operation, by its call.
    Operation(usize),
    Parameter(ParameterId),
}

/// An example that uses an element.
#[derive(Debug)]
pub(super) struct ExampleUse {
    pub(super) spot: KeyLocation,
    pub(super) reached: BTreeSet<(ExchangePart, usize)>,
}

/// All that was found, by the rule's number and the place.
#[derive(Debug, Default)]
pub(super) struct SearchResults {
    pub(super) definitions: BTreeMap<(usize, NodeId), DeclaredElement>,
    pub(super) samples: BTreeMap<(usize, NodeId), ExampleUse>,
    /// By rule: where an object is declared that should have its element.
    pub(super) expected: BTreeMap<usize, BTreeSet<(ExchangePart, usize)>>,
    /// Whether a search was given up.
    pub(super) is_cut: bool,
}

/// Searches one description.
pub(super) struct DescriptionSearch<'s> {
    pub(super) description: &'s Description,
    pub(super) table: &'s RuleTable,
    pub(super) calls: &'s [DescribedCall],
    pub(super) replacements: replacement::ReplacementFinder<'s>,
    /// What describes a value, by the schema that it begins with.
    applied: HashMap<SchemaId, Rc<[SchemaId]>>,
    /// How much all searches so far have looked at.
    work: usize,
    most_work: usize,
    most_nodes: usize,
    pub(super) found: SearchResults,
}

/// One side of one operation.
struct SideSearch<'l> {
    call: usize,
    side: Side,
    direction: Direction,
    laid: &'l mut SchemaAutomaton,
    nodes: Vec<SearchNode>,
    seen: HashSet<(SchemaId, StateId)>,
}

#[derive(Debug, Clone, Copy)]
struct SearchNode {
    schema: SchemaId,
    state: StateId,
    /// The number of the node around it.
    around: Option<usize>,
}

impl SideSearch<'_> {
    fn reach(&mut self, schema: SchemaId, state: StateId, around: Option<usize>) {
        if self.laid.is_live(state) && self.seen.insert((schema, state)) {
            self.nodes.push(SearchNode { schema, state, around });
        }
    }

    fn reached(&self) -> (ExchangePart, usize) {
        (ExchangePart::Message(self.side), self.call)
    }

    /// The schemas around a node, itself first.
    fn around(&self, node: usize) -> impl Iterator<Item = SchemaId> + '_ {
        let nodes = std::iter::successors(self.nodes.get(node), |node| {
            node.around.and_then(|around| self.nodes.get(around))
        });
        nodes.map(|node| node.schema)
    }
}

impl<'s> DescriptionSearch<'s> {
    pub(super) fn new(
        description: &'s Description,
        table: &'s RuleTable,
        calls: &'s [DescribedCall],
    ) -> Self {
        let replacements = replacement::ReplacementFinder::new(description, calls);
        let found = SearchResults::default();
        let applied = HashMap::new();
        let expansion = description.expansion();
        Self {
            description,
            table,
            calls,
            replacements,
            applied,
            work: 0,
            most_work: expansion.times(MOST_WORK),
            most_nodes: expansion.times(MOST_NODES),
            found,
        }
    }

    /// Searches all operations that rules know.
    pub(super) fn run(mut self) -> SearchResults {
        // What is no body is soon looked at, and not to be missed where bodies are too many.
        for (number, call) in self.calls.iter().enumerate() {
            let Some(operation) = self.description.operation(call.id) else { continue };
            for (rule, place) in places(self.table, &call.resolved) {
                self.work += 1 + std::mem::take(&mut self.replacements.steps);
                if self.has_room() {
                    self.outside(rule, place, number, operation);
                }
            }
        }
        let mut laid: HashMap<(&MatchedOperations, Side), Option<SchemaAutomaton>> = HashMap::new();
        for (number, call) in self.calls.iter().enumerate() {
            let Some(operation) = self.description.operation(call.id) else { continue };
            if call.resolved.is_empty() {
                continue;
            }
            let places = places(self.table, &call.resolved);
            for side in Side::BOTH {
                let compiled = laid.entry((&call.resolved, side)).or_insert_with(|| {
                    SchemaAutomaton::new(self.table, &call.resolved, &places, side)
                });
                if let Some(laid) = compiled {
                    self.side(number, operation, side, laid);
                }
            }
        }
        self.found
    }

    pub(super) fn define(
        &mut self,
        rule: usize,
        place: NodeId,
        what: Declaration,
        spot: Option<KeyLocation>,
        reached: (ExchangePart, usize),
        standing: replacement::ReplacementStatus,
    ) -> Option<&mut DeclaredElement> {
        let definition = match self.found.definitions.entry((rule, place)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(DeclaredElement {
                spot: spot?,
                what,
                reached: BTreeSet::new(),
                required: None,
                replacement: replacement::ReplacementStatus::NotJudged,
            }),
        };
        definition.reached.insert(reached);
        definition.replacement = std::mem::take(&mut definition.replacement).or(standing);
        Some(definition)
    }

    /// The bodies of one side of an operation.
    fn side(
        &mut self,
        call: usize,
        operation: &DescribedOperation,
        side: Side,
        laid: &mut SchemaAutomaton,
    ) {
        let start = laid.start();
        let roots: Vec<usize> = laid.held_by_root().collect();
        let is_of_side =
            |carrier: &Carrier| (*carrier == Carrier::Request) == (side == Side::Request);
        let bodies = operation.bodies.iter().filter(|body| is_of_side(&body.carrier));
        let direction = match side {
            Side::Request => Direction::ToService,
            Side::Response => Direction::FromService,
        };
        let mut searched =
            SideSearch { call, side, direction, laid, nodes: Vec::new(), seen: HashSet::new() };
        for body in bodies {
            for &example in &body.examples {
                for shown in self.shown(example, body.shape) {
                    self.examine(shown, start, &mut searched);
                }
            }
            let Some(schema) = body.schema else { continue };
            searched.reach(schema, start, None);
            if self.has_properties(schema, direction) {
                for &rule in &roots {
                    self.found.expected.entry(rule).or_default().insert(searched.reached());
                }
            }
        }
        if side == Side::Request {
            for sample in self.description.code_samples(operation) {
                self.examine(sample, start, &mut searched);
            }
        }
        let mut next = 0;
        while next < searched.nodes.len() {
            if searched.nodes.len() > self.most_nodes || !self.has_room() {
                self.found.is_cut = true;
                break;
            }
            let before = searched.laid.effort();
            self.node(next, &mut searched);
            self.work += 1 + searched.laid.effort() - before;
            next += 1;
        }
    }

    /// Whether any more may be looked at.
    fn has_room(&mut self) -> bool {
        let has_room = self.work <= self.most_work;
        self.found.is_cut |= !has_room;
        has_room
    }

    fn applied(&mut self, schema: SchemaId) -> Rc<[SchemaId]> {
        let description = self.description;
        let work = &mut self.work;
        let applied = self.applied.entry(schema).or_insert_with(|| {
            let applied: Rc<[_]> =
                description.applied(&[schema]).iter().map(|applied| applied.schema).collect();
            *work += applied.len();
            applied
        });
        Rc::clone(applied)
    }

    /// Whether a schema says what members its objects have.
    fn has_properties(&mut self, schema: SchemaId, direction: Direction) -> bool {
        let description = self.description;
        let is_property =
            |edge: &Edge| edge.kind == EdgeKind::Property && description.is_open(edge, direction);
        let applied = self.applied(schema);
        let mut edges = applied.iter().flat_map(|&id| description.schemas().edges(id));
        edges.any(is_property)
    }

    fn node(&mut self, number: usize, searched: &mut SideSearch<'_>) {
        let Some(&SearchNode { schema, state, .. }) = searched.nodes.get(number) else { return };
        let description = self.description;
        let applied = self.applied(schema);
        let edges = applied.iter().flat_map(|&id| description.schemas().edges(id));
        let open = edges.filter(|edge| description.is_open(edge, searched.direction));
        let open: Vec<Edge> = open.copied().collect();
        let properties = open.iter().filter(|edge| edge.kind == EdgeKind::Property);
        self.work += open.len();
        let names: Vec<&str> =
            properties.filter_map(|edge| Some(description.property(edge)?.0)).collect();
        for edge in &open {
            match (edge.kind, edge.kind.step()) {
                (EdgeKind::Property, _) => self.property(number, edge, &applied, searched),
                (_, SchemaStep::Key) => {
                    for behind in searched.laid.any_member(state, &names) {
                        self.holder(edge.to, behind, searched);
                        searched.reach(edge.to, behind, Some(number));
                    }
                }
                (_, SchemaStep::Element) => {
                    let behind = searched.laid.any_element(state);
                    self.holder(edge.to, behind, searched);
                    searched.reach(edge.to, behind, Some(number));
                }
                (_, SchemaStep::Always | SchemaStep::Perhaps) => {}
            }
        }
        for &id in &*applied {
            for example in description.schema_examples(id) {
                self.examine(example, state, searched);
            }
        }
    }

    /// Remembers the rules whose element an object should have.
    fn holder(&mut self, schema: SchemaId, state: StateId, searched: &SideSearch<'_>) {
        let holds = searched.laid.accepted(self.table, state).holds;
        if !holds.is_empty() && self.has_properties(schema, searched.direction) {
            for rule in holds {
                self.found.expected.entry(rule).or_default().insert(searched.reached());
            }
        }
    }

    fn property(
        &mut self,
        number: usize,
        edge: &Edge,
        siblings: &[SchemaId],
        searched: &mut SideSearch<'_>,
    ) {
        let Some(&SearchNode { state, .. }) = searched.nodes.get(number) else { return };
        let Some((name, label)) = self.description.property(edge) else { return };
        let behind = searched.laid.property(state, name);
        for found in searched.laid.accepted(self.table, behind).uses {
            let member = NodeId { file: label.file, value: edge.member };
            match &found.value {
                Some(value) => self.enum_value(&found, value, edge, searched),
                None => self.found_at(&found, member, number, edge, siblings, searched),
            }
        }
        self.holder(edge.to, behind, searched);
        searched.reach(edge.to, behind, Some(number));
    }

    fn found_at(
        &mut self,
        found: &SchemaUse,
        member: NodeId,
        number: usize,
        edge: &Edge,
        siblings: &[SchemaId],
        searched: &SideSearch<'_>,
    ) {
        let description = self.description;
        let spot = KeyLocation::of(description, member);
        let rule = self.table.rules().get(found.rule);
        let replacement = rule.and_then(|rule| rule.replacement.as_deref());
        let standing =
            self.replacements.of_property(replacement, searched.around(number), searched.direction);
        self.work += std::mem::take(&mut self.replacements.steps);
        let required = (searched.side == Side::Request)
            .then(|| required(description, member, siblings))
            .flatten();
        let what = Declaration::Property(edge.to);
        let reached = searched.reached();
        let definition = self.define(found.rule, member, what, spot, reached, standing);
        if let Some(definition) = definition {
            definition.required = definition.required.take().or(required);
        }
    }

    /// The one value that is deprecated, where the property's schema lists its values.
    fn enum_value(
        &mut self,
        found: &SchemaUse,
        value: &str,
        edge: &Edge,
        searched: &SideSearch<'_>,
    ) {
        let description = self.description;
        let mut is_listed = false;
        for &id in &*self.values_of(edge.to) {
            let Some(file) = description.schemas().get(id).map(|schema| schema.place.file) else {
                continue;
            };
            for listed in description.enum_values(id) {
                is_listed = true;
                if listed.text() == Some(value) {
                    let place = NodeId { file, value: listed.id() };
                    let spot = KeyLocation::name(description, place);
                    let what = Declaration::Property(id);
                    let standing = replacement::ReplacementStatus::NotJudged;
                    self.define(found.rule, place, what, spot, searched.reached(), standing);
                }
            }
        }
        if is_listed {
            self.found.expected.entry(found.rule).or_default().insert(searched.reached());
        }
    }

    /// The schemas that describe a property's value, and the elements of its lists: rules speak of both.
    fn values_of(&mut self, schema: SchemaId) -> Rc<[SchemaId]> {
        let own = self.applied(schema);
        let mut all: Vec<SchemaId> = own.to_vec();
        for edge in own.iter().flat_map(|&id| self.description.schemas().edges(id)) {
            if edge.kind.step() == SchemaStep::Element {
                all.push(edge.to);
            }
        }
        let mut seen = HashSet::new();
        let all = all.into_iter().flat_map(|id| self.applied(id).to_vec());
        all.filter(|&id| seen.insert(id)).collect()
    }

    /// The bodies that an example shows: that of a sequence shows all its values.
    fn shown(&self, example: DescribedExample, shape: BodyShape) -> Vec<DescribedExample> {
        let place = NodeId { file: example.file, value: example.value };
        let list = self.description.value(place).filter(|value| value.kind() == ValueKind::Array);
        match list.filter(|_| shape == BodyShape::EachItem) {
            Some(list) => {
                list.children().map(|it| DescribedExample { value: it.id(), ..example }).collect()
            }
            None => vec![example],
        }
    }

    fn examine(
        &mut self,
        example: DescribedExample,
        state: StateId,
        searched: &mut SideSearch<'_>,
    ) {
        if !self.has_room() {
            return;
        }
        let value = self.description.value(NodeId { file: example.file, value: example.value });
        self.work += value.map_or(0, |value| 1 + value.span().len() / 16);
        let reached = searched.reached();
        let uses = sample::uses(self.description, self.table, example, state, searched.laid);
        // Each has been given its place.
        self.work += 16 * uses.len();
        for (rule, place, spot) in uses {
            let new = || ExampleUse { spot, reached: BTreeSet::new() };
            let known = self.found.samples.entry((rule, place)).or_insert_with(new);
            known.reached.insert(reached);
        }
    }
}

/// Where a `required` of the object names the member.
fn required(
    description: &Description,
    member: NodeId,
    schemas: &[SchemaId],
) -> Option<KeyLocation> {
    let name = description.value(member)?.key()?;
    schemas.iter().find_map(|&id| {
        let file = description.schemas().get(id)?.place.file;
        let mut listed = description.required(id).into_iter();
        let found = listed.find(|listed| listed.as_str() == Some(name))?;
        KeyLocation::name(description, NodeId { file, value: found.id() })
    })
}
