//! The check for elements that the description marks as deprecated and no rule knows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::inspector::{Inspector, PendingFinding};
use super::location::KeyLocation;
use super::search::Reached;
use crate::findings::{Check, ExchangePart};
use crate::rules::{Element, Rule, side_of};
use sundown_openapi::{Description, MarkedElement, Marker, NodeId, Reach};
use sundown_text_json::json::Node;
use sundown_text_json::json::pointer::Pointers;
use sundown_text_json::text::{MAX_SHOWN_LEN, truncate_text};

impl Inspector<'_> {
    /// Reports the markers that belong to no rule; those at the addresses `known` do.
    pub(super) fn report_unknown(&mut self, known: &HashSet<*const Marker>) {
        let description = self.description;
        let listed = listed_values(description);
        // A value that the `enum` no longer lists is no declaration that a rule would know.
        let values = self.set.rules().iter();
        let values: HashSet<&str> = values.filter_map(|one| one.element.exact_value()).collect();
        let markers = description.markers().iter();
        let markers = markers.filter(|marker| {
            !known.contains(&std::ptr::from_ref(*marker))
                && marker.value.as_deref().is_none_or(|value| {
                    !values.contains(value) || listed.contains_key(&(marker.holder, value))
                })
        });
        let unknown = markers.filter_map(|marker| {
            let location = location_of_marker(description, marker, &listed)?;
            Some((marker, location))
        });
        let unknown: Vec<_> = unknown.collect();
        if unknown.is_empty() {
            return;
        }
        let users = users(description);
        let reach = Reach::new(description);
        for some in unknown.chunks(Reach::AT_ONCE) {
            // If no finding of the chunk has room, all are only counted, and their operations are not looked up.
            let has_room = some
                .iter()
                .any(|(_, location)| !self.full.contains(&location.file));
            let affected = if has_room {
                find_affected(description, some, &users, &reach)
            } else {
                Vec::new()
            };
            let mut affected = affected.into_iter();
            for (marker, location) in some {
                let operations = self.affected(&affected.next().unwrap_or_default());
                let (element, subject) = describe(description, marker, location);
                // The rule that the marker would be.
                let rule = Arc::new(Rule {
                    introduced: marker.introduced.map(|introduced| introduced.date),
                    removal: marker.removal.map(|removal| removal.date),
                    has_unreadable_end: marker.has_unreadable_end,
                    ..Rule::new(Check::UnknownToTable.id().to_owned(), element)
                });
                self.report(PendingFinding {
                    operations,
                    subject,
                    ..PendingFinding::new(Check::UnknownToTable, &rule, location)
                });
            }
        }
    }
}

/// The parts of operations that have an operation, a path item, a parameter, a body, or a reference to one of them.
fn users(description: &Description) -> HashMap<NodeId, Reached> {
    let mut users: HashMap<NodeId, Reached> = HashMap::new();
    for (holder, id, carrier) in description.mark_holders() {
        let part = carrier.map(|carrier| ExchangePart::Message(side_of(carrier)));
        let part = part.unwrap_or(ExchangePart::Operation);
        users.entry(holder).or_default().insert((part, id));
    }
    users
}

/// The parts of operations that each marker affects.
fn find_affected(
    description: &Description,
    markers: &[(&Marker, KeyLocation)],
    users: &HashMap<NodeId, Reached>,
    reach: &Reach,
) -> Vec<Reached> {
    let own = markers.iter().map(|(marker, _)| users.get(&marker.holder));
    let mut affected: Vec<Reached> = own.map(|own| own.cloned().unwrap_or_default()).collect();
    let schemas = markers.iter().enumerate().filter_map(|(at, (marker, _))| {
        let is_schema = marker.element == MarkedElement::Schema;
        let schema = description.schemas().at(marker.holder);
        Some((at, schema.filter(|_| is_schema)?))
    });
    let (indices, schemas): (Vec<usize>, Vec<_>) = schemas.unzip();
    reach.find(&schemas, |at, entry| {
        let affected = indices.get(at).and_then(|&at| affected.get_mut(at));
        if let Some(affected) = affected {
            let part = ExchangePart::Message(side_of(&entry.carrier));
            affected.insert((part, entry.operation));
        }
    });
    affected
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

/// The marked values that the `enum` of their object lists.
fn listed_values(description: &Description) -> HashMap<(NodeId, &str), NodeId> {
    let markers = description.markers().iter();
    let wanted = markers.filter_map(|marker| Some((marker.holder, marker.value.as_deref()?)));
    let wanted: HashSet<_> = wanted.collect();
    let holders: HashSet<NodeId> = wanted.iter().map(|(holder, _)| *holder).collect();
    let values = holders.into_iter().flat_map(|holder| {
        // The values of a parameter are those of its schema.
        let value = description.value(holder);
        let list = value.and_then(|value| {
            let own = value.get("enum");
            own.or_else(|| value.get("schema")?.get("enum"))
        });
        let values = list.into_iter().flat_map(Node::children);
        let values = values.chain(value.and_then(|value| value.get("const")));
        values.filter_map(move |value| {
            Some(((holder, value.text()?), NodeId::of(holder.file, value)))
        })
    });
    values.filter(|(value, _)| wanted.contains(value)).collect()
}

/// Where a marker is reported: at the key of its holder, at a parameter's name, or at the value in the `enum`.
fn location_of_marker(
    description: &Description,
    marker: &Marker,
    listed: &HashMap<(NodeId, &str), NodeId>,
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
    let node = listed.get(&(marker.holder, deprecated));
    let mut location = node
        .and_then(|node| KeyLocation::of_name(description, *node))
        .unwrap_or(carrier);
    location.pointer = Pointers {
        exact: location.pointer.exact,
        ..known
    };
    Some(location)
}
