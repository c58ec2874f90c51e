//! The one line that is shown of a finding's place: keys, and values only where the user asks for them, with the true line and
//! column.
//!
//! Real payloads are megabytes on one line, so nothing of the file is printed as it is.

use std::borrow::Cow;
use std::ops::Range;

use codespan_reporting::files::{Error, Files};

use super::{LocatedFinding, escape_unsafe, printable};
use crate::findings::ValueShape;
use crate::text::Location;

/// A file of one line, as [`codespan_reporting`] wants to see it.
pub(super) struct FindingExcerpt {
    name: String,
    line: String,
    /// Where the shown key is in `line`.
    pub(super) key: Range<usize>,
    location: Location,
}

impl FindingExcerpt {
    pub(super) fn new(placed: &LocatedFinding) -> Self {
        let shown = &placed.finding.found.shown;
        let (before, key, after) = match &shown.key {
            // An endpoint or parameter stands in the URL, which is a value.
            None => (String::new(), "…".to_owned(), String::new()),
            Some(key) => {
                let before =
                    shown.parent.as_ref().map_or_else(|| "… ".to_owned(), |parent| before(parent));
                let value = shown.text.as_deref().map(printable);
                let value = value.unwrap_or(Cow::Borrowed(masked(shown.value)));
                (before, printable(key).into_owned(), format!(": {value}"))
            }
        };
        let range = before.len()..before.len() + key.len();
        let name = escape_unsafe(&placed.file).into_owned();
        Self { name, line: format!("{before}{key}{after}"), key: range, location: placed.location }
    }
}

fn before(parent: &str) -> String {
    format!("… \"{}\": … ", printable(parent))
}

fn masked(value: ValueShape) -> &'static str {
    match value {
        ValueShape::Scalar => "…",
        ValueShape::String => "\"…\"",
        ValueShape::Object => "{…}",
        ValueShape::Array => "[…]",
    }
}

impl<'a> Files<'a> for FindingExcerpt {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.line)
    }

    fn line_index(&'a self, (): (), _: usize) -> Result<usize, Error> {
        Ok(0)
    }

    fn line_number(&'a self, (): (), _: usize) -> Result<usize, Error> {
        Ok(self.location.line)
    }

    fn column_number(&'a self, (): (), _: usize, _: usize) -> Result<usize, Error> {
        Ok(self.location.column)
    }

    fn line_range(&'a self, (): (), _: usize) -> Result<Range<usize>, Error> {
        Ok(0..self.line.len())
    }
}
