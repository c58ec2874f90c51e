//! Byte offsets to lines and columns.

use memchr::memchr_iter;

use super::Block;

/// A place as people count: both one-based, the column in Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// One-based line number; lines end at `\n`.
    pub line: usize,
    /// One-based column, in Unicode code points from the start of the line.
    pub column: usize,
}

impl Default for Location {
    fn default() -> Self {
        Self::START
    }
}

impl Location {
    /// Where a text begins.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place in the whole, where `self` is the beginning of a part and `inner` a place counted from there.
    #[must_use]
    pub fn then(self, inner: Self) -> Self {
        match inner.line {
            1 => Self { line: self.line, column: self.column + inner.column - 1 },
            _ => Self { line: self.line + inner.line - 1, column: inner.column },
        }
    }
}

/// Where the lines of a text start, to turn offsets into [`Location`]s.
///
/// Lines can be as long as the text, so code points are counted ahead, block by block.
#[derive(Debug)]
pub struct LineIndex<'a> {
    block: Block<'a>,
    /// Offset of each line's first byte; the first is 0.
    starts: Vec<usize>,
    /// The code points that begin before each block of [`BLOCK`] bytes.
    before_block: Vec<usize>,
}

/// How many bytes a block has: as many as are counted anew for each location, at most.
const BLOCK: usize = 4096;

impl<'a> LineIndex<'a> {
    /// Reads the text once; places are counted from its beginning.
    pub fn new(block: Block<'a>) -> Self {
        let bytes = block.bytes;
        let starts = std::iter::once(0).chain(memchr_iter(b'\n', bytes).map(|at| at + 1)).collect();
        let mut before_block = Vec::with_capacity(bytes.len() / BLOCK + 1);
        let mut count = 0;
        for block in bytes.chunks(BLOCK) {
            before_block.push(count);
            count += code_points(block);
        }
        Self { block, starts, before_block }
    }

    /// The place of the byte at `offset`; an offset past the end is the end.
    ///
    /// A byte order mark is no column. In text that is not UTF-8, each byte that does not continue a code point counts as one.
    pub fn location(&self, offset: usize) -> Location {
        let offset = offset.min(self.block.bytes.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let line_start = self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let marked = line_start == 0 && self.block.is_marked() && offset > 0;
        let before = self.code_points_before(offset) - self.code_points_before(line_start);
        Location { line, column: before + 1 - usize::from(marked) }
    }

    /// The same for one offset, without an index.
    pub fn locate(block: Block<'_>, offset: usize) -> Location {
        let before = block.bytes.get(..offset).unwrap_or(block.bytes);
        Block { bytes: before, ..block }.end()
    }

    fn code_points_before(&self, offset: usize) -> usize {
        let Some(before) = self.before_block.get(offset / BLOCK) else {
            // Only the end of a text of whole blocks is in no block.
            return offset
                .checked_sub(1)
                .map_or(0, |last| self.code_points_before(last) + self.counts(last));
        };
        let block_start = offset - offset % BLOCK;
        before + code_points(self.block.bytes.get(block_start..offset).unwrap_or_default())
    }

    fn counts(&self, offset: usize) -> usize {
        self.block.bytes.get(offset..=offset).map_or(0, code_points)
    }
}

pub(super) fn code_points(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let location = LineIndex::new(Block::whole(text.as_bytes())).location(offset);
        (location.line, location.column)
    }

    #[test]
    fn the_first_byte_is_line_one_column_one() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("abc", 0), (1, 1));
    }

    #[test]
    fn a_newline_belongs_to_the_line_it_ends() {
        assert_eq!(at("ab\ncd", 2), (1, 3));
        assert_eq!(at("ab\ncd", 3), (2, 1));
        assert_eq!(at("ab\r\ncd", 5), (2, 2));
    }

    #[test]
    fn columns_count_code_points_not_bytes() {
        assert_eq!(at("é😀x", "é😀".len()), (1, 3));
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        assert_eq!(at("\u{feff}{}", 3), (1, 1));
        assert_eq!(at("\u{feff}{}\nab", 7), (2, 2));
    }

    #[test]
    fn long_lines_count_like_short_ones() {
        for blocks in 0..3 {
            for more in [0, 1, 2, 4095] {
                let text = format!("x\n{}", "é".repeat(usize::midpoint(blocks * BLOCK, more)));
                for offset in [2, text.len() / 4 * 2, text.len()] {
                    let slow = text[..offset].rsplit('\n').next().unwrap().chars().count() + 1;
                    assert_eq!(
                        at(&text, offset),
                        (if offset < 2 { 1 } else { 2 }, slow),
                        "{blocks} {more} {offset}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(at("ab\n", 99), (2, 1));
    }

    #[test]
    fn places_in_blocks_add_up_to_places_in_the_whole() {
        let text = "\u{feff}ab\né😀\n\nlast é";
        let whole = LineIndex::new(Block::whole(text.as_bytes()));
        for (cut, _) in text.char_indices().skip(1) {
            let (front, back) = text.as_bytes().split_at(cut);
            let end = Block::whole(front).end();
            assert_eq!(end, whole.location(cut), "cut at {cut}");
            assert_eq!(LineIndex::locate(Block::whole(text.as_bytes()), cut), end);
            let behind = LineIndex::new(Block { bytes: back, start: cut });
            for (at, _) in text.char_indices().filter(|&(at, _)| at >= cut) {
                assert_eq!(end.then(behind.location(at - cut)), whole.location(at), "{cut} {at}");
            }
        }
    }
}
