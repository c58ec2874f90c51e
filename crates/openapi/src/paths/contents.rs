//! Reads the parameters, headers and bodies of operations.

use super::path_reader::{PathReader, is_body, texts};
use crate::example;
use crate::marker::MarkedElement;
use crate::operation::{
    BodyShape, Carrier, DescribedBody, DescribedExample, DescribedOperation, Label, Parameter,
    ParameterId, ParameterLocation, Presence,
};
use crate::version::Dialect;
use crate::{FileId, NodeId};
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
            .map(|entry| NodeId {
                file,
                value: entry.index(),
            })
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
            ParameterId(u32::try_from(self.parameters.len() - 1).unwrap_or(u32::MAX))
        });
        self.known_parameters.insert(start, id);
        id
    }

    pub(super) fn read_parameter(
        &mut self,
        start: NodeId,
        header: Option<(&str, Label)>,
    ) -> Option<Parameter> {
        let followed = self.library.follow(start);
        let element = if header.is_some() {
            MarkedElement::Header
        } else {
            MarkedElement::Parameter
        };
        for node in followed.nodes() {
            if let Some(file) = self.library.file(node.file) {
                self.mark(node, file.document.node(node.value), element);
            }
        }
        let node = followed.end?;
        let file = self.object(node, "a parameter")?;
        let value = file.document.node(node.value);
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
            references: followed.hops,
            name,
            label,
            location,
            presence: if is_required {
                Presence::Required
            } else {
                Presence::Optional
            },
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
        let is_set = |key| value.get(key).and_then(Node::as_bool) == Some(true);
        // The extensions are those of GitHub and Azure.
        let keys = ["allowReserved", "x-multi-segment", "x-ms-skip-url-encoding"];
        if keys.into_iter().any(is_set) {
            return Some(".+".to_owned());
        }
        if let Some(own) = value.get("pattern") {
            return own.as_str().map(str::to_owned);
        }
        let schema = NodeId {
            value: value.get("schema").map_or(node.value, Node::index),
            ..node
        };
        let end = self.library.follow(schema).end?;
        let file = self.library.file(end.file)?;
        let pattern = file.document.node(end.value).get("pattern");
        let pattern = pattern.and_then(Node::as_str).map(str::to_owned);
        pattern.or_else(|| described_form(value.get("description")?.as_str()?))
    }

    /// Reads examples that several operations may share.
    fn examples(&mut self, file: FileId, holder: Node<'_>) -> Vec<DescribedExample> {
        let examples = ["examples", "x-examples"]
            .into_iter()
            .filter_map(|key| holder.get(key));
        let count = examples.map(|examples| examples.children().len()).sum();
        let label = Label {
            file,
            span: holder.label(),
        };
        if self.visit(count, label) {
            example::of_media(self.library, file, holder)
        } else {
            Vec::new()
        }
    }

    pub(super) fn headers(&mut self, file: FileId, headers: Option<Node<'_>>) -> Vec<ParameterId> {
        self.entries(file, headers)
            .into_iter()
            .filter_map(|member| {
                let label = Label {
                    file,
                    span: member.label(),
                };
                let start = NodeId {
                    file,
                    value: member.index(),
                };
                self.parameter(start, Some((member.key()?, label)))
            })
            .collect()
    }

    pub(super) fn request(
        &mut self,
        file: FileId,
        value: Node<'_>,
        operation: &mut DescribedOperation,
    ) {
        match self.dialect {
            Dialect::OpenApi => {
                let Some(body) = value.get("requestBody") else {
                    return;
                };
                let start = NodeId {
                    file,
                    value: body.index(),
                };
                self.request_body(start, operation);
            }
            Dialect::Swagger => {
                let own = texts(value.get("consumes"));
                let types = if own.is_empty() {
                    self.consumes.clone()
                } else {
                    own
                };
                self.body_parameters(file, value.get("parameters"), &types, operation);
                for item in operation.path_items.clone() {
                    let Some(holder) = self.library.file(item.file) else {
                        continue;
                    };
                    let list = holder.document.node(item.value).get("parameters");
                    self.body_parameters(item.file, list, &types, operation);
                }
            }
        }
    }

    pub(super) fn request_body(&mut self, start: NodeId, operation: &mut DescribedOperation) {
        let Some(node) = self.library.follow(start).end else {
            return;
        };
        let Some(holder) = self.object(node, "a request body") else {
            return;
        };
        let body = holder.document.node(node.value);
        self.content(node.file, body.get("content"), &Carrier::Request, operation);
    }

    /// Reads the parameter with `in: body`, of which an operation has at most one (Swagger 2.0).
    pub(super) fn body_parameters(
        &mut self,
        file: FileId,
        list: Option<Node<'_>>,
        types: &[String],
        operation: &mut DescribedOperation,
    ) {
        for entry in self.entries(file, list) {
            let start = NodeId {
                file,
                value: entry.index(),
            };
            let Some(node) = self.library.follow(start).end else {
                continue;
            };
            let Some(holder) = self.library.file(node.file) else {
                continue;
            };
            let value = holder.document.node(node.value);
            let has_body = operation
                .bodies
                .iter()
                .any(|body| body.carrier == Carrier::Request);
            if is_body(value) && !has_body {
                self.mark(node, value, MarkedElement::Parameter);
                let examples = self.examples(node.file, value);
                let schema = self.schema(node.file, value.get("schema"));
                let body = DescribedBody {
                    carrier: Carrier::Request,
                    direction: Carrier::Request.direction(operation.role),
                    media_type: String::new(),
                    label: Label {
                        file: node.file,
                        span: value.label(),
                    },
                    schema,
                    node: member_or_self(node, value, "schema"),
                    shape: BodyShape::Whole,
                    examples,
                };
                if self.visit(types.len() * (1 + body.examples.len()), body.label) {
                    operation.bodies.extend(of_types(types, &body));
                }
            }
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
            return self.library.expected(
                file,
                responses,
                "an object with a response under each status",
            );
        }
        let own = texts(value.get("produces"));
        let types = if own.is_empty() {
            self.produces.clone()
        } else {
            own
        };
        for response in self.entries(file, Some(responses)) {
            let Some(status) = response.key().filter(|key| !key.starts_with("x-")) else {
                continue;
            };
            let carrier = Carrier::Response(status.into());
            let start = NodeId {
                file,
                value: response.index(),
            };
            self.response(start, &carrier, &types, operation);
        }
    }

    pub(super) fn response(
        &mut self,
        start: NodeId,
        carrier: &Carrier,
        types: &[String],
        operation: &mut DescribedOperation,
    ) {
        let Some(node) = self.library.follow(start).end else {
            return;
        };
        let Some(holder) = self.object(node, "a response") else {
            return;
        };
        let value = holder.document.node(node.value);
        let headers = self.headers(node.file, value.get("headers"));
        operation
            .headers
            .extend(headers.into_iter().map(|header| (carrier.clone(), header)));
        if self.dialect == Dialect::OpenApi {
            return self.content(node.file, value.get("content"), carrier, operation);
        }
        let Some(schema) = self.schema(node.file, value.get("schema")) else {
            return;
        };
        let body = DescribedBody {
            carrier: carrier.clone(),
            direction: carrier.direction(operation.role),
            media_type: String::new(),
            label: Label {
                file: node.file,
                span: value.label(),
            },
            schema: Some(schema),
            node: member_or_self(node, value, "schema"),
            shape: BodyShape::Whole,
            examples: Vec::new(),
        };
        let examples = value
            .get("examples")
            .map_or(0, |examples| examples.children().len());
        let lengths: usize = types
            .iter()
            .map(|media_type| 1 + media_type.len() / 16)
            .sum();
        if !self.visit(lengths + types.len() * examples / 16, body.label) {
            return;
        }
        operation
            .bodies
            .extend(of_types(types, &body).map(|body| DescribedBody {
                examples: example::of_response(node.file, value, &body.media_type),
                ..body
            }));
    }

    pub(super) fn content(
        &mut self,
        file: FileId,
        content: Option<Node<'_>>,
        carrier: &Carrier,
        operation: &mut DescribedOperation,
    ) {
        for media in self.entries(file, content) {
            let start = NodeId {
                file,
                value: media.index(),
            };
            let label = Label {
                file,
                span: media.label(),
            };
            let media_type = media.key().unwrap_or_default().to_owned();
            if !self.visit(media_type.len() / 16, label) {
                return;
            }
            let Some(node) = self.library.follow(start).end else {
                continue;
            };
            let Some(holder) = self.object(node, "a media type") else {
                continue;
            };
            let value = holder.document.node(node.value);
            for part in self.entries(node.file, value.get("encoding")) {
                let headers = self.headers(node.file, part.get("headers"));
                operation
                    .headers
                    .extend(headers.into_iter().map(|header| (carrier.clone(), header)));
            }
            let body = DescribedBody {
                carrier: carrier.clone(),
                direction: carrier.direction(operation.role),
                media_type,
                label,
                schema: self.schema(node.file, value.get("schema")),
                node: member_or_self(node, value, "schema"),
                shape: BodyShape::Whole,
                examples: self.examples(node.file, value),
            };
            if let Some(schema) = self.schema(node.file, value.get("itemSchema")) {
                let each = DescribedBody {
                    schema: Some(schema),
                    node: member_or_self(node, value, "itemSchema"),
                    shape: BodyShape::EachItem,
                    ..body.clone()
                };
                operation.bodies.push(each);
                if body.schema.is_none() {
                    continue;
                }
            }
            operation.bodies.push(body);
        }
    }
}

/// The pattern of a value whose form a text gives: ``in the format `projects/*/locations/*` ``, as Google does.
fn described_form(text: &str) -> Option<String> {
    let forms = text.split("format").skip(1);
    let (form, _) = forms
        .filter_map(|after| after.trim_start().strip_prefix('`'))
        .find_map(|after| after.split_once('`'))?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/*-_".contains(c);
    let is_form = form.contains("/*") && form.chars().all(is_plain);
    is_form.then(|| form.replace('*', "[^/]+"))
}

/// The member of a node's value; without one, the node.
fn member_or_self(node: NodeId, value: Node<'_>, key: &str) -> NodeId {
    let value = value.get(key).map_or(node.value, Node::index);
    NodeId { value, ..node }
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
fn location(parameter: Node<'_>) -> Option<ParameterLocation> {
    match parameter.get("in").and_then(Node::as_str)? {
        "query" => Some(ParameterLocation::Query),
        "querystring" => Some(ParameterLocation::QueryString),
        "header" => Some(ParameterLocation::Header),
        "path" => Some(ParameterLocation::Path),
        "cookie" => Some(ParameterLocation::Cookie),
        "formData" => Some(ParameterLocation::Form),
        _ => None,
    }
}
