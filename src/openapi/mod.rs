//! API descriptions: OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0, as a graph.
//!
//! A [`Description`] is one or more files, the operations that they describe, and every schema once, whatever points to it.
//! It is used both ways: as the source of rules (its [markers](Marker) say what is deprecated) and as an input that is
//! searched for uses.
//!
//! - *What is deprecated:* [`Description::markers`] are all deprecations, each at its definition;
//!   [`Description::deprecated_properties`] are the properties among them.
//! - *Where a body leads:* [`Description::applied`] are the schemas that describe a value, [`Description::member`] and
//!   [`Description::element`] go one step on, and [`Description::verdict`] says what composition makes of it.
//! - *Who is affected:* [`Reach::operations`] are the operations whose bodies reach a schema.
//!
//! What cannot be read (a reference to nothing, or to the network, from which nothing is ever fetched) does not keep
//! the rest from being read: [`Description::problems`] tells of it.

mod dates;
mod example;
mod files;
mod library;
mod marker;
mod operation;
mod paths;
mod problem;
mod reach;
mod schema;
mod server;
mod step;
mod verdict;
mod walk;

pub use files::{FileSource, local_name};
pub use marker::{
    DateSources, MarkedElement, Marker, MarkerDate, MarkerScope, MarkerSource, MarkerText,
};
pub use operation::{
    BodyShape, Carrier, DescribedBody, DescribedExample, DescribedOperation, Direction,
    ExampleKeyword, Label, OperationId, OperationRole, Parameter, ParameterId, ParameterLocation,
    Presence,
};
pub use problem::{
    DescriptionProblem, DescriptionProblemKind, LoadError, LoadErrorKind, ProblemCost,
};
pub use reach::{EntryPoint, EntryRoot, Reach};
pub use schema::{
    Access, Discriminator, Edge, EdgeKind, Schema, SchemaId, SchemaStatus, SchemaStep, Schemas,
};
pub use step::{Applied, Choice, Stepped};
pub use verdict::{ChosenBranches, DeprecationStatus};
pub use walk::{SchemaGraph, SchemaGraphs, UsePatterns};

use std::sync::Arc;

use crate::json::{Document, ValueId, ValueKind, ValueRef};
use crate::text::{Block, ExpansionFactor, Location, Locations, Span};
use library::{Library, ReferenceTargets};
use paths::PathReader;
use schema::SchemaReader;

/// The number of a file in its description; the description's own is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// The description's own file.
    pub const FIRST: Self = Self(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value in one of a description's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// The file.
    pub file: FileId,
    /// The value in it, no alias.
    pub value: ValueId,
}

/// One of a description's files.
#[derive(Debug)]
pub struct File {
    /// By what name it was read.
    pub name: String,
    /// What stands in it.
    pub document: Document<'static>,
}

/// The versions that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the versions' own names")]
pub enum SpecVersion {
    Swagger20,
    OpenApi30,
    OpenApi31,
    OpenApi32,
}

/// How many path items, operations, parameters, headers, bodies and examples are gone through, shared ones each time: so many
/// for each value that stands in a description, and so many more. That is far more than the largest that are known share,
/// and a bound for what was made to multiply.
const MOST_OF_VALUE: usize = 8;
const MOST_SHARED: usize = 500_000;

/// The two languages among the versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Swagger,
    OpenApi,
}

impl SpecVersion {
    /// The version of a description whose file has this root; `None` where it is no description of a version we know.
    pub fn of(root: ValueRef<'_>) -> Option<Self> {
        let is = |key: &str, version: &str| {
            let text = root.get(key).and_then(ValueRef::text).unwrap_or_default();
            text.strip_prefix(version).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        // Wherever in the file the keys stand.
        match () {
            () if is("openapi", "3.0") => Some(Self::OpenApi30),
            () if is("openapi", "3.1") => Some(Self::OpenApi31),
            () if is("openapi", "3.2") => Some(Self::OpenApi32),
            // As a number, it may have lost its zero.
            () if is("swagger", "2.0") || is("swagger", "2") => Some(Self::Swagger20),
            () => None,
        }
    }

    fn dialect(self) -> Dialect {
        if self == Self::Swagger20 { Dialect::Swagger } else { Dialect::OpenApi }
    }
}

/// An API description, with all local files that it refers to.
#[derive(Debug)]
pub struct Description {
    version: SpecVersion,
    files: Vec<Arc<File>>,
    schemas: Schemas,
    operations: Vec<DescribedOperation>,
    parameters: Vec<Parameter>,
    /// In the order of their holders.
    markers: Vec<Marker>,
    problems: Vec<DescriptionProblem>,
    /// By file, and by the text of the reference.
    targets: Vec<ReferenceTargets>,
    expansion: ExpansionFactor,
}

impl Description {
    /// Reads the description in the file of this name, and whatever local files it refers to.
    pub fn load(name: &str, files: &dyn FileSource, dates: DateSources) -> Result<Self, LoadError> {
        match files.read(name) {
            Ok(bytes) => Self::from_bytes(name, &bytes, files, dates),
            Err(error) => {
                let kind = LoadErrorKind::Unreadable(library::reason(&error));
                Err(LoadError { file: name.to_owned(), at: None, kind })
            }
        }
    }

    /// Reads the description in `bytes`, which were read by this name.
    pub fn from_bytes(
        name: &str,
        bytes: &[u8],
        files: &dyn FileSource,
        dates: DateSources,
    ) -> Result<Self, LoadError> {
        let mut library = Library::new(files);
        let first = library.open_first(name, bytes)?;
        let version = library.file(first).map_or(Err(None), |file| version(&file.document));
        let version = version.map_err(|at| {
            let kind = match at {
                Some(_) => LoadErrorKind::UnknownVersion,
                None => LoadErrorKind::NoDescription,
            };
            LoadError { file: name.to_owned(), at, kind }
        })?;
        let schemas = SchemaReader::new(dates);
        let mut reader = PathReader::new(&mut library, schemas, version.dialect());
        reader.read(first);
        reader.tell_collisions();
        let PathReader { schemas: reader, operations, parameters, .. } = reader;
        let SchemaReader { mut schemas, mut markers, .. } = reader;
        schemas.settle(&mut library);
        schemas.spread(&markers);
        markers.sort_by_key(|marker| (marker.holder, marker.span));
        let expansion = library.expansion();
        let (files, targets, mut problems) = library.into_parts();
        problems.sort_by_key(|problem| (problem.file, problem.span));
        problems.dedup();
        Ok(Self {
            version,
            files,
            schemas,
            operations,
            parameters,
            markers,
            problems,
            targets,
            expansion,
        })
    }

    /// Which version of which language it is written in.
    pub fn version(&self) -> SpecVersion {
        self.version
    }

    /// How much it may stand for, which its searches keep to as well.
    pub fn expansion(&self) -> ExpansionFactor {
        self.expansion
    }

    /// All its files, its own first.
    pub fn files(&self) -> &[Arc<File>] {
        &self.files
    }

    /// A file.
    pub fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(id.index()).map(|file| &**file)
    }

    /// The file that was read by this name.
    pub fn file_named(&self, name: &str) -> Option<FileId> {
        let index = self.files.iter().position(|file| file.name == name)?;
        u32::try_from(index).ok().map(FileId)
    }

    /// What stands at a place.
    pub fn value(&self, place: NodeId) -> Option<ValueRef<'_>> {
        Some(self.file(place.file)?.document.value(place.value))
    }

    /// Lines and columns of offsets in a file, all found in one go through its text.
    pub fn locations(&self, file: FileId, offsets: Vec<usize>) -> Locations {
        let text = self.file(file).map_or("", |file| file.document.text());
        Locations::of(Block::whole(text.as_bytes()), offsets)
    }

    /// Everything that says that something is deprecated, in the order of the files and of what it says it of.
    pub fn markers(&self) -> &[Marker] {
        &self.markers
    }

    /// What an object says about its own deprecation.
    pub fn markers_at(&self, place: NodeId) -> &[Marker] {
        let first = self.markers.partition_point(|marker| marker.holder < place);
        let rest = self.markers.get(first..).unwrap_or_default();
        let len = rest.iter().take_while(|marker| marker.holder == place).count();
        rest.get(..len).unwrap_or_default()
    }

    /// All operations, in the order in which they were met: paths first, then webhooks, then callbacks.
    pub fn operations(&self) -> &[DescribedOperation] {
        &self.operations
    }

    /// An operation.
    pub fn operation(&self, id: OperationId) -> Option<&DescribedOperation> {
        self.operations.get(id.index())
    }

    /// The numbers of all operations.
    pub fn operation_ids(&self) -> impl ExactSizeIterator<Item = OperationId> + use<> {
        (0..u32::try_from(self.operations.len()).unwrap_or(u32::MAX)).map(OperationId)
    }

    /// All parameters and headers, those included that no operation uses.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The numbers of all parameters and headers.
    pub fn parameter_ids(&self) -> impl ExactSizeIterator<Item = ParameterId> + use<> {
        (0..u32::try_from(self.parameters.len()).unwrap_or(u32::MAX)).map(ParameterId)
    }

    /// A parameter or header.
    pub fn parameter(&self, id: ParameterId) -> Option<&Parameter> {
        self.parameters.get(id.index())
    }

    /// The graph of schemas.
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// What an operation's markers are: its own, and those of its path.
    pub fn operation_markers(
        &self,
        operation: &DescribedOperation,
    ) -> impl Iterator<Item = &Marker> {
        let places = [operation.place].into_iter().chain(operation.path_items.iter().copied());
        places.flat_map(|place| self.markers_at(place)).collect::<Vec<_>>().into_iter()
    }

    /// What a parameter's markers are: its own, those of references to it, and those of its schema.
    pub fn parameter_markers(&self, parameter: &Parameter) -> Vec<&Marker> {
        let places = parameter.references.iter().chain([&parameter.place]);
        let own = places.flat_map(|&place| self.markers_at(place));
        let schema = parameter.schema.into_iter().flat_map(|schema| self.schema_markers(schema));
        own.chain(schema).collect()
    }

    /// All that says of the values that a schema describes that they are deprecated: its own markers and those of what
    /// it is composed of, whatever alternative that stands in; [`Self::verdict_of`] says how certain that is.
    pub fn schema_markers(&self, schema: SchemaId) -> Vec<&Marker> {
        if !self.schemas.has_markers(schema) {
            return Vec::new();
        }
        let applied = self.applied(&[schema]);
        let schemas = applied.iter().filter_map(|applied| self.schemas.get(applied.schema));
        schemas.flat_map(|schema| self.markers_at(schema.place)).collect()
    }

    /// The properties whose schema says that they are deprecated, each once, with its markers: in full or, where
    /// [`Marker::scope`] says so, for some of their values.
    pub fn deprecated_properties(&self) -> impl Iterator<Item = (&Edge, Vec<&Marker>)> {
        let edges = self.schemas.all_edges().iter();
        edges.filter(|edge| edge.kind == EdgeKind::Property).filter_map(|edge| {
            let markers = self.schema_markers(edge.to);
            (!markers.is_empty()).then_some((edge, markers))
        })
    }

    /// A property's name and its key's place.
    pub fn property(&self, edge: &Edge) -> Option<(&str, Label)> {
        let file = self.schemas.get(edge.from)?.place.file;
        let member = self.value(NodeId { file, value: edge.member })?;
        Some((member.key()?, Label { file, span: member.label() }))
    }

    /// The examples that a schema gives.
    pub fn schema_examples(&self, schema: SchemaId) -> Vec<DescribedExample> {
        let place = self.schemas.get(schema).map(|schema| schema.place);
        let value = place.and_then(|place| Some((place.file, self.value(place)?)));
        value.map(|(file, value)| example::of_schema(file, value)).unwrap_or_default()
    }

    /// The code samples of an operation.
    pub fn code_samples(&self, operation: &DescribedOperation) -> Vec<DescribedExample> {
        let value = self.value(operation.place);
        value.map(|value| example::code_samples(operation.place.file, value)).unwrap_or_default()
    }

    /// The values of a schema's `enum`.
    pub fn enum_values(&self, schema: SchemaId) -> Vec<ValueRef<'_>> {
        self.keyword(schema, "enum").into_iter().flat_map(ValueRef::children).collect()
    }

    /// The names in a schema's `required`.
    pub fn required(&self, schema: SchemaId) -> Vec<ValueRef<'_>> {
        let required =
            self.keyword(schema, "required").filter(|list| list.kind() == ValueKind::Array);
        required.into_iter().flat_map(ValueRef::children).collect()
    }

    /// What a schema says under a keyword.
    pub fn keyword(&self, schema: SchemaId, keyword: &str) -> Option<ValueRef<'_>> {
        self.value(self.schemas.get(schema)?.place)?.get(keyword)
    }

    /// What a reference in a file stands for, as it was found while loading.
    pub fn target(&self, file: FileId, reference: &str) -> Option<NodeId> {
        self.targets.get(file.index())?.get(reference).copied()
    }

    /// Whether operations, servers or alternatives of it were left out, since there are more than are gone through. Then
    /// nobody can say of anything that it is not there.
    pub fn is_cut(&self) -> bool {
        self.problems.iter().any(DescriptionProblem::cuts)
    }

    /// The description, for use as rules; an error where it [is cut](Self::is_cut): rules that are not all there would let
    /// uses pass.
    pub fn uncut(self) -> Result<Self, LoadError> {
        let error = {
            let mut problems = self.located_problems().into_iter();
            problems.find(|(problem, _)| problem.cuts()).map(|(problem, at)| LoadError {
                file: self.file(problem.file).map_or("", |file| &file.name).to_owned(),
                at: Some((problem.span, at)),
                kind: LoadErrorKind::Cut(Box::new(problem.kind.clone())),
            })
        };
        error.map_or(Ok(self), Err)
    }

    /// What is wrong or odd, in the order of the files.
    pub fn problems(&self) -> &[DescriptionProblem] {
        &self.problems
    }

    /// The same, each with its line and column.
    pub fn located_problems(&self) -> Vec<(&DescriptionProblem, Location)> {
        let of_one_file = self.problems.chunk_by(|one, other| one.file == other.file);
        let located = of_one_file.flat_map(|problems| {
            let offsets = problems.iter().map(|problem| problem.span.start).collect();
            let file = problems.first().map_or(FileId::FIRST, |problem| problem.file);
            let locations = self.locations(file, offsets);
            problems.iter().map(move |problem| (problem, locations.get(problem.span.start)))
        });
        located.collect()
    }
}

/// The version, or else where the one stands that is not known.
fn version(document: &Document<'_>) -> Result<SpecVersion, Option<(Span, Location)>> {
    let root = document.root();
    SpecVersion::of(root).ok_or_else(|| {
        let stated = ["openapi", "swagger"].into_iter().find_map(|key| root.get(key));
        // With no `paths` beside it, it may be anything.
        let span = stated.filter(|value| value.text().is_some())?.span();
        let text = document.text().as_bytes();
        Some((span, Locations::of(Block::whole(text), vec![span.start]).get(span.start)))
    })
}
