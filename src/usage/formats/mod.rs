//! The output formats of a usage report.

mod csv;
mod html;
mod human;
mod json;
mod markdown;
mod sentences;
mod wrap;

pub use json::USAGE_SCHEMA;

use std::io::{self, Write};

use super::report::UsageReport;

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Writes a report.
    pub fn write(self, report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Human => human::write(report, out),
            Self::Json => json::write(report, out),
            Self::Csv => csv::write(report, out),
            Self::Markdown => markdown::write(report, out),
            Self::Html => html::write(report, out),
        }
    }
}
