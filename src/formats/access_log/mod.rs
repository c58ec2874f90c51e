//! Access logs of web servers: each line a call, in the Common Log Format and its kin, or in an order that the user says.
//!
//! Lines hold no bodies, but where the user's order has them. What servers escape is undone.

mod beginning;
mod common;
mod escapes;
mod log_format;

pub(super) use beginning::Beginning;
pub use log_format::{LogFormat, LogFormatError};

use std::borrow::Cow;

use crate::formats::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, ReadUnit, Recognition, common,
    distinctive,
};
use crate::formats::{Logs, fields};
use crate::text::Span;
use crate::traffic::{
    Call, Exchange, HeaderName, Host, LocatedBody, LocatedExchange, Message, Method, Side, Target,
    signals,
};

/// Access logs of web servers: Common Log Format, combined, with additional fields around it; or in any order.
pub(in crate::formats) const ACCESS_LOG: FormatSpec = FormatSpec {
    name: "access-log",
    title: "Access logs of web servers: Common Log Format, combined, with additional fields around it; or in any order",
    family: FormatFamily::Logs,
    recognised: "lines with a time in brackets, a request in quotes and a status; any other order by `log-format` under `[[log]]`",
    recognition: Recognition::Content,
    reader: FormatReader::AccessLog,
    unit: ReadUnit::Lines,
    keeps: Keeps::Calls,
    reads: "",
    limits: "Access logs have no bodies: operations and parameters are checked. A cut inside the last field of the last line cannot be detected.",
    is_binary: false,
    endings: &[],
    marks: &[
        distinctive(MarkSign::Text(&[" HTTP/1.", " HTTP/2."]), "request like `GET /path HTTP/1.1`"),
        common(MarkSign::Text(&["] \""]), "time in brackets before a quote"),
        common(MarkSign::Text(&["\" 2", "\" 3", "\" 4", "\" 5"]), "status after a quote"),
    ],
    sample: "captures/logs/nginx-combined.log",
};

/// What a line is in the eyes of a format.
#[allow(clippy::large_enum_variant, reason = "looked at line by line and never kept")]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineFit<'f> {
    /// A line of that format.
    Whole(LinePieces<'f>),
    /// The beginning of one, and unlikely to be anything else.
    Cut,
    /// It may be the beginning of one, as any few words may.
    Begun,
    /// It has the signs of that format, but no request where that has it.
    Unfit,
    /// Something else.
    Not,
}

/// Where in a line the pieces of a call stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LinePieces<'f> {
    /// The request line.
    request: Option<Span>,
    method: Option<Span>,
    /// Path and query.
    url: Option<Span>,
    path: Option<Span>,
    query: Option<Span>,
    host: Option<Span>,
    started: Option<Span>,
    /// The body of the request.
    body: Option<Span>,
    /// Names of header fields, and where their values stand.
    headers: Vec<(Side, &'f str, Span)>,
}

/// The two pieces without which there is no call.
struct AccessCall {
    /// `None` where the line does not say it.
    method: Option<Span>,
    url: Span,
}

/// What a line is by the formats of `logs`, else by those that are known.
pub(super) fn read<'f>(text: &[u8], logs: &'f Logs<'_>) -> LineFit<'f> {
    let mut best = LineFit::Not;
    for format in logs.formats() {
        match format.read(text) {
            LineFit::Not => {}
            whole @ LineFit::Whole(_) => return whole,
            _ if matches!(best, LineFit::Unfit) => {}
            other => best = other,
        }
    }
    match (common::read(text), best) {
        (LineFit::Not, best) | (LineFit::Begun, best @ (LineFit::Cut | LineFit::Unfit)) => best,
        (known, _) => known,
    }
}

/// Whether a line is one of an access log in a format that is known.
pub(super) fn is_common(text: &[u8]) -> bool {
    matches!(common::read(text), LineFit::Whole(_))
}

/// Whether a whole request stands in quotes of its own, as a field of a line in no known order. Loggers of errors quote
/// requests as well, with a comma behind.
pub(super) fn quotes_request(text: &[u8]) -> bool {
    let quotes: Vec<usize> =
        memchr::memchr_iter(b'"', text).filter(|&at| !escapes::is_escaped(text, at)).collect();
    quotes.windows(2).any(|pair| {
        let &[open, close] = pair else { return false };
        let request = Span::new(open + 1, close);
        let is_apart = matches!(text.get(..open).and_then(<[u8]>::last), None | Some(b' ' | b'\t'))
            && matches!(text.get(close + 1), None | Some(b' ' | b'\t'));
        let has_version = || memchr::memmem::find(request.slice(text), b" HTTP/").is_some();
        is_apart && has_version() && split_request(text, request).is_some()
    })
}

/// Whether a method and a path stand side by side in a line of no known order.
pub(super) fn has_call(text: &[u8]) -> bool {
    let is_method = |word: &[u8]| word.len() >= 3 && word.iter().all(u8::is_ascii_uppercase);
    let mut words = text.split(|byte| matches!(byte, b' ' | b'"')).peekable();
    while let Some(word) = words.next() {
        if is_method(word) && words.peek().is_some_and(|target| target.starts_with(b"/")) {
            return true;
        }
    }
    false
}

/// Whether a line, the last of its log, has fewer fields than the one before it.
pub(super) fn is_shorter(last: &[u8], before: &[u8]) -> bool {
    common::fields_behind(last) < common::fields_behind(before)
}

impl LinePieces<'_> {
    /// Whether it says what was called.
    pub(super) fn is_call(&self, line: &[u8]) -> bool {
        self.called(line).is_some()
    }

    /// `None` where what was sent is no request: nothing at all, or bytes of another protocol.
    fn called(&self, line: &[u8]) -> Option<AccessCall> {
        if let Some(url) = self.url.or(self.path) {
            let text = url.slice(line);
            let is_one = text.starts_with(b"/") || memchr::memmem::find(text, b"://").is_some();
            return is_one.then_some(AccessCall { method: self.method, url });
        }
        let (method, url) = split_request(line, self.request?)?;
        Some(AccessCall { method: Some(method), url })
    }

    /// Whether the place of the request holds what servers write there only by another format: neither a request, nor
    /// what they write where there was none.
    fn is_unfit(&self, line: &[u8]) -> bool {
        let of_connect = |method: Span| method.slice(line) == b"CONNECT";
        let Some(place) = self.url.or(self.path).or(self.request) else { return false };
        let is_none = says_nothing(place.slice(line)) || self.method.is_some_and(of_connect);
        !is_none && !self.is_call(line)
    }

    /// The call with its pieces located; `None` where they have to be parsed to know them.
    pub(super) fn located<'e, 'a>(
        &self,
        line: Span,
        file: &'a [u8],
        parse: &'e dyn Fn() -> Option<Exchange<'a>>,
    ) -> Option<LocatedExchange<'e, 'a>> {
        let text = line.slice(file);
        let called = self.called(text)?;
        let url = called.url.slice(text);
        if self.body.is_some() || !self.headers.is_empty() || url.contains(&b'\\') {
            return None;
        }
        Some(LocatedExchange {
            method: method(text, called.method),
            url,
            url_span: called.url.shifted(line.start),
            has_separate_query: self.query.is_some(),
            request: LocatedBody::Absent,
            response: LocatedBody::Absent,
            may_announce: false,
            is_valid: &|_| true,
            parse,
        })
    }

    /// The exchange that the line at `place` is.
    pub(super) fn exchange<'a>(&self, line: Span, file: &'a [u8]) -> Option<Exchange<'a>> {
        let text = line.slice(file);
        let called = self.called(text)?;
        let mut target = target(called.url.slice(text));
        if let Some(query) = self.query {
            target.parameters.extend(parameters(query.slice(text)));
        }
        if target.host.is_none() {
            target.host = self.host.and_then(|host| host_of(host.slice(text)));
        }
        let started =
            self.started.and_then(|at| fields::time(std::str::from_utf8(at.slice(text)).ok()?));
        let url_span = Some(called.url.shifted(line.start));
        let body = self.body.map(|body| escapes::body(file, body.shifted(line.start)));
        Some(Exchange {
            index: 0,
            call: Call { method: method(text, called.method), target, url_span },
            started,
            request: Message { body, ..self.message(Side::Request, line, file) },
            response: self.message(Side::Response, line, file),
        })
    }

    /// The header fields of one side that the line says were there.
    fn message<'a>(&self, side: Side, line: Span, file: &[u8]) -> Message<'a> {
        let mut message = Message::default();
        for (_, name, value) in self.headers.iter().filter(|header| header.0 == side) {
            let span = value.shifted(line.start);
            if side == Side::Response {
                let text = escapes::text(span.slice(file));
                message.signals.extend(signals(name, &text, span));
            }
            message.headers.push(HeaderName { name: Cow::Owned((*name).to_owned()), span });
        }
        message
    }
}

/// Whether a server writes this where nothing was called: nothing, `-`, the `*` of OPTIONS, or bytes of another protocol.
fn says_nothing(request: &[u8]) -> bool {
    let is_binary = |byte: &u8| *byte == b'\\' || !matches!(byte, b' '..=b'~');
    matches!(request, b"" | b"-" | b"*") || request.iter().any(is_binary)
}

fn method(line: &[u8], span: Option<Span>) -> Option<Method> {
    Method::parse(std::str::from_utf8(span?.slice(line)).ok()?)
}

/// What a URL calls that stands in a line as servers escape it.
fn target(raw: &[u8]) -> Target<'_> {
    match escapes::text(raw) {
        Cow::Borrowed(text) => Target::parse(text),
        Cow::Owned(text) => Target::parse(&text).into_owned(),
    }
}

/// The names of the parameters in a query, with or without its question mark.
fn parameters(raw: &[u8]) -> Vec<Cow<'static, str>> {
    let text = escapes::text(raw);
    let query = text.strip_prefix('?').unwrap_or(&text);
    Target::parse(&format!("?{query}")).into_owned().parameters
}

/// Servers write `-` where they know no host, and nginx `_` for any.
fn host_of(raw: &[u8]) -> Option<Host<'static>> {
    let text = std::str::from_utf8(raw).ok().filter(|text| !["-", "_"].contains(text))?;
    Host::parse(text, None).map(Host::into_owned)
}

/// Method and target of a request line (RFC 9112, section 3), which may have a space too many in its target; of HTTP/0.9
/// without a version.
pub(super) fn split_request(line: &[u8], request: Span) -> Option<(Span, Span)> {
    let text = request.slice(line);
    let first = memchr::memchr(b' ', text)?;
    let rest = text.get(first + 1..)?;
    let version = memchr::memrchr(b' ', rest)
        .filter(|&at| rest.get(at + 1..).is_some_and(|word| word.starts_with(b"HTTP/")));
    let target = rest.get(..version.unwrap_or(rest.len()))?;
    let is_one = match target.first() {
        None => false,
        Some(b'/') => true,
        Some(_) => version.is_some(),
    };
    let method = Span::new(request.start, request.start + first);
    let is_method = || Method::parse(std::str::from_utf8(method.slice(line)).ok()?);
    let start = method.end + 1;
    (is_one && is_method().is_some()).then(|| (method, Span::new(start, start + target.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(request: &str) -> Option<(&str, &str)> {
        let (method, target) = split_request(request.as_bytes(), Span::new(0, request.len()))?;
        Some((&request[method.start..method.end], &request[target.start..target.end]))
    }

    #[test]
    fn request_lines_are_taken_apart() {
        for (request, expected) in [
            ("GET / HTTP/1.1", ("GET", "/")),
            ("POST /a b?c d HTTP/2.0", ("POST", "/a b?c d")),
            ("GET http://h.test/x HTTP/1.0", ("GET", "http://h.test/x")),
            ("OPTIONS * HTTP/1.1", ("OPTIONS", "*")),
            ("GET /old", ("GET", "/old")),
        ] {
            assert_eq!(split(request), Some(expected), "{request}");
        }
    }

    #[test]
    fn what_is_no_request_is_told_from_one() {
        for request in [
            "-",
            "",
            "\\x16\\x03\\x01",
            "GET",
            "GET ",
            "HELO mail.test",
            "\\x00 / HTTP/1.1",
            " / HTTP/1.1",
            "- / HTTP/1.1",
        ] {
            assert_eq!(split(request), None, "{request}");
        }
    }
}
