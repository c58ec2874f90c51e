//! Byte offsets to lines and columns.

use memchr::memchr_iter;

/// A place as people count: both one-based, the column in Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// One-based line number; lines end at `\n`.
    pub line: usize,
    /// One-based column, in Unicode code points from the start of the line.
    pub column: usize,
}

/// Where the lines of a text start, to turn offsets into [`Location`]s.
#[derive(Debug)]
pub struct LineIndex<'a> {
    bytes: &'a [u8],
    /// Offset of each line's first byte; the first is 0.
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Reads the text once.
    pub fn new(bytes: &'a [u8]) -> Self {
        let starts = std::iter::once(0).chain(memchr_iter(b'\n', bytes).map(|at| at + 1)).collect();
        Self { bytes, starts }
    }

    /// The place of the byte at `offset`; an offset past the end is the end.
    ///
    /// A byte order mark is no column. In text that is not UTF-8, each byte that does not continue a code point counts as one.
    pub fn location(&self, offset: usize) -> Location {
        let offset = offset.min(self.bytes.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let line_start = self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let before = self.bytes.get(line_start..offset).unwrap_or_default();
        let before = if line_start == 0 {
            before.strip_prefix(super::BYTE_ORDER_MARK).unwrap_or(before)
        } else {
            before
        };
        let code_points = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Location { line, column: code_points + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let location = LineIndex::new(text.as_bytes()).location(offset);
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
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(at("ab\n", 99), (2, 1));
    }
}
