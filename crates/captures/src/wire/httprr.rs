//! Traces of `httprr`, with which tests in Go record HTTP: for each call a line with two lengths, the request and the response
//! (`golang.org/x/oscar/internal/httprr`).

use std::borrow::Cow;

use crate::file_head::FileHead;
use sundown_exchange::{Reason, RecordSink, Side, Skip};
use sundown_packets::{
    FrameProgress, Framer, MessageBytes, MessageFrame, WireExchange, WireMessage, broken, method_of,
};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

const FIRST_LINE: &[u8] = b"httprr trace v1\n";

pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    head.bytes.starts_with(FIRST_LINE)
}

/// A message of a trace.
struct TracedMessage<'a> {
    bytes: Cow<'a, [u8]>,
    start: usize,
    frame: MessageFrame,
}

impl<'a> TracedMessage<'a> {
    /// Reads the message that the trace has at `span`, if the file does not end before.
    fn read(file: &'a [u8], span: Span, side: Side, answers: Option<&str>) -> Result<Self, Skip> {
        let within = Span::new(span.start.min(file.len()), span.end.min(file.len()));
        let written = within.slice(file);
        // Go states the version that the server spoke, in the form of HTTP/1.1.
        let bytes = match written.strip_prefix(b"HTTP/") {
            Some([b'2' | b'3', b'.', b'0', rest @ ..]) => Cow::Owned([b"HTTP/1.1", rest].concat()),
            _ => Cow::Borrowed(written),
        };
        let mut framer = Framer::new(side);
        let FrameProgress::Done(mut frame) = framer.advance(&bytes, answers, true) else {
            return Err(broken(within, framer.fault()));
        };
        frame.is_cut |= within.end < span.end;
        Ok(Self {
            bytes,
            start: within.start,
            frame,
        })
    }

    fn run(&self, file: &'a [u8]) -> WireMessage<'_, 'a> {
        WireMessage {
            bytes: &self.bytes,
            frame: &self.frame,
            origin: MessageBytes::File(file, self.start),
            section: None,
        }
    }
}

pub(crate) fn read(file: Block<'_>, _: Limits, sink: &mut dyn RecordSink) {
    let bytes = file.bytes;
    let mut at = FIRST_LINE.len();
    let mut index = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let left = Span::new(at, bytes.len());
        let Some(line) = memchr::memchr(b'\n', rest) else {
            return sink.skip(Skip::at(Reason::Truncated, left));
        };
        let Some([request, response]) = lengths(rest.get(..line).unwrap_or_default()) else {
            let skip = Skip::at(Reason::BrokenCapture, left);
            return sink.skip(skip.because("a line without two lengths"));
        };
        let start = at + line + 1;
        let middle = start.saturating_add(request);
        at = middle.saturating_add(response);
        let sent = TracedMessage::read(bytes, Span::new(start, middle), Side::Request, None);
        let sent = match sent {
            Ok(sent) => sent,
            Err(skip) => {
                sink.skip(skip);
                continue;
            }
        };
        let answers = method_of(&sent.bytes);
        let response = TracedMessage::read(bytes, Span::new(middle, at), Side::Response, answers);
        if let Err(skip) = &response {
            sink.skip(skip.clone());
        }
        let pair = WireExchange {
            request: sent.run(bytes),
            response: response.as_ref().ok().map(|response| response.run(bytes)),
            started: None,
        };
        pair.read(index, sink);
        index += 1;
    }
}

fn lengths(line: &[u8]) -> Option<[usize; 2]> {
    let (request, response) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    Some([request.parse().ok()?, response.trim_end().parse().ok()?])
}
