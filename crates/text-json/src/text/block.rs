//! A part of a file that is read at once.

use super::location::Location;
use super::magic;

/// The text of a whole file, or of some complete records of it: files can be larger than memory.
///
/// Spans count from the beginning of the block. Code that combines blocks adds the length of the text before them.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The text, including a byte order mark.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the file, or in the decompressed text of a compressed file.
    pub start: usize,
}

impl<'a> Block<'a> {
    /// Creates a block of the whole text of a file.
    pub fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0 }
    }

    /// Returns the offset of the text: 3 after a UTF-8 byte order mark at the beginning of the file, else 0.
    pub fn text_start(self) -> usize {
        if self.start == 0 {
            magic::text_start(self.bytes)
        } else {
            0
        }
    }

    /// Returns the location after the last byte, as if the block were the beginning of a file.
    pub fn end(self) -> Location {
        self.end_of(bytecount::count(self.bytes, b'\n'))
    }

    /// Like [`Self::end`], for a block with this number of line ends.
    pub fn end_of(self, ends: usize) -> Location {
        let last_line = memchr::memrchr(b'\n', self.bytes).map_or(0, |at| at + 1);
        let line = ends + 1;
        let text = self.bytes.get(last_line..).unwrap_or_default();
        // The mark does not count as a column.
        let mark = if last_line == 0 { self.text_start() } else { 0 };
        Location {
            line,
            column: bytecount::num_chars(text) + 1 - usize::from(mark > 0),
            byte_column: text.len() + 1 - mark,
        }
    }
}
