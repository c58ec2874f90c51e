//! Reads path items and their operations.

use crate::schema::SchemaReader;
use crate::server::ServerHosts;
use crate::version::Dialect;
use crate::{
    Carrier, DescribedOperation, DescriptionFile, DescriptionProblemKind, FileId, Label, Library,
    MarkedElement, Marker, NodeId, OperationRole, Parameter, ParameterId, SchemaId, marker, server,
    string_of,
};
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use sundown_text_json::json::{Document, Node, ValueKind};

/// The methods of a path item, including `query` of OpenAPI 3.2.
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];

/// Reads operations. The path items of callbacks are put into a queue, since their operations may have callbacks in turn.
pub(crate) struct PathReader<'r, 'f> {
    pub library: &'r mut Library<'f>,
    pub schemas: SchemaReader,
    pub dialect: Dialect,
    pub operations: Vec<DescribedOperation>,
    pub parameters: Vec<Parameter>,
    /// Parameters by the node of the parameter or of a reference to it.
    pub known_parameters: HashMap<NodeId, Option<ParameterId>>,
    /// Elements whose markers have been read.
    pub marked: HashSet<NodeId>,
    /// The path items that wait, each as an operation without a method.
    waiting: VecDeque<DescribedOperation>,
    /// The callbacks whose path items have been queued: a shared callback is read once.
    called: HashSet<NodeId>,
    /// The prefixes for the whole description.
    prefixes: Arc<[String]>,
    /// The prefixes of lists of servers, by the node of the list.
    known_servers: HashMap<NodeId, Option<Arc<[String]>>>,
    /// The hosts of all servers.
    pub hosts: ServerHosts,
    /// The number of entries of lists and maps visited so far; shared entries count each time.
    visits: usize,
    is_cut: bool,
    /// The media types of requests for the whole description (Swagger 2.0).
    pub consumes: Arc<[String]>,
    /// The media types of responses for the whole description (Swagger 2.0).
    pub produces: Arc<[String]>,
}

impl<'r, 'f> PathReader<'r, 'f> {
    pub(crate) fn new(
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
            hosts: ServerHosts::default(),
            visits: 0,
            is_cut: false,
            consumes: Arc::default(),
            produces: Arc::default(),
        }
    }

    /// Reads the description of the first file.
    pub(crate) fn read(&mut self, document: &Document<'_>) {
        let (file, root) = (FileId::FIRST, document.root());
        self.prefixes = match self.dialect {
            Dialect::Swagger => {
                match string_of(root, "host") {
                    Some(host) => self.hosts.add_host(host),
                    None => self.hosts.add_any(),
                }
                server::base_path(root.get("basePath"))
            }
            Dialect::OpenApi => self.servers(file, root).unwrap_or_else(|| {
                self.hosts.add_any();
                self.prefixes.clone()
            }),
        };
        self.consumes = texts(root.get("consumes")).unwrap_or_default();
        self.produces = texts(root.get("produces")).unwrap_or_default();
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

    fn path_items(&mut self, file: FileId, map: Option<Node<'_>>, role: OperationRole) {
        let Some(map) = map else { return };
        if !matches!(map.kind(), ValueKind::Object | ValueKind::Null) {
            return self
                .library
                .expected(file, map, "an object with a path item under each path");
        }
        for item in map.children() {
            let Some(path) = item.key().filter(|path| !path.starts_with("x-")) else {
                continue;
            };
            let start = NodeId::of(file, item);
            let label = Label::of(file, item);
            self.waiting.push_back(DescribedOperation {
                path: path.to_owned(),
                role,
                ..DescribedOperation::new(start, label)
            });
        }
    }

    /// The prefixes of the `servers` of an object, without a slash at the end; `None` if it has no servers.
    fn servers(&mut self, file: FileId, holder: Node<'_>) -> Option<Arc<[String]>> {
        let list = holder.get("servers")?;
        let node = NodeId::of(file, list);
        if let Some(known) = self.known_servers.get(&node) {
            return known.clone();
        }
        self.hosts.add_servers(list);
        for url in list.children().filter_map(|server| server.get("url")) {
            if let Some(host) = url.as_str().and_then(server::host_as_path) {
                let problem = DescriptionProblemKind::HostAsPath(host.to_owned());
                self.library.report(file, url.label(), problem);
            }
        }
        let (prefixes, is_cut) = server::read(list, self.library.expansion());
        if is_cut {
            self.library.report(
                file,
                list.label(),
                DescriptionProblemKind::Servers(self.library.expansion()),
            );
        }
        // An operation has at least one prefix.
        let prefixes = Some(prefixes).filter(|prefixes| !prefixes.is_empty());
        self.known_servers.insert(node, prefixes.clone());
        prefixes
    }

    /// Counts visited entries. Returns whether the limit allows them, and reports the first that it does not.
    pub(super) fn visit(&mut self, entries: usize, label: Label) -> bool {
        self.visits = self.visits.saturating_add(entries);
        let has_room = self.visits <= self.library.visits();
        if !has_room && !self.is_cut {
            self.is_cut = true;
            self.library.report(
                label.file,
                label.span,
                DescriptionProblemKind::TooMuch(self.library.expansion()),
            );
        }
        has_room
    }

    /// A text that several operations may share, if the limit allows it.
    fn text(&mut self, file: FileId, value: Option<Node<'_>>) -> Option<String> {
        let text = value?.as_str()?;
        let label = Label {
            file,
            span: value?.label(),
        };
        self.visit(text.len() / 16, label).then(|| text.to_owned())
    }

    /// The entries of a list or map that several operations may share; none if the limit does not allow them.
    pub(super) fn entries<'d>(&mut self, file: FileId, holder: Option<Node<'d>>) -> Vec<Node<'d>> {
        let Some(holder) = holder else {
            return Vec::new();
        };
        let label = Label::of(file, holder);
        if self.visit(holder.children().len(), label) {
            holder.children().collect()
        } else {
            Vec::new()
        }
    }

    /// The object at the end of a chain of references; `None` if there is none, or another value, which is reported.
    pub(super) fn object_at(
        &mut self,
        start: NodeId,
        what: &'static str,
    ) -> Option<(NodeId, Arc<DescriptionFile>)> {
        let node = self.library.follow(start).1?;
        Some((node, self.object(node, what)?))
    }

    pub(super) fn object(
        &mut self,
        node: NodeId,
        what: &'static str,
    ) -> Option<Arc<DescriptionFile>> {
        let file = self.library.file(node.file)?;
        let value = file.at(node);
        match value.kind() {
            ValueKind::Object => Some(file),
            ValueKind::Null => None,
            _ => {
                self.library.expected(node.file, value, what);
                None
            }
        }
    }

    /// Reads the operations of a path item, which share what `item` gets.
    fn path_item(&mut self, mut item: DescribedOperation) {
        let (references, end) = self.library.follow(item.node);
        item.path_items = references.into_iter().chain(end).collect();
        let is_served = item.role == OperationRole::Served;
        let mut seen = HashSet::new();
        let mut prefixes = None;
        let mut found = Vec::new();
        for node in item.path_items.clone() {
            let Some(file) = self.object(node, "a path item") else {
                continue;
            };
            let value = file.at(node);
            if !self.visit(value.children().len(), item.label) {
                return;
            }
            self.mark(node, value, MarkedElement::PathItem);
            let own = self.parameter_list(node.file, value.get("parameters"));
            item.parameters = self.overridden(&item.parameters, &own);
            if is_served {
                prefixes = prefixes.or_else(|| self.servers(node.file, value));
            }
            // The second is the first in descriptions before OpenAPI 3.2.
            let more = ["additionalOperations", "x-oai-additionalOperations"]
                .into_iter()
                .flat_map(|key| value.children_of(key));
            for member in value.children() {
                let is_method = member.key().is_some_and(|key| METHODS.contains(&key));
                if is_method && seen.insert(member.key().map(str::to_owned)) {
                    found.push(NodeId::of(node.file, member));
                }
            }
            found.extend(more.map(|member| NodeId::of(node.file, member)));
        }
        item.prefixes = match prefixes {
            Some(own) => own,
            None if is_served => self.prefixes.clone(),
            None => [String::new()].into(),
        };
        for start in found {
            self.operation(start, &item);
        }
    }

    fn operation(&mut self, start: NodeId, shared: &DescribedOperation) {
        let Some(holder) = self.library.file(start.file) else {
            return;
        };
        let member = holder.at(start);
        let label = Label::of(start.file, member);
        let method = member.key().unwrap_or_default().to_ascii_uppercase();
        // An operation is as large as several entries and has a copy of its path, which may be long.
        let own = 8 + (shared.path.len() + method.len()) / 16;
        if !self.visit(own + shared.parameters.len(), label) {
            return;
        }
        // The specification does not allow a reference here; some tools write one anyway.
        let Some((node, file)) = self.object_at(start, "an operation") else {
            return;
        };
        let value = file.at(node);
        self.mark(node, value, MarkedElement::Operation);
        // Webhooks and callbacks have no path on the service.
        let is_served = shared.role == OperationRole::Served;
        let prefixes = is_served.then(|| self.servers(node.file, value)).flatten();
        let mut operation = DescribedOperation {
            node,
            label,
            method,
            prefixes: prefixes.unwrap_or_else(|| shared.prefixes.clone()),
            id: self.text(node.file, value.get("operationId")),
            ..shared.clone()
        };
        let own = self.parameter_list(node.file, value.get("parameters"));
        operation.parameters = self.overridden(&shared.parameters, &own);
        self.request(node.file, value, &mut operation);
        self.responses(node.file, value, &mut operation);
        self.operations.push(operation);
        self.callbacks(node.file, value.get("callbacks"));
    }

    /// A parameter of the operation overrides that of the path with the same name and location.
    fn overridden(&self, outer: &[ParameterId], own: &[ParameterId]) -> Vec<ParameterId> {
        let name = |id: ParameterId| {
            self.parameters
                .get(id.index())
                .map(|parameter| (&parameter.name, parameter.location))
        };
        let own_names: HashSet<_> = own.iter().map(|&id| name(id)).collect();
        let kept = outer
            .iter()
            .copied()
            .filter(|&id| !own_names.contains(&name(id)));
        own.iter().copied().chain(kept).collect()
    }

    fn callbacks(&mut self, file: FileId, callbacks: Option<Node<'_>>) {
        for callback in self.entries(file, callbacks) {
            let start = NodeId::of(file, callback);
            let Some((node, holder)) = self.object_at(start, "a callback object") else {
                continue;
            };
            // A callback may contain itself.
            if self.called.insert(node) {
                let value = holder.at(node);
                self.path_items(node.file, Some(value), OperationRole::Callback);
            }
        }
    }

    /// Reads the markers of an element once.
    pub(super) fn mark(&mut self, node: NodeId, value: Node<'_>, element: MarkedElement) {
        if self.marked.insert(node) {
            let markers: Vec<Marker> =
                marker::read(self.library, node, value, element, self.schemas.options);
            self.schemas.markers.extend(markers);
        }
    }

    pub(super) fn schema(&mut self, file: FileId, value: Option<Node<'_>>) -> Option<SchemaId> {
        Some(self.schemas.intern(self.library, file, value?))
    }

    /// Reads components that no operation may use: they can be deprecated as well.
    fn components(&mut self, file: FileId, root: Node<'_>) {
        let (components, schemas) = match self.dialect {
            Dialect::OpenApi => (root.get("components"), "schemas"),
            Dialect::Swagger => (Some(root), "definitions"),
        };
        for schema in members(components, schemas) {
            self.schemas.intern(self.library, file, schema);
        }
        for parameter in members(components, "parameters") {
            if is_body(parameter) {
                self.schema(file, parameter.get("schema"));
            } else {
                self.parameter(NodeId::of(file, parameter), None);
            }
        }
        // It collects what no operation uses, and is then dropped.
        let mut unused = DescribedOperation::new(NodeId::of(file, root), Label::of(file, root));
        for response in members(components, "responses") {
            let carrier = Carrier::Response("default".into());
            self.response(NodeId::of(file, response), &carrier, &[], &mut unused);
        }
        for body in members(components, "requestBodies") {
            self.request_body(NodeId::of(file, body), &mut unused);
        }
        for header in members(components, "headers") {
            let name = header.key().unwrap_or_default();
            let label = Label::of(file, header);
            self.parameter(NodeId::of(file, header), Some((name, label)));
        }
        let maps = ["securitySchemes", "securityDefinitions"].into_iter();
        let keys: Vec<Node<'_>> = maps.flat_map(|map| members(components, map)).collect();
        for &scheme in &keys {
            let node = NodeId::of(file, scheme);
            self.mark(node, scheme, MarkedElement::SecurityScheme);
        }
        self.api_keys(file, &keys);
    }

    /// The patterns of the path parameters of an operation, which may distinguish it from others.
    fn patterns(&self, operation: &DescribedOperation) -> Vec<&str> {
        let parameters = operation.parameters.iter();
        let mut patterns: Vec<_> = parameters
            .filter_map(|id| self.parameters.get(id.index())?.pattern.as_deref())
            .collect();
        patterns.sort_unstable();
        patterns
    }

    /// Reports operations that match the same requests.
    pub(crate) fn report_collisions(&mut self) {
        // Only hashes are kept: all prefixes with all paths are many times as long as the description. That two of them are equal
        // by chance is as good as impossible.
        let mut seen: HashMap<u64, Label> = HashMap::new();
        let mut problems = Vec::new();
        let hasher = RandomState::new();
        let served = self.operations.iter();
        for operation in served.filter(|operation| operation.role == OperationRole::Served) {
            let patterns = self.patterns(operation);
            for prefix in operation.prefixes.iter() {
                let path = without_names(prefix, &operation.path);
                let hash = hasher.hash_one((&operation.method, path, &patterns));
                let first = *seen.entry(hash).or_insert(operation.label);
                if first != operation.label {
                    problems.push((operation.label, first));
                    break;
                }
            }
        }
        for (label, other) in problems {
            let kind = DescriptionProblemKind::Collision(other.file, other.span);
            self.library.report(label.file, label.span, kind);
        }
    }
}

/// The path after its prefix, with the names of variables removed.
fn without_names(prefix: &str, path: &str) -> String {
    let whole = format!("{prefix}{path}");
    let mut plain = String::with_capacity(whole.len());
    let mut rest = whole.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, after)) = after.split_once('}') else {
            break;
        };
        plain.push_str(before);
        plain.push_str("{}");
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// The texts of a list; `None` if it has none.
pub(super) fn texts(list: Option<Node<'_>>) -> Option<Arc<[String]>> {
    let texts = list?.children().filter_map(Node::as_str);
    let texts: Arc<[String]> = texts.map(str::to_owned).collect();
    (!texts.is_empty()).then_some(texts)
}

pub(super) fn is_body(parameter: Node<'_>) -> bool {
    string_of(parameter, "in") == Some("body")
}

/// The components of a kind.
fn members<'d>(components: Option<Node<'d>>, kind: &str) -> impl Iterator<Item = Node<'d>> {
    let map = components.and_then(|components| components.get(kind));
    map.filter(|map| map.kind() == ValueKind::Object)
        .into_iter()
        .flat_map(Node::children)
}
