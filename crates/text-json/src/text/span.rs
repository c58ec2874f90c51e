//! A half-open range of bytes.

use std::ops::Range;

/// Bytes `start..end` of a text. The owner of the span documents which text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The line around an offset in a text.
    pub fn line_around(text: &[u8], at: usize) -> Self {
        let (before, after) = text.split_at(at.min(text.len()));
        let start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
        let end = memchr::memchr(b'\n', after).map_or(text.len(), |feed| at + feed);
        Self::new(start, end)
    }

    /// Creates the span `start..end`.
    #[inline]
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span ends before it starts: {start}..{end}");
        Self { start, end }
    }

    /// The number of bytes.
    #[inline]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it has no bytes.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the span moved by `by` bytes.
    #[must_use]
    #[inline]
    pub fn shifted(self, by: usize) -> Self {
        Self {
            start: self.start + by,
            end: self.end + by,
        }
    }

    /// Returns its part of `bytes`; empty if it extends past their end.
    #[inline]
    pub fn slice(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}
