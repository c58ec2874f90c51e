//! Rules as JSON, in the format that documentation sites and the importer read.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::rules::Announcement;
use crate::rules::announcement::{named, type_name};
use sundown_exchange::Method;
use sundown_text_json::text::safe_json;

#[derive(Serialize)]
struct JsonList<'a> {
    endpoints: Vec<JsonEndpoint<'a>>,
    #[serde(rename = "totalCount")]
    total_count: usize,
}

#[derive(Serialize)]
struct JsonEndpoint<'a> {
    method: &'a str,
    path: &'a str,
    deprecations: Vec<JsonDeprecation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonDeprecation<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    enum_value: Option<&'a str>,
    /// For readers that do not know `replacement` and `note`.
    message: String,
    replacement: Option<&'a str>,
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    introduced: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs: Option<&'a str>,
}

/// Writes all announcements, grouped by operation.
pub(super) fn write(announcements: &[Announcement]) -> String {
    let mut endpoints: Vec<JsonEndpoint<'_>> = Vec::new();
    let mut known = HashMap::new();
    for announcement in announcements {
        let Some(operation) = announcement.site.operation() else {
            continue;
        };
        let number = *known.entry(operation.to_string()).or_insert_with(|| {
            let method = operation.method.as_ref().map_or("*", Method::as_str);
            endpoints.push(JsonEndpoint {
                method,
                path: operation.path(),
                deprecations: Vec::new(),
            });
            endpoints.len() - 1
        });
        if let Some(endpoint) = endpoints.get_mut(number) {
            endpoint.deprecations.push(deprecation(announcement));
        }
    }
    let list = JsonList {
        endpoints,
        total_count: announcements.len(),
    };
    // Strings, numbers and lists always serialize.
    safe_json::to_text(&list)
}

fn deprecation(announcement: &Announcement) -> JsonDeprecation<'_> {
    let element = &announcement.element;
    let facts = &announcement.facts;
    let name = element
        .name()
        .map_or_else(|| announcement.site.to_string(), str::to_owned);
    JsonDeprecation {
        id: announcement.id.as_deref(),
        kind: type_name(element),
        name,
        enum_value: element.exact_value(),
        message: message(announcement),
        replacement: facts.replacement.as_deref(),
        note: facts.note.as_deref(),
        introduced: facts.introduced.map(|date| date.to_string()),
        removal: facts.removal.map(|date| date.to_string()),
        docs: facts.docs.as_deref(),
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
