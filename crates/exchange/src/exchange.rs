//! A call with its request and its response.

use super::body::Body;
use super::call_record::CallRecord;
use super::header::HeaderField;
use super::operation::Method;
use super::origin::RecordedOrigin;
use super::side::Side;
use super::signal::Signal;
use super::skip::{Reason, Skip};
use super::status_code::StatusCode;
use super::target::Target;
use chrono::{DateTime, Utc};
use std::borrow::Cow;
use sundown_text_json::text::Span;

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
        Self {
            reason,
            span,
            member: None,
        }
    }

    /// Sets the name of the member that may be the body.
    #[must_use]
    pub fn in_member(self, name: &str) -> Self {
        Self {
            member: Some(name.into()),
            ..self
        }
    }

    /// The skip for the body.
    pub fn to_skip(&self) -> Skip {
        let skip = Skip {
            bytes: 0,
            ..Skip::at(self.reason, self.span)
        };
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
