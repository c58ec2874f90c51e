//! What lists call elements.

use crate::rules::{Element, ElementPart, ValueTest};

/// The types of elements in lists.
pub(super) const TYPES: [&str; 6] = [
    "endpoint",
    "field",
    "enum-value",
    "parameter",
    "header",
    "segment",
];

/// The type of an element in lists.
pub(super) fn type_name(element: &Element) -> &'static str {
    match (&element.part, &element.value) {
        (ElementPart::Field(_), Some(_)) => "enum-value",
        (part, _) => part.kind(),
    }
}

/// The element for messages: ``field `total` ``, or `whole endpoint`.
pub(super) fn named(element: &Element) -> String {
    let Some(name) = element.name() else {
        return "whole endpoint".to_owned();
    };
    let part = format!("{} `{name}`", element.part.kind());
    match &element.value {
        None => part,
        Some(ValueTest::Exact(value)) => format!("value `{value}` of {part}"),
        Some(value) => format!("values ({value}) of {part}"),
    }
}
