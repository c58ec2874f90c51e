//! Raw HTTP/1.1 messages in a file: a request, a request and its response, or a whole connection.

use std::collections::VecDeque;

use crate::file_head::{FileHead, blank_length, contains, first_line};
use sundown_exchange::{Reason, Record, RecordSink, Side, Skip};
use sundown_packets::{
    FrameProgress, Framer, MessageBytes, MessageFrame, WireExchange, WireMessage, broken,
    could_begin, is_field, is_first_line, method_of, next_start, orphan, side_at, status_of,
};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

/// A message and its offset.
struct FramedMessage {
    start: usize,
    frame: MessageFrame,
}

/// Recognises the complete first line of a request or a response, if the text after it is that of a message. Prose may
/// begin with such a line, too.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    let text = head.bytes.get(head.start..).unwrap_or_default();
    let line = first_line(text);
    let is_separated = text.starts_with(b"###") || contains(text, b"\n###");
    if line.len() == text.len() || is_separated || !goes_on(text.get(line.len() + 1..)) {
        return false;
    }
    let side = side_at(text);
    let is_whole = could_begin(text, side) && next_start(text, 0, &[side]) == Some(0);
    if side == Side::Response || !is_whole {
        return is_whole;
    }
    let path = line.split(|&byte| byte == b' ').nth(1).unwrap_or_default();
    // Files of request editors have the URL, and neither responses nor lengths.
    let is_sent = path.starts_with(b"/") || line.ends_with(b"\r");
    let has_length = ["Content-Length:", "content-length:"]
        .iter()
        .any(|name| contains(text, name.as_bytes()));
    is_sent || has_length && contains(text, b"\nHTTP/1.")
}

/// Whether a header field follows, the first line of another message, or nothing.
fn goes_on(behind: Option<&[u8]>) -> bool {
    let behind = behind.unwrap_or_default();
    let next = behind.trim_ascii_start();
    next.is_empty() || is_field(first_line(behind)) || is_first_line(first_line(next))
}

pub(crate) fn read(file: Block<'_>, _: Limits, sink: &mut dyn RecordSink) {
    let mut reading = RawHttpReader {
        bytes: file.bytes,
        waiting: VecDeque::new(),
        index: 0,
    };
    let mut at = file.text_start();
    while let Some(next) = reading.message(at, sink) {
        at = next;
    }
    for request in std::mem::take(&mut reading.waiting) {
        reading.exchange(&request, None, sink);
    }
}

struct RawHttpReader<'a> {
    bytes: &'a [u8],
    /// Requests without a response so far.
    waiting: VecDeque<FramedMessage>,
    index: usize,
}

impl<'a> RawHttpReader<'a> {
    /// Reads the next message, and returns the offset at which another may begin.
    fn message(&mut self, at: usize, sink: &mut dyn RecordSink) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        let start = at + blank_length(rest);
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let side = side_at(rest);
        let answers = self
            .waiting
            .front()
            .and_then(|request| method_of(self.bytes.get(request.start..)?));
        let mut framer = Framer::new(side);
        let FrameProgress::Done(mut frame) = framer.advance(rest, answers, true) else {
            return self.pass_over(start, &framer, sink);
        };
        if framer.is_until_close() {
            shorten(&mut frame, rest);
        }
        let end = start + frame.end;
        let is_upgrade = side == Side::Response && status_of(rest) == Some(101);
        self.take(FramedMessage { start, frame }, sink);
        if is_upgrade {
            let rest = Span::new(end, self.bytes.len());
            if !rest.is_empty() {
                sink.skip(Skip::at(Reason::WebSocket, rest));
            }
            return None;
        }
        Some(end)
    }

    fn take(&mut self, found: FramedMessage, sink: &mut dyn RecordSink) {
        match found.frame.side {
            Side::Request => self.waiting.push_back(found),
            Side::Response => {
                let status = status_of(self.run(&found).bytes);
                if status.is_some_and(|status| (100..=199).contains(&status) && status != 101) {
                    return;
                }
                match self.waiting.pop_front() {
                    Some(request) => self.exchange(&request, Some(&found), sink),
                    None => {
                        let run = self.run(&found);
                        let body = run.lone_body().map(Record::Body);
                        sink.record(body.unwrap_or_else(|| Record::Skip(orphan(run.whole()))));
                    }
                }
            }
        }
    }

    /// Reports and skips text that is not a message, up to the next message.
    fn pass_over(
        &mut self,
        start: usize,
        framer: &Framer,
        sink: &mut dyn RecordSink,
    ) -> Option<usize> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let behind = start + framer.passed(rest);
        let next = next_start(self.bytes, behind, &Side::BOTH);
        let end = next.unwrap_or(self.bytes.len());
        sink.skip(broken(Span::new(start, end), framer.fault()));
        next
    }

    fn run<'r>(&'r self, found: &'r FramedMessage) -> WireMessage<'r, 'a> {
        let bytes = self.bytes.get(found.start..).unwrap_or_default();
        let bytes = bytes.get(..found.frame.end).unwrap_or(bytes);
        WireMessage {
            bytes,
            frame: &found.frame,
            origin: MessageBytes::File(self.bytes, found.start),
            section: None,
        }
    }

    fn exchange(
        &mut self,
        request: &FramedMessage,
        response: Option<&FramedMessage>,
        sink: &mut dyn RecordSink,
    ) {
        let pair = WireExchange {
            request: self.run(request),
            response: response.map(|response| self.run(response)),
            started: None,
        };
        pair.read(self.index, sink);
        self.index += 1;
    }
}

/// A body without a length ends with its file, or where another message begins: people write such files by hand.
fn shorten(frame: &mut MessageFrame, bytes: &[u8]) {
    let Some(next) = next_start(bytes, frame.head, &Side::BOTH) else {
        return;
    };
    let text = Span::new(frame.head, next).slice(bytes).trim_ascii_end();
    frame.pieces = vec![Span::new(frame.head, frame.head + text.len())];
    frame.pieces.retain(|piece| !piece.is_empty());
    frame.end = next;
}
