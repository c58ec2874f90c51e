//! The pieces of a call in a line of an access log.

use crate::file_head::contains;
use crate::pieces;
use crate::request_line::{parse_method, split_request};
use std::borrow::Cow;
use sundown_exchange::{
    Call, Exchange, HeaderField, HeaderValue, Host, LocatedBody, LocatedExchange, Message, Method,
    QueryParameter, Side, Signal, StatusCode, Target, signals,
};
use sundown_text_json::text::Span;

/// The result of a comparison of a line with a format.
#[allow(
    clippy::large_enum_variant,
    reason = "used line by line and never kept"
)]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineFit<'f> {
    /// The line has that format.
    Whole(LinePieces<'f>),
    /// The line is the beginning of one with that format, and unlikely to be anything else.
    Cut,
    /// The line may be the beginning of one with that format, as any few words may.
    Begun,
    /// The line looks like that format, but has no request where the format has one.
    Unfit,
    /// The line is something else.
    Not,
}

/// The positions of the pieces of a call in its line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LinePieces<'f> {
    /// The request line.
    pub(super) request: Option<Span>,
    pub(super) method: Option<Span>,
    /// Path and query.
    pub(super) url: Option<Span>,
    pub(super) path: Option<Span>,
    pub(super) query: Option<Span>,
    pub(super) host: Option<Span>,
    pub(super) started: Option<Span>,
    pub(super) status: Option<Span>,
    /// The body of the request.
    pub(super) body: Option<Span>,
    /// The user agent, in a known format.
    pub(super) agent: Option<Span>,
    /// The names of header fields, and the positions of their values.
    pub(super) headers: Vec<(Side, &'f str, Span)>,
}

/// A line with a call.
pub(crate) struct AccessCall<'p, 'a> {
    pieces: &'p LinePieces<'p>,
    file: &'a [u8],
    line: Span,
    /// `None` if the line has none.
    method: Option<Method>,
    /// The position of the URL in the line.
    url: Span,
}

impl LinePieces<'_> {
    /// Returns whether the line has a call.
    pub(crate) fn is_call(&self, line: &[u8]) -> bool {
        self.called(line).is_some()
    }

    /// Returns the call in the line at `line`; `None` if a client sent something other than a request: nothing at all, or bytes
    /// of another protocol.
    pub(crate) fn call<'a>(&self, line: Span, file: &'a [u8]) -> Option<AccessCall<'_, 'a>> {
        let (method, url) = self.called(line.slice(file))?;
        Some(AccessCall {
            pieces: self,
            file,
            line,
            method,
            url,
        })
    }

    /// The method and the position of the URL.
    fn called(&self, line: &[u8]) -> Option<(Option<Method>, Span)> {
        if let Some(url) = self.url.or(self.path) {
            let text = url.slice(line);
            let is_url = text.starts_with(b"/") || contains(text, b"://");
            return is_url.then(|| (self.method.and_then(|span| parse_method(line, span)), url));
        }
        let (method, url) = split_request(line, self.request?)?;
        Some((Some(method), url))
    }

    /// Returns whether the field of the request has a text that servers write there only in another format: it is neither a
    /// request nor what servers write if there was none.
    pub(super) fn is_unfit(&self, line: &[u8]) -> bool {
        let Some(field) = self.url.or(self.path).or(self.request) else {
            return false;
        };
        let is_none = says_nothing(field.slice(line))
            || self
                .method
                .is_some_and(|method| method.slice(line) == b"CONNECT");
        !is_none && !self.is_call(line)
    }
}

impl<'a> AccessCall<'_, 'a> {
    /// The call as a located exchange, which `parse` parses; `None` if only parsing can say what was called.
    pub(crate) fn located<'e>(
        &self,
        host: &'e dyn Fn() -> Option<Host<'static>>,
        parse: &'e dyn Fn() -> Option<Exchange<'a>>,
    ) -> Option<LocatedExchange<'e, 'a>> {
        let url_span = self.url.shifted(self.line.start);
        let url = url_span.slice(self.file);
        let LinePieces {
            body,
            headers,
            query,
            ..
        } = self.pieces;
        if body.is_some() || !headers.is_empty() || memchr::memchr(b'\\', url).is_some() {
            return None;
        }
        Some(LocatedExchange {
            method: self.method.clone(),
            url,
            url_span,
            has_separate_query: query.is_some(),
            request: LocatedBody::Absent,
            response: LocatedBody::Absent,
            request_headers: &[],
            response_headers: &[],
            may_announce: false,
            host,
            is_valid: &|_| true,
            parse,
        })
    }

    /// The host that a field of its own names.
    pub(crate) fn host(&self) -> Option<Host<'a>> {
        parse_host(self.pieces.host?.slice(self.line.slice(self.file)))
    }

    /// The call as an exchange.
    pub(crate) fn exchange(&self) -> Exchange<'a> {
        let text = self.line.slice(self.file);
        let pieces = self.pieces;
        let mut target = target(self.url.slice(text));
        if let Some(query) = pieces.query {
            target.parameters.extend(parameters(query.slice(text)));
        }
        target.complete_host(|| self.host());
        let started = pieces
            .started
            .and_then(|at| pieces::time(std::str::from_utf8(at.slice(text)).ok()?));
        let url_span = Some(self.url.shifted(self.line.start));
        let body = pieces
            .body
            .map(|body| super::escapes::body(self.file, body.shifted(self.line.start)));
        Exchange {
            index: 0,
            call: Call {
                method: self.method.clone(),
                target,
                url_span,
            },
            started,
            status: pieces
                .status
                .and_then(|at| StatusCode::parse(at.slice(text))),
            logged: self.logged(),
            request: Message {
                body,
                ..self.message(Side::Request)
            },
            response: self.message(Side::Response),
            ..Exchange::default()
        }
    }

    /// The values of the header fields of the request that the line has.
    fn logged(&self) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
        let agent = self.pieces.agent.map(|span| ("user-agent", span));
        let headers = self
            .pieces
            .headers
            .iter()
            .filter(|header| header.0 == Side::Request);
        agent
            .into_iter()
            .chain(headers.map(|&(_, name, span)| (name, span)))
            .map(|(name, span)| {
                (
                    Cow::Owned(name.to_owned()),
                    super::escapes::text(span.shifted(self.line.start).slice(self.file)),
                )
            })
            .collect()
    }

    /// The message of one side, with the header fields that the line has of it.
    fn message(&self, side: Side) -> Message<'a> {
        let mut message = Message::default();
        for (_, name, value) in self.pieces.headers.iter().filter(|header| header.0 == side) {
            let span = value.shifted(self.line.start);
            if side == Side::Response {
                let text = super::escapes::text(span.slice(self.file));
                message.signals.extend(
                    signals(name, &text, span)
                        .into_iter()
                        .map(Signal::without_name),
                );
            }
            // A line has only the fields that its format names.
            let name = Cow::Owned((*name).to_owned());
            let value = HeaderValue::Unknown;
            message.headers.push(HeaderField { name, span, value });
        }
        message
    }
}

/// Returns whether a server writes this text if there was no request: nothing, `-`, the `*` of OPTIONS, or bytes of another
/// protocol.
pub(super) fn says_nothing(request: &[u8]) -> bool {
    matches!(request, b"" | b"-" | b"*")
        || request
            .iter()
            .any(|byte| *byte == b'\\' || !matches!(byte, b' '..=b'~'))
}

/// Parses a URL with the escapes of servers.
pub(super) fn target(raw: &[u8]) -> Target<'_> {
    match super::escapes::text(raw) {
        Cow::Borrowed(text) => Target::parse(text),
        Cow::Owned(text) => Target::parse(&text).into_owned(),
    }
}

/// The parameters in a query, with or without its question mark.
pub(super) fn parameters(raw: &[u8]) -> Vec<QueryParameter<'static>> {
    let text = super::escapes::text(raw);
    let query = text.strip_prefix('?').unwrap_or(&text);
    Target::parse(&format!("?{query}")).into_owned().parameters
}

/// Parses a host. Servers write `-` for an unknown one, and nginx `_` for any.
pub(super) fn parse_host(raw: &[u8]) -> Option<Host<'static>> {
    let text = std::str::from_utf8(raw)
        .ok()
        .filter(|text| !["-", "_"].contains(text))?;
    Host::parse(text, None).map(Host::into_owned)
}
