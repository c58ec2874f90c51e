//! Positions as people count them: lines and columns.

/// A place as people count: both one-based, the column in Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// One-based line number; lines end at `\n`.
    pub line: usize,
    /// One-based column, in Unicode code points from the start of the line.
    pub column: usize,
    /// The same in bytes, for formats that count so.
    pub byte_column: usize,
}

impl Default for Location {
    fn default() -> Self {
        Self::START
    }
}

impl Location {
    /// Where a text begins.
    pub const START: Self = Self { line: 1, column: 1, byte_column: 1 };

    /// The place of an offset where there are no lines: its column is the number of the byte.
    pub fn in_bytes(offset: usize) -> Self {
        Self { line: 1, column: offset + 1, byte_column: offset + 1 }
    }

    /// The place in the whole, where `self` is the beginning of a part and `inner` a place counted from there.
    #[must_use]
    pub fn then(self, inner: Self) -> Self {
        match inner.line {
            1 => Self {
                line: self.line,
                column: self.column + inner.column - 1,
                byte_column: self.byte_column + inner.byte_column - 1,
            },
            _ => Self { line: self.line + inner.line - 1, ..inner },
        }
    }
}
