//! Lines of a file, as [`codespan_reporting`] prints them.

use std::ops::Range;

use codespan_reporting::files::{Error, Files};

/// Adjacent lines of a file, and what is marked in them.
#[derive(Debug, Default)]
pub(super) struct SourceExcerpt {
    /// The name of the file.
    pub(super) name: String,
    pub(super) text: String,
    /// The ranges of the lines in `text`.
    pub(super) lines: Vec<Range<usize>>,
    /// The marked range of `text`.
    pub(super) marked: Range<usize>,
    /// The number of the first line.
    pub(super) first: usize,
    /// The column at which the marked range begins.
    pub(super) column: usize,
}

impl<'a> Files<'a> for SourceExcerpt {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), at: usize) -> Result<usize, Error> {
        Ok(self.lines.partition_point(|line| line.end < at))
    }

    fn line_number(&'a self, (): (), index: usize) -> Result<usize, Error> {
        Ok(self.first + index)
    }

    fn column_number(&'a self, (): (), _: usize, _: usize) -> Result<usize, Error> {
        Ok(self.column)
    }

    fn line_range(&'a self, (): (), index: usize) -> Result<Range<usize>, Error> {
        self.lines.get(index).cloned().ok_or(Error::LineTooLarge {
            given: index,
            max: self.lines.len(),
        })
    }
}
