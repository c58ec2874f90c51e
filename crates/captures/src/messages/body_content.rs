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
/// - `Unread` with `Truncated`: the file ends before the end mark of the body, but its text so far may look complete.
/// - `Unread` with `BadEncoding`: the text at its position cannot be decoded.
#[derive(Debug, Default)]
pub(crate) enum BodyContent<'a> {
    /// There is none.
    #[default]
    Nothing,
    /// The file contains it.
    Body(Body<'a>),
    /// It is elsewhere, or of another kind.
    Unread(Unread),
    /// The file contains it, except for a part.
    InPart(Body<'a>, Unread),
}

impl<'a> From<Option<Body<'a>>> for BodyContent<'a> {
    fn from(body: Option<Body<'a>>) -> Self {
        body.map_or(Self::Nothing, Self::Body)
    }
}

impl<'a> BodyContent<'a> {
    /// A body that the file only refers to, such as a variable.
    pub(crate) fn external(span: Span) -> Self {
        Self::Unread(Unread::at(Reason::BodyMissing, span))
    }

    /// A body whose notation says that it is not JSON, such as XML or GraphQL.
    pub(crate) fn not_json(span: Span) -> Self {
        Self::Unread(Unread::at(Reason::NotJson, span))
    }

    /// The same content, of which a part cannot be checked.
    pub(crate) fn with_unread(self, unread: Unread) -> Self {
        match self {
            Self::Nothing | Self::Unread(_) => Self::Unread(unread),
            Self::Body(body) | Self::InPart(body, _) => Self::InPart(body, unread),
        }
    }

    /// The body, and what of it cannot be checked.
    pub(crate) fn into_parts(self) -> (Option<Body<'a>>, Option<Unread>) {
        match self {
            Self::Nothing => (None, None),
            Self::Unread(unread) => (None, Some(unread)),
            Self::Body(body) => (Some(body), None),
            Self::InPart(body, unread) => (Some(body), Some(unread)),
        }
    }

    /// The message with this body and these header fields.
    pub(crate) fn into_message(self, headers: HeaderFields<'a>) -> Message<'a> {
        let (body, unread) = self.into_parts();
        Message::new(headers, body, unread)
    }
}
