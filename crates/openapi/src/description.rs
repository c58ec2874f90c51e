//! An API description with all its files.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use crate::limits::MAX_PARTS;
use crate::paths::PathReader;
use crate::schema::{Schema, SchemaReader};
use crate::version::Dialect;
use crate::{
    Carrier, DeprecationStatus, DescribedBody, DescribedOperation, DescriptionFile,
    DescriptionProblem, DescriptionProblemKind, Edge, EdgeKind, FileId, FileSource, Label, Library,
    LoadError, LoadErrorKind, Marker, MarkerOptions, NodeId, OperationId, Parameter, ParameterId,
    SchemaId, SchemaStep, Schemas, library,
};
use sundown_text_json::json::{Document, Node, ValueKind};
use sundown_text_json::text::{Block, ExpansionFactor, Location, Locations};

/// The most parts of a composed schema in which elements of arrays are looked for.
const MAX_APPLIED: usize = 64;

/// The most values of an alternative that are marked each on its own.
const MAX_MARKED_VALUES: usize = 64;

/// An API description with all local files that it refers to.
#[derive(Debug)]
pub struct Description {
    files: Vec<Arc<DescriptionFile>>,
    schemas: Schemas,
    operations: Vec<DescribedOperation>,
    parameters: Vec<Parameter>,
    /// See [`Description::hosts`].
    hosts: Vec<String>,
    /// Sorted by their holders.
    markers: Vec<Marker>,
    /// The objects outside of schemas whose marks were read.
    marked: HashSet<NodeId>,
    problems: Vec<DescriptionProblem>,
    expansion: ExpansionFactor,
    /// By schema: the result of [`Self::deprecation_of`].
    statuses: Vec<DeprecationStatus>,
}

impl Description {
    /// Loads the description in the file of this name, and all local files that it refers to.
    pub fn load(
        name: &str,
        files: &dyn FileSource,
        options: MarkerOptions,
    ) -> Result<Self, LoadError> {
        match files.read(name) {
            Ok(bytes) => Self::from_bytes(name, &bytes, files, options),
            Err(error) => {
                let kind = LoadErrorKind::Unreadable(library::reason(&error));
                Err(LoadError {
                    file: name.to_owned(),
                    at: None,
                    kind,
                })
            }
        }
    }

    /// Loads the description in `bytes`, which were read from the file of this name.
    pub fn from_bytes(
        name: &str,
        bytes: &[u8],
        files: &dyn FileSource,
        options: MarkerOptions,
    ) -> Result<Self, LoadError> {
        let mut library = Library::new(files);
        let first = library.open_first(name, bytes)?;
        let mut reader = PathReader::new(
            &mut library,
            SchemaReader::new(options),
            dialect(name, &first.document)?,
        );
        reader.read(&first.document);
        reader.report_collisions();
        let PathReader {
            operations,
            parameters,
            hosts,
            marked,
            schemas:
                SchemaReader {
                    mut schemas,
                    mut markers,
                    ..
                },
            ..
        } = reader;
        schemas.finish(&mut library);
        schemas.propagate_markers(&markers);
        markers.sort_by_key(|marker| (marker.holder, marker.sources.first().map(|key| key.1)));
        let visits = library.visits();
        let mut description = Self {
            expansion: library.expansion(),
            files: library.files,
            schemas,
            operations,
            parameters,
            hosts: hosts.into_patterns(),
            markers,
            marked,
            problems: library.problems,
            statuses: Vec::new(),
        };
        description.find_statuses(visits);
        description.mark_values();
        description.find_statuses(visits);
        let problems = &mut description.problems;
        problems.sort_by_key(|problem| problem.at);
        problems.dedup();
        Ok(description)
    }

    /// Makes the marks of alternatives that list their values (`const`, `enum`) marks of these values, if others are not marked.
    fn mark_values(&mut self) {
        let branches = self.schemas.all_edges().iter().filter(|edge| {
            let is_branch = matches!(edge.kind, EdgeKind::OneOf | EdgeKind::AnyOf);
            is_branch && self.deprecation_of(edge.from) == DeprecationStatus::Possible
        });
        let alternatives: HashSet<SchemaId> = branches.map(|edge| edge.to).collect();
        let split = |marker: &Marker| {
            let schema = self.schemas.at(marker.holder);
            let schema = schema.filter(|id| marker.value.is_none() && alternatives.contains(id));
            let listed = schema.map_or_else(Vec::new, |id| self.enum_values(id));
            let texts = listed.into_iter().filter_map(Node::text);
            let mut values: Vec<_> = texts.map(|text| Some(text.to_owned())).collect();
            if !(1..=MAX_MARKED_VALUES).contains(&values.len()) {
                values = vec![marker.value.clone()];
            }
            let split = values.into_iter().map(|value| Marker {
                value,
                ..marker.clone()
            });
            split.collect::<Vec<_>>()
        };
        self.markers = self.markers.iter().flat_map(split).collect();
    }

    /// Finds out which schemas are deprecated, as far as the limit for a description with so many visits allows, and reports the first
    /// that stays undecided.
    fn find_statuses(&mut self, visits: usize) {
        let limit = visits.saturating_mul(4);
        let effort = Cell::new(0);
        let mut undecided = None;
        let statuses = self.schemas.ids().map(|id| {
            if effort.get() <= limit {
                self.find_status(id, &effort)
            } else {
                undecided = undecided.or(self.schemas.get(id));
                DeprecationStatus::Possible
            }
        });
        let statuses = statuses.collect();
        let undecided = undecided.map(|Schema { node, .. }| DescriptionProblem {
            at: self.label(*node),
            kind: DescriptionProblemKind::TooMuch(self.expansion),
        });
        self.statuses = statuses;
        self.problems.extend(undecided);
    }

    /// Whether the values that this schema describes are deprecated, including what it is composed of: with `allOf`, one
    /// deprecated part is enough; alternatives must agree.
    pub fn deprecation_of(&self, schema: SchemaId) -> DeprecationStatus {
        let status = self.statuses.get(schema.index()).copied();
        status.unwrap_or(DeprecationStatus::NotDeprecated)
    }

    /// The hosts of all servers, such as `api.example.com` and `*.example.com`; none if a server may be on any host.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Whether it is all that a file of this name with these bytes describes, wherever it may refer to.
    pub fn is_all_of(&self, name: &str, bytes: &[u8]) -> bool {
        let mut kinds = self.problems.iter().map(|problem| &problem.kind);
        matches!(&*self.files, [only] if only.name == name && only.document.text() == bytes)
            && !kinds.any(DescriptionProblemKind::is_of_file)
    }

    /// The limit for its expansion, which also applies to searches.
    pub fn expansion(&self) -> ExpansionFactor {
        self.expansion
    }

    /// All files, the description's own file first.
    pub fn files(&self) -> &[Arc<DescriptionFile>] {
        &self.files
    }

    pub fn file(&self, id: FileId) -> Option<&DescriptionFile> {
        self.files.get(id.index()).map(|file| &**file)
    }

    /// The file that was read under this name.
    pub fn file_named(&self, name: &str) -> Option<FileId> {
        let index = self.files.iter().position(|file| file.name == name)?;
        u32::try_from(index).ok().map(FileId)
    }

    /// The value at a node.
    pub fn value(&self, node: NodeId) -> Option<Node<'_>> {
        Some(self.file(node.file)?.at(node))
    }

    /// The location of a node, as messages show it.
    pub fn label(&self, node: NodeId) -> Label {
        let span = self.value(node).map(Node::label).unwrap_or_default();
        let NodeId { file, .. } = node;
        Label { file, span }
    }

    /// The root of the description's own file.
    pub fn root(&self) -> Option<Node<'_>> {
        Some(self.file(FileId::FIRST)?.document.root())
    }

    /// A location as messages show it: `api.yaml:3:5`.
    pub fn shown(&self, label: Label) -> String {
        let (file, at) = self.located(label);
        format!("{file}:{at}")
    }

    /// The name of a file, and the line and column of a span in it.
    fn located(&self, Label { file, span }: Label) -> (&str, Location) {
        let at = self.locations(file, vec![span.start]).get(span.start);
        (self.file(file).map_or("", |file| &file.name), at)
    }

    /// The lines and columns of offsets in a file, found in one pass over its text.
    pub fn locations(&self, file: FileId, offsets: Vec<usize>) -> Locations {
        let text = self.file(file).map_or(&[][..], |file| file.document.text());
        Locations::of(Block::whole(text), offsets)
    }

    /// Whether the marks of an object are read.
    pub(crate) fn reads_marks(&self, node: NodeId) -> bool {
        self.marked.contains(&node) || self.schemas.at(node).is_some()
    }

    /// All markers, in the order of the files and of the marked elements.
    pub fn markers(&self) -> &[Marker] {
        &self.markers
    }

    /// The markers of an object.
    pub(crate) fn markers_at(&self, node: NodeId) -> &[Marker] {
        let first = self.markers.partition_point(|marker| marker.holder < node);
        let rest = self.markers.get(first..).unwrap_or_default();
        let end = rest.partition_point(|marker| marker.holder == node);
        rest.get(..end).unwrap_or_default()
    }

    /// All operations: first those of paths, then webhooks, then callbacks.
    pub fn operations(&self) -> &[DescribedOperation] {
        &self.operations
    }

    pub fn operation(&self, id: OperationId) -> Option<&DescribedOperation> {
        self.operations.get(id.index())
    }

    /// All operations with their ids.
    pub fn numbered_operations(&self) -> impl Iterator<Item = (OperationId, &DescribedOperation)> {
        (0..).map(OperationId).zip(&self.operations)
    }

    /// All bodies with their operations.
    pub fn bodies(&self) -> impl Iterator<Item = (&DescribedOperation, &DescribedBody)> + Clone {
        let operations = self.operations.iter();
        operations.flat_map(|one| one.bodies.iter().map(move |body| (one, body)))
    }

    /// A parameter or header.
    pub fn parameter(&self, id: ParameterId) -> Option<&Parameter> {
        self.parameters.get(id.index())
    }

    /// The parameters of an operation and the headers of its messages, each with the message that carries it.
    pub fn carried<'d>(
        &'d self,
        operation: &'d DescribedOperation,
    ) -> impl Iterator<Item = (&'d Carrier, ParameterId, &'d Parameter)> {
        let parameters = operation.parameters.iter();
        let parameters = parameters.map(|id| (&Carrier::Request, *id));
        let headers = operation.headers.iter().map(|(carrier, id)| (carrier, *id));
        let all = parameters.chain(headers);
        all.filter_map(|(carrier, id)| Some((carrier, id, self.parameter(id)?)))
    }

    /// The graph of schemas.
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// The markers of an operation: its own, and those of its path.
    pub fn operation_markers(&self, operation: &DescribedOperation) -> Vec<&Marker> {
        let nodes = [operation.node].into_iter();
        let nodes = nodes.chain(operation.path_items.iter().copied());
        nodes.flat_map(|node| self.markers_at(node)).collect()
    }

    /// The markers of a parameter: its own, those of references to it, and those of its schema.
    pub fn parameter_markers(&self, parameter: &Parameter) -> Vec<&Marker> {
        let own = parameter.nodes().flat_map(|node| self.markers_at(node));
        let schema = parameter
            .schema
            .into_iter()
            .flat_map(|schema| self.markers_of_values(schema));
        own.chain(schema).collect()
    }

    /// The markers of a body by the node that gives its schema: of the schema, and of the parameter that holds it (Swagger 2.0).
    pub fn body_markers(&self, node: NodeId, schema: Option<SchemaId>) -> Vec<&Marker> {
        let schema = schema.into_iter();
        let mut markers: Vec<_> = schema.flat_map(|one| self.markers_of_values(one)).collect();
        let holder = self.holder_of(node).into_iter();
        markers.extend(holder.flat_map(|holder| self.markers_at(holder)));
        markers
    }

    /// The object with the value at a node.
    pub(crate) fn holder_of(&self, node: NodeId) -> Option<NodeId> {
        let holder = self.value(node)?.parent()?;
        Some(NodeId::of(node.file, holder))
    }

    /// The markers of a schema, and those of single values in the elements of its arrays.
    fn markers_of_values(&self, schema: SchemaId) -> Vec<&Marker> {
        let mut markers = self.schema_markers(schema);
        let applied: Vec<SchemaId> = self.applied([schema]).take(MAX_APPLIED).collect();
        for edge in self.schemas.elements_of(&applied) {
            for marker in self.schema_markers(edge.to) {
                if marker.value.is_some() && !markers.contains(&marker) {
                    markers.push(marker);
                }
            }
        }
        markers
    }

    /// The markers of a schema: its own, and those of all schemas that it is composed of, including alternatives.
    /// [`Self::deprecation_of`] says how certain the deprecation is.
    pub fn schema_markers(&self, schema: SchemaId) -> Vec<&Marker> {
        if !self.schemas.has_markers(schema) {
            return Vec::new();
        }
        let parts = self.applied([schema]).take(self.expansion.times(MAX_PARTS));
        let nodes = parts.filter_map(|id| self.schemas.get(id));
        nodes.flat_map(|part| self.markers_at(part.node)).collect()
    }

    /// The members and elements whose schemas have markers, each once, with the markers. [`Marker::value`] says whether all of it
    /// or one of its values is deprecated. The values of elements are those of their array.
    pub fn deprecated_values(&self) -> impl Iterator<Item = (&Edge, Vec<&Marker>)> {
        let inside = self.schemas.all_edges().iter();
        inside
            .filter(|edge| edge.kind.step().is_inside())
            .filter_map(|edge| {
                let mut markers = self.markers_of_values(edge.to);
                if edge.kind.step() == SchemaStep::Element {
                    let own = self.schema_markers(edge.to);
                    markers.retain(|one| one.value.is_none() || !own.contains(one));
                }
                (!markers.is_empty()).then_some((edge, markers))
            })
    }

    /// The values of a schema's `enum`, and of its `const`.
    pub fn enum_values(&self, schema: SchemaId) -> Vec<Node<'_>> {
        let listed = self.keyword(schema, "enum").into_iter();
        let listed = listed.flat_map(Node::children);
        listed.chain(self.keyword(schema, "const")).collect()
    }

    /// The names in a schema's `required`.
    pub fn required(&self, schema: SchemaId) -> impl Iterator<Item = Node<'_>> + Clone {
        let list = self.keyword(schema, "required").into_iter();
        let list = list.filter(|list| list.kind() == ValueKind::Array);
        list.flat_map(Node::children)
    }

    /// The object of a schema.
    pub fn schema_value(&self, schema: SchemaId) -> Option<Node<'_>> {
        self.value(self.schemas.get(schema)?.node)
    }

    /// The value of a keyword in a schema.
    fn keyword(&self, schema: SchemaId, keyword: &str) -> Option<Node<'_>> {
        self.schema_value(schema)?.get(keyword)
    }

    /// Whether operations, servers or alternatives were left out because of a limit. Then the absence of an element
    /// proves nothing.
    pub fn is_cut(&self) -> bool {
        self.problems.iter().any(DescriptionProblem::is_cut)
    }

    /// Returns the description for use as rules. Fails if it [is cut](Self::is_cut): with rules missing, uses would be missed.
    pub fn uncut(self) -> Result<Self, LoadError> {
        let Some(problem) = self.problems.iter().find(|problem| problem.is_cut()) else {
            return Ok(self);
        };
        let (file, at) = self.located(problem.at);
        Err(LoadError {
            file: file.to_owned(),
            at: Some((problem.at.span, at)),
            kind: LoadErrorKind::Cut(Box::new(problem.kind.clone())),
        })
    }

    /// The problems, in the order of the files.
    pub fn problems(&self) -> &[DescriptionProblem] {
        &self.problems
    }
}

/// The language of a description.
fn dialect(name: &str, document: &Document<'_>) -> Result<Dialect, LoadError> {
    let root = document.root();
    Dialect::of(root).ok_or_else(|| {
        let stated = ["openapi", "swagger"]
            .into_iter()
            .find_map(|key| root.get(key));
        // A value that is not text does not state a version.
        let stated = stated.filter(|value| value.text().is_some());
        let at = stated.map(|value| {
            let span = value.span();
            (span, library::locate(document.text(), span.start))
        });
        LoadError {
            file: name.to_owned(),
            at,
            kind: match at {
                Some(_) => LoadErrorKind::UnknownVersion,
                None => LoadErrorKind::NoDescription,
            },
        }
    })
}
