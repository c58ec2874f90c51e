//! What an import gives, and from which formats.

use super::collector::ListCollector;
use crate::rules::Rule;
use crate::rules::lists::ListFormat;
use sundown_files::toml_file::FileMistakes;
use sundown_text_json::text::Location;

/// The contents of a list or a description.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The name of the source in messages.
    pub name: String,
    /// The description, if the source is one.
    pub description: Option<ImportedDescription>,
    /// The entries, in the order of the source.
    pub entries: Vec<ImportedEntry>,
    /// Content that a rules file cannot hold, and how it was handled.
    pub remarks: Vec<ImportRemark>,
}

/// An imported description, as the rules file refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDescription {
    /// Its path, relative to the rules file.
    pub path: String,
    /// The name of the API.
    pub api: String,
}

/// An entry of a list, or an element that a description marks as deprecated.
#[derive(Debug, Clone)]
pub struct ImportedEntry {
    /// The rule; without an id if the list has none. It has no places if the list does not name any, and if a schema locates it.
    pub rule: Rule,
    /// The location of the entry in the list.
    pub location: Location,
}

/// A note about an import that is not a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRemark {
    /// The location in the list.
    pub location: Location,
    /// The text of the note.
    pub message: String,
}

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
