//! Describes a configuration key: its name, type, default, documentation and command-line flag.
//!
//! The JSON Schema, the reference page, the first configuration and the flags are generated from these descriptions.

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
    /// The command-line flag that overrides it.
    pub flag: Option<Flag>,
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
    OneOf(fn() -> Vec<&'static str>),
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
    /// A required key without a flag.
    pub(super) const fn required(
        name: &'static str,
        key_type: KeyType,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            key_type,
            default: None,
            doc,
            example,
            flag: None,
        }
    }

    /// A key without a flag, and what applies if the key is absent.
    pub(super) const fn optional(
        name: &'static str,
        key_type: KeyType,
        doc: &'static str,
        example: &'static str,
        default: &'static str,
    ) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, key_type, doc, example)
        }
    }

    /// Its documentation, with the value that applies if it is absent.
    pub(crate) fn full_doc(&self) -> String {
        match self.default {
            Some(default) => format!("{} Default: {default}.", self.doc),
            None => self.doc.to_owned(),
        }
    }

    /// Whether the key is written as one or more tables.
    #[cfg(test)]
    pub(super) fn is_table(&self) -> bool {
        matches!(self.key_type, KeyType::Named(_) | KeyType::Tables(_))
    }
}

/// A command-line flag that sets a configuration key. Its type and its help text are those of the key.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its name, with the dashes.
    pub name: &'static str,
    /// The name of its value in the help text.
    pub value_name: &'static str,
    /// The section of the help text that lists it, unless it is common.
    pub heading: &'static str,
    /// Whether it is among the first options of the help text, which `-h` shows.
    pub is_common: bool,
    /// The commands that take it.
    pub scope: FlagScope,
    /// A help text that replaces the documentation of the key.
    pub help: Option<&'static str>,
    /// Whether the flag is the negation of the key.
    pub negates: bool,
    /// A second flag, with its help text, that says that the key has no value.
    pub none: Option<(&'static str, &'static str)>,
}

/// The commands that take a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagScope {
    /// Commands that take what `check` takes.
    Check,
    /// These and all other commands that read traffic.
    Traffic,
    /// These and all other commands that load rules.
    Rules,
}

impl Flag {
    /// A flag of the commands in `scope`.
    pub(super) const fn new(
        scope: FlagScope,
        name: &'static str,
        value_name: &'static str,
        heading: &'static str,
    ) -> Self {
        Self {
            name,
            value_name,
            heading,
            is_common: false,
            scope,
            help: None,
            negates: false,
            none: None,
        }
    }

    /// Puts the flag among the first options of the help text.
    pub(super) const fn common(self) -> Self {
        Self {
            is_common: true,
            ..self
        }
    }
}
