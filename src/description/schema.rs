//! The graph of schemas: every schema object once, whatever points to it, and its edges to the schemas inside it.

use std::collections::HashMap;

use regex::Regex;

use super::library::Library;
use super::marker::{self, DateSources, Element, Marker};
use super::problem::ProblemKind;
use super::{FileId, Place};
use crate::document::{Kind, Value, ValueId};

/// The number of a schema in its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub(super) u32);

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
    pub place: Place,
    /// In which bodies a property of this schema occurs.
    pub access: Access,
    /// Whether it could be looked at.
    pub state: State,
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
pub enum State {
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
    pub fn step(self) -> Step {
        match self {
            Self::Property
            | Self::PatternProperty
            | Self::AdditionalProperties
            | Self::UnevaluatedProperties => Step::Key,
            Self::Items | Self::PrefixItem | Self::UnevaluatedItems | Self::Contains => {
                Step::Element
            }
            Self::Reference | Self::AllOf => Step::Always,
            _ => Step::Perhaps,
        }
    }
}

/// How an [`Edge`] is gone along in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
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
    pub(super) list: Vec<Schema>,
    pub(super) edges: Vec<Edge>,
    /// By file and value: its schema.
    index: Vec<Vec<Known>>,
    /// By schema: what [`Self::whole_access`] gives.
    access: Vec<Access>,
    /// By schema: what [`Self::has_markers`] gives.
    marked: Vec<bool>,
    /// By the schema that has it.
    pub(super) discriminators: HashMap<SchemaId, Discriminator>,
    /// Regular expressions of [`EdgeKind::PatternProperty`]; those that are none we know are not here.
    pub(super) patterns: HashMap<String, Regex>,
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Known {
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
    pub fn at(&self, place: Place) -> Option<SchemaId> {
        match self.known(place) {
            Known::Schema(id) => Some(id),
            _ => None,
        }
    }

    /// Works out what every schema says together with what it always holds with it, and tells of those that thereby
    /// come back to themselves.
    pub(super) fn settle(&mut self, library: &mut Library<'_>) {
        self.access = self.list.iter().map(|schema| schema.access).collect();
        let mut seen = vec![Seen::Never; self.list.len()];
        for start in self.ids() {
            // A schema is left when all that it holds has been.
            let mut stack = vec![(start, 0)];
            while let Some((id, next)) = stack.pop() {
                if next == 0 && seen.get(id.index()) != Some(&Seen::Never) {
                    continue;
                }
                mark(&mut seen, id, Seen::Open);
                let edges = self.edges(id).get(next..).unwrap_or_default();
                let found = edges.iter().position(|edge| edge.kind.step() == Step::Always);
                let Some((found, edge)) = found.and_then(|at| Some((at, *edges.get(at)?))) else {
                    mark(&mut seen, id, Seen::Left);
                    self.inherit(id);
                    continue;
                };
                stack.push((id, next + found + 1));
                match seen.get(edge.to.index()) {
                    Some(Seen::Never) => stack.push((edge.to, 0)),
                    Some(Seen::Open) => self.tell_circle(library, edge),
                    _ => {}
                }
            }
        }
    }

    /// Finds the schemas that are composed of one with a marker, from those backwards.
    pub(super) fn spread(&mut self, markers: &[Marker]) {
        let is_composition =
            |edge: &&Edge| matches!(edge.kind.step(), Step::Always | Step::Perhaps);
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
        let always = self.edges(id).iter().filter(|edge| edge.kind.step() == Step::Always);
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
        library.tell(file, span.unwrap_or_default(), ProblemKind::Circle);
    }

    fn known(&self, place: Place) -> Known {
        let file = self.index.get(place.file.index());
        file.and_then(|file| file.get(place.value.index())).copied().unwrap_or_default()
    }
}

/// How far a schema has been gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Never,
    Open,
    Left,
}

fn mark(seen: &mut [Seen], id: SchemaId, state: Seen) {
    if let Some(slot) = seen.get_mut(id.index()) {
        *slot = state;
    }
}

/// Reads schemas into the graph.
#[derive(Default)]
pub(super) struct SchemaReader {
    pub(super) schemas: Schemas,
    pub(super) markers: Vec<Marker>,
    pub(super) dates: DateSources,
    /// Schemas whose inside has not been read are behind this one.
    read: usize,
}

impl SchemaReader {
    pub(super) fn new(dates: DateSources) -> Self {
        Self { dates, ..Self::default() }
    }

    fn learn(&mut self, library: &Library<'_>, place: Place, known: Known) {
        let index = &mut self.schemas.index;
        if index.len() <= place.file.index() {
            index.resize_with(place.file.index() + 1, Vec::new);
        }
        let Some(file) = index.get_mut(place.file.index()) else { return };
        if file.is_empty() {
            let len = library.file(place.file).map_or(0, |file| file.document.len());
            file.resize(len, Known::Nothing);
        }
        if let Some(slot) = file.get_mut(place.value.index()) {
            *slot = known;
        }
    }

    fn add(&mut self, library: &Library<'_>, place: Place, state: State) -> SchemaId {
        let id = SchemaId(u32::try_from(self.schemas.list.len()).unwrap_or(u32::MAX));
        self.schemas.list.push(Schema { place, access: Access::Both, state, edges: (0, 0) });
        self.learn(library, place, Known::Schema(id));
        id
    }

    /// The schema at a value, references followed. Its inside is read by [`Self::read_pending`].
    pub(super) fn intern(
        &mut self,
        library: &mut Library<'_>,
        file: FileId,
        value: Value<'_>,
    ) -> SchemaId {
        let mut place = Place { file, value: value.resolved().id() };
        let mut trail = Vec::new();
        let id = loop {
            if let Known::Schema(id) = self.schemas.known(place) {
                break id;
            }
            let Some(holder) = library.file(place.file) else {
                break self.add(library, place, State::Unread);
            };
            let schema = holder.document.value(place.value);
            let Some(reference) = reference(schema).filter(|_| !has_siblings(schema)) else {
                break self.read_head(library, place, schema);
            };
            if self.schemas.known(place) == Known::Underway {
                library.tell(place.file, reference.span(), ProblemKind::Circle);
                break self.add(library, place, State::Unread);
            }
            self.learn(library, place, Known::Underway);
            trail.push(place);
            match library.target(place.file, reference) {
                Some(next) => place = next,
                None => break self.add(library, place, State::Unread),
            }
        };
        for hop in trail {
            self.learn(library, hop, Known::Schema(id));
        }
        id
    }

    fn read_head(
        &mut self,
        library: &mut Library<'_>,
        place: Place,
        schema: Value<'_>,
    ) -> SchemaId {
        match schema.kind() {
            Kind::Object => self.add(library, place, State::Read),
            // `true` is any value, `false` is none.
            Kind::Bool => self.add(library, place, State::Read),
            // Left empty, as YAML writers do who mean `{}`.
            Kind::Null => self.add(library, place, State::Read),
            _ => {
                library.expected(place.file, schema, "a schema");
                self.add(library, place, State::Unread)
            }
        }
    }

    /// Reads the inside of all schemas that were met, and of those met inside them.
    pub(super) fn read_pending(&mut self, library: &mut Library<'_>) {
        while self.read < self.schemas.list.len() {
            let index = self.read;
            self.read += 1;
            self.read_inside(library, index);
        }
    }

    fn read_inside(&mut self, library: &mut Library<'_>, index: usize) {
        let Some(schema) = self.schemas.list.get(index) else { return };
        let place = schema.place;
        let Some(file) = library.file(place.file).filter(|_| schema.state == State::Read) else {
            return;
        };
        let value = file.document.value(place.value);
        let first = self.schemas.edges.len();
        let from = SchemaId(u32::try_from(index).unwrap_or(u32::MAX));
        let mut keywords = Keywords { reader: self, library, from, file: place.file };
        for member in value.children() {
            keywords.member(member);
        }
        let edges = (narrow(first), narrow(self.schemas.edges.len()));
        if let Some(schema) = self.schemas.list.get_mut(index) {
            schema.edges = edges;
            schema.access = access(value);
        }
        self.markers.extend(marker::read(library, place, value, Element::Schema, self.dates));
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn reference(schema: Value<'_>) -> Option<Value<'_>> {
    schema.get("$ref")
}

/// Whether anything beside a `$ref` matters here.
fn has_siblings(schema: Value<'_>) -> bool {
    let is_idle = |key| matches!(key, "$ref" | "description" | "summary" | "title" | "$comment");
    schema.children().filter_map(Value::key).any(|key| !is_idle(key))
}

fn access(schema: Value<'_>) -> Access {
    let is_set = |key| schema.get(key).and_then(Value::as_bool) == Some(true);
    match (is_set("readOnly"), is_set("writeOnly")) {
        (true, false) => Access::ReadOnly,
        (false, true) => Access::WriteOnly,
        _ => Access::Both,
    }
}

/// Reads the members of one schema.
struct Keywords<'r, 'l, 'f> {
    reader: &'r mut SchemaReader,
    library: &'l mut Library<'f>,
    from: SchemaId,
    file: FileId,
}

impl Keywords<'_, '_, '_> {
    fn member(&mut self, member: Value<'_>) {
        let Some(key) = member.key() else { return };
        match key {
            "properties" => self.map(EdgeKind::Property, member),
            "patternProperties" => self.map(EdgeKind::PatternProperty, member),
            "dependentSchemas" => self.map(EdgeKind::DependentSchema, member),
            // Before they were told apart, a dependency was a schema or a list of names.
            "dependencies" if member.kind() == Kind::Object => {
                for dependency in member.children().filter(|value| value.kind() == Kind::Object) {
                    self.edge(EdgeKind::DependentSchema, 0, dependency);
                }
            }
            "additionalProperties" => self.edge(EdgeKind::AdditionalProperties, 0, member),
            "unevaluatedProperties" => self.edge(EdgeKind::UnevaluatedProperties, 0, member),
            "items" if member.kind() == Kind::Array => self.list(EdgeKind::PrefixItem, member),
            "items" | "additionalItems" => self.edge(EdgeKind::Items, 0, member),
            "prefixItems" => self.list(EdgeKind::PrefixItem, member),
            "unevaluatedItems" => self.edge(EdgeKind::UnevaluatedItems, 0, member),
            "contains" => self.edge(EdgeKind::Contains, 0, member),
            "allOf" => self.list(EdgeKind::AllOf, member),
            "oneOf" => self.list(EdgeKind::OneOf, member),
            "anyOf" => self.list(EdgeKind::AnyOf, member),
            "if" => self.edge(EdgeKind::If, 0, member),
            "then" => self.edge(EdgeKind::Then, 0, member),
            "else" => self.edge(EdgeKind::Else, 0, member),
            "$ref" | "$dynamicRef" | "$recursiveRef" => self.reference(member),
            "discriminator" => self.discriminator(member),
            // Held for others to point at.
            "$defs" | "definitions" if member.kind() == Kind::Object => {
                for definition in member.children() {
                    self.reader.intern(self.library, self.file, definition);
                }
            }
            _ => {}
        }
    }

    fn edge(&mut self, kind: EdgeKind, index: usize, member: Value<'_>) {
        let leads_nowhere = matches!(member.kind(), Kind::Bool | Kind::Null);
        if leads_nowhere && kind != EdgeKind::Property {
            return;
        }
        let to = self.reader.intern(self.library, self.file, member);
        let index = narrow(index);
        let edge = Edge { kind, index, from: self.from, member: member.id(), to };
        self.reader.schemas.edges.push(edge);
    }

    fn map(&mut self, kind: EdgeKind, map: Value<'_>) {
        if !matches!(map.kind(), Kind::Object | Kind::Null) {
            return self.library.expected(self.file, map, "an object whose members are schemas");
        }
        for (index, member) in map.children().enumerate() {
            if kind == EdgeKind::PatternProperty {
                self.pattern(member);
            }
            self.edge(kind, index, member);
        }
    }

    fn list(&mut self, kind: EdgeKind, list: Value<'_>) {
        if !matches!(list.kind(), Kind::Array | Kind::Null) {
            return self.library.expected(self.file, list, "a list of schemas");
        }
        for (index, member) in list.children().enumerate() {
            self.edge(kind, index, member);
        }
    }

    fn reference(&mut self, reference: Value<'_>) {
        let Some(target) = self.library.target(self.file, reference) else { return };
        let Some(file) = self.library.file(target.file) else { return };
        let to = self.reader.intern(self.library, target.file, file.document.value(target.value));
        let member = reference.id();
        let edge = Edge { kind: EdgeKind::Reference, index: 0, from: self.from, member, to };
        self.reader.schemas.edges.push(edge);
    }

    /// An object; in Swagger 2.0 the property's name.
    fn discriminator(&mut self, member: Value<'_>) {
        let property = member.get("propertyName").unwrap_or(member);
        let Some(property) = property.as_str().map(str::to_owned) else {
            return self.library.expected(self.file, member, "an object with a `propertyName`");
        };
        let mut mapping = Vec::new();
        for entry in member.get("mapping").into_iter().flat_map(Value::children) {
            let Some(place) = self.library.schema_named(self.file, entry) else { continue };
            let Some(file) = self.library.file(place.file) else { continue };
            let to = self.reader.intern(self.library, place.file, file.document.value(place.value));
            mapping.push((entry.key().unwrap_or_default().to_owned(), to));
        }
        let discriminator = Discriminator { property, mapping };
        self.reader.schemas.discriminators.insert(self.from, discriminator);
    }

    fn pattern(&mut self, member: Value<'_>) {
        let Some(pattern) = member.key() else { return };
        if self.reader.schemas.patterns.contains_key(pattern) {
            return;
        }
        let regex = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
        match regex {
            Ok(regex) => drop(self.reader.schemas.patterns.insert(pattern.to_owned(), regex)),
            Err(_) => self.library.tell(self.file, member.label(), ProblemKind::UnknownPattern),
        }
    }
}
