//! Rules as JSON, in the format that documentation sites and the importer read.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::rules::Announcement;
use crate::rules::announcement::{named, type_name};
use sundown_exchange::{Method, OperationPattern};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, safe_json};

/// Writes all announcements, grouped by operation.
pub(super) fn write(announcements: &[Announcement]) -> String {
    let mut endpoints: Vec<(&OperationPattern, Vec<JsonValue<'_>>)> = Vec::new();
    let mut known = HashMap::new();
    for announcement in announcements {
        let Some(operation) = announcement.site.operation() else {
            continue;
        };
        let number = *known.entry(operation.to_string()).or_insert_with(|| {
            endpoints.push((operation, Vec::new()));
            endpoints.len() - 1
        });
        if let Some((_, deprecations)) = endpoints.get_mut(number) {
            deprecations.push(deprecation(announcement));
        }
    }
    let endpoints = endpoints.into_iter().map(|(operation, deprecations)| {
        object! {
            "method": operation.method.as_ref().map_or("*", Method::as_str),
            "path": operation.path(),
            "deprecations": JsonValue::list(deprecations),
        }
    });
    safe_json::to_text(&object! {
        "endpoints": JsonValue::list(endpoints),
        "totalCount": announcements.len(),
    })
}

fn deprecation(announcement: &Announcement) -> JsonValue<'_> {
    let element = &announcement.element;
    let facts = &announcement.facts;
    let name = element
        .name()
        .map_or_else(|| announcement.site.to_string(), str::to_owned);
    object! {
        "id": announcement.id.as_deref(),
        "type": type_name(element),
        "name": name,
        "enumValue": element.exact_value(),
        // For readers that do not know `replacement` and `note`.
        "message": message(announcement),
        "replacement": JsonValue::or_null(facts.replacement.as_deref()),
        "note": JsonValue::or_null(facts.note.as_deref()),
        "introduced": facts.introduced,
        "removal": facts.removal,
        "docs": facts.docs.as_deref(),
    }
}

/// `The field `x` is deprecated. Use y instead. And a note.`
fn message(announcement: &Announcement) -> String {
    let facts = &announcement.facts;
    let mut message = format!("The {} is deprecated.", named(&announcement.element));
    if let Some(replacement) = &facts.replacement {
        let _ = write!(message, " Use {replacement} instead.");
    }
    if let Some(note) = &facts.note {
        let _ = write!(message, " Note: {note}");
    }
    message
}
