//! The graph of schemas: every schema object once, whatever points to it, and its edges to the schemas inside it.

mod reader;

pub(super) use reader::SchemaReader;

use std::collections::{HashMap, HashSet};

use regex::Regex;

use super::library::Library;
use super::marker::Marker;
use super::problem::DescriptionProblemKind;
use super::{MOST_OF_VALUE, MOST_SHARED, NodeId};
use crate::json::ValueId;

/// The number of a schema in its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub(in crate::openapi) u32);

impl SchemaId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A schema object.
///
/// A `$ref` with nothing beside it that matters is no schema of its own: whatever holds it has an edge to what it stands for. A `$ref`
/// with siblings is a schema that stands for both: its own keywords and, behind an edge of kind
/// [`Reference`](EdgeKind::Reference), its target. OpenAPI 3.0 ignores such siblings by the letter, but who writes them
/// means them.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Where it stands.
    pub place: NodeId,
    /// In which bodies a property of this schema occurs.
    pub access: Access,
    /// Whether it could be looked at.
    pub state: SchemaStatus,
    edges: (u32, u32),
}

/// `readOnly` and `writeOnly`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Neither, or both.
    #[default]
    Both,
    /// Written by the service alone.
    ReadOnly,
    /// Written by the consumer alone.
    WriteOnly,
}

/// Whether a schema could be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaStatus {
    /// It was read.
    Read,
    /// A reference that leads nowhere, or something that is no schema, which has been told.
    Unread,
}

/// From a schema to a schema inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// By which keyword.
    pub kind: EdgeKind,
    /// Where it stands among those of the same keyword, from zero: the index of a branch, or of an element.
    pub index: u32,
    /// The schema that has it.
    pub from: SchemaId,
    /// The member or element that holds it, in the file of `from`: its key is a property's name, or a pattern.
    pub member: ValueId,
    /// The schema that it leads to.
    pub to: SchemaId,
}

/// The keywords by which a schema holds others. `not` and `propertyNames` are none: what they hold describes no part of a
/// body. Nor is `contentSchema`: it describes text inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "JSON Schema's own keywords")]
pub enum EdgeKind {
    Property,
    PatternProperty,
    AdditionalProperties,
    UnevaluatedProperties,
    /// `items`, where it is one schema: for the elements behind those of [`Self::PrefixItem`]. `additionalItems` too.
    Items,
    /// `prefixItems`, and `items` where it is a list.
    PrefixItem,
    UnevaluatedItems,
    Contains,
    /// A `$ref` with siblings.
    Reference,
    AllOf,
    OneOf,
    AnyOf,
    If,
    Then,
    Else,
    DependentSchema,
}

impl EdgeKind {
    /// How it is gone along.
    pub fn step(self) -> SchemaStep {
        match self {
            Self::Property
            | Self::PatternProperty
            | Self::AdditionalProperties
            | Self::UnevaluatedProperties => SchemaStep::Key,
            Self::Items | Self::PrefixItem | Self::UnevaluatedItems | Self::Contains => {
                SchemaStep::Element
            }
            Self::Reference | Self::AllOf => SchemaStep::Always,
            _ => SchemaStep::Perhaps,
        }
    }
}

/// How an [`Edge`] is gone along in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaStep {
    /// To an object's member.
    Key,
    /// To an array's element.
    Element,
    /// Nowhere: the same value is described by that schema too.
    Always,
    /// Nowhere: the same value may be described by that schema too.
    Perhaps,
}

/// What a property's value says about which alternative is meant.
#[derive(Debug, Clone)]
pub struct Discriminator {
    /// The property's name.
    pub property: String,
    /// The values that the description gives a schema each; those beside them are names of schemas.
    pub mapping: Vec<(String, SchemaId)>,
}

/// All schemas of a description.
#[derive(Debug, Default)]
pub struct Schemas {
    pub(in crate::openapi) list: Vec<Schema>,
    pub(in crate::openapi) edges: Vec<Edge>,
    /// Numbers of edges, those of a schema where it has them in `edges`: its properties by name, then all others.
    by_name: Vec<u32>,
    /// By schema: how many properties it has.
    property_counts: Vec<u32>,
    /// By file and value: its schema.
    index: Vec<Vec<SchemaSlot>>,
    /// By schema: what [`Self::whole_access`] gives.
    access: Vec<Access>,
    /// By schema: what [`Self::has_markers`] gives.
    marked: Vec<bool>,
    /// By the schema that has it.
    pub(in crate::openapi) discriminators: HashMap<SchemaId, Discriminator>,
    /// By a schema with a discriminator: what [`Self::heirs`] gives.
    heirs: HashMap<SchemaId, Vec<SchemaId>>,
    /// Regular expressions of [`EdgeKind::PatternProperty`]; those that are none we know are not here.
    pub(in crate::openapi) patterns: HashMap<String, Regex>,
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SchemaSlot {
    #[default]
    Nothing,
    /// It is on the way from a reference that is being followed.
    Underway,
    Schema(SchemaId),
}

impl Schemas {
    /// The schema of this number.
    pub fn get(&self, id: SchemaId) -> Option<&Schema> {
        self.list.get(id.index())
    }

    /// All of them.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SchemaId> + use<> {
        (0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)).map(SchemaId)
    }

    /// A schema's edges, in the order in which they are written.
    pub fn edges(&self, id: SchemaId) -> &[Edge] {
        let Some(schema) = self.get(id) else { return &[] };
        self.edges.get(schema.edges.0 as usize..schema.edges.1 as usize).unwrap_or_default()
    }

    /// A schema's edges that are no property of one name, in the order in which they are written.
    pub fn unnamed_edges(&self, id: SchemaId) -> impl Iterator<Item = &Edge> {
        self.sorted(id).1.iter().filter_map(|&edge| self.edges.get(edge as usize))
    }

    /// A schema's properties of this name, in the order in which they are written. `name_of` gives the name of each.
    pub(in crate::openapi) fn properties_named<'d>(
        &self,
        id: SchemaId,
        name: &str,
        name_of: impl Fn(&Edge) -> &'d str,
    ) -> Vec<&Edge> {
        let properties = self.sorted(id).0;
        let edge = |&number: &u32| self.edges.get(number as usize);
        let is_before = |number: &u32| edge(number).is_some_and(|edge| name_of(edge) < name);
        let first = properties.partition_point(is_before);
        let behind = properties.get(first..).unwrap_or_default().iter().filter_map(edge);
        behind.take_while(|edge| name_of(edge) == name).collect()
    }

    /// The numbers of a schema's properties, by name, and those of its other edges.
    fn sorted(&self, id: SchemaId) -> (&[u32], &[u32]) {
        let Some(Schema { edges: (first, end), .. }) = self.get(id) else { return (&[], &[]) };
        let all = self.by_name.get(*first as usize..*end as usize).unwrap_or_default();
        let properties = self.property_counts.get(id.index()).copied().unwrap_or_default();
        all.split_at_checked(properties as usize).unwrap_or((&[], all))
    }

    /// Puts every schema's properties into an order in which they are found by name.
    fn sort(&mut self, library: &Library<'_>) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.by_name = (0..count(self.edges.len())).collect();
        self.property_counts = Vec::with_capacity(self.list.len());
        for schema in &self.list {
            let range = schema.edges.0 as usize..schema.edges.1 as usize;
            let file = library.file(schema.place.file);
            let edge = |number: u32| self.edges.get(number as usize);
            let name = |number: u32| {
                let edge = edge(number).filter(|edge| edge.kind == EdgeKind::Property)?;
                file.as_ref()?.document.value(edge.member).key()
            };
            let own = self.by_name.get_mut(range).unwrap_or_default();
            // A stable sort: what has no name keeps its order.
            own.sort_by(|&one, &other| match (name(one), name(other)) {
                (None, None) => std::cmp::Ordering::Equal,
                (one, other) => other.is_some().cmp(&one.is_some()).then_with(|| one.cmp(&other)),
            });
            self.property_counts.push(count(own.partition_point(|&number| name(number).is_some())));
        }
    }

    /// The schema's discriminator, where it has one.
    pub fn discriminator(&self, id: SchemaId) -> Option<&Discriminator> {
        self.discriminators.get(&id)
    }

    /// In which bodies a property of this schema occurs, by what the schema says and what it always holds with it.
    pub fn whole_access(&self, id: SchemaId) -> Access {
        self.access.get(id.index()).copied().unwrap_or_default()
    }

    /// Whether the schema, or one that it is composed of, has a marker.
    pub fn has_markers(&self, id: SchemaId) -> bool {
        self.marked.get(id.index()).copied().unwrap_or_default()
    }

    /// All edges.
    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The schema that stands at a place, or that a reference there stands for; `None` where no schema is.
    pub fn at(&self, place: NodeId) -> Option<SchemaId> {
        match self.known(place) {
            SchemaSlot::Schema(id) => Some(id),
            _ => None,
        }
    }

    /// The schemas that always hold this one, over however many others, where it has a discriminator: its kinds.
    pub fn heirs(&self, base: SchemaId) -> &[SchemaId] {
        self.heirs.get(&base).map_or(&[], Vec::as_slice)
    }

    /// Looks for the kinds of every schema with a discriminator.
    fn find_heirs(&self, library: &mut Library<'_>) -> HashMap<SchemaId, Vec<SchemaId>> {
        if self.discriminators.is_empty() {
            return HashMap::new();
        }
        let mut holders: HashMap<SchemaId, Vec<SchemaId>> = HashMap::new();
        for edge in self.edges.iter().filter(|edge| edge.kind.step() == SchemaStep::Always) {
            holders.entry(edge.to).or_default().push(edge.from);
        }
        // In a chain, each schema is an heir of all behind it.
        let usual = MOST_SHARED + MOST_OF_VALUE * library.values();
        let mut room = library.expansion().times(usual);
        let mut of = |base: SchemaId| {
            let mut seen = HashSet::from([base]);
            let mut found = vec![base];
            let mut next = 0;
            while let Some(id) = found.get(next).filter(|_| room > 0) {
                next += 1;
                room -= 1;
                let own = holders.get(id).into_iter().flatten().copied();
                found.extend(own.filter(|&holder| seen.insert(holder)));
            }
            found.split_off(1)
        };
        let mut bases: Vec<SchemaId> = self.discriminators.keys().copied().collect();
        bases.sort_unstable();
        let heirs = bases.iter().map(|&base| (base, of(base))).collect();
        if room == 0
            && let Some(Schema { place, .. }) = bases.first().and_then(|&base| self.get(base))
            && let Some(file) = library.file(place.file)
        {
            let span = file.document.value(place.value).label();
            library.tell(place.file, span, DescriptionProblemKind::TooMuch(library.expansion()));
        }
        heirs
    }

    /// Works out what every schema says together with what it always holds with it, and tells of those that thereby
    /// come back to themselves.
    pub(in crate::openapi) fn settle(&mut self, library: &mut Library<'_>) {
        self.heirs = self.find_heirs(library);
        self.sort(library);
        self.access = self.list.iter().map(|schema| schema.access).collect();
        let mut seen = vec![VisitState::Never; self.list.len()];
        for start in self.ids() {
            // A schema is left when all that it holds has been.
            let mut stack = vec![(start, 0)];
            while let Some((id, next)) = stack.pop() {
                if next == 0 && seen.get(id.index()) != Some(&VisitState::Never) {
                    continue;
                }
                mark(&mut seen, id, VisitState::Open);
                let edges = self.edges(id).get(next..).unwrap_or_default();
                let found = edges.iter().position(|edge| edge.kind.step() == SchemaStep::Always);
                let Some((found, edge)) = found.and_then(|at| Some((at, *edges.get(at)?))) else {
                    mark(&mut seen, id, VisitState::Left);
                    self.inherit(id);
                    continue;
                };
                stack.push((id, next + found + 1));
                match seen.get(edge.to.index()) {
                    Some(VisitState::Never) => stack.push((edge.to, 0)),
                    Some(VisitState::Open) => self.tell_circle(library, edge),
                    _ => {}
                }
            }
        }
    }

    /// Finds the schemas that are composed of one with a marker, from those backwards.
    pub(in crate::openapi) fn spread(&mut self, markers: &[Marker]) {
        let is_composition =
            |edge: &&Edge| matches!(edge.kind.step(), SchemaStep::Always | SchemaStep::Perhaps);
        let edges = self.edges.iter().filter(is_composition);
        let mut incoming: Vec<(SchemaId, SchemaId)> =
            edges.map(|edge| (edge.to, edge.from)).collect();
        incoming.sort_unstable();
        self.marked = vec![false; self.list.len()];
        let mut stack: Vec<SchemaId> =
            markers.iter().filter_map(|marker| self.at(marker.holder)).collect();
        while let Some(id) = stack.pop() {
            let Some(slot) = self.marked.get_mut(id.index()).filter(|slot| !**slot) else {
                continue;
            };
            *slot = true;
            let first = incoming.partition_point(|(to, _)| *to < id);
            let rest = incoming.get(first..).unwrap_or_default();
            stack.extend(rest.iter().take_while(|(to, _)| *to == id).map(|(_, from)| *from));
        }
    }

    fn inherit(&mut self, id: SchemaId) {
        let always = self.edges(id).iter().filter(|edge| edge.kind.step() == SchemaStep::Always);
        let held = always.map(|edge| self.whole_access(edge.to));
        let access = held.fold(self.whole_access(id), |one, other| match (one, other) {
            (Access::Both, other) => other,
            (one, _) => one,
        });
        if let Some(slot) = self.access.get_mut(id.index()) {
            *slot = access;
        }
    }

    fn tell_circle(&self, library: &mut Library<'_>, edge: Edge) {
        let Some(file) = self.get(edge.from).map(|schema| schema.place.file) else { return };
        let span = library.file(file).map(|file| file.document.value(edge.member).label());
        library.tell(file, span.unwrap_or_default(), DescriptionProblemKind::Circle);
    }

    fn known(&self, place: NodeId) -> SchemaSlot {
        let file = self.index.get(place.file.index());
        file.and_then(|file| file.get(place.value.index())).copied().unwrap_or_default()
    }
}

/// How far a schema has been gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisitState {
    Never,
    Open,
    Left,
}

fn mark(seen: &mut [VisitState], id: SchemaId, state: VisitState) {
    if let Some(slot) = seen.get_mut(id.index()) {
        *slot = state;
    }
}
