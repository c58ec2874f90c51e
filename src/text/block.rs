//! The stretch of a file that is read at once.

use super::location::Location;
use super::magic;

/// All of a file's text, or a run of whole records out of it: files can be larger than memory.
///
/// Spans count from the beginning of the block; whoever puts blocks together adds what stands before them.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The text, a byte order mark included.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the file (of the decompressed text, where the file is compressed).
    pub start: usize,
}

impl<'a> Block<'a> {
    /// A file's whole text.
    pub fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0 }
    }

    /// Where the text begins: 3 behind a UTF-8 byte order mark at the file's beginning, else 0.
    pub fn text_start(self) -> usize {
        if self.is_marked() { magic::BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// The place behind its last byte, as if it stood at a file's beginning.
    pub fn end(self) -> Location {
        self.end_of(bytecount::count(self.bytes, b'\n'))
    }

    /// The same, of a block in which so many lines end.
    pub fn end_of(self, ends: usize) -> Location {
        let last_line = memchr::memrchr(b'\n', self.bytes).map_or(0, |at| at + 1);
        let line = ends + 1;
        let text = self.bytes.get(last_line..).unwrap_or_default();
        let marked = last_line == 0 && self.is_marked();
        let mark = if marked { magic::BYTE_ORDER_MARK.len() } else { 0 };
        Location {
            line,
            column: bytecount::num_chars(text) + 1 - usize::from(marked),
            byte_column: text.len() + 1 - mark,
        }
    }

    /// Whether it begins with a byte order mark, which is no column.
    pub(super) fn is_marked(self) -> bool {
        self.start == 0 && self.bytes.starts_with(magic::BYTE_ORDER_MARK)
    }
}
