//! What a description says can be called: operations with their parameters and bodies.

use std::sync::Arc;

use super::schema::SchemaId;
use super::{FileId, NodeId};
use crate::json::ValueId;
use crate::text::Span;

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

/// A place to point people at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The file.
    pub file: FileId,
    /// Where in it: a key, or what has none.
    pub span: Span,
}

/// A method on a path.
#[derive(Debug, Clone)]
pub struct DescribedOperation {
    /// The operation object.
    pub place: NodeId,
    /// The path item that it stands in, and those by which that one was referred to, which say something about it, too.
    pub path_items: Vec<NodeId>,
    /// The method's key.
    pub label: Label,
    /// In upper case. Swagger 2.0 and OpenAPI know few; OpenAPI 3.2 allows any.
    pub method: String,
    /// The path template as it is written: some descriptions tell operations apart by a query or a fragment behind it. For a
    /// webhook its name, for a callback the expression that gives its URL.
    pub path: String,
    /// The path's key.
    pub path_label: Label,
    /// Who answers it.
    pub role: OperationRole,
    /// What may stand in front of the path, one for each server: `/api/v1`, or nothing. Never empty; one empty text for
    /// webhooks and callbacks.
    pub prefixes: Arc<[String]>,
    /// `operationId`.
    pub id: Option<String>,
    /// Its parameters, those of its path included.
    pub parameters: Vec<ParameterId>,
    /// The headers of its responses.
    pub headers: Vec<(Carrier, ParameterId)>,
    /// Its bodies, one for each media type.
    pub bodies: Vec<DescribedBody>,
}

/// Who answers an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationRole {
    /// The service that is described.
    Served,
    /// Its consumer: the service calls him when something happens.
    Webhook,
    /// Its consumer: the service calls him back at an address that he gave with the given operation.
    Callback(OperationId),
}

/// Which way a body or parameter goes.
///
/// What the service sends is what its consumer has to read, whoever began. So `readOnly` properties (which the service
/// alone writes) occur in what comes [from the service](Self::FromService): responses of its own operations, and
/// *requests* of webhooks and callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The consumer writes it.
    ToService,
    /// The service writes it.
    FromService,
}

/// Which half of an exchange, of whoever answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    /// The request.
    Request,
    /// The response of this status: `200`, `4XX`, `default`.
    Response(Arc<str>),
}

impl Carrier {
    /// Which way it goes in an operation of this role.
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
    /// Which way it goes.
    pub direction: Direction,
    /// As it is written; `*/*` where Swagger 2.0 says nothing.
    pub media_type: String,
    /// The media type object; for Swagger 2.0, the response or the `body` parameter.
    pub place: NodeId,
    /// The media type's key; for Swagger 2.0, that of the response or the `body` parameter.
    pub label: Label,
    /// What it looks like, where the description says so.
    pub schema: Option<SchemaId>,
    /// Of what the schema speaks.
    pub shape: BodyShape,
    /// The example bodies.
    pub examples: Vec<DescribedExample>,
}

/// Of what a [`DescribedBody`]'s schema speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyShape {
    /// Of the body.
    Whole,
    /// Of each of the values that the body is a sequence of (`itemSchema`, OpenAPI 3.2).
    EachItem,
}

/// A parameter, or a header of a response.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The parameter object.
    pub place: NodeId,
    /// The references that led to it, which may say that it is deprecated, too.
    pub references: Vec<NodeId>,
    /// Its name; a header's in the case in which it is written.
    pub name: String,
    /// Its name's place: the value of `name`, or a header's key.
    pub label: Label,
    /// Where it is sent.
    pub location: ParameterLocation,
    /// Whether it has to be there.
    pub presence: Presence,
    /// What it looks like. Swagger 2.0 writes that into the parameter object itself, which then is no schema.
    pub schema: Option<SchemaId>,
    /// The example values.
    pub examples: Vec<DescribedExample>,
}

/// Where a parameter is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// Whether something has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the two need no explanation")]
pub enum Presence {
    Required,
    Optional,
}

/// An example somewhere in a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedExample {
    /// The file.
    pub file: FileId,
    /// The example value itself.
    pub value: ValueId,
    /// Under which keyword it stands.
    pub keyword: ExampleKeyword,
}

/// The keywords that hold examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleKeyword {
    /// `example`, and `x-example`.
    Example,
    /// One of `examples`.
    Examples,
    /// `default`.
    Default,
    /// A text among `x-codeSamples`: code, not a body.
    CodeSample,
}
