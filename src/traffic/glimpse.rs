//! What a first look at an exchange sees, before anything of it is parsed.

use super::{Body, Method, Side};
use crate::text::Span;

/// The call of an exchange as it is written, and its bodies; neither the time nor more of header fields than a suspicion.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// `None` where the capture does not say.
    pub method: Option<Method>,
    /// The URL as the capture's JSON writes it, without the quotes.
    pub url: &'a [u8],
    /// Where it stands in the file, in captures that never hold bodies: that there are none can be told without parsing more.
    pub bodiless: Option<Span>,
    /// Whether parameters of the query stand apart from the URL.
    pub has_query_apart: bool,
    /// What was sent.
    pub request: Seen<'a>,
    /// What came back.
    pub response: Seen<'a>,
    /// Whether header fields of the response may tell of a deprecation.
    pub may_announce: bool,
}

/// What is seen of one half of an exchange.
#[derive(Debug, Default)]
pub struct Seen<'a> {
    /// The body, where the capture has one.
    pub body: Option<Body<'a>>,
    /// Whether there was a body that is not handed on.
    pub is_unread: bool,
}

impl<'a> Glimpse<'a> {
    /// What is seen of one side.
    pub fn seen(&self, side: Side) -> &Seen<'a> {
        match side {
            Side::Request => &self.request,
            Side::Response => &self.response,
        }
    }

    /// Whether there is no body on either side, nor a sign that there was one.
    pub fn has_no_body(&self) -> bool {
        Side::BOTH
            .into_iter()
            .map(|side| self.seen(side))
            .all(|seen| seen.body.is_none() && !seen.is_unread)
    }

    /// The part of the URL that decides about the operation, and whether something may stand behind it that names
    /// parameters. Both are all of it where that takes reading it.
    pub fn path(&self) -> (&'a [u8], bool) {
        let is_odd = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_graphic());
        let end = self.url.iter().position(|byte| matches!(byte, b'?' | b'#' | b'{' | b'\\'));
        // White space around a URL is no part of it, and some of it is more than a byte.
        let before = end.unwrap_or(self.url.len()).checked_sub(1).and_then(|at| self.url.get(at));
        if is_odd(self.url.first()) || is_odd(self.url.last()) || is_odd(before) {
            return (self.url, true);
        }
        match end.map(|end| (self.url.get(end), self.url.get(..end).unwrap_or_default())) {
            None => (self.url, false),
            Some((Some(b'?'), path)) => (path, true),
            Some((Some(b'#'), path)) => (path, false),
            Some(_) => (self.url, true),
        }
    }
}
