//! Exchanges whose pieces have been located in a log record.

use super::locate::is_string;
use super::{audit_event, unread};
use crate::file_head::contains;
use crate::messages::{BodyContent, body_form, http_message, recorded_body};
use crate::pieces::{self, METHODS, split_request};
use sundown_exchange::{
    Body, Call, CallSource, Encoding, Exchange, HeaderFields, Host, Lazy, Message, Method, Reason,
    RecordPlace, RecordedOrigin, StatusCode, Target, Unread, pseudo_header,
};
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, ValueKind, key_context};
use sundown_text_json::text::Span;

/// The pieces of an exchange in a record.
#[derive(Debug, Clone)]
pub(crate) struct LocatedRecord<'t> {
    pub record: Node<'t>,
    pub method: Option<Node<'t>>,
    pub url: Node<'t>,
    pub form: TargetForm,
    /// The host, in case the URL does not have it.
    pub host: Option<Node<'t>>,
    pub queries: Vec<Node<'t>>,
    pub started: Option<Node<'t>>,
    pub status: Option<Node<'t>>,
    /// What made the call, as a browser says it.
    pub initiator: Option<Node<'t>>,
    /// An object that may announce a deprecation, besides header fields.
    pub announcements: Option<Node<'t>>,
    /// The stage of the call that the record is about.
    pub stage: Option<Node<'t>>,
    /// Whether a member that may be the query has the variables of the path.
    pub has_path_variables: bool,
    /// A part of the call that the shape does not read.
    pub unread: Option<Node<'t>>,
    pub request: LocatedMessage<'t>,
    pub response: LocatedMessage<'t>,
}

/// The kind of text in the place of the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetForm {
    Url,
    /// `GET /x HTTP/1.1`, or without the version.
    RequestLine,
    /// A URL beside a verb of Kubernetes (`list`) in place of the method.
    ResourceVerb,
    /// Header fields with the method and the path, as HTTP/2 sends them (RFC 9113, section 8.3.1).
    HeaderFields,
}

/// The positions of the pieces of one half of an exchange.
#[derive(Debug, Clone, Default)]
pub(crate) struct LocatedMessage<'t> {
    pub headers: Option<Node<'t>>,
    pub body: Option<Node<'t>>,
    /// The value that a log has in place of a body that was left out.
    pub left_out: Option<Node<'t>>,
    /// Whether an object in the place of the body describes it.
    pub is_wrapped: bool,
    /// The size of the body, outside of it.
    pub size: Option<Node<'t>>,
    /// A member beside the body that says whether it is base64.
    pub base64: Option<Node<'t>>,
    /// Members with other names than bodies have, which may be the body.
    pub unknown: Vec<Node<'t>>,
    /// Other forms of the body.
    pub others: Vec<Node<'t>>,
    /// The limits of the body, if a recorder of tests wrote it.
    pub recorded: Option<Limits>,
}

impl<'t> LocatedRecord<'t> {
    /// Whether something beside the method and the URL shows that the call was made.
    pub(super) fn has_evidence(&self) -> bool {
        let others = self.started.or(self.host).or(self.initiator).or(self.stage);
        self.status.or(others).is_some()
            || self.request.is_there()
            || self.response.is_there()
            || !self.queries.is_empty()
            || !self.url.raw_bytes().starts_with(b"\"/")
    }

    /// Whether header fields or a body of it are there.
    pub(crate) fn has_message(&self) -> bool {
        let mut messages = [&self.request, &self.response].into_iter();
        messages.any(|message| message.headers.or(message.body).is_some())
    }

    /// Whether it describes the same call as another record: its method and its path are the same, and it has no further body.
    pub(crate) fn is_same_call(&self, other: &Self) -> bool {
        let method = |record: &Self| {
            let method = record.method.map(Node::raw_bytes).unwrap_or_default();
            method.to_ascii_uppercase()
        };
        let path = |record: &Self| {
            let target = Target::parse(record.url.as_str().unwrap_or_default());
            target.into_owned().segments
        };
        let has_body = |record: &Self| record.request.body.or(record.response.body).is_some();
        method(self) == method(other)
            && path(self) == path(other)
            && !(has_body(self) && has_body(other))
    }

    /// The objects, lists and strings like this in the record that neither are pieces of the call nor have one inside.
    pub(crate) fn others(&self, is_like: fn(Node<'_>) -> bool) -> impl Iterator<Item = Node<'t>> {
        let is_apart = |node: Node<'_>, piece: Node<'_>| {
            let (node, piece) = (node.span(), piece.span());
            piece.end <= node.start || node.end <= piece.start
        };
        self.record.children().filter(move |node| {
            let is_other = || self.pieces().all(|piece| is_apart(*node, piece));
            match node.raw_bytes() {
                // To read a short text costs less than to compare all pieces.
                [b'"', rest @ ..] if rest.len() < 128 => is_like(*node) && is_other(),
                [b'"' | b'{' | b'[', ..] => is_other() && is_like(*node),
                _ => false,
            }
        })
    }

    /// What is surely a part of the call.
    fn pieces(&self) -> impl Iterator<Item = Node<'t>> {
        let of_messages = [&self.request, &self.response]
            .into_iter()
            .flat_map(|message| {
                let pieces = [
                    message.headers,
                    message.body,
                    message.left_out,
                    message.size,
                ];
                pieces.into_iter().flatten()
            });
        let pieces = [
            Some(self.url),
            self.method,
            self.host,
            self.status,
            self.unread,
        ];
        let queries = self.queries.iter().copied();
        pieces
            .into_iter()
            .flatten()
            .chain(queries)
            .chain(of_messages)
    }

    /// Builds the exchange from its pieces; `None` if the method or the URL is none.
    pub(crate) fn build<'a>(&self, place: RecordPlace<'a>) -> Option<Exchange<'a>> {
        let mut response = self.response.build(place);
        if let Some(announcements) = self.announcements {
            response = audit_event::announcing(&response, announcements, place);
        }
        let mut request = self.request.build(place);
        let mut call = self.call(place)?;
        // What a record does not have in usual places may be elsewhere in it. Header fields in one text are not read.
        let record = place.value(self.record);
        let has_query = !self.queries.is_empty() || self.url.raw_bytes().contains(&b'?');
        if !has_query && !self.has_path_variables {
            call.unread_query = Lazy::of(record, unread::query);
        }
        if self.request.headers.is_none_or(is_string) {
            request.unread_headers = Lazy::of(record, unread::request_headers);
        }
        if self.response.headers.is_none_or(is_string) {
            response.unread_headers = Lazy::of(record, unread::response_headers);
        }
        // A URL may be relative to that in the place of the host.
        if self
            .host
            .is_some_and(|host| memchr::memchr(b'/', host.raw_bytes()).is_some())
        {
            call.change_target(|_| ());
        }
        if self.request.body.map(Node::index) == Some(self.url.index()) {
            call.change_target(|target| target.complete_host(|| host_of(&request)));
        }
        let texts = self.others(|node| may_state_call(node.raw_bytes()));
        Some(Exchange {
            call,
            started: pieces::located(self.started, place, pieces::time_of, pieces::started),
            status: self.status(place),
            origin: self.origin(place),
            extent: Some(place.span_of(self.record)),
            beside: texts.map(|node| place.span_of(node)).collect(),
            request,
            response,
            ..Exchange::default()
        })
    }

    fn origin<'a>(&self, place: RecordPlace<'a>) -> RecordedOrigin<'a> {
        let written = |node| place.span(Node::span(node)).slice(place.file);
        match self.initiator {
            Some(initiator) => RecordedOrigin::initiator(written(initiator)),
            None if self.request.recorded.is_some() => RecordedOrigin::default(),
            None => RecordedOrigin::attributes(written(self.record)),
        }
    }

    /// The status; without a member of its own, that among the header fields of HTTP/2.
    fn status<'a>(&self, place: RecordPlace<'a>) -> Lazy<'a, Option<StatusCode>> {
        if self.status.is_some() {
            return pieces::located(self.status, place, pieces::status_of, pieces::status);
        }
        let message = |body| http_message(body, place);
        if let Some((status, _)) = self.response.body.and_then(message) {
            return status.into();
        }
        let headers = self.response.headers;
        let headers = headers.filter(|headers| contains(headers.raw_bytes(), b"\":status\""));
        let headers = headers.map(|headers| place.value(headers));
        pieces::lazy(headers, pieces::status_among_headers)
    }

    fn call<'a>(&self, place: RecordPlace<'a>) -> Option<Call<'a>> {
        let literal = place.value(self.url);
        let value = |node: Node<'_>| place.value(node);
        let source = CallSource {
            url: key_context::content(literal.raw()),
            queries: self.queries.iter().copied().map(value).collect(),
            host: self.host.map(value),
            headers: self.request.headers.map(value),
            target: pieces::target,
            other_host: pieces::other_host,
        };
        match self.form {
            TargetForm::Url => {
                let among_fields = || pseudo_header(self.request.headers?, place, ":method");
                let method = match self.method {
                    Some(node) => Some(pieces::method(node)?),
                    None => among_fields().and_then(|(method, _)| Method::parse(&method)),
                };
                if self.url.document().is_yaml() {
                    let mut target = pieces::target_of_text(self.url.as_str()?).into_owned();
                    let queries = self.queries.iter().copied();
                    pieces::add_query(
                        &mut target,
                        queries
                            .flat_map(|query| pieces::parameters(query, place))
                            .collect(),
                    );
                    return Some(Call::new(method, target, Some(literal.span)));
                }
                Some(Call::located(method, source, literal.span))
            }
            TargetForm::ResourceVerb => {
                let method = match self.method {
                    Some(node) => Some(audit_event::method(node)?),
                    None => None,
                };
                Some(Call::located(method, source, literal.span))
            }
            TargetForm::RequestLine => self.call_in_line(source, literal.span),
            TargetForm::HeaderFields => {
                let (method, _) = pseudo_header(self.url, place, ":method")?;
                let (path, span) = pseudo_header(self.url, place, ":path")?;
                let target = pieces::complete(Target::parse(&path).into_owned(), &source);
                Some(Call::new(Some(Method::parse(&method)?), target, Some(span)))
            }
        }
    }

    fn call_in_line<'a>(&self, source: CallSource<'a>, literal: Span) -> Option<Call<'a>> {
        let line = self.url.as_str()?.lines().next()?;
        let (method, target) = split_request(line.as_bytes(), Span::new(0, line.len()))?;
        let method = Some(method);
        if source.url == line.as_bytes() {
            let url = target.slice(source.url);
            let span = target.shifted(literal.start + 1);
            return Some(Call::located(method, CallSource { url, ..source }, span));
        }
        // Positions inside of a line with escapes are not known.
        let target = Target::parse(line.get(target.start..target.end)?).into_owned();
        let target = pieces::complete(target, &source);
        Some(Call::new(method, target, Some(literal)))
    }

    /// Whether another record of the same call is the one that counts.
    pub(crate) fn is_earlier_stage(&self) -> bool {
        self.stage.is_some_and(audit_event::is_earlier_stage)
    }
}

/// The number of members that may be bodies and are named.
const MAX_NAMED: usize = 8;

impl<'t> LocatedMessage<'t> {
    fn is_there(&self) -> bool {
        let piece = self.headers.or(self.body).or(self.left_out);
        piece.is_some() || !self.unknown.is_empty()
    }

    /// The other forms of the body that are JSON and do not repeat it.
    pub(super) fn other_forms(&self, place: RecordPlace<'_>) -> Vec<Node<'t>> {
        let (Some(body), Some(limits), false) = (self.body, self.recorded, self.others.is_empty())
        else {
            return Vec::new();
        };
        let mut known = vec![recorded_body::json(body, place, limits)];
        let mut others = self.others.clone();
        others.retain(|other| {
            let json = recorded_body::json(*other, place, limits);
            let is_new = json.is_some() && !known.contains(&json);
            known.push(json);
            is_new
        });
        others
    }

    fn content<'a>(&self, node: Node<'_>, place: RecordPlace<'a>) -> BodyContent<'a> {
        if let Some(limits) = self.recorded {
            return recorded_body::content(node, place, limits);
        }
        let is_wrapper = self.is_wrapped && node.kind() == ValueKind::Object;
        let wrapped = || body_form::wrapped(node, place, true);
        if let Some(content) = is_wrapper.then(wrapped).flatten() {
            return content;
        }
        let mut content = body_form::body(node, place);
        if content.is_nothing() {
            // A text without content says that the body is empty.
            let span = place.span_of(node);
            content = Body::new(place.file, span, Encoding::JsonString).into();
        }
        if let Some(body) = &mut content.body
            && body.encoding == Encoding::JsonString
            && (self.base64.and_then(body_form::says_base64) == Some(true)
                || node.is_called("base64"))
        {
            body.encoding = Encoding::Base64JsonString;
        }
        content
    }

    pub(crate) fn build<'a>(&self, place: RecordPlace<'a>) -> Message<'a> {
        if let Some((_, message)) = self.body.and_then(|node| http_message(node, place)) {
            return message;
        }
        let read = |node: Node<'_>| HeaderFields::of(node, place);
        let cookies = self
            .headers
            .and_then(|own| Some((own, cookies_beside(own)?)));
        let fields = match cookies {
            Some((own, cookies)) => read(own).with_cookies(cookies, place).into(),
            None => pieces::located(self.headers, place, read, HeaderFields::read),
        };
        let content = self.body.map(|node| self.content(node, place));
        let BodyContent { body, unread } = content.unwrap_or_default();
        let missing = |node: Node<'_>| Unread::at(Reason::BodyMissing, place.span_of(node));
        let size = self.size.filter(|_| body.is_none());
        let bytes = size.and_then(Node::as_i64).unwrap_or_default();
        let unread = unread
            .or_else(|| self.left_out.or(size.filter(|_| bytes > 0)).map(missing))
            .or_else(|| {
                let first = self.unknown.first()?;
                let names = self.unknown.iter().filter_map(|node| node.key());
                let names = names.take(MAX_NAMED);
                let names = names.collect::<Vec<_>>().join("`, `");
                let span = place.span(first.label());
                Some(Unread::at(Reason::UnreadBody, span).in_member(&names))
            });
        let message = Message::new(fields, body, unread);
        match size {
            // Of a body of unknown size, only its header fields say that there was one.
            Some(size) if bytes < 0 => message.promised_at(place.span_of(size)),
            _ => message,
        }
    }
}

/// The cookies of a request whose header fields lack them, beside these or in the object around. Most records have none.
fn cookies_beside(headers: Node<'_>) -> Option<Node<'_>> {
    let message = headers.parent()?;
    let around = [Some(message), message.parent()].into_iter().flatten();
    let mut members = around.flat_map(Node::children);
    let cookies = members.find(|one| one.is_called("cookies") || one.is_called("cookie"))?;
    let is_of_response = |node: Node<'_>| {
        node.key()
            .is_some_and(|key| key.starts_with("res") || key.starts_with("Res"))
    };
    let raw = headers.raw_bytes();
    let has_own = contains(raw, b"\"Cookie\"") || contains(raw, b"\"cookie\"");
    let is_sent = !is_of_response(headers) && !is_of_response(message);
    (is_sent && !has_own && cookies.raw_bytes().len() > 2).then_some(cookies)
}

/// The host in the header fields of a message that was read as a whole.
fn host_of(message: &Message<'_>) -> Option<Host<'static>> {
    let mut fields = message.headers().iter();
    let values = fields.find(|field| field.name == "host")?.values();
    Host::parse(values.first()?, None).map(Host::into_owned)
}

/// Whether a text may state another call: it has a path, and a method with a space after it.
pub(crate) fn may_state_call(text: &[u8]) -> bool {
    let ends_method = |space| {
        let before = text.get(..=space).unwrap_or_default();
        METHODS.iter().any(|name| before.ends_with(name))
    };
    memchr::memchr(b'/', text).is_some() && memchr::memchr_iter(b' ', text).any(ends_method)
}

/// Whether a value may be a body: JSON as a value or as text.
pub(super) fn may_be_json(node: Node<'_>) -> bool {
    match node.kind() {
        ValueKind::Object | ValueKind::Array => node.raw_bytes().len() > 2,
        ValueKind::String => {
            // Most texts begin with a letter, and need not be decoded.
            !matches!(node.raw_bytes(), [b'"', b'!'..=b'Z' | b'a'..=b'z', ..])
                && (node.as_str().unwrap_or_default().trim_start()).starts_with(['{', '['])
        }
        _ => false,
    }
}
