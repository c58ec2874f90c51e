//! Markers of deprecation in the description: which rule they belong to, and where they are shown.

use std::collections::{HashMap, HashSet};

use super::location::KeyLocation;
use crate::rules::{Element, Rule};
use sundown_openapi::{Description, MarkedElement, Marker, MarkerDate, NodeId};
use sundown_text_json::json::Node;
use sundown_text_json::json::pointer::Pointers;

/// The markers that belong to elements of rules, by their addresses.
pub(super) type KnownMarkers = HashSet<*const Marker>;

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

/// The key under which a marker gives a date.
pub(super) fn location_of_date(
    description: &Description,
    marker: &Marker,
    date: MarkerDate,
) -> Option<KeyLocation> {
    let (_, span) = marker
        .sources
        .iter()
        .find(|(source, _)| *source == date.source)?;
    let member = description
        .value(marker.holder)?
        .children()
        .find(|member| member.label() == *span)?;
    KeyLocation::of_node(description, NodeId::of(marker.holder.file, member))
}

/// The values in the `enum` of one schema, indexed once for all its markers.
#[derive(Debug, Default)]
pub(super) struct EnumValues<'d> {
    holder: Option<NodeId>,
    values: HashMap<&'d str, NodeId>,
}

impl<'d> EnumValues<'d> {
    /// The node of this value in the `enum` of the schema at `holder`.
    pub(super) fn find(
        &mut self,
        description: &'d Description,
        holder: NodeId,
        value: &str,
    ) -> Option<NodeId> {
        if self.holder != Some(holder) {
            // The values of a parameter are those of its schema.
            let value = description.value(holder);
            let values = value
                .and_then(|value| {
                    value
                        .get("enum")
                        .or_else(|| value.get("schema")?.get("enum"))
                })
                .into_iter()
                .flat_map(Node::children);
            let listed =
                values.filter_map(|value| Some((value.text()?, NodeId::of(holder.file, value))));
            *self = Self {
                holder: Some(holder),
                values: listed.collect(),
            };
        }
        self.values.get(value).copied()
    }
}

/// Where a marker is reported: at the key of its holder, at a parameter's name, or at the value in the `enum`.
pub(super) fn location_of_marker<'d>(
    description: &'d Description,
    marker: &Marker,
    enum_values: &mut EnumValues<'d>,
) -> Option<KeyLocation> {
    let NodeId { file, .. } = marker.holder;
    let holder = description.value(marker.holder)?;
    let carrier = match holder
        .get("name")
        .filter(|_| marker.element == MarkedElement::Parameter)
    {
        Some(name) => KeyLocation::of_name(description, NodeId::of(file, name)),
        None => KeyLocation::of_node(description, marker.holder),
    };
    let Some(deprecated) = &marker.value else {
        return carrier;
    };
    let carrier = carrier?;
    // The identity is the value and not its index: the order of an `enum` may change, and the value may be missing.
    let known = carrier
        .pointer
        .clone()
        .distinguished_by("enum")
        .distinguished_by(deprecated);
    let node = enum_values.find(description, marker.holder, deprecated);
    let mut location = node
        .and_then(|node| KeyLocation::of_name(description, node))
        .unwrap_or(carrier);
    location.pointer = Pointers {
        exact: location.pointer.exact,
        ..known
    };
    Some(location)
}
