//! Completes the ids of rules and the operations in configurations and rules files.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::document::{OpenDocument, is_configuration};
use super::project::Workspace;
use super::text_index::Range;

/// The kind of the protocol for a value.
const VALUE: u8 = 12;

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
    let (key, written) = before.get(line..)?.split_once('=')?;
    // A text has begun if the number of its quotes is odd.
    let quotes = written.matches(['"', '\'']).count();
    let quote = written.rfind(['"', '\''])?;
    if quotes % 2 == 0 {
        return None;
    }
    let project = workspace.project(&document.path).ok()?;
    let rules = project.table.rules();
    let words: BTreeSet<String> = match key.trim().rsplit([' ', '{', ',']).next()? {
        "rule" => rules.iter().map(|rule| rule.id.clone()).collect(),
        "operation" => {
            let places = rules.iter().flat_map(|rule| &*rule.places);
            places.map(|place| place.operation.to_string()).collect()
        }
        _ => return None,
    };
    let range = index.range(line + key.len() + 1 + quote + 1, end);
    let items = words.into_iter().map(
        |word| json!({"label": word, "kind": VALUE, "textEdit": {"range": range, "newText": word}}),
    );
    Some(items.collect())
}
