//! Exchanges whose pieces have been located in a log record.

use super::request_line::split_request;
use super::{audit_event, pieces};
use crate::file_head::contains;
use sundown_exchange::{
    Body, Call, CallSource, Encoding, Exchange, HeaderFields, Message, Method, Reason, RecordPlace,
    Target, Unread,
};
use sundown_text_json::json::{Node, ValueKind, key_context, scan};
use sundown_text_json::text::Span;

/// The positions of the pieces of an exchange in a record, as nodes or as their numbers.
#[derive(Debug, Clone)]
pub(super) struct LocatedRecord<N> {
    pub(super) method: Option<N>,
    pub(super) url: N,
    pub(super) form: TargetForm,
    /// The host, in case the URL does not have it.
    pub(super) host: Option<N>,
    pub(super) queries: Vec<N>,
    pub(super) started: Option<N>,
    pub(super) status: Option<N>,
    /// An object that may announce a deprecation, besides header fields.
    pub(super) annotations: Option<N>,
    /// The stage of the call that the record is about.
    pub(super) stage: Option<N>,
    pub(super) request: LocatedMessage<N>,
    pub(super) response: LocatedMessage<N>,
}

/// The kind of text in the place of the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetForm {
    Url,
    /// `GET /x HTTP/1.1`, or without the version.
    RequestLine,
    /// A URL beside a verb of Kubernetes (`list`) in place of the method.
    ResourceVerb,
}

/// The positions of the pieces of one half of an exchange.
#[derive(Debug, Clone)]
pub(super) struct LocatedMessage<N> {
    pub(super) headers: Option<N>,
    pub(super) body: Option<N>,
    /// The value that a log has in place of a body that was left out.
    pub(super) left_out: Option<N>,
    /// A member beside the body that says whether it is base64.
    pub(super) base64: Option<N>,
    /// A member with another name than bodies have, which may be the body.
    pub(super) unknown: Option<N>,
}

impl<N: Copy> LocatedRecord<N> {
    /// Maps it to other nodes; `None` if one has no counterpart.
    pub(super) fn map<M>(&self, node: impl Fn(N) -> Option<M>) -> Option<LocatedRecord<M>> {
        let some = |from: Option<N>| match from {
            Some(from) => node(from).map(Some),
            None => Some(None),
        };
        let message = |from: &LocatedMessage<N>| {
            Some(LocatedMessage {
                headers: some(from.headers)?,
                body: some(from.body)?,
                left_out: some(from.left_out)?,
                base64: some(from.base64)?,
                unknown: some(from.unknown)?,
            })
        };
        Some(LocatedRecord {
            method: some(self.method)?,
            url: node(self.url)?,
            form: self.form,
            host: some(self.host)?,
            queries: self
                .queries
                .iter()
                .map(|&query| node(query))
                .collect::<Option<_>>()?,
            started: some(self.started)?,
            status: some(self.status)?,
            annotations: some(self.annotations)?,
            stage: some(self.stage)?,
            request: message(&self.request)?,
            response: message(&self.response)?,
        })
    }
}

impl LocatedRecord<Node<'_>> {
    /// Builds the exchange from its pieces; `None` if the method or the URL is none.
    pub(super) fn build<'a>(&self, place: RecordPlace<'a>) -> Option<Exchange<'a>> {
        let value = |node: Option<Node<'_>>| node.map(|node| place.value(node));
        let mut response = self.response.build(place);
        if let Some(annotations) = self.annotations {
            response = audit_event::announcing(&response, annotations, place);
        }
        Some(Exchange {
            call: self.call(place)?,
            started: pieces::lazy(value(self.started), pieces::started),
            status: pieces::lazy(value(self.status), pieces::status),
            request: self.request.build(place),
            response,
            ..Exchange::default()
        })
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
        if self.form != TargetForm::RequestLine {
            return Some(Call::located(self.parse_method()?, source, literal.span));
        }
        let line = self.url.as_str()?;
        let (method, target) = split_request(line.as_bytes(), Span::new(0, line.len()))?;
        let method = Some(method);
        if source.url == line.as_bytes() {
            let url = target.slice(source.url);
            let span = target.shifted(literal.span.start + 1);
            return Some(Call::located(method, CallSource { url, ..source }, span));
        }
        // Positions inside of a line with escapes are not known.
        let target = Target::parse(line.get(target.start..target.end)?).into_owned();
        let target = pieces::complete(target, &source);
        Some(Call::new(method, target, Some(literal.span)))
    }

    /// Returns whether the shape may be wrong because of content that the layout leaves out.
    pub(super) fn is_in_doubt(&self) -> bool {
        [self.request.body, self.response.body]
            .into_iter()
            .flatten()
            .any(may_be_size)
            || self.may_be_batch()
    }

    /// Returns whether the call is one of a batch, whose body has further calls (OData 4.01, part 1, section 11.7).
    pub(super) fn may_be_batch(&self) -> bool {
        contains(self.url.raw_bytes(), b"$batch")
    }

    /// `None` if the node is not a method.
    #[allow(clippy::option_option, reason = "a missing method is no error")]
    fn parse_method(&self) -> Option<Option<Method>> {
        let parse = match self.form {
            TargetForm::ResourceVerb => audit_event::method,
            TargetForm::Url | TargetForm::RequestLine => pieces::method,
        };
        self.method.map_or(Some(None), |node| parse(node).map(Some))
    }

    /// Returns whether another record of the same call is the one that counts.
    pub(super) fn is_earlier_stage(&self) -> bool {
        self.stage.is_some_and(audit_event::is_earlier_stage)
    }
}

impl LocatedMessage<Node<'_>> {
    fn decode_body<'a>(&self, node: Node<'_>, place: RecordPlace<'a>) -> Body<'a> {
        // A text without content says that the body is empty.
        let empty = || Body::new(place.file, place.span(node.span()), Encoding::JsonString);
        let mut body = pieces::body(node, place).unwrap_or_else(empty);
        body.is_delimited = body.encoding == Encoding::Plain;
        if body.encoding == Encoding::JsonString && self.base64.is_some_and(says_base64) {
            body.encoding = Encoding::Base64JsonString;
        }
        body
    }

    fn build<'a>(&self, place: RecordPlace<'a>) -> Message<'a> {
        let headers = self.headers.map(|node| place.value(node));
        let fields = pieces::lazy(headers, HeaderFields::read);
        let body = self.body.map(|node| self.decode_body(node, place));
        let left_out = self
            .left_out
            .map(|node| Unread::at(Reason::BodyMissing, node.span().shifted(place.start)));
        let unread = left_out.or_else(|| {
            let node = self.unknown.filter(|&node| may_be_json(node))?;
            let span = node.key_span().unwrap_or_else(|| node.span());
            Some(
                Unread::at(Reason::UnreadBody, span.shifted(place.start))
                    .in_member(node.key().unwrap_or_default()),
            )
        });
        Message::new(fields, body, unread)
    }
}

/// Returns whether a member (`isBase64Encoded`, `encoding`) says that a body is base64.
fn says_base64(node: Node<'_>) -> bool {
    node.raw_bytes() == b"true"
        || node
            .as_str()
            .is_some_and(|name| name.eq_ignore_ascii_case("base64"))
}

/// Returns whether a value may be a body: JSON as a value or as text.
fn may_be_json(node: Node<'_>) -> bool {
    match node.kind() {
        ValueKind::Object | ValueKind::Array => node.raw_bytes().len() > 2,
        ValueKind::String => node
            .as_str()
            .unwrap_or_default()
            .trim_start()
            .starts_with(['{', '[']),
        _ => false,
    }
}

/// Returns whether content that the layout leaves out may be only the size of a body, by the beginning of its first name.
fn may_be_size(node: Node<'_>) -> bool {
    let text = node.raw_bytes();
    let name = text.get(scan::skip_whitespace(text, 1)..);
    node.is_left_out()
        && node.kind() == ValueKind::Object
        && name.is_some_and(|name| {
            [&br#""bytes""#[..], br#""size""#, br#""\"#]
                .iter()
                .any(|start| name.starts_with(start))
        })
}
