//! Markers of deprecation in the description: which rule they belong to.

use crate::rules::{Element, Rule};
use sundown_openapi::Marker;

/// Whether a schema's marker and a rule are about the same: the whole element, or the same value of it.
pub(super) fn is_about(marker: &Marker, rule: &Rule) -> bool {
    let Some(text) = marker.value.as_deref() else {
        return is_whole(&rule.element);
    };
    let (value, cookie) = (&rule.element.value, rule.element.cookie());
    value.as_ref().is_some_and(|value| value.holds(text))
        || cookie.is_some_and(|(_, own)| own == Some(text))
}

/// Whether all values of an element are deprecated.
pub(super) fn is_whole(element: &Element) -> bool {
    element.value.is_none() || matches!(element.cookie(), Some((_, None)))
}
