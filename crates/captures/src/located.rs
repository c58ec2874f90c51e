//! Exchanges whose pieces have been located in a log record: how they are parsed, and how their bodies are handed on without
//! parsing the record.

use super::header_fields::{self, HeaderFields};
use super::record_place::RecordPlace;
use super::request_line::split_request;
use super::{audit_event, pieces};
use crate::file_head::contains;
use sundown_exchange::{
    Body, Call, Encoding, Exchange, Host, LocatedBody, LocatedExchange, Message, Method, Reason,
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
        let ParsedCall {
            method,
            mut target,
            url,
        } = match self.form {
            TargetForm::Url | TargetForm::ResourceVerb => self.called(place)?,
            TargetForm::RequestLine => called_by_line(self.url, place)?,
        };
        for query in &self.queries {
            target.parameters.extend(pieces::parameters(*query));
        }
        target.complete_host(|| self.host());
        let mut response = self.response.build(place);
        if let Some(annotations) = self.annotations {
            response
                .signals
                .extend(audit_event::signals(annotations, place));
        }
        Some(Exchange {
            index: 0,
            call: Call {
                method,
                target,
                url_span: Some(url),
            },
            started: self.started.and_then(pieces::started),
            status: self.status.and_then(pieces::status),
            request: self.request.build(place),
            response,
            ..Exchange::default()
        })
    }

    /// Returns the exchange with its bodies located; `None` if the record has to be parsed to know the call.
    pub(super) fn to_exchange<'e, 'a>(
        &self,
        place: RecordPlace<'a>,
        host: &'e dyn Fn() -> Option<Host<'static>>,
        is_valid: &'e dyn Fn(&[Span]) -> bool,
        parse: &'e dyn Fn() -> Option<Exchange<'a>>,
    ) -> Option<LocatedExchange<'e, 'a>> {
        if self.form == TargetForm::RequestLine {
            return None;
        }
        let url_span = self.url.span().shifted(place.start);
        Some(LocatedExchange {
            method: self.parse_method()?,
            url: key_context::content(url_span.slice(place.file)),
            url_span,
            has_separate_query: !self.queries.is_empty(),
            request: self.request.body(place),
            response: self.response.body(place),
            request_headers: header_fields::json(self.request.headers, place),
            response_headers: header_fields::json(self.response.headers, place),
            may_announce: audit_event::may_announce(self.annotations, place),
            host,
            is_valid,
            parse,
        })
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

    fn called<'a>(&self, place: RecordPlace<'a>) -> Option<ParsedCall<'a>> {
        let url = self.url.span().shifted(place.start);
        Some(ParsedCall {
            method: self.parse_method()?,
            target: pieces::target(self.url, place)?,
            url,
        })
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

    /// The host outside of the URL.
    pub(super) fn host(&self) -> Option<Host<'static>> {
        self.host
            .and_then(|node| Some(Host::parse(node.as_str()?, None)?.into_owned()))
            .or_else(|| header_fields::host(self.request.headers?))
    }
}

impl LocatedMessage<Node<'_>> {
    fn body<'a>(&self, place: RecordPlace<'a>) -> LocatedBody<'a> {
        match (self.body, self.left_out.or(self.unknown)) {
            (Some(node), _) => LocatedBody::Present(self.decode_body(node, place)),
            (None, Some(_)) => LocatedBody::PerhapsMissing,
            (None, None) => LocatedBody::Absent,
        }
    }

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
        let headers = self
            .headers
            .map(|node| HeaderFields::of(node, place))
            .unwrap_or_default();
        let mut body = self.body.map(|node| self.decode_body(node, place));
        if let Some(body) = &mut body {
            headers.describe(body);
        }
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
        Message {
            headers: headers.list,
            signals: headers.signals,
            body,
            unread,
        }
    }
}

/// The call of a record, and its position in the file.
struct ParsedCall<'a> {
    method: Option<Method>,
    target: Target<'a>,
    url: Span,
}

/// Parses the request line at `node`. The position is that of the target if the line is written without escapes.
fn called_by_line<'a>(node: Node<'_>, place: RecordPlace<'a>) -> Option<ParsedCall<'a>> {
    let line = node.as_str()?;
    let (method, target) = split_request(line.as_bytes(), Span::new(0, line.len()))?;
    let literal = node.span().shifted(place.start);
    let is_plain = literal.len() == line.len() + 2;
    Some(ParsedCall {
        method: Some(method),
        target: Target::parse(line.get(target.start..target.end)?).into_owned(),
        url: if is_plain {
            target.shifted(literal.start + 1)
        } else {
            literal
        },
    })
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
    let name = scan::skip_whitespace(text, 1);
    node.is_left_out()
        && node.kind() == ValueKind::Object
        && matches!(
            text.get(name..name + 2),
            Some(br#""b"# | br#""s"# | br#""\"#)
        )
}
