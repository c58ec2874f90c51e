//! The exchanges that every reader of captured traffic hands on, and all that the linter sees of a capture.
//!
//! An [`Exchange`] borrows the bytes of its [`Source`](crate::text::Source) and keeps the position of every piece in the file.

mod body;
mod byte_text;
mod call_record;
mod call_stack;
mod code_place;
mod coding;
mod content;
mod form;
mod form_json;
mod header;
mod host;
mod json_patch;
mod kubernetes_names;
mod located;
mod operation;
mod origin;
mod punycode;
mod python_literal;
mod signal;
mod skip;
mod span_code;
mod status_code;
mod target;
mod unpacking_budget;

pub use body::{Body, BodyMap, Decoded, Encoding};
pub use byte_text::{decode_base64, may_be_other_notation, may_be_rpc_batch};
pub use call_record::{CallRecord, RecordPart, RecordRole};
pub use code_place::CodePlace;
pub use coding::{CodingError, ContentCoding, DecompressionLimits, MaxExpansion};
pub use content::Content;
pub use form::{FormField, FormFields, FormKind, MappedText};
pub use form_json::FormJson;
pub use header::{HeaderField, HeaderValue, may_name_header};
pub use host::{Host, HostPattern};
pub use json_patch::{PatchedJson, may_be_json_patch};
pub use kubernetes_names::{is_api_version, resource_name};
pub use located::{InvalidRecord, LocatedBody, LocatedExchange};
pub use operation::{Method, OperationPattern, PathVariable, PatternSegment};
pub use origin::{CodeFrame, CodeOrigin, FoundSource, RecordedOrigin, SourceLookup};
pub use signal::{
    ElementKind, Removal, Said, Signal, SignalElement, SignalField, may_be_signal, may_hold_signal,
    plain_release, signals,
};
pub use skip::{Reason, Skip, SkipKind};
pub use status_code::StatusCode;
pub use target::{QueryParameter, Target};
pub use unpacking_budget::UnpackingBudget;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::text::Span;

/// One half of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the two sides need no explanation")]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Request,
    Response,
}

impl Side {
    /// Both sides, in the order in which they happen.
    pub const BOTH: [Self; 2] = [Self::Request, Self::Response];

    /// `request` or `response`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
        }
    }

    /// The side of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.name() == name)
    }
}

/// One request and what came back, or as much of it as a capture holds.
#[derive(Debug, Clone, Default)]
pub struct Exchange<'a> {
    /// Zero-based number of the record in its file.
    pub index: usize,
    /// The call.
    pub call: Call<'a>,
    /// The time at which it began.
    pub started: Option<DateTime<Utc>>,
    /// The status of the response. A status that is only expected, as in a stub, is none.
    pub status: Option<StatusCode>,
    /// Where in code the call was made.
    pub origin: RecordedOrigin<'a>,
    /// Its JSON record in the capture, if there is one: other members may name the caller.
    pub record: Option<CallRecord<'a>>,
    /// The values of some header fields of the request, by their names in lower case: a line of an access log has no others.
    pub logged: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The request.
    pub request: Message<'a>,
    /// The response.
    pub response: Message<'a>,
}

/// The call of an exchange, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct Call<'a> {
    /// `None` where the capture does not say.
    pub method: Option<Method>,
    /// The path that was called.
    pub target: Target<'a>,
    /// The position of the URL in the file; `None` for a body whose operation was named from outside.
    pub url_span: Option<Span>,
}

/// One half of an exchange.
#[derive(Debug, Clone, Default)]
pub struct Message<'a> {
    /// Its header fields.
    pub headers: Vec<HeaderField<'a>>,
    /// The announcements in header fields. Those of a request are ignored.
    pub signals: Vec<Signal>,
    /// The body, where the capture has one.
    pub body: Option<Body<'a>>,
    /// A body that cannot be checked. It is reported only if a rule would have looked at it.
    pub unread: Option<Unread>,
}

/// A body that cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The reason.
    pub reason: Reason,
    /// Where the body is in the file, or should be.
    pub span: Span,
    /// The name of the member that may be the body.
    pub member: Option<Box<str>>,
}

impl Unread {
    /// Creates a body that cannot be checked.
    pub fn at(reason: Reason, span: Span) -> Self {
        Self { reason, span, member: None }
    }

    /// Sets the name of the member that may be the body.
    #[must_use]
    pub fn in_member(self, name: &str) -> Self {
        Self { member: Some(name.into()), ..self }
    }

    /// The skip for the body.
    pub fn to_skip(&self) -> Skip {
        let skip = Skip { bytes: 0, ..Skip::at(self.reason, self.span) };
        match &self.member {
            Some(name) => skip.because(format!("`{name}`")),
            None => skip,
        }
    }
}

impl<'a> Exchange<'a> {
    /// Returns whether neither side has a body, or a sign that there was one.
    pub fn has_no_body(&self) -> bool {
        Side::BOTH
            .into_iter()
            .map(|side| self.message(side))
            .all(|m| m.body.is_none() && m.unread.is_none())
    }

    /// The message of one side.
    pub fn message(&self, side: Side) -> &Message<'a> {
        match side {
            Side::Request => &self.request,
            Side::Response => &self.response,
        }
    }

    /// The message of one side, to be filled in.
    pub fn message_mut(&mut self, side: Side) -> &mut Message<'a> {
        match side {
            Side::Request => &mut self.request,
            Side::Response => &mut self.response,
        }
    }
}
