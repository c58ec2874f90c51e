//! The check for elements that the description marks as deprecated and no rule knows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::affected::MarkerTargets;
use super::inspector::{Inspector, PendingFinding};
use super::location::KeyLocation;
use super::markers::KnownMarkers;
use crate::findings::Check;
use crate::rules::{Element, Rule};
use sundown_openapi::{Description, MarkedElement, Marker, NodeId, Reach};
use sundown_text_json::json::Node;
use sundown_text_json::json::pointer::Pointers;
use sundown_text_json::text::{MAX_SHOWN_LEN, truncate_text};

impl Inspector<'_> {
    /// Reports the markers that belong to no rule.
    pub(super) fn report_unknown(&mut self, known: &KnownMarkers) {
        let description = self.description;
        let mut enum_values = EnumValues::default();
        let markers = description
            .markers()
            .iter()
            .filter(|marker| !known.contains(&std::ptr::from_ref(*marker)));
        // A value that the `enum` no longer lists is no declaration that a rule would know.
        let values = self.table.rules().iter();
        let values: HashSet<&str> = values.filter_map(|one| one.element.exact_value()).collect();
        let unknown: Vec<_> = markers
            .filter_map(|marker| {
                if let Some(value) = &marker.value
                    && values.contains(&**value)
                    && enum_values
                        .find(description, marker.holder, value)
                        .is_none()
                {
                    return None;
                }
                Some((
                    marker,
                    location_of_marker(description, marker, &mut enum_values)?,
                ))
            })
            .collect();
        if unknown.is_empty() {
            return;
        }
        let targets = MarkerTargets::new(description);
        for some in unknown.chunks(Reach::AT_ONCE) {
            // If no finding of the chunk has room, all are only counted, and their operations are not looked up.
            let has_room = some
                .iter()
                .any(|(_, location)| !self.full.contains(&location.file));
            let markers: Vec<_> = some.iter().map(|(marker, _)| *marker).collect();
            let reached = if has_room {
                targets.find(&markers)
            } else {
                Vec::new()
            };
            let mut reached = reached.into_iter();
            for (marker, location) in some {
                let operations = self.affected(&reached.next().unwrap_or_default());
                let (element, subject) = describe(description, marker, location);
                let rule = Arc::new(implied_rule(marker, element));
                self.report(PendingFinding {
                    operations,
                    subject,
                    ..PendingFinding::new(Check::UnknownToTable, &rule, location)
                });
            }
        }
    }
}

/// The rule that the marker would be.
fn implied_rule(marker: &Marker, element: Element) -> Rule {
    Rule {
        introduced: marker.introduced.map(|introduced| introduced.date),
        removal: marker.removal.map(|removal| removal.date),
        has_unreadable_end: marker.has_unreadable_end,
        ..Rule::new(Check::UnknownToTable.id().to_owned(), element)
    }
}

/// The marked element as a rule would name it, and a phrase for an element that a rule cannot name.
fn describe(
    description: &Description,
    marker: &Marker,
    location: &KeyLocation,
) -> (Element, Option<String>) {
    let holder = description.value(marker.holder);
    let key = holder.and_then(Node::key).unwrap_or_default();
    // Each finding about the element repeats the name.
    let key = truncate_text(key, MAX_SHOWN_LEN).into_owned();
    let parent_key = holder.and_then(|value| value.parent()?.key());
    match marker.element {
        MarkedElement::Operation | MarkedElement::PathItem => (Element::ENDPOINT, None),
        MarkedElement::Header => (Element::header(key), None),
        MarkedElement::SecurityScheme => (
            Element::header(&key),
            Some(format!("the security scheme `{key}`")),
        ),
        MarkedElement::Parameter => {
            let [name, place] = ["name", "in"].map(|key| holder?.text_of(key));
            let name = name.unwrap_or(&key);
            let element = match place {
                Some("header") => Element::header(name),
                _ => Element::parameter(name),
            };
            (element, None)
        }
        MarkedElement::Schema => {
            let at = &location.pointer.exact;
            let at = at.rsplit_once("/enum/").map_or(&**at, |(schema, _)| schema);
            let parameter = holder.and_then(|schema| schema.parent()?.text_of("name"));
            let schema = match (parent_key, parameter) {
                (Some("properties"), _) => None,
                (Some("schemas" | "definitions" | "$defs"), _) => marker
                    .value
                    .is_none()
                    .then(|| format!("the schema `{key}`")),
                (_, Some(name)) => Some(format!(
                    "the parameter `{}`",
                    truncate_text(name, MAX_SHOWN_LEN)
                )),
                _ => Some(format!("the schema at {at}")),
            };
            let subject = schema.map(|schema| match &marker.value {
                Some(value) => format!(
                    "the value `{}` of {schema}",
                    truncate_text(value, MAX_SHOWN_LEN)
                ),
                None => schema,
            });
            (
                Element::field(key).with_value(marker.value.clone()),
                subject,
            )
        }
    }
}

/// The values in the `enum` of one schema, indexed once for all its markers.
#[derive(Debug, Default)]
struct EnumValues<'d> {
    holder: Option<NodeId>,
    values: HashMap<&'d str, NodeId>,
}

impl<'d> EnumValues<'d> {
    /// The node of this value in the `enum` of the schema at `holder`.
    fn find(
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
fn location_of_marker<'d>(
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
