//! The list of the report formats of `sundown usage`.

use super::super::report::UsageReport;
use std::io::{self, Write};
use sundown_report::write_page;

/// An output format.
#[derive(Debug)]
pub enum UsageFormat {
    /// A table for people.
    Human,
    /// A document with everything.
    Json,
    /// A row for each element and for each caller of it.
    Csv,
    /// A page with a section for each caller.
    Markdown,
    /// A web page in one file.
    Html,
}

impl UsageFormat {
    /// Writes a report; the table for people fits the width of a terminal, if there is one.
    pub fn write(
        self,
        report: &UsageReport<'_>,
        width: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::Human => super::human::write(report, width, out),
            Self::Json => super::json::write(report, out),
            Self::Csv => super::csv::write(report, out),
            Self::Markdown => super::markdown::write(report, out),
            Self::Html => write_page(&super::json::document(report), out),
        }
    }
}
