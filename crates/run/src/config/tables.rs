//! The keys that are tables, and the tables of a configuration as they are written in it.

use std::ops::Range;
use std::sync::LazyLock;

use toml::de::{DeTable, DeValue};

use super::keys::{ConfigKey, KeyType};
use sundown_files::toml_file::TableReader;

/// The keys that are tables, as `tables.toml` documents them.
pub static TABLES: LazyLock<Vec<ConfigKey>> = LazyLock::new(|| {
    // A test reads it.
    let file = DeTable::parse(include_str!("tables.toml"));
    file.map(|file| read_keys("table", file.get_ref()))
        .unwrap_or_default()
});

/// Reads the keys in a list of a documentation.
fn read_keys(list: &str, table: &DeTable<'_>) -> Vec<ConfigKey> {
    let entries = table.get(list).and_then(|list| list.get_ref().as_array());
    let entries = entries.into_iter().flat_map(|entries| entries.iter());
    entries
        .filter_map(|entry| read_key(entry.get_ref().as_table()?))
        .collect()
}

/// Reads the documentation of a key. It is kept as long as the program runs.
fn read_key(table: &DeTable<'_>) -> Option<ConfigKey> {
    let text_of =
        |value: &DeValue<'_>| -> Option<&'static str> { Some(value.as_str()?.to_owned().leak()) };
    let text = |name| text_of(table.get(name)?.get_ref());
    let values = || {
        let values = table
            .get("values")
            .and_then(|list| list.get_ref().as_array());
        let values = values.into_iter().flat_map(|values| values.iter());
        let values = values.filter_map(|value| text_of(value.get_ref()));
        &*values.collect::<Vec<_>>().leak()
    };
    Some(ConfigKey {
        name: text("name")?,
        key_type: match text("type")? {
            "text" => KeyType::Text,
            "texts" => KeyType::Texts,
            "one-or-more" => KeyType::OneOrMore,
            "one-of" => KeyType::OneOf(values()),
            "boolean" => KeyType::Boolean,
            "date" => KeyType::Date,
            "named" => KeyType::Named(values()),
            "tables" => KeyType::Tables(read_keys("key", table).leak()),
            _ => return None,
        },
        default: text("default"),
        doc: text("doc")?,
        example: text("example").unwrap_or_default(),
    })
}

/// A table of a configuration, as it is written.
#[derive(Debug, Clone)]
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
