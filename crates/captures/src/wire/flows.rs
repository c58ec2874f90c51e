//! Flow dumps of mitmproxy: a tnetstring (<https://tnetstrings.info>) for each flow, which begins with its length.
//!
//! As `mitmproxy/io/tnetstring.py` and `mitmproxy/http.py` write them: texts end in `,` or `;`, numbers in `#` or `^`, lists
//! in `]` and tables in `}`. All versions of the format that current mitmproxy reads keep what is needed under the same keys.

use crate::chunks::{Chunker, Cut, Oversized, ReadOptions, RecordEnd, Records};
use crate::file_head::FileHead;
use crate::names::{NAMES, is_one_of};
use crate::shapes::Logs;
use chrono::{DateTime, Utc};
use httparse::Header;
use sundown_exchange::{
    Call, Exchange, Host, Message, Method, Reason, Record, RecordSink, Side, Skip, StatusCode,
    Target, Unread,
};
use sundown_packets::{Head, MessageBytes, MessageFrame, WireMessage};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

/// A value: its type and the position of its content.
#[derive(Debug, Clone, Copy)]
struct TnetValue {
    tag: u8,
    content: Span,
}

/// The reason why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TnetError {
    /// The bytes end in it.
    Cut,
    /// It does not have the syntax of a value.
    Malformed,
}

/// The largest number of digits of a length, as in mitmproxy.
const MAX_DIGITS: usize = 12;

/// The detail on a file in which no flow begins.
const MALFORMED: &str = "there is no flow where one should begin";

/// Parses the value at `at`, and returns the offset of the next one.
fn parse_tnetstring(bytes: &[u8], at: usize) -> Result<(TnetValue, usize), TnetError> {
    let content = content_at(bytes, at)?;
    match bytes.get(content.end) {
        None => Err(TnetError::Cut),
        Some(&tag) if b",;#^!~]}".contains(&tag) => {
            Ok((TnetValue { tag, content }, content.end + 1))
        }
        Some(_) => Err(TnetError::Malformed),
    }
}

/// Returns the position of the content of the value at `at`, by the length before it.
fn content_at(bytes: &[u8], at: usize) -> Result<Span, TnetError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match rest.get(digits) {
        _ if digits > MAX_DIGITS => return Err(TnetError::Malformed),
        None => return Err(TnetError::Cut),
        Some(b':') if digits > 0 => {}
        Some(_) => return Err(TnetError::Malformed),
    }
    let start = at + digits + 1;
    let text = std::str::from_utf8(rest.get(..digits).unwrap_or_default());
    let length: Option<usize> = text.ok().and_then(|text| text.parse().ok());
    let end = length.and_then(|length| start.checked_add(length));
    Ok(Span::new(start, end.ok_or(TnetError::Malformed)?))
}

/// Whole flows, and the chunker that cuts them off.
#[derive(Debug)]
struct Flows;

/// Returns the end of the whole flows at the beginning of `bytes`.
fn end_of_flows(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Ok(content) = content_at(bytes, at)
        && content.end < bytes.len()
    {
        at = content.end + 1;
    }
    at
}

/// Begins a file of flows.
pub(crate) fn begin(_: Limits) -> Box<dyn Chunker> {
    Box::new(Flows)
}

impl Chunker for Flows {
    fn cut(&mut self, text: Block<'_>, all: bool, _: &Logs<'_>) -> Option<Cut> {
        let bytes = if all {
            text.bytes.len()
        } else {
            end_of_flows(text.bytes)
        };
        Cut::of(bytes, Self)
    }

    fn next_size(&self, text: &[u8], size: usize, limit: usize) -> Option<usize> {
        match content_at(text, 0) {
            Ok(content) => Some(content.end + 1).filter(|&needed| needed <= limit),
            Err(TnetError::Malformed) => None,
            Err(TnetError::Cut) => (size < limit).then(|| (size * 2).min(limit)),
        }
    }

    fn give_up(&mut self, text: Block<'_>) -> Oversized {
        match content_at(text.bytes, 0) {
            Ok(content) => Oversized::Record {
                end: RecordEnd::Bytes(content.end + 1),
                numbered: 1,
            },
            Err(_) => Oversized::Rest(MALFORMED),
        }
    }
}

/// Recognises a file that begins like a table with a key of a flow.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    let bytes = head.bytes;
    let Ok(table) = content_at(bytes, 0) else {
        return false;
    };
    let Ok((key, _)) = parse_tnetstring(bytes, table.start) else {
        return false;
    };
    matches!(key.tag, b',' | b';') && is_one_of(key.slice(bytes), &NAMES.flow_keys)
}

impl Records for Flows {
    fn read(&self, block: Block<'_>, _: &ReadOptions<'_>, sink: &mut dyn RecordSink) -> usize {
        let mut at = 0;
        let mut index = 0;
        while at < block.bytes.len() {
            let rest = Span::new(at, block.bytes.len());
            let next = match parse_tnetstring(block.bytes, at) {
                Ok((flow, next)) => {
                    let dump = Dump { bytes: block.bytes };
                    if dump.read(flow, index, sink).is_none() {
                        let skip = Skip::at(Reason::BrokenCapture, Span::new(at, next));
                        sink.skip(skip.because("a flow that is not written like one"));
                    }
                    next
                }
                Err(error) => {
                    sink.skip(match error {
                        TnetError::Cut => Skip::at(Reason::Truncated, rest),
                        TnetError::Malformed => {
                            Skip::at(Reason::BrokenCapture, rest).because(MALFORMED)
                        }
                    });
                    rest.end
                }
            };
            (at, index) = (next, index + 1);
        }
        index
    }
}

/// The bytes that contain the flows.
#[derive(Clone, Copy)]
struct Dump<'a> {
    bytes: &'a [u8],
}

impl<'a> Dump<'a> {
    /// Reads one flow; `None` if it is not a flow of HTTP.
    fn read(self, flow: TnetValue, index: usize, sink: &mut dyn RecordSink) -> Option<()> {
        let kind = self.text_of(flow, "type")?;
        if kind != "http" {
            let skip = Skip::at(Reason::NotHttp, flow.content).because(other_kind(kind));
            sink.skip(skip);
            return Some(());
        }
        let table = |name| self.get(flow, name).filter(|table| table.tag == b'}');
        let exchange = self.exchange(table("request")?, table("response"), index)?;
        sink.record(Record::Exchange(exchange));
        if let Some(socket) = table("websocket") {
            sink.skip(Skip::at(Reason::WebSocket, socket.content));
        }
        Some(())
    }

    fn exchange(
        self,
        request: TnetValue,
        response: Option<TnetValue>,
        index: usize,
    ) -> Option<Exchange<'a>> {
        let path = self.get(request, "path")?;
        let written = self.text(path)?;
        let head = self.head(request)?;
        let mut target = Target::parse(written);
        if target.host.is_none() {
            target.host = self.host(request, &head);
        }
        let method = self.text_of(request, "method");
        let call = Call::new(method.and_then(Method::parse), target, Some(path.content));
        let started = self
            .get(request, "timestamp_start")
            .and_then(|time| self.time(time));
        let status = response.and_then(|response| self.get(response, "status_code"));
        let status = status.and_then(|status| StatusCode::parse(status.slice(self.bytes)));
        let response = match response {
            Some(response) => self.message(response, Side::Response)?,
            None => Message::default(),
        };
        let request = self.message(request, Side::Request)?;
        Some(Exchange {
            index,
            call,
            started: started.into(),
            status: status.into(),
            request,
            response,
            ..Exchange::default()
        })
    }

    /// The host that was requested, not the one that answered.
    fn host(self, request: TnetValue, head: &Head<'a>) -> Option<Host<'a>> {
        let said = head
            .values("host")
            .next()
            .or_else(|| self.text_of(request, "authority"));
        let said = said
            .filter(|said| !said.is_empty())
            .or_else(|| self.text_of(request, "host"))?;
        Host::parse(said, self.text_of(request, "scheme"))
    }

    fn message(self, message: TnetValue, side: Side) -> Option<Message<'a>> {
        let head = self.head(message)?;
        let content = self.get(message, "content");
        let body = content.filter(|content| content.tag == b',' && !content.content.is_empty());
        let pieces = body.map(|body| body.content).into_iter().collect();
        let frame = MessageFrame {
            side,
            head: 0,
            pieces,
            end: message.content.end,
            is_cut: false,
        };
        let run = WireMessage {
            bytes: self.bytes,
            frame: &frame,
            origin: MessageBytes::File(self.bytes, 0),
            section: None,
        };
        let read = run.message(&head);
        // mitmproxy can be configured to drop large bodies. A dropped body is absent, not empty.
        let is_left_out = content.is_some_and(|content| content.tag == b'~');
        let promised = head
            .values("content-length")
            .next()
            .is_some_and(|length| length != "0");
        let missing =
            (is_left_out && promised).then(|| Unread::at(Reason::BodyMissing, message.content));
        Some(read.or_unread(missing))
    }

    /// The header fields of a message.
    fn head(self, message: TnetValue) -> Option<Head<'a>> {
        let list = self.get(message, "headers");
        let list = list.filter(|list| list.tag == b']')?;
        let mut fields = Vec::new();
        for pair in self.items(list) {
            let mut parts = self.items(pair?);
            let name = parts.next()??;
            let value = parts.next()??;
            // A name that is not UTF-8 matches no rule.
            if let Some(name) = self.text(name) {
                fields.push(Header {
                    name,
                    value: value.slice(self.bytes),
                });
            }
        }
        Some(Head {
            fields,
            ..Head::default()
        })
    }

    /// The values in a list, or the keys and values of a table in turn; `None` for a broken one, which is the last.
    fn items(self, list: TnetValue) -> impl Iterator<Item = Option<TnetValue>> {
        let inner = self.bytes.get(..list.content.end).unwrap_or_default();
        let mut at = list.content.start;
        std::iter::from_fn(move || {
            if at >= inner.len() {
                return None;
            }
            let found = parse_tnetstring(inner, at).ok();
            at = found.map_or(inner.len(), |(_, next)| next);
            Some(found.map(|(value, _)| value))
        })
    }

    /// The value of a key of a table.
    fn get(self, table: TnetValue, name: &str) -> Option<TnetValue> {
        let mut items = self.items(table);
        while let Some(key) = items.next()? {
            let value = items.next()??;
            if key.content.slice(self.bytes) == name.as_bytes() {
                return Some(value);
            }
        }
        None
    }

    fn text(self, value: TnetValue) -> Option<&'a str> {
        let is_text = matches!(value.tag, b',' | b';');
        std::str::from_utf8(value.slice(self.bytes))
            .ok()
            .filter(|_| is_text)
    }

    /// The text of a key of a table.
    fn text_of(self, table: TnetValue, name: &str) -> Option<&'a str> {
        self.text(self.get(table, name)?)
    }

    /// Seconds since 1970, with a fraction.
    fn time(self, value: TnetValue) -> Option<DateTime<Utc>> {
        let text = std::str::from_utf8(value.slice(self.bytes)).ok()?;
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
        let nanoseconds = format!("{fraction:0<9.9}");
        DateTime::from_timestamp(seconds.parse().ok()?, nanoseconds.parse().ok()?)
    }
}

impl TnetValue {
    fn slice(self, bytes: &[u8]) -> &[u8] {
        self.content.slice(bytes)
    }
}

fn other_kind(kind: &str) -> &'static str {
    match kind {
        "tcp" => "a TCP flow",
        "udp" => "a UDP flow",
        "dns" => "a DNS flow",
        "websocket" => "a WebSocket flow",
        _ => "a flow of another kind",
    }
}
