//! Completes keys, the ids of rules and the operations in configurations and rules files.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::document::{OpenDocument, Range, is_configuration};
use super::project::Workspace;
use sundown_lint::findings::suppression::known_ids;
use sundown_lint::rules::RULES_SCHEMA;
use sundown_run::config::schema;

/// The kind of the protocol for a value.
const VALUE: u8 = 12;

/// The kind of the protocol for a key.
const PROPERTY: u8 = 10;

/// Lists what may be written at a place, which is in the text of a key; nothing for other places.
pub(super) fn list_completions(
    workspace: &mut Workspace<'_>,
    document: &OpenDocument,
    range: Range,
) -> Option<Vec<Value>> {
    if !is_configuration(&document.path) && !document.is_table() {
        return None;
    }
    let index = document.index.as_ref()?;
    let end = index.span(range).start;
    let before = index.text.get(..end)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let Some((key, start)) = open_text(before.get(line..)?) else {
        let schema = if is_configuration(&document.path) {
            schema()
        } else {
            RULES_SCHEMA.to_owned()
        };
        let schema = serde_json::from_str(&schema).ok()?;
        let start = end - partial_key(before.get(line..)?)?.len();
        return Some(list_keys(
            &schema,
            before.get(..line)?,
            index.range(start, end),
        ));
    };
    let project = workspace.project(&document.path).ok()?;
    let set = &project.set;
    let words: BTreeSet<String> = match key {
        "rule" if is_configuration(&document.path) => known_ids(set).map(str::to_owned).collect(),
        "operation" => {
            let places = set.rules().iter().flat_map(|rule| &*rule.places);
            places.map(|place| place.operation.to_string()).collect()
        }
        _ => return None,
    };
    let range = index.range(line + start, end);
    let items = words.into_iter().map(
        |word| json!({"label": word, "kind": VALUE, "textEdit": {"range": range, "newText": word}}),
    );
    Some(items.collect())
}

/// The beginning of a key that is all that a line has so far; `None` if it has anything else.
fn partial_key(line: &str) -> Option<&str> {
    let key = line.trim_start();
    key.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .then_some(key)
}

/// The keys of the table to which the next line belongs, as the schema of the file has them.
fn list_keys(schema: &Value, before: &str, range: Range) -> Vec<Value> {
    let header = before
        .lines()
        .map(str::trim)
        .rfind(|line| line.starts_with('['));
    let name = header.unwrap_or_default().trim_matches(['[', ']']);
    let mut table = schema;
    for part in name.split('.').filter(|part| !part.is_empty()) {
        let own = table["properties"].get(part);
        let found = own.unwrap_or(&table["additionalProperties"]);
        table = found.get("items").unwrap_or(found);
    }
    let keys = table["properties"].as_object().into_iter().flatten();
    keys.map(|(name, key)| {
        json!({
            "label": name,
            "kind": PROPERTY,
            "documentation": key["description"],
            "textEdit": {"range": range, "newText": name},
        })
    })
    .collect()
}

/// The key whose text is open at the end of this beginning of a line, and where the text begins; `None` if none is.
fn open_text(line: &str) -> Option<(&str, usize)> {
    let (mut key, mut key_start, mut open) = ("", 0, None);
    let mut chars = line.char_indices();
    while let Some((at, next)) = chars.next() {
        match (open, next) {
            (Some(('"', _)), '\\') => {
                chars.next();
            }
            (Some((quote, _)), _) if next == quote => open = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => open = Some((next, at + 1)),
            (None, '{' | ',') => key_start = at + 1,
            (None, '=') => key = line.get(key_start..at)?.trim().trim_matches(['"', '\'']),
            (None, '#') => return None,
            (None, _) => {}
        }
    }
    open.map(|(_, start)| (key, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_text_is_that_of_the_nearest_key_before_it() {
        for (line, expected) in [
            ("rule = \"ord", Some(("rule", 8))),
            ("rule = 'ord", Some(("rule", 8))),
            ("\"rule\" = \"", Some(("rule", 10))),
            ("rule = [\"é=\", 'b", Some(("rule", 16))),
            ("{ reason = \"don't\", rule = \"", Some(("rule", 28))),
            ("allow = [{ rule = \"", Some(("rule", 19))),
            ("{ rule = \"a\", reason = \"", Some(("reason", 24))),
            ("rule = \"a\\\"b", Some(("rule", 8))),
            ("rule = \"a\" # don't", None),
            ("# rule = \"", None),
            ("rule = ", None),
            ("rule", None),
        ] {
            assert_eq!(open_text(line), expected, "{line}");
        }
    }
}
