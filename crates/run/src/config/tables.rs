//! The keys that are tables, and the tables of a configuration as they are written in it.

use std::ops::Range;
use std::sync::LazyLock;

use toml::de::DeTable;

use super::keys::{ConfigKey, KeyType, declared_text, kept_text, read_file, read_list};
use sundown_files::toml_file::TableReader;

/// The keys that are tables, as `tables.toml` documents them.
pub static TABLES: LazyLock<Vec<ConfigKey>> =
    LazyLock::new(|| read_file(include_str!("tables.toml"), "table", read_key));

fn read_key(table: &DeTable<'_>) -> Option<ConfigKey> {
    let values = || &*read_list(table, "values", kept_text).leak();
    let keys = || &*read_list(table, "key", |key| read_key(key.as_table()?)).leak();
    let key_type = match declared_text(table, "type")? {
        "text" => KeyType::Text,
        "texts" => KeyType::Texts,
        "one-or-more" => KeyType::OneOrMore,
        "one-of" => KeyType::OneOf(values()),
        "boolean" => KeyType::Boolean,
        "date" => KeyType::Date,
        "named" => KeyType::Named(values()),
        "tables" => KeyType::Tables(keys()),
        _ => return None,
    };
    ConfigKey::declared(table, key_type)
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
pub(super) fn read_tables(fields: &mut TableReader<'_, '_>) -> Vec<ConfigTable> {
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
