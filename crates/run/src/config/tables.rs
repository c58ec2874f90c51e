//! The keys that are tables, and the tables of a configuration as they are written in it.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::keys::{ConfigKey, KeyType};
use sundown_files::toml_file::TableReader;
use sundown_text_json::text::toml::read_own;

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
