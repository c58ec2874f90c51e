//! Exchanges whose pieces have been located and not yet parsed.

use super::{Body, Exchange, Host, Method, Side};
use sundown_text_json::text::Span;

/// An exchange whose pieces have been located in its record and are parsed only when they are asked for.
///
/// Only quotes and brackets of the record have been followed. Where it is not valid, the pieces may be anything.
pub struct LocatedExchange<'e, 'a> {
    /// The method, or `None` where the capture does not say it.
    pub method: Option<Method>,
    /// The URL as the capture writes it, without quotes.
    pub url: &'a [u8],
    /// The position of the URL in the file.
    pub url_span: Span,
    /// Whether the capture has query parameters outside of the URL.
    pub has_separate_query: bool,
    /// The body that was sent.
    pub request: LocatedBody<'a>,
    /// The body that came back.
    pub response: LocatedBody<'a>,
    /// The header fields of the request as JSON; empty if there are none.
    pub request_headers: &'a [u8],
    /// The header fields of the response as JSON; empty if there are none.
    pub response_headers: &'a [u8],
    /// Whether the record may announce a deprecation, besides these header fields.
    pub may_announce: bool,
    /// Parses the host that the capture names elsewhere than in the URL.
    pub host: &'e dyn Fn() -> Option<Host<'static>>,
    /// Returns whether the record is valid and nests no deeper than allowed. The bodies at the given positions, in order, are not
    /// read.
    pub is_valid: &'e dyn Fn(&[Span]) -> bool,
    /// Parses all pieces; `None` where one of them is not what it should be.
    pub parse: &'e dyn Fn() -> Option<Exchange<'a>>,
}

/// The body of one side, as far as it has been located.
#[derive(Debug, Default)]
pub enum LocatedBody<'a> {
    /// A body. Its media type is not known yet.
    Present(Body<'a>),
    /// No body, but perhaps a sign that the capture lacks one.
    PerhapsMissing,
    /// No body, and no sign of one.
    #[default]
    Absent,
}

impl<'a> LocatedExchange<'_, 'a> {
    /// The body of one side.
    pub fn body(&self, side: Side) -> &LocatedBody<'a> {
        match side {
            Side::Request => &self.request,
            Side::Response => &self.response,
        }
    }

    /// The header fields of one side as JSON; empty if there are none.
    pub fn headers(&self, side: Side) -> &'a [u8] {
        match side {
            Side::Request => self.request_headers,
            Side::Response => self.response_headers,
        }
    }
}

/// Returned where a record was read closely and is not valid. Nothing in it has been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRecord;
