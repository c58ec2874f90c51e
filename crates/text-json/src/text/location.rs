//! Positions as people count them: lines and columns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A one-based line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "[usize; 3]", into = "[usize; 3]")]
pub struct Location {
    /// One-based line number; lines end at `\n`.
    pub line: usize,
    /// One-based column, in Unicode code points from the start of the line.
    pub column: usize,
    /// One-based column in bytes, for formats that count bytes.
    pub byte_column: usize,
}

impl Default for Location {
    fn default() -> Self {
        Self::START
    }
}

impl Location {
    /// The beginning of a text.
    pub const START: Self = Self {
        line: 1,
        column: 1,
        byte_column: 1,
    };

    /// The location of an offset in binary data, which has one line: the column counts bytes.
    pub fn in_bytes(offset: usize) -> Self {
        Self {
            line: 1,
            column: offset + 1,
            byte_column: offset + 1,
        }
    }

    /// Converts a location in a part that begins at `self` to a location in the whole.
    #[must_use]
    pub fn then(self, inner: Self) -> Self {
        match inner.line {
            1 => Self {
                line: self.line,
                column: self.column + inner.column - 1,
                byte_column: self.byte_column + inner.byte_column - 1,
            },
            _ => Self {
                line: self.line + inner.line - 1,
                ..inner
            },
        }
    }
}

/// `LINE:COLUMN`, as after the name of a file.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl From<Location> for [usize; 3] {
    fn from(location: Location) -> Self {
        [location.line, location.column, location.byte_column]
    }
}

impl TryFrom<[usize; 3]> for Location {
    type Error = &'static str;

    fn try_from([line, column, byte_column]: [usize; 3]) -> Result<Self, Self::Error> {
        let location = Self {
            line,
            column,
            byte_column,
        };
        let is_one_based = line > 0 && column > 0 && byte_column > 0;
        if is_one_based {
            Ok(location)
        } else {
            Err("lines and columns begin with 1")
        }
    }
}
