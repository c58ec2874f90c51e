//! The formats of lists.

use super::collector::ListCollector;
use super::imported::Imported;
use sundown_files::toml_file::FileMistakes;
/// A format that lists are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// A table in a Markdown document.
    Markdown,
    /// Comma-separated values (RFC 4180) with a header.
    Csv,
    /// JSON: `{"endpoints": [{"method", "path", "deprecations": [{"id", "type", "name", …}]}]}`.
    Json,
}

impl ListFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Csv, Self::Json];

    /// The name of the format, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Guesses the format of a text from its beginning.
    pub fn recognise(text: &str) -> Option<Self> {
        if text.trim_start().starts_with(['{', '[']) {
            return Some(Self::Json);
        }
        // CSV comes first: it begins with a header, but a Markdown document can begin with any text.
        if super::csv::is_list(text) {
            return Some(Self::Csv);
        }
        super::markdown::has_table(text).then_some(Self::Markdown)
    }
}

impl Imported {
    /// Reads a list; messages call it `name`. The error holds all mistakes of the list.
    pub fn read(format: ListFormat, name: &str, text: &str) -> Result<Self, FileMistakes> {
        let mut collector = ListCollector::default();
        match format {
            ListFormat::Markdown => super::markdown::read(text, &mut collector),
            ListFormat::Csv => super::csv::read(text, &mut collector),
            ListFormat::Json => super::json::read(text, &mut collector),
        }
        collector.finish(name, text)
    }
}
