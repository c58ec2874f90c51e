//! The body of a stored message, as its reader found it.

use sundown_exchange::{Body, HeaderFields, Message, Reason, Unread};
use sundown_text_json::text::Span;

/// The body of a stored message.
///
/// A reader decides only where the body is. The linter validates it if a rule covers the operation, and reports a body
/// that is malformed (`InvalidJson`), cut off (`Truncated`), nested too deeply (`TooDeep`), or not JSON (`NotJson`). A
/// reader reports only what the linter cannot see in the text:
///
/// - [`external`](Self::external) (`BodyMissing`): a variable or a script has the body, or
///   [a file](Self::in_file), whose name is kept.
/// - [`not_json`](Self::not_json) (`NotJson`): the notation says that the body is something else, such as XML.
/// - `unread` with `Truncated`: the file ends before the end mark of the body, but its text so far may look complete.
/// - `unread` with `BadEncoding`: the text at its position cannot be decoded.
#[derive(Debug, Default)]
pub(crate) struct BodyContent<'a> {
    /// The body, if the file contains it.
    pub body: Option<Body<'a>>,
    /// What of it is elsewhere, or of another kind: all if there is no `body`.
    pub unread: Option<Unread>,
}

impl<'a> From<Option<Body<'a>>> for BodyContent<'a> {
    fn from(body: Option<Body<'a>>) -> Self {
        Self { body, unread: None }
    }
}

impl<'a> From<Body<'a>> for BodyContent<'a> {
    fn from(body: Body<'a>) -> Self {
        Some(body).into()
    }
}

impl From<Unread> for BodyContent<'_> {
    fn from(unread: Unread) -> Self {
        Self {
            body: None,
            unread: Some(unread),
        }
    }
}

impl<'a> BodyContent<'a> {
    /// A body that the file only refers to, such as a variable.
    pub(crate) fn external(span: Span) -> Self {
        Unread::at(Reason::BodyMissing, span).into()
    }

    /// A body whose notation says that it is not JSON, such as XML or GraphQL.
    pub(crate) fn not_json(span: Span) -> Self {
        Unread::at(Reason::NotJson, span).into()
    }

    /// Whether the message has no body.
    pub(crate) fn is_nothing(&self) -> bool {
        self.body.is_none() && self.unread.is_none()
    }

    /// The message with this body and these header fields.
    pub(crate) fn into_message(self, headers: HeaderFields<'a>) -> Message<'a> {
        Message::new(headers, self.body, self.unread)
    }
}
