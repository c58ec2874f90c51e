//! Rules as comma-separated values (RFC 4180), in the columns that the importer reads.

use crate::rules::Announcement;
use crate::rules::announcement::type_name;
use crate::rules::lists::import::COLUMNS;
use sundown_text_json::text::csv::{cell, quoted};

/// Writes a header, and a line for each announcement.
pub(super) fn write(announcements: &[Announcement]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for announcement in announcements {
        let element = &announcement.element;
        let facts = &announcement.facts;
        let cells = [
            announcement.id.clone().unwrap_or_default(),
            cell(&announcement.site.to_string()),
            type_name(element).to_owned(),
            cell(element.name().unwrap_or_default()),
            element
                .exact_value()
                .map(quoted_if_blank)
                .unwrap_or_default(),
            cell(facts.replacement.as_deref().unwrap_or_default()),
            cell(facts.note.as_deref().unwrap_or_default()),
            facts
                .introduced
                .map(|date| date.to_string())
                .unwrap_or_default(),
            facts
                .removal
                .map(|date| date.to_string())
                .unwrap_or_default(),
            cell(facts.docs.as_deref().unwrap_or_default()),
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
