//! Records in a string of another record, as container engines and agents that collect logs wrap what programs write.

use std::borrow::Cow;

use sundown_exchange::RecordPlace;
use sundown_exchange::{
    Body, Call, Content, Decoded, Encoding, Exchange, HeaderField, HeaderFields, Message, Signal,
    Skip, Unread,
};
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, Node};
use sundown_text_json::text::{OffsetMap, Span};

/// The decoded text of a string.
pub(super) struct DecodedText<'t> {
    pub(super) text: &'t str,
    /// The position of the string in the file.
    pub(super) whole: Span,
    /// Maps the text to the file.
    pub(super) map: OffsetMap,
}

impl<'t> DecodedText<'t> {
    /// Decodes a string; `None` for another value.
    pub(super) fn of(node: Node<'t>, place: RecordPlace<'_>) -> Option<Self> {
        let whole = node.span().shifted(place.start);
        Some(Self {
            text: node.as_str()?,
            whole,
            map: node.text_map(place.start)?,
        })
    }

    /// The text of a body with this content; `None` if it is none.
    pub(super) fn of_body(body: &Body<'_>, content: &'t Content<'_>) -> Option<Self> {
        let text = std::str::from_utf8(&content.bytes).ok()?;
        let map = body.offset_map().filter(|_| !content.is_unpacked);
        let map = map.unwrap_or_else(|| {
            let mut map = OffsetMap::default();
            map.push(text.len(), body.span);
            map
        });
        Some(Self {
            text,
            whole: body.span,
            map,
        })
    }

    /// The tree of its JSON; `None` if it is none.
    pub(super) fn parse(&self) -> Option<Document<'t>> {
        Document::parse_json(self.text, MAX_DOCUMENT_DEPTH).ok()
    }

    /// The place of what is in the text.
    pub(super) fn place(&self) -> RecordPlace<'t> {
        RecordPlace {
            file: self.text.as_bytes(),
            start: 0,
        }
    }

    /// Moves an exchange, or what is reported of a part that is none, from the text to the file.
    pub(super) fn move_part<'a>(
        &self,
        part: Result<Exchange<'_>, Skip>,
        file: &'a [u8],
    ) -> Result<Exchange<'a>, Skip> {
        part.map(|exchange| self.move_out(&exchange, file))
            .map_err(|skip| Skip {
                span: skip.span.map(|span| self.map.outer(span)),
                ..skip
            })
    }

    /// Moves an exchange from the text to the file.
    pub(super) fn move_out<'a>(&self, exchange: &Exchange<'_>, file: &'a [u8]) -> Exchange<'a> {
        let call = &exchange.call;
        let logged = exchange
            .logged
            .get()
            .iter()
            .map(|(name, value)| (Cow::Owned(name.to_string()), Cow::Owned(value.to_string())));
        Exchange {
            index: exchange.index,
            call: Call::new(
                call.method.clone(),
                call.target().clone().into_owned(),
                call.url_span.map(|span| self.map.outer(span)),
            ),
            started: (*exchange.started.get()).into(),
            status: (*exchange.status.get()).into(),
            origin: exchange.origin.to_owned(),
            logged: logged.collect::<Vec<_>>().into(),
            request: self.message(&exchange.request, file),
            response: self.message(&exchange.response, file),
            ..Exchange::default()
        }
    }

    /// Moves a message from the text to the file.
    pub(super) fn message<'a>(&self, message: &Message<'_>, file: &'a [u8]) -> Message<'a> {
        let outer = |span| self.map.outer(span);
        let headers = message.headers().iter().map(|header| HeaderField {
            name: header.name.to_string().into(),
            span: outer(header.span),
            value: header.value.clone().into_owned(),
        });
        let signals = message.signals().iter().map(|signal| Signal {
            span: outer(signal.span),
            ..signal.clone()
        });
        let fields = HeaderFields {
            list: headers.collect(),
            signals: signals.collect(),
            ..HeaderFields::default()
        };
        let body = message.body().map(|body| self.body(body, file));
        let unread = message.unread().map(|unread| Unread {
            span: outer(unread.span),
            ..unread
        });
        Message::new(fields, body, unread)
    }

    fn body<'a>(&self, body: &Body<'_>, file: &'a [u8]) -> Body<'a> {
        let span = self.map.outer(body.span);
        let Some(bytes) = body.decode() else {
            // It stays what it is, and is reported where it is checked.
            return Body::new(file, self.whole, Encoding::Base64JsonString);
        };
        let decoded = Decoded {
            bytes: bytes.into_owned(),
            map: body.offset_map().map(|map| map.through(&self.map)),
        };
        let mut moved = Body::decoded(file, span, decoded);
        moved.media_type.clone_from(&body.media_type);
        moved.codings.clone_from(&body.codings);
        moved
    }
}
