//! The operations of a description, with their parameters and bodies.

use std::sync::Arc;

use crate::{FileId, NodeId, SchemaId};
use sundown_text_json::json::Node;
use sundown_text_json::text::Span;

/// The number of an operation in its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub(super) u32);

impl OperationId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a parameter or header in its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParameterId(pub(super) u32);

impl ParameterId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The location of an element in a description, as messages show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    pub file: FileId,
    /// The key, or the element itself if it has no key.
    pub span: Span,
}

impl Label {
    /// The location of a value in this file.
    pub fn of(file: FileId, value: Node<'_>) -> Self {
        let span = value.label();
        Self { file, span }
    }
}

/// An operation: a method on a path.
#[derive(Debug, Clone)]
pub struct DescribedOperation {
    /// The operation object.
    pub node: NodeId,
    /// The path item that contains it, and the references to that path item, which may be marked as well.
    pub path_items: Vec<NodeId>,
    /// The method's key.
    pub label: Label,
    /// The method in upper case. Swagger 2.0 and OpenAPI up to 3.1 define a fixed set; OpenAPI 3.2 allows any.
    pub method: String,
    /// The path template as written, which may include a query or fragment that distinguishes operations. For a webhook, its
    /// name; for a callback, the expression for its URL.
    pub path: String,
    /// Who serves it.
    pub role: OperationRole,
    /// The path prefixes of the servers, such as `/api/v1` or an empty string. Never empty; webhooks and callbacks have one
    /// empty string.
    pub prefixes: Arc<[String]>,
    /// `operationId`.
    pub id: Option<String>,
    /// Its parameters, including those of its path.
    pub parameters: Vec<ParameterId>,
    /// The headers of its responses.
    pub headers: Vec<(Carrier, ParameterId)>,
    /// Its bodies, one for each media type.
    pub bodies: Vec<DescribedBody>,
}

impl DescribedOperation {
    /// An operation of the service without anything.
    pub(crate) fn new(node: NodeId, label: Label) -> Self {
        Self {
            node,
            path_items: Vec::new(),
            label,
            method: String::new(),
            path: String::new(),
            role: OperationRole::Served,
            prefixes: Arc::default(),
            id: None,
            parameters: Vec::new(),
            headers: Vec::new(),
            bodies: Vec::new(),
        }
    }
}

/// Who serves an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationRole {
    /// The described service.
    Served,
    /// The consumer, whom the service calls on an event.
    Webhook,
    /// The consumer, whom the service calls back at an address from an operation.
    Callback,
}

/// The direction in which a body or parameter is sent.
///
/// It depends on who writes the data, not on who starts the exchange. `readOnly` properties, which only the service writes,
/// occur in data [from the service](Self::FromService): responses of its own operations, and *requests* of webhooks and
/// callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// The consumer writes it.
    ToService,
    /// The service writes it.
    FromService,
}

/// The message of an exchange that carries a body or header.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    Request,
    /// The response of this status: `200`, `4XX`, `default`.
    Response(Arc<str>),
}

impl Carrier {
    /// The direction of the message in an operation of this role.
    pub fn direction(&self, role: OperationRole) -> Direction {
        match (self, role) {
            (Self::Request, OperationRole::Served) => Direction::ToService,
            (Self::Response(_), OperationRole::Served) => Direction::FromService,
            (Self::Request, _) => Direction::FromService,
            (Self::Response(_), _) => Direction::ToService,
        }
    }
}

/// A body of one media type.
#[derive(Debug, Clone)]
pub struct DescribedBody {
    /// Of the request or of a response.
    pub carrier: Carrier,
    /// The direction in which it is sent.
    pub direction: Direction,
    /// The media type as written; `*/*` if a Swagger 2.0 description gives none.
    pub media_type: String,
    /// The media type's key; for Swagger 2.0, that of the response or the `body` parameter.
    pub label: Label,
    /// Its schema, if the description gives one.
    pub schema: Option<SchemaId>,
    /// The value that gives the schema, which may be a reference; without a schema, the media type.
    pub node: NodeId,
    /// Whether the body is a sequence, and the schema that of each item (`itemSchema`, OpenAPI 3.2).
    pub is_sequence: bool,
    /// The example bodies.
    pub examples: Vec<NodeId>,
}

/// A parameter, or a header of a response.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The parameter object.
    pub node: NodeId,
    /// The references to it, which may be marked as deprecated as well.
    pub references: Vec<NodeId>,
    /// Its name; a header's name keeps its letter case.
    pub name: String,
    /// The location of its name: the value of `name`, or a header's key.
    pub label: Label,
    /// The location of the parameter in the request.
    pub location: ParameterLocation,
    pub is_required: bool,
    /// Its schema. Swagger 2.0 puts the keywords into the parameter object itself, which is not read as a schema.
    pub schema: Option<SchemaId>,
    /// The regular expression for the value of a path parameter; `.+` if it may have reserved characters.
    pub pattern: Option<String>,
    /// The example values.
    pub examples: Vec<NodeId>,
}

impl Parameter {
    /// The nodes whose marks are about it: its own, and those of references to it.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.references.iter().chain([&self.node]).copied()
    }
}

/// The location of a parameter in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the specification's own names")]
pub enum ParameterLocation {
    Query,
    /// The whole query (OpenAPI 3.2).
    QueryString,
    Header,
    Path,
    Cookie,
    /// A field of a form in the body (Swagger 2.0).
    Form,
    /// A header field of a response, or of a part of a multipart body.
    ResponseHeader,
}
