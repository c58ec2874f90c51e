//! Reads schemas into the graph: each once, and without recursion.

use std::collections::HashMap;

use super::{Discriminator, Schema};
use crate::limits::MAX_PATTERNS;
use crate::prose::{is_text_key, mentions_deprecation};
use crate::{
    DescriptionProblemKind, Edge, EdgeKind, FileId, Library, MarkedElement, Marker, MarkerOptions,
    NodeId, SchemaId, Schemas, marker, narrow,
};
use sundown_text_json::json::{Node, ValueKind};

/// Reads schemas into the graph.
#[derive(Default)]
pub(crate) struct SchemaReader {
    pub schemas: Schemas,
    pub markers: Vec<Marker>,
    pub options: MarkerOptions,
    /// The number of schemas whose inside has been read.
    read: usize,
}

impl SchemaReader {
    pub(crate) fn new(options: MarkerOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    fn add(&mut self, node: NodeId, is_read: bool) -> SchemaId {
        let id = SchemaId(narrow(self.schemas.list.len()));
        self.schemas.list.push(Schema {
            node,
            is_read,
            edges: (0, 0),
            named: HashMap::new(),
            unnamed: Vec::new(),
        });
        self.schemas.index.insert(node, Some(id));
        id
    }

    /// Adds the schema at a value, following references. [`Self::read_pending`] reads its inside.
    pub(crate) fn intern(
        &mut self,
        library: &mut Library<'_>,
        file: FileId,
        value: Node<'_>,
    ) -> SchemaId {
        let mut node = NodeId::of(file, value.resolved());
        let mut chain = Vec::new();
        let id = loop {
            if let Some(id) = self.schemas.at(node) {
                break id;
            }
            let Some(holder) = library.file(node.file) else {
                break self.add(node, false);
            };
            let schema = holder.at(node);
            let reference = schema.get("$ref").filter(|_| !self.has_siblings(schema));
            let Some(reference) = reference else {
                break self.read_head(library, node, schema);
            };
            if self.schemas.index.insert(node, None).is_some() {
                library.report(node.file, reference.span(), DescriptionProblemKind::Circle);
                break self.add(node, false);
            }
            chain.push(node);
            match library.target(node.file, reference) {
                Some(next) => node = next,
                None => break self.add(node, false),
            }
        };
        for hop in chain {
            self.schemas.index.insert(hop, Some(id));
        }
        id
    }

    /// Whether a `$ref` has siblings that matter. Texts do if prose is read.
    fn has_siblings(&self, schema: Node<'_>) -> bool {
        let reads_prose = self.options.deprecations_from_text;
        schema.children().any(|member| match member.key() {
            Some("$ref" | "$comment") | None => false,
            Some(key) if is_text_key(key) => member
                .as_str()
                .is_some_and(|text| reads_prose && mentions_deprecation(text)),
            Some(_) => true,
        })
    }

    fn read_head(&mut self, library: &mut Library<'_>, node: NodeId, schema: Node<'_>) -> SchemaId {
        match schema.kind() {
            // `true` allows any value, `false` allows none. In YAML, an empty value is often meant as `{}`.
            ValueKind::Object | ValueKind::Bool | ValueKind::Null => self.add(node, true),
            _ => {
                library.expected(node.file, schema, "a schema");
                self.add(node, false)
            }
        }
    }

    /// Reads the inside of all added schemas, and of the schemas that this adds.
    pub(crate) fn read_pending(&mut self, library: &mut Library<'_>) {
        while self.read < self.schemas.list.len() {
            let index = self.read;
            self.read += 1;
            self.read_inside(library, index);
        }
    }

    fn read_inside(&mut self, library: &mut Library<'_>, index: usize) {
        let Some(schema) = self.schemas.list.get(index) else {
            return;
        };
        let node = schema.node;
        let Some(file) = library.file(node.file).filter(|_| schema.is_read) else {
            return;
        };
        let value = file.at(node);
        let first = self.schemas.edges.len();
        let from = SchemaId(narrow(index));
        let mut keywords = SchemaKeywords {
            reader: self,
            library,
            from,
            file: node.file,
        };
        for member in value.children() {
            keywords.member(member);
        }
        let edges = (narrow(first), narrow(self.schemas.edges.len()));
        if let Some(schema) = self.schemas.list.get_mut(index) {
            schema.edges = edges;
        }
        let flags = ["readOnly", "writeOnly"];
        match flags.map(|key| value.get(key).and_then(Node::as_bool) == Some(true)) {
            [true, false] => self.schemas.read_only.insert(from),
            [false, true] => self.schemas.write_only.insert(from),
            _ => false,
        };
        self.markers.extend(marker::read(
            library,
            node,
            value,
            MarkedElement::Schema,
            self.options,
        ));
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
    fn member(&mut self, member: Node<'_>) {
        let Some(key) = member.key() else { return };
        let kind = match key {
            "properties" => EdgeKind::Property,
            "patternProperties" => EdgeKind::PatternProperty,
            "additionalProperties" => EdgeKind::AdditionalProperties,
            "unevaluatedProperties" => EdgeKind::UnevaluatedProperties,
            "items" if member.kind() == ValueKind::Array => EdgeKind::PrefixItem,
            "items" | "additionalItems" => EdgeKind::Items,
            "prefixItems" => EdgeKind::PrefixItem,
            "unevaluatedItems" => EdgeKind::UnevaluatedItems,
            "contains" => EdgeKind::Contains,
            "allOf" => EdgeKind::AllOf,
            "oneOf" => EdgeKind::OneOf,
            "anyOf" => EdgeKind::AnyOf,
            "if" => EdgeKind::If,
            "then" => EdgeKind::Then,
            "else" => EdgeKind::Else,
            "dependentSchemas" => EdgeKind::DependentSchema,
            // In older drafts, a dependency is a schema or a list of names.
            "dependencies" if member.kind() == ValueKind::Object => {
                let schemas = member.children();
                for dependency in schemas.filter(|one| one.kind() == ValueKind::Object) {
                    self.edge(EdgeKind::DependentSchema, 0, dependency);
                }
                return;
            }
            "$ref" | "$dynamicRef" | "$recursiveRef" => return self.reference(member),
            "discriminator" => return self.discriminator(member),
            // Definitions are only used through references.
            "$defs" | "definitions" if member.kind() == ValueKind::Object => {
                for definition in member.children() {
                    self.reader.intern(self.library, self.file, definition);
                }
                return;
            }
            _ => return,
        };
        match kind {
            EdgeKind::Property | EdgeKind::PatternProperty | EdgeKind::DependentSchema => {
                self.map(kind, member);
            }
            EdgeKind::PrefixItem | EdgeKind::AllOf | EdgeKind::OneOf | EdgeKind::AnyOf => {
                self.list(kind, member);
            }
            _ => self.edge(kind, 0, member),
        }
    }

    fn edge(&mut self, kind: EdgeKind, index: usize, member: Node<'_>) {
        let leads_nowhere = matches!(member.kind(), ValueKind::Bool | ValueKind::Null);
        if leads_nowhere && kind != EdgeKind::Property {
            return;
        }
        let to = self.reader.intern(self.library, self.file, member);
        self.add(kind, index, member, to);
    }

    fn add(&mut self, kind: EdgeKind, index: usize, member: Node<'_>, to: SchemaId) {
        let schemas = &mut self.reader.schemas;
        if let Some(from) = schemas.list.get_mut(self.from.index()) {
            let indices = match (kind, member.key()) {
                (EdgeKind::Property, Some(name)) => from.named.entry(name.to_owned()).or_default(),
                _ => &mut from.unnamed,
            };
            indices.push(narrow(schemas.edges.len()));
        }
        schemas.edges.push(Edge {
            kind,
            index: narrow(index),
            from: self.from,
            node: NodeId::of(self.file, member),
            to,
        });
    }

    fn map(&mut self, kind: EdgeKind, map: Node<'_>) {
        if !matches!(map.kind(), ValueKind::Object | ValueKind::Null) {
            return self
                .library
                .expected(self.file, map, "an object whose members are schemas");
        }
        for (index, member) in map.children().enumerate() {
            if kind == EdgeKind::PatternProperty {
                self.pattern(member);
            }
            self.edge(kind, index, member);
        }
    }

    fn list(&mut self, kind: EdgeKind, list: Node<'_>) {
        if !matches!(list.kind(), ValueKind::Array | ValueKind::Null) {
            return self.library.expected(self.file, list, "a list of schemas");
        }
        for (index, member) in list.children().enumerate() {
            self.edge(kind, index, member);
        }
    }

    fn reference(&mut self, reference: Node<'_>) {
        let target = self.library.target(self.file, reference);
        if let Some(to) = target.and_then(|target| self.schema_at(target)) {
            self.add(EdgeKind::Reference, 0, reference, to);
        }
    }

    fn schema_at(&mut self, node: NodeId) -> Option<SchemaId> {
        let file = self.library.file(node.file)?;
        Some(self.reader.intern(self.library, node.file, file.at(node)))
    }

    /// Reads a discriminator: an object, or in Swagger 2.0 the name of the property.
    fn discriminator(&mut self, member: Node<'_>) {
        let Some(property) = member
            .get("propertyName")
            .unwrap_or(member)
            .as_str()
            .map(str::to_owned)
        else {
            return self
                .library
                .expected(self.file, member, "an object with a `propertyName`");
        };
        let mut mapping = Vec::new();
        for entry in member.children_of("mapping") {
            let named = self.library.schema_named(self.file, entry);
            if let Some(to) = named.and_then(|node| self.schema_at(node)) {
                mapping.push((entry.key().unwrap_or_default().to_owned(), to));
            }
        }
        let discriminator = Discriminator { property, mapping };
        self.reader
            .schemas
            .discriminators
            .insert(self.from, discriminator);
    }

    fn pattern(&mut self, member: Node<'_>) {
        let Some(pattern) = member.key() else { return };
        if self.reader.schemas.patterns.contains_key(pattern) {
            return;
        }
        let has_room = self.reader.schemas.patterns.len() < MAX_PATTERNS;
        let regex = has_room.then(|| {
            regex::RegexBuilder::new(pattern)
                .size_limit(1 << 20)
                .build()
        });
        let problem = match regex {
            Some(Ok(regex)) => {
                self.reader
                    .schemas
                    .patterns
                    .insert(pattern.to_owned(), regex);
                return;
            }
            Some(Err(_)) => DescriptionProblemKind::UnknownPattern,
            None => DescriptionProblemKind::TooManyPatterns,
        };
        self.library.report(self.file, member.label(), problem);
    }
}
