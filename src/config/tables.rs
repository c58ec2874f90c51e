//! The tables of a configuration as they stand in it, to be shown again.

use std::fmt::Write as _;

use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, KeyType};
use super::show::toml_string;
use crate::toml_file::TableReader;

/// A table of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigTable {
    /// Offset of its beginning in the file.
    pub at: usize,
    /// `[severity]` or `[[payload]]`.
    pub head: String,
    /// Its keys, a line each.
    pub body: String,
}

/// All tables that stand under known keys, in the order of the file.
pub(super) fn of(fields: &mut TableReader<'_, '_>) -> Vec<ConfigTable> {
    let mut tables = Vec::new();
    for key in KEYS.iter().filter(|key| key.is_table()) {
        let Some(value) = fields.peek(key.name) else { continue };
        let (head, items) = match key.kind {
            KeyType::Tables(_) => {
                let items = value.get_ref().as_array().into_iter().flat_map(|list| list.iter());
                (format!("[[{}]]", key.name), items.collect())
            }
            _ => (format!("[{}]", key.name), vec![value]),
        };
        for item in items {
            let Some(table) = item.get_ref().as_table() else { continue };
            tables.push(ConfigTable {
                at: item.span().start,
                head: head.clone(),
                body: body(table),
            });
        }
    }
    tables.sort_by_key(|table| table.at);
    tables
}

fn body(table: &DeTable<'_>) -> String {
    let mut body = String::new();
    for (key, value) in table {
        let name = key.get_ref();
        let bare = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        let name = if bare { name.to_string() } else { toml_string(name) };
        let _ = writeln!(body, "{name} = {}", inline(value.get_ref()));
    }
    body
}

fn inline(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => toml_string(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(datetime) => datetime.to_string(),
        DeValue::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| inline(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) => {
            let pairs = table.iter().map(|(key, value)| {
                format!("{} = {}", toml_string(key.get_ref()), inline(value.get_ref()))
            });
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}
