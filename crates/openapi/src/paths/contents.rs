//! Reads the parameters, headers and bodies of operations.

use super::path_reader::{PathReader, is_body, texts};
use crate::version::Dialect;
use crate::{
    Carrier, DescribedBody, DescribedOperation, FileId, Label, MarkedElement, NodeId, Parameter,
    ParameterId, ParameterLocation, example, narrow, string_of,
};
use sundown_text_json::json::{Node, ValueKind};

impl PathReader<'_, '_> {
    pub(super) fn parameter_list(
        &mut self,
        file: FileId,
        list: Option<Node<'_>>,
    ) -> Vec<ParameterId> {
        let Some(list) = list else { return Vec::new() };
        if !matches!(list.kind(), ValueKind::Array | ValueKind::Null) {
            self.library.expected(file, list, "a list of parameters");
        }
        self.entries(file, Some(list))
            .into_iter()
            .map(|entry| NodeId::of(file, entry))
            .filter_map(|node| self.parameter(node, None))
            .collect()
    }

    /// Reads a parameter, or, given its key, a header. The key of a header is its name.
    pub(super) fn parameter(
        &mut self,
        start: NodeId,
        header: Option<(&str, Label)>,
    ) -> Option<ParameterId> {
        if let Some(known) = self.known_parameters.get(&start) {
            return *known;
        }
        let parameter = self.read_parameter(start, header);
        let id = parameter.map(|parameter| {
            self.parameters.push(parameter);
            ParameterId(narrow(self.parameters.len() - 1))
        });
        self.known_parameters.insert(start, id);
        id
    }

    fn read_parameter(
        &mut self,
        start: NodeId,
        header: Option<(&str, Label)>,
    ) -> Option<Parameter> {
        let (references, end) = self.library.follow(start);
        let element = if header.is_some() {
            MarkedElement::Header
        } else {
            MarkedElement::Parameter
        };
        for node in references.iter().copied().chain(end) {
            if let Some(file) = self.library.file(node.file) {
                self.mark(node, file.at(node), element);
            }
        }
        let node = end?;
        let file = self.object(node, "a parameter")?;
        let value = file.at(node);
        let (name, label, location) = match header {
            Some((name, label)) => (name.to_owned(), label, ParameterLocation::ResponseHeader),
            // `body_parameters` reads bodies.
            None if self.dialect == Dialect::Swagger && is_body(value) => return None,
            None => {
                let Some(location) = location(value) else {
                    let what = "a parameter whose `in` is query, header, path, cookie or formData";
                    self.library.expected(node.file, value, what);
                    return None;
                };
                let name = value.get("name");
                let span = name.map_or(value.span(), Node::span);
                let text = name.and_then(Node::text).unwrap_or_default();
                (
                    text.to_owned(),
                    Label {
                        file: node.file,
                        span,
                    },
                    location,
                )
            }
        };
        // References to one parameter share its contents.
        if !self.visit(1 + name.len() / 16, label) {
            return None;
        }
        let is_required = value.get("required").and_then(Node::as_bool) == Some(true);
        let mut schema = self.schema(node.file, value.get("schema"));
        for media in value.children_of("content") {
            let inside = self.schema(node.file, media.get("schema"));
            schema = schema.or(inside);
        }
        let pattern = self.pattern(node, value, location);
        Some(Parameter {
            node,
            references,
            name,
            label,
            location,
            is_required,
            schema,
            pattern,
            examples: self.examples(node.file, value),
        })
    }

    /// The pattern of a path parameter, from its schema or from itself.
    fn pattern(
        &mut self,
        node: NodeId,
        value: Node<'_>,
        location: ParameterLocation,
    ) -> Option<String> {
        if location != ParameterLocation::Path {
            return None;
        }
        // The extensions are those of GitHub and Azure.
        let keys = ["allowReserved", "x-multi-segment", "x-ms-skip-url-encoding"];
        let is_set = keys
            .iter()
            .any(|key| value.get(key).and_then(Node::as_bool) == Some(true));
        if is_set {
            return Some(".+".to_owned());
        }
        if let Some(own) = value.get("pattern") {
            return own.as_str().map(str::to_owned);
        }
        let schema = NodeId {
            value: value.get("schema").map_or(node.value, Node::index),
            ..node
        };
        let end = self.library.follow(schema).1?;
        let file = self.library.file(end.file)?;
        let pattern = file.at(end).get("pattern");
        let pattern = pattern.and_then(Node::as_str).map(str::to_owned);
        pattern.or_else(|| described_form(value.get("description")?.as_str()?))
    }

    /// Reads examples that several operations may share.
    fn examples(&mut self, file: FileId, holder: Node<'_>) -> Vec<NodeId> {
        let examples = ["examples", "x-examples"]
            .into_iter()
            .filter_map(|key| holder.get(key));
        let count = examples.map(|examples| examples.children().len()).sum();
        let label = Label::of(file, holder);
        if self.visit(count, label) {
            example::of_media(self.library, file, holder)
        } else {
            Vec::new()
        }
    }

    /// Reads the headers of a response, or of a part of a body.
    fn headers(
        &mut self,
        file: FileId,
        holder: Node<'_>,
        carrier: &Carrier,
        operation: &mut DescribedOperation,
    ) {
        for member in self.entries(file, holder.get("headers")) {
            let named = member.key().map(|name| (name, Label::of(file, member)));
            let header = named.and_then(|_| self.parameter(NodeId::of(file, member), named));
            let header = header.map(|header| (carrier.clone(), header));
            operation.headers.extend(header);
        }
    }

    /// Reads the body of a request.
    pub(super) fn request(
        &mut self,
        file: FileId,
        value: Node<'_>,
        operation: &mut DescribedOperation,
    ) {
        match self.dialect {
            Dialect::OpenApi => {
                if let Some(body) = value.get("requestBody") {
                    self.request_body(NodeId::of(file, body), operation);
                }
            }
            Dialect::Swagger => {
                let types = texts(value.get("consumes")).unwrap_or(self.consumes.clone());
                self.body_parameters(file, value.get("parameters"), &types, operation);
                for item in operation.path_items.clone() {
                    let Some(holder) = self.library.file(item.file) else {
                        continue;
                    };
                    let list = holder.at(item).get("parameters");
                    self.body_parameters(item.file, list, &types, operation);
                }
            }
        }
    }

    pub(super) fn request_body(&mut self, start: NodeId, operation: &mut DescribedOperation) {
        if let Some((node, holder)) = self.object_at(start, "a request body") {
            let body = holder.at(node);
            self.content(node.file, body.get("content"), &Carrier::Request, operation);
        }
    }

    /// Reads the parameter with `in: body`, of which an operation has at most one (Swagger 2.0).
    fn body_parameters(
        &mut self,
        file: FileId,
        list: Option<Node<'_>>,
        types: &[String],
        operation: &mut DescribedOperation,
    ) {
        for entry in self.entries(file, list) {
            let Some((node, holder)) = self.object_at(NodeId::of(file, entry), "a parameter")
            else {
                continue;
            };
            let value = holder.at(node);
            let mut bodies = operation.bodies.iter();
            let has_body = bodies.any(|body| body.carrier == Carrier::Request);
            if is_body(value) && !has_body {
                self.mark(node, value, MarkedElement::Parameter);
                let label = Label::of(node.file, value);
                let mut body = self.body(node, value, "schema", Carrier::Request, label, operation);
                body.examples = self.examples(node.file, value);
                if self.visit(types.len() * (1 + body.examples.len()), label) {
                    operation.bodies.extend(of_types(types, &body));
                }
            }
        }
    }

    /// The body whose schema is under this key of a value.
    fn body(
        &mut self,
        node: NodeId,
        value: Node<'_>,
        key: &str,
        carrier: Carrier,
        label: Label,
        operation: &DescribedOperation,
    ) -> DescribedBody {
        let schema = value.get(key);
        DescribedBody {
            direction: carrier.direction(operation.role),
            carrier,
            media_type: String::new(),
            label,
            schema: self.schema(node.file, schema),
            node: schema.map_or(node, |schema| NodeId::of(node.file, schema)),
            is_sequence: key == "itemSchema",
            examples: Vec::new(),
        }
    }

    pub(super) fn responses(
        &mut self,
        file: FileId,
        value: Node<'_>,
        operation: &mut DescribedOperation,
    ) {
        let Some(responses) = value.get("responses") else {
            return;
        };
        if !matches!(responses.kind(), ValueKind::Object | ValueKind::Null) {
            let what = "an object with a response under each status";
            return self.library.expected(file, responses, what);
        }
        let types = texts(value.get("produces")).unwrap_or(self.produces.clone());
        for response in self.entries(file, Some(responses)) {
            if let Some(status) = response.key().filter(|key| !key.starts_with("x-")) {
                let carrier = Carrier::Response(status.into());
                self.response(NodeId::of(file, response), &carrier, &types, operation);
            }
        }
    }

    pub(super) fn response(
        &mut self,
        start: NodeId,
        carrier: &Carrier,
        types: &[String],
        operation: &mut DescribedOperation,
    ) {
        let Some((node, holder)) = self.object_at(start, "a response") else {
            return;
        };
        let value = holder.at(node);
        self.headers(node.file, value, carrier, operation);
        if self.dialect == Dialect::OpenApi {
            return self.content(node.file, value.get("content"), carrier, operation);
        }
        if value.get("schema").is_none() {
            return;
        }
        let label = Label::of(node.file, value);
        let body = self.body(node, value, "schema", carrier.clone(), label, operation);
        let examples = value.children_of("examples").count();
        let lengths: usize = types
            .iter()
            .map(|media_type| 1 + media_type.len() / 16)
            .sum();
        if !self.visit(lengths + types.len() * examples / 16, label) {
            return;
        }
        for mut body in of_types(types, &body) {
            let mut examples = value.children_of("examples");
            let example = examples.find(|one| one.is_called(&body.media_type));
            body.examples
                .extend(example.map(|one| NodeId::of(node.file, one)));
            operation.bodies.push(body);
        }
    }

    fn content(
        &mut self,
        file: FileId,
        content: Option<Node<'_>>,
        carrier: &Carrier,
        operation: &mut DescribedOperation,
    ) {
        for media in self.entries(file, content) {
            let label = Label::of(file, media);
            let media_type = media.key().unwrap_or_default();
            if !self.visit(media_type.len() / 16, label) {
                return;
            }
            let Some((node, holder)) = self.object_at(NodeId::of(file, media), "a media type")
            else {
                continue;
            };
            let value = holder.at(node);
            for part in self.entries(node.file, value.get("encoding")) {
                self.headers(node.file, part, carrier, operation);
            }
            let examples = self.examples(node.file, value);
            for key in ["itemSchema", "schema"] {
                // Without a schema, the body is a whole one.
                let is_bare = key == "schema" && value.get("itemSchema").is_none();
                if is_bare || value.get(key).is_some() {
                    let body = self.body(node, value, key, carrier.clone(), label, operation);
                    operation.bodies.push(DescribedBody {
                        media_type: media_type.to_owned(),
                        examples: examples.clone(),
                        ..body
                    });
                }
            }
        }
    }
}

/// The pattern of a value whose form a text gives: ``in the format `projects/*/locations/*` ``, as Google does.
fn described_form(text: &str) -> Option<String> {
    let forms = text.split("format").skip(1);
    let (form, _) = forms
        .filter_map(|after| after.trim_start().strip_prefix('`'))
        .find_map(|after| after.split_once('`'))?;
    let is_form = form.contains("/*")
        && form
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/*-_".contains(c));
    is_form.then(|| form.replace('*', "[^/]+"))
}

/// Copies a body for each media type.
fn of_types<'b>(
    types: &'b [String],
    body: &'b DescribedBody,
) -> impl Iterator<Item = DescribedBody> + use<'b> {
    let any = types.is_empty().then_some("*/*");
    types
        .iter()
        .map(String::as_str)
        .chain(any)
        .map(|media_type| DescribedBody {
            media_type: media_type.to_owned(),
            ..body.clone()
        })
}

/// The location of a parameter; `None` for others, such as the body of Swagger 2.0.
pub(super) fn location(parameter: Node<'_>) -> Option<ParameterLocation> {
    match string_of(parameter, "in")? {
        "query" => Some(ParameterLocation::Query),
        "querystring" => Some(ParameterLocation::QueryString),
        "header" => Some(ParameterLocation::Header),
        "path" => Some(ParameterLocation::Path),
        "cookie" => Some(ParameterLocation::Cookie),
        "formData" => Some(ParameterLocation::Form),
        _ => None,
    }
}
