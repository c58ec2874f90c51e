//! Importers: they read published deprecation lists and API descriptions into announcements.
//!
//! Each format has a file, which splits a list into [`EntryCells`](collector::EntryCells). [`ListCollector`] checks these
//! in the same manner for all formats, and reports all mistakes of a list together. Content that a rules file cannot hold
//! becomes an [`ImportRemark`] with its location. [`merge`] and [`new_table`] write the announcements of any source.

mod collector;
mod csv;
mod description;
mod edit;
mod ids;
mod json;
mod markdown;
mod merge;
mod write;

pub(super) use csv::COLUMNS;
pub use merge::{Change, Merged, StaleRules, merge};
pub use write::new_table;

use std::sync::Arc;

use crate::rules::{Announcement, RulePlace};
use crate::text::Location;
use crate::toml_file::FileMistakes;
use collector::ListCollector;

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
    /// The announced deprecation.
    pub announcement: Announcement,
    /// The places of the element in traffic, its own operation first. Empty for lists, which do not name places, and for
    /// properties, whose schema locates them.
    pub places: Arc<[RulePlace]>,
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
        if csv::is_list(text) {
            return Some(Self::Csv);
        }
        markdown::has_table(text).then_some(Self::Markdown)
    }
}

impl Imported {
    /// Reads a list; messages call it `name`. The error holds all mistakes of the list.
    pub fn read(format: ListFormat, name: &str, text: &str) -> Result<Self, FileMistakes> {
        let mut collector = ListCollector::default();
        match format {
            ListFormat::Markdown => markdown::read(text, &mut collector),
            ListFormat::Csv => csv::read(text, &mut collector),
            ListFormat::Json => json::read(text, &mut collector),
        }
        collector.finish(name, text)
    }
}
