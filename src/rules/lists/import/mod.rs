//! Importers: published deprecation lists and API descriptions, read into announcements.
//!
//! One file for each format: it cuts a list into [`Cells`], and [`ListCollector`] checks those alike for all formats. Every
//! mistake of a list is told at once; what a rules file cannot hold is told as a [`ImportRemark`], with its place. What
//! becomes of the announcements ([`merge`], [`new_table`]) does not depend on where they came from.

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

use crate::rules::RulePlace;
use crate::rules::announcement::Announcement;
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

/// What was read from a list or a description.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Its name for messages.
    pub name: String,
    /// The description, where it is one.
    pub description: Option<ImportedDescription>,
    /// Its entries, in their order.
    pub entries: Vec<ImportedEntry>,
    /// What the list says and a rules file cannot hold, and what was made of it.
    pub remarks: Vec<ImportRemark>,
}

/// A description that is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDescription {
    /// Its path from the rules file, as that writes it.
    pub path: String,
    /// The API's name.
    pub api: String,
}

/// An entry of a list, or something that a description marks.
#[derive(Debug, Clone)]
pub struct ImportedEntry {
    /// What it announces.
    pub announcement: Announcement,
    /// Where a description has it in traffic, its own operation first. Lists do not tell; of a property the schema tells.
    pub places: Vec<RulePlace>,
    /// Where it stands in the list.
    pub location: Location,
}

/// Something to know about an import that is no mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRemark {
    /// Where in the list.
    pub location: Location,
    /// What there is to know.
    pub message: String,
}

impl ListFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Csv, Self::Json];

    /// `markdown`, `csv` or `json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// The format of a text, by how it looks.
    pub fn recognise(text: &str) -> Option<Self> {
        if text.trim_start().starts_with(['{', '[']) {
            return Some(Self::Json);
        }
        // A Markdown document can begin with any text, a list of comma-separated values only with its header.
        if csv::is_list(text) {
            return Some(Self::Csv);
        }
        markdown::has_table(text).then_some(Self::Markdown)
    }
}

impl Imported {
    /// Reads a list. `name` is what messages call it. The error holds every mistake.
    pub fn read(format: ListFormat, name: &str, text: &str) -> Result<Self, FileMistakes> {
        let mut gathered = ListCollector::default();
        match format {
            ListFormat::Markdown => markdown::read(text, &mut gathered),
            ListFormat::Csv => csv::read(text, &mut gathered),
            ListFormat::Json => json::read(text, &mut gathered),
        }
        gathered.finish(name, text)
    }
}
