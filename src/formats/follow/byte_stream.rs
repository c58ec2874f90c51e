//! Standard input or a pipe, whose bytes come when they come: a thread waits for them.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::Growth;

/// The size of the pieces that are read.
const PIECE: usize = 64 * 1024;

/// The number of pieces that wait to be checked.
const MOST_WAITING: usize = 4;

/// For how long nothing must come before an input counts as read up to its end, once it is to end.
const SILENCE: Duration = Duration::from_millis(50);

/// The number of bytes that are still read once the input is to end: no pipe holds more.
const MOST_AT_END: usize = 2 * 1024 * 1024;

/// Bytes that a thread reads.
#[derive(Debug)]
pub(super) struct ByteStream {
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// What was received and not handed out.
    received: Vec<u8>,
    has_ended: bool,
    /// The number of bytes that were received since the input is to end.
    at_end: usize,
}

/// Opens an input; in the thread that reads, because opening a named pipe waits for a writer.
pub(super) type OpenStream = Box<dyn FnOnce() -> io::Result<Box<dyn Read>> + Send>;

impl ByteStream {
    /// Starts to read.
    pub(super) fn start(open: OpenStream) -> Self {
        let (sender, pieces) = sync_channel(MOST_WAITING);
        // The thread ends with the input or with the program.
        thread::spawn(move || read_pieces(open, &sender));
        Self { pieces, received: Vec::new(), has_ended: false, at_end: 0 }
    }

    /// Appends at most `most` bytes to `text`, if some have come. With `is_ending`, the input ends once nothing comes any more.
    pub(super) fn read(
        &mut self,
        text: &mut Vec<u8>,
        most: usize,
        is_ending: bool,
    ) -> io::Result<Growth> {
        if self.received.is_empty() && self.at_end < MOST_AT_END {
            self.wait(if is_ending { SILENCE } else { Duration::ZERO })?;
            self.at_end += if is_ending { self.received.len() } else { 0 };
        }
        if self.received.is_empty() {
            return Ok(if is_ending || self.has_ended { Growth::End } else { Growth::Nothing });
        }
        text.extend(self.received.drain(..most.min(self.received.len())));
        Ok(Growth::Bytes)
    }

    /// Waits for more bytes.
    pub(super) fn wait(&mut self, patience: Duration) -> io::Result<()> {
        if self.received.is_empty() {
            match self.pieces.recv_timeout(patience) {
                Ok(piece) => self.received = piece?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.has_ended = true,
            }
        }
        Ok(())
    }
}

/// Sends the pieces of an input until it ends, fails, or no one receives them.
fn read_pieces(open: OpenStream, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut input = match open() {
        Ok(input) => input,
        Err(error) => return drop(sender.send(Err(error))),
    };
    let mut piece = vec![0; PIECE];
    loop {
        let read = match input.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => Ok(piece.get(..count).unwrap_or_default().to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = read.is_err();
        if sender.send(read).is_err() || is_last {
            return;
        }
    }
}
