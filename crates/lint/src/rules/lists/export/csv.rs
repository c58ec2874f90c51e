//! Rules as comma-separated values (RFC 4180), in the columns that the importer reads.

use super::format::ListedRule;
use crate::rules::lists::element_names::type_name;
use crate::rules::lists::import::COLUMNS;
use sundown_text_json::text::csv::{cell, quoted};

/// Writes a header, and a line for each rule in an operation.
pub(super) fn write(listed: &[ListedRule<'_>]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for ListedRule { rule, operation } in listed {
        let element = &rule.element;
        let texts = [&rule.replacement, &rule.note, &rule.docs];
        let [replacement, note, docs] = texts.map(|text| cell(text.as_deref().unwrap_or_default()));
        let days = [rule.introduced, rule.removal];
        let [introduced, removal] =
            days.map(|day| day.map(|day| day.to_string()).unwrap_or_default());
        let cells = [
            rule.id.clone(),
            cell(&operation.to_string()),
            type_name(element).to_owned(),
            cell(element.name().unwrap_or_default()),
            element
                .exact_value()
                .map(quoted_if_blank)
                .unwrap_or_default(),
            replacement,
            note,
            introduced,
            removal,
            docs,
        ];
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// Writes a value in quotes if it is blank: without quotes, it would be absent.
fn quoted_if_blank(text: &str) -> String {
    let written = cell(text);
    if written.trim().is_empty() {
        quoted(text)
    } else {
        written
    }
}
