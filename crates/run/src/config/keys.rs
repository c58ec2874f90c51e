//! Describes a configuration key: its name, type, default and documentation; those that are tables, and the tables of a configuration
//! as they are written in it.
//!
//! The JSON Schema and the reference page are generated from these descriptions.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use serde::Deserialize;

use sundown_files::toml_file::TableReader;
use sundown_text_json::text::toml::read_own;

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

/// The file of the declarations.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct DeclaredTables {
    table: Vec<KeyDeclaration>,
}

/// A key as it is declared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyDeclaration {
    name: &'static str,
    doc: &'static str,
    default: Option<&'static str>,
    #[serde(default)]
    example: &'static str,
    #[serde(rename = "type")]
    kind: Kind,
    /// The values of a key with some.
    #[serde(default)]
    values: Vec<&'static str>,
    /// The keys of tables.
    #[serde(default)]
    key: Vec<KeyDeclaration>,
}

/// The types of keys by their names.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Text,
    Texts,
    OneOrMore,
    OneOf,
    Boolean,
    Date,
    Named,
    Tables,
}

/// The keys that are tables, as `tables.toml` documents them.
pub static TABLES: LazyLock<Vec<ConfigKey>> = LazyLock::new(|| {
    let file: DeclaredTables = read_own(include_str!("tables.toml"));
    file.table.into_iter().map(ConfigKey::from).collect()
});

impl From<KeyDeclaration> for ConfigKey {
    /// The lists of values and keys are kept as long as the program runs.
    fn from(declared: KeyDeclaration) -> Self {
        let values = declared.values;
        let key_type = match declared.kind {
            Kind::Text => KeyType::Text,
            Kind::Texts => KeyType::Texts,
            Kind::OneOrMore => KeyType::OneOrMore,
            Kind::OneOf => KeyType::OneOf(values.leak()),
            Kind::Boolean => KeyType::Boolean,
            Kind::Date => KeyType::Date,
            Kind::Named => KeyType::Named(values.leak()),
            Kind::Tables => {
                let keys: Vec<Self> = declared.key.into_iter().map(Self::from).collect();
                KeyType::Tables(keys.leak())
            }
        };
        Self {
            name: declared.name,
            key_type,
            default: declared.default,
            doc: declared.doc,
            example: declared.example,
        }
    }
}

/// A table of a configuration, as it is written.
#[derive(Debug)]
pub struct ConfigTable {
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// Its header: `[severity]` or `[[payload]]`.
    pub head: String,
    /// The bytes of its keys, and those of their values.
    pub entries: Vec<(Range<usize>, Range<usize>)>,
}

/// Returns all tables under known keys, in the order of the file.
pub(super) fn read_tables(fields: &TableReader<'_>) -> Vec<ConfigTable> {
    let mut tables = Vec::new();
    for key in TABLES.iter() {
        let Some(value) = fields.peek(key.name) else {
            continue;
        };
        let (head, items) = match key.key_type {
            KeyType::Tables(_) => {
                let items = value
                    .get_ref()
                    .as_array()
                    .into_iter()
                    .flat_map(|list| list.iter());
                (format!("[[{}]]", key.name), items.collect())
            }
            _ => (format!("[{}]", key.name), vec![value]),
        };
        for item in items {
            let Some(table) = item.get_ref().as_table() else {
                continue;
            };
            tables.push(ConfigTable {
                span: item.span(),
                head: head.clone(),
                entries: table
                    .iter()
                    .map(|(key, value)| (key.span(), value.span()))
                    .collect(),
            });
        }
    }
    tables.sort_by_key(|table| table.span.start);
    tables
}
