//! The keys that are tables, and the tables of a configuration as they are written in it.

use std::fmt::Write as _;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::keys::{ConfigKey, KeyType};
use super::{allow, api, log, payload, severity};
use sundown_files::toml_file::TableReader;
use sundown_text_json::text::toml::string as toml_string;

/// The keys that are tables.
pub const TABLES: &[ConfigKey] = &[severity::KEY, allow::KEY, payload::KEY, log::KEY, api::KEY];

/// A table of a configuration, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigTable {
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// Its header: `[severity]` or `[[payload]]`.
    pub head: String,
    /// Its keys, one per line.
    pub body: String,
}

/// Returns all tables under known keys, in the order of the file.
pub(super) fn read_tables(fields: &mut TableReader<'_, '_>) -> Vec<ConfigTable> {
    let mut tables = Vec::new();
    for key in TABLES {
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
                body: print_body(table),
            });
        }
    }
    tables.sort_by_key(|table| table.span.start);
    tables
}

fn print_body(table: &DeTable<'_>) -> String {
    let mut body = String::new();
    for (key, value) in table {
        let name = key.get_ref();
        let bare = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        let name = if bare {
            name.to_string()
        } else {
            toml_string(name)
        };
        let _ = writeln!(body, "{name} = {}", print_value(value.get_ref()));
    }
    body
}

fn print_value(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => toml_string(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(datetime) => datetime.to_string(),
        DeValue::Array(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| print_value(item.get_ref()))
                .collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) => {
            let pairs = table.iter().map(|(key, value)| {
                format!(
                    "{} = {}",
                    toml_string(key.get_ref()),
                    print_value(value.get_ref())
                )
            });
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}
