//! One direction of a connection, and its state between messages.

use super::stream::Stream;
use crate::frame::{Framer, next_start};
use sundown_exchange::Side;

/// One direction.
#[derive(Debug)]
pub(super) struct Http1Direction {
    pub stream: Stream,
    pub state: Http1State,
    /// Whether a message has been seen.
    pub has_spoken: bool,
}

#[derive(Debug)]
pub(super) enum Http1State {
    /// In a message, or before one.
    Message(Framer),
    /// After an error or a gap, searching for a message.
    Searching,
    /// In a message that is too large; the number of bytes until its end.
    Skipping(usize),
}

/// The number of bytes that are kept because a message may begin after them.
pub(super) const KEPT: usize = 16 * 1024;

impl Http1Direction {
    pub(super) fn new(side: Side) -> Self {
        let state = Http1State::Message(Framer::new(side));
        Self {
            stream: Stream::default(),
            state,
            has_spoken: false,
        }
    }

    /// Skips what the PROXY protocol puts before the first message. Returns whether more of it must come.
    pub(super) fn skip_proxy_header(&mut self) -> bool {
        let bytes = self.stream.ready();
        let Some(length) = proxy_header(bytes).filter(|_| !self.has_spoken) else {
            return false;
        };
        let is_whole = length <= bytes.len();
        if is_whole {
            self.stream.skip(length);
        }
        !is_whole
    }

    /// Searches for the beginning of a message. Returns `false` if there is none yet.
    pub(super) fn search(&mut self, side: Side, ended: bool) -> bool {
        let bytes = self.stream.ready();
        if let Some(start) = next_start(bytes, 0, &[side]) {
            self.stream.skip(start);
            self.state = Http1State::Message(Framer::new(side));
            return true;
        }
        let kept = if ended { 0 } else { KEPT };
        let passed = bytes.len().saturating_sub(kept);
        self.stream.skip(passed);
        false
    }
}

/// The length of a header of the PROXY protocol, version 1 or 2, by the bytes that begin with it.
fn proxy_header(bytes: &[u8]) -> Option<usize> {
    const MAX_LINE: usize = 107;
    if let [
        b'\r',
        b'\n',
        b'\r',
        b'\n',
        0,
        b'\r',
        b'\n',
        b'Q',
        b'U',
        b'I',
        b'T',
        b'\n',
        rest @ ..,
    ] = bytes
    {
        let [_, _, high, low, ..] = *rest else {
            return Some(16);
        };
        return Some(16 + usize::from(u16::from_be_bytes([high, low])));
    }
    if ![&b"PROXY TCP"[..], b"PROXY UNKNOWN"]
        .iter()
        .any(|start| bytes.starts_with(start))
    {
        return None;
    }
    let line = bytes.get(..MAX_LINE).unwrap_or(bytes);
    match memchr::memchr(b'\n', line) {
        Some(end) => Some(end + 1),
        None => (line.len() < MAX_LINE).then_some(MAX_LINE),
    }
}
