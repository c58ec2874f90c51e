//! The bytes of one input, and places in them.
//!
//! Everything above this layer speaks in byte [`Span`]s. [`Location`]s (line and column) are made from spans
//! by [`LineIndex`], for reports only. Text that had to be decoded out of its file (a body inside a string) keeps an
//! [`OffsetMap`] back to the file's bytes.

mod lines;
pub mod magic;
mod offset_map;
mod span;

pub use lines::{LineIndex, Location};
pub use offset_map::OffsetMap;
pub use span::Span;

/// One input, read whole: a name for reports and its bytes as they are on disk.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path as given or found, with `/` between its parts; `-` for standard input.
    pub name: String,
    /// The file's bytes, a byte order mark included.
    pub bytes: Vec<u8>,
}

impl Source {
    /// Makes a source from its parts.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }

    /// Where the text begins: 3 behind a UTF-8 byte order mark, else 0.
    pub fn text_start(&self) -> usize {
        if self.bytes.starts_with(magic::BYTE_ORDER_MARK) {
            magic::BYTE_ORDER_MARK.len()
        } else {
            0
        }
    }
}
