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

/// The element in a phrase, with `quote` around its name and its value: ``field `total` ``, or `whole endpoint`.
pub(super) fn named(element: &Element, quote: impl Fn(&str) -> String) -> String {
    let Some(name) = element.name() else {
        return "whole endpoint".to_owned();
    };
    let part = format!("{} {}", element.part.kind(), quote(name));
    match &element.value {
        None => part,
        Some(ValueTest::Exact(value)) => format!("value {} of {part}", quote(value)),
        Some(value) => format!("values ({value}) of {part}"),
    }
}
