//! Rules as JSON, in the format that documentation sites and the importer read.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::format::ListedRule;
use crate::rules::lists::element_names::{named, type_name};
use crate::rules::{Rule, in_backticks};
use sundown_exchange::{Method, OperationPattern};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, safe_json};

/// Writes all rules, grouped by operation.
pub(super) fn write(listed: &[ListedRule<'_>]) -> String {
    let mut endpoints: Vec<(&OperationPattern, Vec<JsonValue<'_>>)> = Vec::new();
    let mut known = HashMap::new();
    for &ListedRule { rule, operation } in listed {
        let number = *known.entry(operation.to_string()).or_insert_with(|| {
            endpoints.push((operation, Vec::new()));
            endpoints.len() - 1
        });
        if let Some((_, deprecations)) = endpoints.get_mut(number) {
            deprecations.push(deprecation(rule, operation));
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
        "totalCount": listed.len(),
    })
}

fn deprecation<'r>(rule: &'r Rule, operation: &OperationPattern) -> JsonValue<'r> {
    let element = &rule.element;
    let name = element
        .name()
        .map_or_else(|| operation.to_string(), str::to_owned);
    object! {
        "id": rule.id.as_str(),
        "type": type_name(element),
        "name": name,
        "enumValue": element.exact_value(),
        // For readers that do not know `replacement` and `note`.
        "message": message(rule),
        "replacement": JsonValue::or_null(rule.replacement.as_deref()),
        "note": JsonValue::or_null(rule.note.as_deref()),
        "introduced": rule.introduced,
        "removal": rule.removal,
        "docs": rule.docs.as_deref(),
    }
}

/// `The field `x` is deprecated. Use y instead. And a note.`
fn message(rule: &Rule) -> String {
    let mut message = format!("The {} is deprecated.", named(&rule.element, in_backticks));
    if let Some(replacement) = &rule.replacement {
        let _ = write!(message, " Use {replacement} instead.");
    }
    if let Some(note) = &rule.note {
        let _ = write!(message, " Note: {note}");
    }
    message
}
