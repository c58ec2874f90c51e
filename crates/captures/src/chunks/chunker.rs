//! How a file that may be larger than memory is read: a [`Chunker`] cuts whole records off its beginning while it is being
//! read, and each run of records is read by itself.

use std::fmt::Debug;

use crate::shapes::Logs;
use sundown_exchange::RecordSink;
use sundown_text_json::Limits;
use sundown_text_json::json::scan::Skimmer;
use sundown_text_json::text::Block;

/// How records are read.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'l> {
    /// Whether the user says which format the file has.
    pub is_declared: bool,
    /// The limits of records.
    pub limits: Limits,
    /// What the user says about logs in the file.
    pub logs: &'l Logs<'l>,
}

impl<'l> ReadOptions<'l> {
    /// The usual limits, for a file whose format was recognised.
    pub fn new(logs: &'l Logs<'l>) -> Self {
        Self {
            is_declared: false,
            limits: Limits::default(),
            logs,
        }
    }
}

/// Cuts the records of one file off its beginning, block by block.
pub(crate) trait Chunker: Debug + Send {
    /// Cuts whole records off the front of `text`, which begins where the last cut ended; `None` if more of the file is needed,
    /// or if nothing is left. `all` says that nothing follows the text.
    fn cut(&mut self, text: Block<'_>, all: bool, logs: &Logs<'_>) -> Option<Cut>;

    /// Cuts off the records that are certainly whole, because no more of the file will be read.
    fn stop(&mut self, text: Block<'_>, logs: &Logs<'_>) -> Option<Cut> {
        self.cut(text, false, logs)
    }

    /// The number of bytes to look at next if the first `size` of the file, which are `text`, have no whole record; `None` if
    /// more will not help. A record has at most `limit` bytes.
    fn next_size(&self, _text: &[u8], size: usize, limit: usize) -> Option<usize> {
        (size < limit).then(|| (size * 2).min(limit))
    }

    /// Gives up a text that is as large as allowed and has no whole record.
    fn give_up(&mut self, _text: Block<'_>) -> Oversized {
        Oversized::Record {
            end: RecordEnd::Line,
            numbered: 1,
        }
    }

    /// Goes on after the record that was given up.
    fn passed_over(&mut self) {}
}

/// Records that were cut off the beginning of a text.
#[derive(Debug)]
pub(crate) struct Cut {
    /// The number of bytes up to their end.
    pub bytes: usize,
    /// Reads them.
    pub records: Box<dyn Records>,
}

impl Cut {
    /// The records in so many bytes; `None` if there are none.
    pub(crate) fn of(bytes: usize, records: impl Records + 'static) -> Option<Self> {
        (bytes > 0).then(|| Self {
            bytes,
            records: Box::new(records),
        })
    }
}

/// The records of a block.
pub trait Records: Debug + Send {
    /// Reads the records of `block`, and returns how many are numbered. A broken record affects no other.
    fn read(&self, block: Block<'_>, options: &ReadOptions<'_>, sink: &mut dyn RecordSink)
    -> usize;

    /// Returns the text in which the positions of the records count: `block`, or the whole file.
    fn positions_in<'b>(&self, block: Block<'b>) -> Block<'b> {
        block
    }
}

/// What is given up because it is too large.
pub(crate) enum Oversized {
    /// All of the text, in which nothing but what these say can be read.
    Text(Box<dyn Records>),
    /// A record, or another value that counts for `numbered` records.
    Record {
        /// Finds where the file goes on.
        end: RecordEnd,
        numbered: usize,
    },
    /// All that follows in the file, for this reason.
    Rest(&'static str),
}

/// Searches for the end of a record that is skipped.
pub(crate) enum RecordEnd {
    /// At the end of the line.
    Line,
    /// At the end of the value that begins so many bytes after the beginning of the text.
    Value(Skimmer, usize),
    /// After a number of bytes.
    Bytes(usize),
}

impl RecordEnd {
    /// Returns the offset after the end in the next stretch of text, if it is there.
    pub(crate) fn find(&mut self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Line => memchr::memchr(b'\n', text).map(|at| at + 1),
            Self::Bytes(bytes) if *bytes <= text.len() => Some(*bytes),
            Self::Bytes(bytes) => {
                *bytes -= text.len();
                None
            }
            Self::Value(skimmer, before) => {
                let skip = (*before).min(text.len());
                *before -= skip;
                skimmer.end(text.get(skip..)?).map(|end| skip + end)
            }
        }
    }
}
