//! Reads paths, webhooks and callbacks into operations.

mod contents;

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::library::Library;
use super::marker::{self, MarkedElement, Marker};
use super::operation::{
    Carrier, DescribedOperation, Label, OperationId, OperationRole, Parameter, ParameterId,
};
use super::problem::DescriptionProblemKind;
use super::schema::{SchemaId, SchemaReader};
use super::server;
use super::{Dialect, File, FileId, MOST_OF_VALUE, MOST_SHARED, NodeId};
use crate::json::{ValueKind, ValueRef};

/// The fixed methods of a path item, OpenAPI 3.2's `query` included.
const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// Reads operations. Path items that callbacks hold wait in a queue, since they may hold callbacks in turn.
pub(super) struct PathReader<'r, 'f> {
    pub(super) library: &'r mut Library<'f>,
    pub(super) schemas: SchemaReader,
    pub(super) dialect: Dialect,
    pub(super) operations: Vec<DescribedOperation>,
    pub(super) parameters: Vec<Parameter>,
    /// By where they, or a reference to them, stand.
    known_parameters: HashMap<NodeId, Option<ParameterId>>,
    /// Elements whose markers have been read.
    marked: HashSet<NodeId>,
    waiting: VecDeque<PathItem>,
    /// Callbacks that have been met, each with the path items behind it: one that is shared is read once.
    called: HashSet<NodeId>,
    /// Of the whole description.
    prefixes: Arc<[String]>,
    /// What lists of servers stand for, by where they stand.
    known_servers: HashMap<NodeId, Option<Arc<[String]>>>,
    /// How much has been gone through so far: entries of lists and maps, shared ones each time.
    visits: usize,
    is_cut: bool,
    /// Of the whole description (Swagger 2.0).
    consumes: Arc<[String]>,
    produces: Arc<[String]>,
}

/// A path item that waits to be read.
struct PathItem {
    start: NodeId,
    path: String,
    label: Label,
    role: OperationRole,
}

/// What all operations of a path share.
struct PathContext {
    item: PathItem,
    places: Vec<NodeId>,
    parameters: Vec<ParameterId>,
    prefixes: Arc<[String]>,
}

impl<'r, 'f> PathReader<'r, 'f> {
    pub(super) fn new(
        library: &'r mut Library<'f>,
        schemas: SchemaReader,
        dialect: Dialect,
    ) -> Self {
        Self {
            library,
            schemas,
            dialect,
            operations: Vec::new(),
            parameters: Vec::new(),
            known_parameters: HashMap::new(),
            marked: HashSet::new(),
            waiting: VecDeque::new(),
            called: HashSet::new(),
            prefixes: [String::new()].into(),
            known_servers: HashMap::new(),
            visits: 0,
            is_cut: false,
            consumes: Arc::default(),
            produces: Arc::default(),
        }
    }

    /// Reads the whole description at a file's root.
    pub(super) fn read(&mut self, file: FileId) {
        let Some(holder) = self.library.file(file) else { return };
        let root = holder.document.root();
        self.prefixes = match self.dialect {
            Dialect::Swagger => server::base_path(root.get("basePath")),
            Dialect::OpenApi => self.servers(file, root).unwrap_or_else(|| self.prefixes.clone()),
        };
        self.consumes = texts(root.get("consumes"));
        self.produces = texts(root.get("produces"));
        for key in ["paths", "x-ms-paths"] {
            self.path_items(file, root.get(key), OperationRole::Served);
        }
        for key in ["webhooks", "x-webhooks"] {
            self.path_items(file, root.get(key), OperationRole::Webhook);
        }
        while let Some(item) = self.waiting.pop_front() {
            self.path_item(item);
        }
        self.components(file, root);
        self.schemas.read_pending(self.library);
    }

    fn path_items(&mut self, file: FileId, map: Option<ValueRef<'_>>, role: OperationRole) {
        let Some(map) = map else { return };
        if !matches!(map.kind(), ValueKind::Object | ValueKind::Null) {
            return self.library.expected(file, map, "an object with a path item under each path");
        }
        for item in map.children() {
            let Some(path) = item.key().filter(|path| !path.starts_with("x-")) else { continue };
            let start = NodeId { file, value: item.id() };
            let label = Label { file, span: item.label() };
            self.waiting.push_back(PathItem { start, path: path.to_owned(), label, role });
        }
    }

    /// What the `servers` of an object stand for, without a slash at their end; `None` where it has none.
    fn servers(&mut self, file: FileId, holder: ValueRef<'_>) -> Option<Arc<[String]>> {
        let list = holder.get("servers")?;
        let place = NodeId { file, value: list.id() };
        if let Some(known) = self.known_servers.get(&place) {
            return known.clone();
        }
        let servers = server::read(list, self.library.expansion());
        if servers.as_ref().is_some_and(|servers| servers.is_cut) {
            self.library.tell(
                file,
                list.label(),
                DescriptionProblemKind::Servers(self.library.expansion()),
            );
        }
        let prefixes = servers.map(|servers| servers.prefixes);
        // An operation has one at least.
        let prefixes = prefixes.filter(|prefixes| !prefixes.is_empty());
        self.known_servers.insert(place, prefixes.clone());
        prefixes
    }

    /// Counts so many entries that are gone through; whether there is room for them. The first for which there is none is told.
    fn visit(&mut self, entries: usize, label: Label) -> bool {
        self.visits = self.visits.saturating_add(entries);
        let usual = MOST_SHARED + MOST_OF_VALUE * self.library.values();
        let has_room = self.visits <= self.library.expansion().times(usual);
        if !has_room && !self.is_cut {
            self.is_cut = true;
            self.library.tell(
                label.file,
                label.span,
                DescriptionProblemKind::TooMuch(self.library.expansion()),
            );
        }
        has_room
    }

    /// A text of something that operations may share, where there is room for it.
    fn text(&mut self, file: FileId, value: Option<ValueRef<'_>>) -> Option<String> {
        let text = value?.as_str()?;
        let label = Label { file, span: value?.label() };
        self.visit(text.len() / 16, label).then(|| text.to_owned())
    }

    /// The entries of a list or map that operations may share; none where there is no more room for them.
    fn entries<'d>(&mut self, file: FileId, holder: Option<ValueRef<'d>>) -> Vec<ValueRef<'d>> {
        let Some(holder) = holder else { return Vec::new() };
        let label = Label { file, span: holder.label() };
        if self.visit(holder.children().len(), label) {
            holder.children().collect()
        } else {
            Vec::new()
        }
    }

    fn object(&mut self, place: NodeId, what: &'static str) -> Option<Arc<File>> {
        let file = self.library.file(place.file)?;
        let value = file.document.value(place.value);
        match value.kind() {
            ValueKind::Object => Some(file),
            ValueKind::Null => None,
            _ => {
                self.library.expected(place.file, value, what);
                None
            }
        }
    }

    fn path_item(&mut self, item: PathItem) {
        let places: Vec<NodeId> = self.library.follow(item.start).places().collect();
        let mut seen = HashSet::new();
        let (mut parameters, mut prefixes) = (Vec::new(), None);
        let mut found = Vec::new();
        for &place in &places {
            let Some(file) = self.object(place, "a path item") else { continue };
            let value = file.document.value(place.value);
            if !self.visit(value.children().len(), item.label) {
                return;
            }
            self.mark(place, value, MarkedElement::PathItem);
            let own = self.parameter_list(place.file, value.get("parameters"));
            parameters = self.overridden(&parameters, &own);
            if item.role == OperationRole::Served {
                prefixes = prefixes.or_else(|| self.servers(place.file, value));
            }
            let more = value.get("additionalOperations").into_iter().flat_map(ValueRef::children);
            for member in value.children() {
                let is_method = member.key().is_some_and(|key| METHODS.contains(&key));
                if is_method && seen.insert(member.key().map(str::to_owned)) {
                    found.push(NodeId { file: place.file, value: member.id() });
                }
            }
            found.extend(more.map(|member| NodeId { file: place.file, value: member.id() }));
        }
        let is_served = item.role == OperationRole::Served;
        let prefixes = prefixes.unwrap_or_else(|| {
            if is_served { self.prefixes.clone() } else { [String::new()].into() }
        });
        let shared = PathContext { item, places, parameters, prefixes };
        for start in found {
            self.operation(start, &shared);
        }
    }

    fn operation(&mut self, start: NodeId, shared: &PathContext) {
        let Some(holder) = self.library.file(start.file) else { return };
        let member = holder.document.value(start.value);
        let label = Label { file: start.file, span: member.label() };
        let method = member.key().unwrap_or_default().to_ascii_uppercase();
        // An operation is as large as several entries, and has a path of its own, of any length.
        let own = 8 + (shared.item.path.len() + method.len()) / 16;
        if !self.visit(own + shared.parameters.len(), label) {
            return;
        }
        // By the letter an operation is no reference; some tools write one all the same.
        let Some(place) = self.library.follow(start).end else { return };
        let Some(file) = self.object(place, "an operation") else { return };
        let value = file.document.value(place.value);
        self.mark(place, value, MarkedElement::Operation);
        let id = OperationId(u32::try_from(self.operations.len()).unwrap_or(u32::MAX));
        let role = shared.item.role;
        // Webhooks and callbacks have no path of the service.
        let is_served = role == OperationRole::Served;
        let prefixes = is_served.then(|| self.servers(place.file, value)).flatten();
        let mut operation = DescribedOperation {
            place,
            path_items: shared.places.clone(),
            label,
            method,
            path: shared.item.path.clone(),
            path_label: shared.item.label,
            role,
            prefixes: prefixes.unwrap_or_else(|| shared.prefixes.clone()),
            id: self.text(place.file, value.get("operationId")),
            parameters: Vec::new(),
            headers: Vec::new(),
            bodies: Vec::new(),
        };
        let own = self.parameter_list(place.file, value.get("parameters"));
        operation.parameters = self.overridden(&shared.parameters, &own);
        self.request(place.file, value, &mut operation);
        self.responses(place.file, value, &mut operation);
        self.operations.push(operation);
        self.callbacks(place.file, value.get("callbacks"), id);
    }

    /// A parameter of the operation stands for the path's of the same name and location.
    fn overridden(&self, outer: &[ParameterId], own: &[ParameterId]) -> Vec<ParameterId> {
        let name = |id: ParameterId| {
            self.parameters.get(id.index()).map(|parameter| (&parameter.name, parameter.location))
        };
        let own_names: HashSet<_> = own.iter().map(|&id| name(id)).collect();
        let kept = outer.iter().copied().filter(|&id| !own_names.contains(&name(id)));
        own.iter().copied().chain(kept).collect()
    }

    fn callbacks(&mut self, file: FileId, callbacks: Option<ValueRef<'_>>, operation: OperationId) {
        for callback in self.entries(file, callbacks) {
            let start = NodeId { file, value: callback.id() };
            let Some(place) = self.library.follow(start).end else { continue };
            let Some(holder) = self.object(place, "a callback object") else { continue };
            // One that calls itself back would never end.
            if self.called.insert(place) {
                let value = holder.document.value(place.value);
                self.path_items(place.file, Some(value), OperationRole::Callback(operation));
            }
        }
    }

    /// What says of an element that it is deprecated, read once.
    fn mark(&mut self, place: NodeId, value: ValueRef<'_>, element: MarkedElement) {
        if self.marked.insert(place) {
            let markers: Vec<Marker> =
                marker::read(self.library, place, value, element, self.schemas.dates);
            self.schemas.markers.extend(markers);
        }
    }

    fn schema(&mut self, file: FileId, value: Option<ValueRef<'_>>) -> Option<SchemaId> {
        Some(self.schemas.intern(self.library, file, value?))
    }

    /// Reads what no operation may use: it can be deprecated all the same.
    fn components(&mut self, file: FileId, root: ValueRef<'_>) {
        let components = match self.dialect {
            Dialect::OpenApi => root.get("components"),
            Dialect::Swagger => Some(root),
        };
        let members = |keys: [&'static str; 2]| {
            let maps = keys.into_iter().filter_map(|key| components?.get(key));
            let members =
                maps.filter(|map| map.kind() == ValueKind::Object).flat_map(ValueRef::children);
            members.collect::<Vec<_>>()
        };
        let schemas = match self.dialect {
            Dialect::OpenApi => ["schemas", ""],
            Dialect::Swagger => ["definitions", ""],
        };
        for schema in members(schemas) {
            self.schemas.intern(self.library, file, schema);
        }
        for parameter in members(["parameters", ""]) {
            if is_body(parameter) {
                self.schema(file, parameter.get("schema"));
            } else {
                self.parameter(NodeId { file, value: parameter.id() }, None);
            }
        }
        let mut unused = self.placeless(file);
        for response in members(["responses", ""]) {
            let start = NodeId { file, value: response.id() };
            self.response(start, &Carrier::Response("default".into()), &[], &mut unused);
        }
        for body in members(["requestBodies", ""]) {
            self.request_body(NodeId { file, value: body.id() }, &mut unused);
        }
        for header in members(["headers", ""]) {
            let label = Label { file, span: header.label() };
            let name = header.key().unwrap_or_default();
            self.parameter(NodeId { file, value: header.id() }, Some((name, label)));
        }
        for scheme in members(["securitySchemes", "securityDefinitions"]) {
            self.mark(NodeId { file, value: scheme.id() }, scheme, MarkedElement::SecurityScheme);
        }
    }

    /// Where the bodies of components go that no operation uses.
    fn placeless(&self, file: FileId) -> DescribedOperation {
        let label = Label { file, span: crate::text::Span::default() };
        DescribedOperation {
            place: NodeId { file, value: crate::json::ValueId::ROOT },
            path_items: Vec::new(),
            label,
            method: String::new(),
            path: String::new(),
            path_label: label,
            role: OperationRole::Served,
            prefixes: self.prefixes.clone(),
            id: None,
            parameters: Vec::new(),
            headers: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// Tells operations that the same requests call.
    pub(super) fn tell_collisions(&mut self) {
        // By a hash, since all ways to call all operations are many times as long as the description.
        let mut seen: HashMap<u64, Vec<(&DescribedOperation, &str)>> = HashMap::new();
        let mut problems = Vec::new();
        let hasher = RandomState::new();
        for operation in
            self.operations.iter().filter(|operation| operation.role == OperationRole::Served)
        {
            for prefix in operation.prefixes.iter() {
                let path = without_names(prefix, &operation.path);
                let known = seen.entry(hasher.hash_one((&operation.method, &path))).or_default();
                let is_same = |(other, prefix): &&(&DescribedOperation, &str)| {
                    other.method == operation.method && without_names(prefix, &other.path) == path
                };
                let Some((other, _)) = known.iter().find(is_same) else {
                    known.push((operation, prefix));
                    continue;
                };
                if other.label != operation.label {
                    problems.push((operation.label, other.label));
                    break;
                }
            }
        }
        for (label, other) in problems {
            let kind = DescriptionProblemKind::Collision(other.file, other.span);
            self.library.tell(label.file, label.span, kind);
        }
    }
}

/// The path behind its prefix, with all variables called the same.
fn without_names(prefix: &str, path: &str) -> String {
    let whole = format!("{prefix}{path}");
    let mut plain = String::with_capacity(whole.len());
    let mut rest = whole.as_str();
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((_, behind)) = behind.split_once('}') else { break };
        plain.push_str(before);
        plain.push_str("{}");
        rest = behind;
    }
    plain.push_str(rest);
    plain
}

fn texts(list: Option<ValueRef<'_>>) -> Arc<[String]> {
    list.into_iter()
        .flat_map(ValueRef::children)
        .filter_map(ValueRef::as_str)
        .map(str::to_owned)
        .collect()
}

fn is_body(parameter: ValueRef<'_>) -> bool {
    parameter.get("in").and_then(ValueRef::as_str) == Some("body")
}
