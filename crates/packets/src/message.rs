//! Builds an exchange from the messages of a connection: header fields, and bodies without chunks and compression.

use chrono::{DateTime, Utc};

use super::field_section::FieldSection;
use super::frame::{FrameError, Head, MessageFrame, head_of, open_head};
use sundown_exchange::{
    Body, Call, ContentCoding, Decoded, Encoding, Exchange, HeaderFields, Host, Message, Method,
    Reason, Side, Skip, StatusCode, Target, Unread,
};
use sundown_exchange::{Record, RecordSink};
use sundown_text_json::text::{OffsetMap, Span, magic};

/// The bytes of a message, and their positions in the file.
#[derive(Clone, Copy)]
pub struct WireMessage<'r, 'a> {
    pub bytes: &'r [u8],
    pub frame: &'r MessageFrame,
    pub origin: MessageBytes<'r, 'a>,
    /// The header section of an HTTP/2 message, whose bytes are the body alone.
    pub section: Option<&'r FieldSection>,
}

/// The positions of the bytes of a message.
#[derive(Clone, Copy)]
pub enum MessageBytes<'r, 'a> {
    /// Consecutive, from this offset on.
    File(&'a [u8], usize),
    /// In several pieces.
    Scattered(&'r OffsetMap),
}

impl<'a> WireMessage<'_, 'a> {
    pub fn span(&self, inner: Span) -> Span {
        match self.origin {
            MessageBytes::File(_, start) => inner.shifted(start),
            MessageBytes::Scattered(map) => map.outer(inner),
        }
    }

    /// The position of the whole message.
    pub fn whole(&self) -> Span {
        if let Some(section) = self.section {
            return section.span;
        }
        self.span(Span::new(0, self.frame.end.min(self.bytes.len())))
    }

    /// The position of the whole body.
    fn body_span(&self) -> Option<Span> {
        let first = self.frame.pieces.first()?;
        let last = self.frame.pieces.last()?;
        Some(self.span(Span::new(first.start, last.end)))
    }

    /// The position in the file of a part of the bytes.
    fn of(&self, part: &[u8]) -> Option<Span> {
        let start = part
            .as_ptr()
            .addr()
            .checked_sub(self.bytes.as_ptr().addr())?;
        let end = start + part.len();
        (end <= self.bytes.len()).then(|| self.span(Span::new(start, end)))
    }

    fn head(&self) -> Option<Head<'_>> {
        let side = self.frame.side;
        if let Some(section) = self.section {
            return Some(section.head());
        }
        match head_of(self.bytes, side) {
            Some((_, head)) => Some(head),
            None if self.frame.is_cut => None,
            None => open_head(self.bytes.get(..self.frame.head)?, side),
        }
    }

    /// Parses the message by its head.
    pub fn message(&self, head: &Head<'_>) -> Message<'a> {
        let mut fields = HeaderFields::default();
        for (index, field) in head.fields.iter().enumerate() {
            let Some(span) = head
                .name_spans
                .get(index)
                .copied()
                .or_else(|| self.of(field.name.as_bytes()))
            else {
                continue;
            };
            fields.add(field.name, span, &String::from_utf8_lossy(field.value));
        }
        fields.codings = codings(head);
        match self.body(&fields) {
            Ok(body) => Message::new(fields, body, None),
            Err(unread) => Message::new(fields, None, Some(unread)),
        }
    }

    /// Its body, of a message that is read without its exchange.
    pub fn lone_body(&self) -> Option<Body<'a>> {
        self.message(&self.head()?).body().cloned()
    }

    fn body(&self, fields: &HeaderFields<'_>) -> Result<Option<Body<'a>>, Unread> {
        if self.frame.is_cut {
            return Err(Unread::at(Reason::Truncated, self.whole()));
        }
        let Some(span) = self.body_span() else {
            return Ok(None);
        };
        let first = self
            .frame
            .pieces
            .first()
            .map(|piece| piece.slice(self.bytes));
        let is_plain = fields.codings.is_empty() && first.and_then(magic::compression).is_none();
        Ok(Some(match (self.origin, &*self.frame.pieces) {
            (MessageBytes::File(file, _), [_]) if is_plain => {
                Body::new(file, span, Encoding::Plain)
            }
            _ => Body::decoded(&[], span, self.joined()),
        }))
    }

    /// Joins the pieces of the body.
    pub fn joined(&self) -> Decoded {
        let mut decoded = Decoded::default();
        let mut map = OffsetMap::default();
        for piece in &self.frame.pieces {
            decoded.bytes.extend_from_slice(piece.slice(self.bytes));
            match self.origin {
                MessageBytes::File(_, start) => map.push(piece.len(), piece.shifted(start)),
                MessageBytes::Scattered(all) => map.extend(&all.part(*piece)),
            }
        }
        Decoded {
            map: Some(map),
            ..decoded
        }
    }
}

/// The content codings of a body, in the order in which they were applied.
fn codings(head: &Head<'_>) -> Vec<ContentCoding> {
    ["content-encoding", "transfer-encoding"]
        .map(|name| head.list(name))
        .iter()
        .flatten()
        .flat_map(|coding| ContentCoding::parse_list(coding))
        .collect()
}

/// The method of a request.
pub fn method_of(request: &[u8]) -> Option<&str> {
    let method = request
        .trim_ascii_start()
        .split(|&byte| byte == b' ')
        .next()?;
    std::str::from_utf8(method).ok()
}

/// Whether a request asks for an upgrade to this protocol, such as `websocket`.
pub(crate) fn asks_for_upgrade(request: &[u8], protocol: &str) -> bool {
    let head = head_of(request, Side::Request);
    head.is_some_and(|(_, head)| head.list("upgrade").iter().any(|kind| kind == protocol))
}

/// The status of a response with a complete head.
pub fn status_of(response: &[u8]) -> Option<u16> {
    let line = response.trim_ascii_start().get(9..12)?;
    std::str::from_utf8(line).ok()?.parse().ok()
}

/// An exchange: a request and its response.
pub struct WireExchange<'r, 'a> {
    pub request: WireMessage<'r, 'a>,
    pub response: Option<WireMessage<'r, 'a>>,
    pub started: Option<DateTime<Utc>>,
}

impl<'a> WireExchange<'_, 'a> {
    /// Passes on the exchange, or the reason why it cannot be read, and reports what is cut off.
    pub fn read(&self, index: usize, sink: &mut dyn RecordSink) {
        for run in [Some(&self.request), self.response.as_ref()]
            .into_iter()
            .flatten()
        {
            if run.frame.is_cut {
                sink.skip(Skip::at(Reason::Truncated, run.whole()));
            }
        }
        let Some(head) = self.request.head() else {
            if !self.request.frame.is_cut {
                sink.skip(broken(self.request.whole(), FrameError::Malformed));
            }
            return;
        };
        let Some(call) = self.call(&head) else { return };
        let response = self
            .response
            .as_ref()
            .and_then(|run| Some((run, run.head()?)));
        sink.record(Record::Exchange(Exchange {
            index,
            call,
            started: self.started.into(),
            status: response
                .as_ref()
                .and_then(|(_, head)| StatusCode::new(head.status))
                .into(),
            request: self.request.message(&head),
            response: response
                .map(|(run, head)| run.message(&head))
                .unwrap_or_default(),
            ..Exchange::default()
        }));
    }

    fn call(&self, head: &Head<'_>) -> Option<Call<'a>> {
        let written = head.target?;
        let mut target = Target::parse(written).into_owned();
        if target.host.is_none() {
            let host = head.authority.or_else(|| head.values("host").next());
            let host = host.and_then(|host| Host::parse(host, None));
            target.host = host.map(Host::into_owned);
        }
        let url_span = head
            .target_span
            .or_else(|| self.request.of(written.as_bytes()));
        let method = head.method.and_then(Method::parse);
        Some(Call::new(method, target, url_span))
    }
}

/// Returns the skip for bytes that are not a message where one should begin.
pub fn broken(span: Span, fault: FrameError) -> Skip {
    Skip::at(Reason::BrokenCapture, span).because(match fault {
        FrameError::Malformed => "there is no HTTP message where one should begin",
        FrameError::TooManyFields => "a message with more than 4096 header fields",
    })
}

/// Returns the skip for a response without its request.
pub fn orphan(span: Span) -> Skip {
    Skip::at(Reason::NoExchange, span).because("a response whose request is not in the capture")
}
