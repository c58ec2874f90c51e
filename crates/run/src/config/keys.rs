//! Describes a configuration key: its name, type, default and documentation.
//!
//! The JSON Schema and the reference page are generated from these descriptions.

use std::ops::RangeInclusive;

use toml::de::{DeTable, DeValue};

/// The range of a number of days: a century, either way.
pub const DAYS: RangeInclusive<i64> = -36_500..=36_500;

/// A configuration key.
#[derive(Debug, Clone, Copy)]
pub struct ConfigKey {
    pub name: &'static str,
    /// The type of its value.
    pub key_type: KeyType,
    /// The value that applies if the key is absent, as TOML or in words; `None` if the key is required.
    pub default: Option<&'static str>,
    /// Its documentation, in Markdown.
    pub doc: &'static str,
    /// An example of a value, as TOML; empty for a list of tables, whose keys have examples.
    pub example: &'static str,
}

/// The type of a key's value.
#[derive(Debug, Clone, Copy)]
pub enum KeyType {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A string or a list of strings.
    OneOrMore,
    /// The path of a file.
    Path,
    /// A list of paths.
    Paths,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A list of output formats, each optionally followed by `=FILE`.
    Outputs,
    /// A number of levels, at least 1.
    Levels,
    /// A factor, at least 1.
    Factor,
    /// A number of days within [`DAYS`].
    Days,
    /// True or false.
    Boolean,
    Date,
    /// A table of names that the user chooses, each with one of these strings.
    Named(&'static [&'static str]),
    /// A list of tables with these keys.
    Tables(&'static [ConfigKey]),
}

impl ConfigKey {
    /// Reads what a declaration says about a key of this type.
    pub(super) fn declared(table: &DeTable<'_>, key_type: KeyType) -> Option<Self> {
        let text = |name| declared_text(table, name);
        Some(Self {
            name: text("name")?,
            key_type,
            default: text("default"),
            doc: text("doc")?,
            example: text("example").unwrap_or_default(),
        })
    }

    /// Its documentation, with the value that applies if it is absent.
    pub(crate) fn full_doc(&self) -> String {
        match self.default {
            Some(default) => format!("{} Default: {default}.", self.doc),
            None => self.doc.to_owned(),
        }
    }
}

/// Reads each declaration in a list of a file of this program, which a test reads, too.
pub(super) fn read_file<T>(
    text: &str,
    list: &str,
    read: impl Fn(&DeTable<'_>) -> Option<T>,
) -> Vec<T> {
    let file = DeTable::parse(text);
    file.map(|file| read_list(file.get_ref(), list, |entry| read(entry.as_table()?)))
        .unwrap_or_default()
}

/// Reads each entry of a list in a declaration.
pub(super) fn read_list<T>(
    table: &DeTable<'_>,
    list: &str,
    read: impl Fn(&DeValue<'_>) -> Option<T>,
) -> Vec<T> {
    let entries = table.get(list).and_then(|list| list.get_ref().as_array());
    let entries = entries.into_iter().flat_map(|entries| entries.iter());
    entries.filter_map(|entry| read(entry.get_ref())).collect()
}

/// The text under a key of a declaration.
pub(super) fn declared_text(table: &DeTable<'_>, key: &str) -> Option<&'static str> {
    kept_text(table.get(key)?.get_ref())
}

/// A text that is kept as long as the program runs.
pub(super) fn kept_text(value: &DeValue<'_>) -> Option<&'static str> {
    Some(value.as_str()?.to_owned().leak())
}
