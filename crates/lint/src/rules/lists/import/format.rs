//! Reads lists in any format.

use super::collector::ListCollector;
use super::imported::Imported;
use crate::rules::lists::ListFormat;
use sundown_files::toml_file::FileMistakes;

impl ListFormat {
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
