//! Reads schemas into the graph, each once, without recursion.

use super::{
    Access, Discriminator, Edge, EdgeKind, Schema, SchemaId, SchemaSlot, SchemaStatus, Schemas,
};
use crate::json::{ValueKind, ValueRef};
use crate::openapi::library::Library;
use crate::openapi::marker::{self, DateSources, MarkedElement, Marker};
use crate::openapi::problem::DescriptionProblemKind;
use crate::openapi::{FileId, NodeId};

/// Reads schemas into the graph.
#[derive(Default)]
pub(in crate::openapi) struct SchemaReader {
    pub(in crate::openapi) schemas: Schemas,
    pub(in crate::openapi) markers: Vec<Marker>,
    pub(in crate::openapi) dates: DateSources,
    /// Schemas whose inside has not been read are behind this one.
    read: usize,
}

impl SchemaReader {
    pub(in crate::openapi) fn new(dates: DateSources) -> Self {
        Self { dates, ..Self::default() }
    }

    fn learn(&mut self, library: &Library<'_>, place: NodeId, known: SchemaSlot) {
        let index = &mut self.schemas.index;
        if index.len() <= place.file.index() {
            index.resize_with(place.file.index() + 1, Vec::new);
        }
        let Some(file) = index.get_mut(place.file.index()) else { return };
        if file.is_empty() {
            let len = library.file(place.file).map_or(0, |file| file.document.len());
            file.resize(len, SchemaSlot::Nothing);
        }
        if let Some(slot) = file.get_mut(place.value.index()) {
            *slot = known;
        }
    }

    fn add(&mut self, library: &Library<'_>, place: NodeId, state: SchemaStatus) -> SchemaId {
        let id = SchemaId(u32::try_from(self.schemas.list.len()).unwrap_or(u32::MAX));
        self.schemas.list.push(Schema { place, access: Access::Both, state, edges: (0, 0) });
        self.learn(library, place, SchemaSlot::Schema(id));
        id
    }

    /// The schema at a value, references followed. Its inside is read by [`Self::read_pending`].
    pub(in crate::openapi) fn intern(
        &mut self,
        library: &mut Library<'_>,
        file: FileId,
        value: ValueRef<'_>,
    ) -> SchemaId {
        let mut place = NodeId { file, value: value.resolved().id() };
        let mut trail = Vec::new();
        let id = loop {
            if let SchemaSlot::Schema(id) = self.schemas.known(place) {
                break id;
            }
            let Some(holder) = library.file(place.file) else {
                break self.add(library, place, SchemaStatus::Unread);
            };
            let schema = holder.document.value(place.value);
            let Some(reference) = reference(schema).filter(|_| !has_siblings(schema)) else {
                break self.read_head(library, place, schema);
            };
            if self.schemas.known(place) == SchemaSlot::Underway {
                library.tell(place.file, reference.span(), DescriptionProblemKind::Circle);
                break self.add(library, place, SchemaStatus::Unread);
            }
            self.learn(library, place, SchemaSlot::Underway);
            trail.push(place);
            match library.target(place.file, reference) {
                Some(next) => place = next,
                None => break self.add(library, place, SchemaStatus::Unread),
            }
        };
        for hop in trail {
            self.learn(library, hop, SchemaSlot::Schema(id));
        }
        id
    }

    fn read_head(
        &mut self,
        library: &mut Library<'_>,
        place: NodeId,
        schema: ValueRef<'_>,
    ) -> SchemaId {
        match schema.kind() {
            ValueKind::Object => self.add(library, place, SchemaStatus::Read),
            // `true` is any value, `false` is none.
            ValueKind::Bool => self.add(library, place, SchemaStatus::Read),
            // Left empty, as YAML writers do who mean `{}`.
            ValueKind::Null => self.add(library, place, SchemaStatus::Read),
            _ => {
                library.expected(place.file, schema, "a schema");
                self.add(library, place, SchemaStatus::Unread)
            }
        }
    }

    /// Reads the inside of all schemas that were met, and of those met inside them.
    pub(in crate::openapi) fn read_pending(&mut self, library: &mut Library<'_>) {
        while self.read < self.schemas.list.len() {
            let index = self.read;
            self.read += 1;
            self.read_inside(library, index);
        }
    }

    fn read_inside(&mut self, library: &mut Library<'_>, index: usize) {
        let Some(schema) = self.schemas.list.get(index) else { return };
        let place = schema.place;
        let Some(file) = library.file(place.file).filter(|_| schema.state == SchemaStatus::Read)
        else {
            return;
        };
        let value = file.document.value(place.value);
        let first = self.schemas.edges.len();
        let from = SchemaId(u32::try_from(index).unwrap_or(u32::MAX));
        let mut keywords = SchemaKeywords { reader: self, library, from, file: place.file };
        for member in value.children() {
            keywords.member(member);
        }
        let edges = (narrow(first), narrow(self.schemas.edges.len()));
        if let Some(schema) = self.schemas.list.get_mut(index) {
            schema.edges = edges;
            schema.access = access(value);
        }
        self.markers.extend(marker::read(library, place, value, MarkedElement::Schema, self.dates));
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn reference(schema: ValueRef<'_>) -> Option<ValueRef<'_>> {
    schema.get("$ref")
}

/// Whether anything beside a `$ref` matters here.
fn has_siblings(schema: ValueRef<'_>) -> bool {
    let is_idle = |key| matches!(key, "$ref" | "description" | "summary" | "title" | "$comment");
    schema.children().filter_map(ValueRef::key).any(|key| !is_idle(key))
}

fn access(schema: ValueRef<'_>) -> Access {
    let is_set = |key| schema.get(key).and_then(ValueRef::as_bool) == Some(true);
    match (is_set("readOnly"), is_set("writeOnly")) {
        (true, false) => Access::ReadOnly,
        (false, true) => Access::WriteOnly,
        _ => Access::Both,
    }
}

/// Reads the members of one schema.
struct SchemaKeywords<'r, 'l, 'f> {
    reader: &'r mut SchemaReader,
    library: &'l mut Library<'f>,
    from: SchemaId,
    file: FileId,
}

impl SchemaKeywords<'_, '_, '_> {
    fn member(&mut self, member: ValueRef<'_>) {
        let Some(key) = member.key() else { return };
        match key {
            "properties" => self.map(EdgeKind::Property, member),
            "patternProperties" => self.map(EdgeKind::PatternProperty, member),
            "dependentSchemas" => self.map(EdgeKind::DependentSchema, member),
            // Before they were told apart, a dependency was a schema or a list of names.
            "dependencies" if member.kind() == ValueKind::Object => {
                for dependency in
                    member.children().filter(|value| value.kind() == ValueKind::Object)
                {
                    self.edge(EdgeKind::DependentSchema, 0, dependency);
                }
            }
            "additionalProperties" => self.edge(EdgeKind::AdditionalProperties, 0, member),
            "unevaluatedProperties" => self.edge(EdgeKind::UnevaluatedProperties, 0, member),
            "items" if member.kind() == ValueKind::Array => self.list(EdgeKind::PrefixItem, member),
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
            "$defs" | "definitions" if member.kind() == ValueKind::Object => {
                for definition in member.children() {
                    self.reader.intern(self.library, self.file, definition);
                }
            }
            _ => {}
        }
    }

    fn edge(&mut self, kind: EdgeKind, index: usize, member: ValueRef<'_>) {
        let leads_nowhere = matches!(member.kind(), ValueKind::Bool | ValueKind::Null);
        if leads_nowhere && kind != EdgeKind::Property {
            return;
        }
        let to = self.reader.intern(self.library, self.file, member);
        let index = narrow(index);
        let edge = Edge { kind, index, from: self.from, member: member.id(), to };
        self.reader.schemas.edges.push(edge);
    }

    fn map(&mut self, kind: EdgeKind, map: ValueRef<'_>) {
        if !matches!(map.kind(), ValueKind::Object | ValueKind::Null) {
            return self.library.expected(self.file, map, "an object whose members are schemas");
        }
        for (index, member) in map.children().enumerate() {
            if kind == EdgeKind::PatternProperty {
                self.pattern(member);
            }
            self.edge(kind, index, member);
        }
    }

    fn list(&mut self, kind: EdgeKind, list: ValueRef<'_>) {
        if !matches!(list.kind(), ValueKind::Array | ValueKind::Null) {
            return self.library.expected(self.file, list, "a list of schemas");
        }
        for (index, member) in list.children().enumerate() {
            self.edge(kind, index, member);
        }
    }

    fn reference(&mut self, reference: ValueRef<'_>) {
        let Some(target) = self.library.target(self.file, reference) else { return };
        let Some(file) = self.library.file(target.file) else { return };
        let to = self.reader.intern(self.library, target.file, file.document.value(target.value));
        let member = reference.id();
        let edge = Edge { kind: EdgeKind::Reference, index: 0, from: self.from, member, to };
        self.reader.schemas.edges.push(edge);
    }

    /// An object; in Swagger 2.0 the property's name.
    fn discriminator(&mut self, member: ValueRef<'_>) {
        let property = member.get("propertyName").unwrap_or(member);
        let Some(property) = property.as_str().map(str::to_owned) else {
            return self.library.expected(self.file, member, "an object with a `propertyName`");
        };
        let mut mapping = Vec::new();
        for entry in member.get("mapping").into_iter().flat_map(ValueRef::children) {
            let Some(place) = self.library.schema_named(self.file, entry) else { continue };
            let Some(file) = self.library.file(place.file) else { continue };
            let to = self.reader.intern(self.library, place.file, file.document.value(place.value));
            mapping.push((entry.key().unwrap_or_default().to_owned(), to));
        }
        let discriminator = Discriminator { property, mapping };
        self.reader.schemas.discriminators.insert(self.from, discriminator);
    }

    fn pattern(&mut self, member: ValueRef<'_>) {
        let Some(pattern) = member.key() else { return };
        if self.reader.schemas.patterns.contains_key(pattern) {
            return;
        }
        let regex = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
        match regex {
            Ok(regex) => drop(self.reader.schemas.patterns.insert(pattern.to_owned(), regex)),
            Err(_) => {
                self.library.tell(
                    self.file,
                    member.label(),
                    DescriptionProblemKind::UnknownPattern,
                );
            }
        }
    }
}
