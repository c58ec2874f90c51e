//! What an import gives.

use crate::rules::Rule;
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
