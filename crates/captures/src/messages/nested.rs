//! Records in a string of another record, as container engines and agents that collect logs wrap what programs write, and whole
//! HTTP messages in one.

use std::cell::Cell;
use std::sync::Arc;

use elsa::FrozenVec;

use crate::file_head::{begins_with_any, contains};
use crate::line_spans::LineSpans;
use crate::pieces::METHODS;
use sundown_exchange::{
    Body, Call, CallRecord, Content, Decoded, Encoding, Exchange, HeaderField, HeaderFields, Lazy,
    Message, RecordPlace, Signal, StatusCode, Unread,
};
use sundown_packets::{FrameProgress, Framer, MessageBytes, WireMessage, side_at};
use sundown_text_json::json::{
    Document, MAX_DOCUMENT_DEPTH, Node, ValueKind, is_value, key_context,
};
use sundown_text_json::text::{OffsetMap, Span};

/// The decoded text of a string.
pub(crate) struct DecodedText<'t> {
    pub text: &'t str,
    /// The position of the string in the file.
    pub whole: Span,
    /// Maps the text to the file.
    pub map: Lazy<'t, Arc<OffsetMap>>,
}

/// The decoded texts of strings; the calls in them borrow from these.
#[derive(Default)]
pub(crate) struct DecodedTexts {
    texts: FrozenVec<String>,
    /// The number of bytes to which compressed strings have unpacked.
    unpacked: Cell<usize>,
}

/// The number of bytes to which the compressed strings of one record may unpack: each may expand a thousand times.
const MAX_UNPACKED_BYTES: usize = 256 * 1024 * 1024;

impl DecodedTexts {
    /// Counts bytes to which a compressed string unpacks. Returns whether all are few enough to be kept.
    pub(crate) fn may_keep(&self, unpacked: usize) -> bool {
        self.unpacked.set(self.unpacked.get() + unpacked);
        self.unpacked.get() <= MAX_UNPACKED_BYTES
    }
}

impl<'t> DecodedText<'t> {
    /// Decodes a string; `None` for another value. Most records in strings have no use: their map is made when one has.
    pub(crate) fn of(
        node: Node<'_>,
        place: RecordPlace<'t>,
        kept: &'t DecodedTexts,
    ) -> Option<Self> {
        let text = node.as_str()?.to_owned();
        let written = place.value(node);
        // Bytes that are not UTF-8 are others in the document.
        let is_as_written = !node.document().is_yaml() && node.raw_bytes() == written.raw();
        let map = if is_as_written {
            Lazy::of(written, |string| {
                let string = Body::new(string.file, string.span, Encoding::JsonString);
                Arc::new(string.offset_map().unwrap_or_default())
            })
        } else {
            Arc::new(node.text_map(place.start)?).into()
        };
        Some(Self {
            text: kept.texts.push_get(text),
            whole: place.span_of(node),
            map,
        })
    }

    /// Keeps the text of a body with this content; `None` if it is none.
    pub(crate) fn of_content(
        body: &Body<'_>,
        content: Content<'_>,
        kept: &'t DecodedTexts,
    ) -> Option<Self> {
        let text = String::from_utf8(content.bytes.into_owned()).ok()?;
        let text = kept.texts.push_get(text);
        Some(Self::of_text(body, text, content.is_unpacked))
    }

    /// The text of a body with this content; `None` if it is none.
    pub(crate) fn of_body(body: &Body<'_>, content: &'t Content<'_>) -> Option<Self> {
        let text = std::str::from_utf8(&content.bytes).ok()?;
        Some(Self::of_text(body, text, content.is_unpacked))
    }

    /// The text that was decoded from a body. Where the body has no map, or was unpacked, all of the text is there.
    fn of_text(body: &Body<'_>, text: &'t str, is_unpacked: bool) -> Self {
        let map = body.offset_map().filter(|_| !is_unpacked);
        let map = map.unwrap_or_else(|| {
            let mut map = OffsetMap::default();
            map.push(text.len(), body.span);
            map
        });
        Self {
            text,
            whole: body.span,
            map: Arc::new(map).into(),
        }
    }

    /// The record of a call in the text, which is that of the string.
    pub(crate) fn record<'a>(&self, file: &'a [u8]) -> CallRecord<'a> {
        CallRecord::new(file, self.whole).wrapping(Some(self.whole))
    }

    /// The tree of its JSON; `None` if it is none.
    pub(crate) fn parse(&self) -> Option<Document<'t>> {
        Document::parse_json(self.text, MAX_DOCUMENT_DEPTH).ok()
    }

    /// The place of what is in the text.
    pub(crate) fn place(&self) -> RecordPlace<'t> {
        RecordPlace {
            file: self.text.as_bytes(),
            start: 0,
        }
    }

    /// Moves the call and the request of an exchange from the text to the file.
    pub(crate) fn move_out<'a>(&self, exchange: &Exchange<'_>, file: &'a [u8]) -> Exchange<'a> {
        let call = &exchange.call;
        let url_span = call.url_span.map(|span| self.map.get().outer(span));
        let mut target = call.target().clone().into_owned();
        for parameter in &mut target.parameters {
            parameter.span = parameter.span.map(|span| self.map.get().outer(span));
        }
        let mut moved = Call::new(call.method.clone(), target, url_span);
        moved.is_possible = call.is_possible;
        moved.unread_query = self.unread(call.unread_query.get().clone()).into();
        Exchange {
            call: moved,
            extent: exchange.extent.map(|span| self.map.get().outer(span)),
            request: self.message(&exchange.request, file),
            ..Exchange::default()
        }
    }

    /// Moves a message from the text to the file.
    pub(crate) fn message<'a>(&self, message: &Message<'_>, file: &'a [u8]) -> Message<'a> {
        let headers = message.headers().iter().map(|header| HeaderField {
            name: header.name.to_string().into(),
            span: self.map.get().outer(header.span),
            value: header.value.clone().into_owned(),
        });
        let signals = message.signals().iter().map(|signal| Signal {
            span: self.map.get().outer(signal.span),
            ..signal.clone()
        });
        let fields = HeaderFields {
            list: headers.collect(),
            signals: signals.collect(),
            ..HeaderFields::default()
        };
        let body = message.body().map(|body| self.body(body, file));
        let mut moved = Message::new(fields, body, self.unread(message.unread()));
        moved.unread_headers = self.unread(message.unread_headers.get().clone()).into();
        moved
    }

    fn unread(&self, unread: Option<Unread>) -> Option<Unread> {
        let mut unread = unread?;
        unread.span = self.map.get().outer(unread.span);
        Some(unread)
    }

    fn body<'a>(&self, body: &Body<'_>, file: &'a [u8]) -> Body<'a> {
        let span = self.map.get().outer(body.span);
        let Some(bytes) = body.decode() else {
            // It stays what it is, and is reported where it is checked.
            return Body::new(file, self.whole, Encoding::Base64JsonString);
        };
        let decoded = Decoded {
            bytes: bytes.into_owned(),
            map: body.offset_map().map(|map| map.through(self.map.get())),
        };
        let mut moved = Body::decoded(file, span, decoded);
        moved.media_type.clone_from(&body.media_type);
        moved.form = body.form;
        moved.codings.clone_from(&body.codings);
        moved.declared_size = body.declared_size;
        moved
    }
}

/// The beginnings of HTTP messages in base64.
const IN_BASE64: [&[u8]; 6] = [
    b"SFRUUC", b"UE9TVC", b"R0VUI", b"UFVUI", b"UEFUQ0", b"REVMRV",
];

/// Whether a string begins like an object, which may be in base64.
pub(crate) fn is_record_in_text(node: Node<'_>) -> bool {
    node.raw_bytes().starts_with(b"\"{") || is_record_in_base64(node)
}

/// Whether a string begins like an object in base64, which may be compressed by gzip.
pub(crate) fn is_record_in_base64(node: Node<'_>) -> bool {
    begins_with_any(node.raw_bytes(), &[b"\"eyJ", b"\"eyA", b"\"ewo", b"\"H4sI"])
}

/// Whether a text as JSON writes it may be text in base64 that is long enough for a call. It has letters of both cases; a hash has not.
pub(crate) fn may_be_base64(text: &[u8]) -> bool {
    text.len() >= 24
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/-_=\\".contains(byte))
        && text.iter().any(u8::is_ascii_uppercase)
        && text.iter().any(u8::is_ascii_lowercase)
}

/// Whether a string may be text in base64.
pub(crate) fn is_in_base64(text: Node<'_>) -> bool {
    text.kind() == ValueKind::String && may_be_base64(key_context::content(text.raw_bytes()))
}

/// The whole HTTP message in a string, and its status; `None` if there is none.
pub(crate) fn http_message<'a>(
    node: Node<'_>,
    place: RecordPlace<'a>,
) -> Option<(Option<StatusCode>, Message<'a>)> {
    if node.kind() != ValueKind::String {
        return None;
    }
    let content = key_context::content(node.raw_bytes());
    let starts = [&METHODS[..], &[&b"HTTP/"[..]], &IN_BASE64];
    let encoding = match starts.map(|starts| begins_with_any(content, starts)) {
        [true, _, _] | [_, true, _] => Encoding::JsonString,
        [_, _, true] => Encoding::Base64JsonString,
        _ => return None,
    };
    let body = Body::new(place.file, place.span_of(node), encoding);
    let bytes = body.decode()?;
    let source = DecodedText::of_text(&body, std::str::from_utf8(&bytes).ok()?, false);
    let (line, mut message) = read_message(&bytes, Span::new(0, bytes.len()));
    if let Some(body) = message.body().and_then(|body| framed(&bytes, body)) {
        message.set_body(Some(body));
    }
    let is_first = line.len() < bytes.len() && contains(line.slice(&bytes), b"HTTP/");
    is_first.then(|| {
        (
            status_in(line.slice(&bytes)),
            source.message(&message, place.file),
        )
    })
}

/// The body of a whole message as its header fields delimit it (RFC 9112, section 6). It is all that follows them (`None`) if that
/// is one JSON value, because the recorder has undone what they say and kept them, or if they leave nothing of it: recorders omit the
/// length, too.
fn framed(bytes: &[u8], body: &Body<'_>) -> Option<Body<'static>> {
    if is_value(body.raw(), MAX_DOCUMENT_DEPTH) {
        return None;
    }
    let progress = Framer::new(side_at(bytes)).advance(bytes, None, true);
    let FrameProgress::Done(frame) = progress else {
        return None;
    };
    let rest = bytes.get(frame.end..).unwrap_or_default();
    if frame.pieces.is_empty() && (frame.is_cut || !rest.trim_ascii().is_empty()) {
        return None;
    }
    let message = WireMessage {
        bytes,
        frame: &frame,
        origin: MessageBytes::File(bytes, 0),
        section: None,
    };
    let mut framed = Body::decoded(&[], body.span, message.joined());
    // It has more bytes than any text.
    framed.declared_size = frame.is_cut.then_some(usize::MAX);
    Some(framed)
}

/// Reads an HTTP message in a text: the position of its first line, and the message. Its body ends with the text, like that in a
/// part (RFC 2046, section 5.1.1), whatever its header fields say.
pub(crate) fn read_message(text: &[u8], message: Span) -> (Span, Message<'_>) {
    let mut fields = HeaderFields::default();
    let mut lines = LineSpans::within(text, message);
    let mut first = lines.next().unwrap_or_default();
    first.end = first.start + first.slice(text).trim_ascii_end().len();
    for span in lines.by_ref() {
        let line = span.slice(text).trim_ascii_end();
        if line.is_empty() {
            break;
        }
        let line = String::from_utf8_lossy(line);
        if let Some((name, value)) = line.split_once(':') {
            fields.add(
                name,
                Span::new(span.start, span.start + name.len()),
                value.trim(),
            );
        }
    }
    let body = Span::new(lines.at, message.end);
    let body = (!body.is_empty()).then(|| Body::new(text, body, Encoding::Plain));
    (first, Message::new(fields, body, None))
}

/// The status in the first line of a response (RFC 9112, section 4).
pub(crate) fn status_in(line: &[u8]) -> Option<StatusCode> {
    StatusCode::parse(line.split(|&byte| byte == b' ').nth(1)?)
}
