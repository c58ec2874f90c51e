//! The pieces of a call in a line of an access log.

use std::borrow::Cow;
use std::net::IpAddr;

use crate::file_head::contains;
use crate::pieces::{self, parse_method, split_request};
use sundown_exchange::{
    Call, CallSource, Exchange, HeaderField, HeaderFields, HeaderValue, Host, Lazy, Message,
    Method, RecordValue, Side, Signal, StatusCode, Target, signals,
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
    Missed(LineMiss),
}

/// The reason why a line does not have a format, from what says least about the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineMiss {
    /// The line is something else.
    Not,
    /// The line may be the beginning of one with that format, as any few words may.
    Begun,
    /// The line is the beginning of one with that format, and unlikely to be anything else.
    Cut,
}

/// The positions of the pieces of a call in its line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LinePieces<'f> {
    /// The request line.
    pub request: Option<Span>,
    pub method: Option<Span>,
    /// Path and query.
    pub url: Option<Span>,
    pub path: Option<Span>,
    pub query: Option<Span>,
    pub host: Option<Span>,
    pub started: Option<Span>,
    pub status: Option<Span>,
    /// The body of the request.
    pub body: Option<Span>,
    /// What is after the request, in a known format: servers write the user agent there.
    pub after_request: Option<Span>,
    /// The names of header fields, and the positions of their values.
    pub headers: Vec<(Side, &'f str, Span)>,
}

impl LinePieces<'_> {
    /// Whether the line has a call.
    pub(crate) fn is_call(&self, line: &[u8]) -> bool {
        self.called(line).is_some()
    }

    /// The method, if the line has one, and the position of the URL.
    fn called(&self, line: &[u8]) -> Option<(Option<Method>, Span)> {
        if let Some(url) = self.url.or(self.path) {
            let text = url.slice(line);
            let is_url = text.starts_with(b"/") || contains(text, b"://");
            return is_url.then(|| (self.method.and_then(|span| parse_method(line, span)), url));
        }
        let (method, url) = split_request(line, self.request?)?;
        Some((Some(method), url))
    }

    /// Whether the field of the request has what servers write there if there was none: nothing, `-`, `<BADREQ>`, the `*` of OPTIONS,
    /// or bytes of another protocol. Other text is that of another format.
    pub(crate) fn say_nothing(&self, line: &[u8]) -> bool {
        let field = self.url.or(self.path).or(self.request).unwrap_or_default();
        let text = field.slice(line);
        matches!(text.first(), None | Some(b'-' | b'*' | b'<'))
            || !text
                .iter()
                .all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\')
            || self
                .method
                .is_some_and(|method| method.slice(line) == b"CONNECT")
    }

    /// Returns the call in the line at `line`; `None` if a client sent something other than a request: nothing at all, or bytes
    /// of another protocol.
    pub(crate) fn exchange<'a>(
        &self,
        line: Span,
        file: &'a [u8],
        index: usize,
    ) -> Option<Exchange<'a>> {
        let (method, url) = self.called(line.slice(file))?;
        let value = |at: Span| RecordValue {
            file,
            span: at.shifted(line.start),
        };
        let url = value(url);
        let source = CallSource {
            url: url.raw(),
            queries: self.query.map(value).into_iter().collect(),
            host: self.host.map(value),
            headers: None,
            target: written_target,
            other_host: |source| parse_host(source.host?.raw()),
        };
        // What is known of a URL without parsing it holds for one without escapes.
        let call = if memchr::memchr(b'\\', source.url).is_none() {
            Call::located(method, source, url.span)
        } else {
            Call::new(method, written_target(&source), Some(url.span))
        };
        let body = self
            .body
            .map(|body| super::escapes::body(file, body.shifted(line.start)));
        let has_fields = !self.headers.is_empty();
        let fields = |side| {
            let fields = has_fields.then(|| self.fields(line, file, side));
            fields.map_or_else(Lazy::default, Lazy::from)
        };
        Some(Exchange {
            index,
            call,
            started: pieces::lazy(self.started.map(value), |at| {
                pieces::time(std::str::from_utf8(at.raw()).ok()?)
            }),
            status: pieces::lazy(self.status.map(value), |at| StatusCode::parse(at.raw())),
            logged: match self.after_request {
                _ if has_fields => self.logged(line, file).into(),
                Some(after) => Lazy::of(value(after), |after| {
                    agent(after.raw()).into_iter().collect()
                }),
                None => Lazy::default(),
            },
            request: Message::new(fields(Side::Request), body, None),
            response: Message::new(fields(Side::Response), None, None),
            ..Exchange::default()
        })
    }

    /// The values of the header fields of the request that the line has.
    fn logged<'a>(&self, line: Span, file: &'a [u8]) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
        let written = |span: Span| span.shifted(line.start).slice(file);
        let headers = self.headers.iter();
        let headers = headers.filter(|header| header.0 == Side::Request);
        let headers = headers.map(|(_, name, span)| logged_field(name, written(*span)));
        let agent = self.after_request.and_then(|after| agent(written(after)));
        agent.into_iter().chain(headers).collect()
    }

    /// The header fields that the line has of one side.
    fn fields<'a>(&self, line: Span, file: &[u8], side: Side) -> HeaderFields<'a> {
        let mut fields = HeaderFields::default();
        for (_, name, value) in self.headers.iter().filter(|header| header.0 == side) {
            let span = value.shifted(line.start);
            if side == Side::Response {
                let text = super::escapes::text(span.slice(file));
                let signals = signals(name, &text, span);
                fields
                    .signals
                    .extend(signals.into_iter().map(Signal::without_name));
            }
            // A line has only the fields that its format names.
            let name = Cow::Owned((*name).to_owned());
            let value = HeaderValue::Unknown;
            fields.list.push(HeaderField { name, span, value });
        }
        fields
    }
}

/// The user agent after a request: the second of the fields in quotes, or the next that is not the address of a client.
fn agent(after: &[u8]) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let quotes = memchr::memchr_iter(b'"', after);
    let mut quotes = quotes.filter(|&at| !super::escapes::is_escaped(after, at));
    quotes.nth(1)?;
    while let Some((open, close)) = quotes.next().zip(quotes.next()) {
        let value = after.get(open + 1..close)?;
        if String::from_utf8_lossy(value).parse::<IpAddr>().is_err() {
            return Some(logged_field("user-agent", value));
        }
    }
    None
}

fn logged_field<'a>(name: &str, value: &'a [u8]) -> (Cow<'a, str>, Cow<'a, str>) {
    (Cow::Owned(name.to_owned()), super::escapes::text(value))
}

/// The URL of a call with the query and the host beside it.
fn written_target<'a>(source: &CallSource<'a>) -> Target<'a> {
    let mut target = match super::escapes::text(source.url) {
        Cow::Borrowed(text) => Target::parse(text),
        Cow::Owned(text) => Target::parse(&text).into_owned(),
    };
    for query in &source.queries {
        let text = super::escapes::decode(query.file, query.span);
        target.parameters.extend(Target::parse_query(&text));
    }
    target.complete_host(|| (source.other_host)(source));
    target
}

/// Parses a host. Servers write `-` for an unknown one, and nginx `_` for any.
fn parse_host(raw: &[u8]) -> Option<Host<'static>> {
    let text = std::str::from_utf8(raw)
        .ok()
        .filter(|text| !["-", "_"].contains(text))?;
    Host::parse(text, None).map(Host::into_owned)
}
