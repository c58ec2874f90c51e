//! One direction of a connection, and its state between messages.

use super::stream::Stream;
use crate::frame::{Framer, next_start};
use sundown_exchange::Side;

/// One direction.
#[derive(Debug)]
pub(super) struct Http1Direction {
    pub(super) stream: Stream,
    pub(super) state: Http1State,
    /// Whether a message has been seen.
    pub(super) has_spoken: bool,
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
