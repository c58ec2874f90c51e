//! Describes a configuration key: its name, type, default and documentation.
//!
//! The JSON Schema and the reference page are generated from these descriptions.

use std::ops::RangeInclusive;

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
    /// Its documentation, with the value that applies if it is absent.
    pub(crate) fn full_doc(&self) -> String {
        match self.default {
            Some(default) => format!("{} Default: {default}.", self.doc),
            None => self.doc.to_owned(),
        }
    }
}
