//! The description's own marks of deprecation, and those that no rule knows.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::concerned::AffectedOperations;
use super::judge::{Inspector, PendingFinding};
use super::spot::KeyLocation;
use crate::findings::Check;
use crate::json::pointer::Pointers;
use crate::json::{ValueId, ValueRef};
use crate::openapi::{
    Description, MarkedElement, Marker, MarkerDate, MarkerScope, MarkerSource, NodeId,
};
use crate::rules::{Element, FieldElement, Grade, Rule};
use crate::text::{MAX_SHOWN_LEN, Span, truncate_text};

/// Marks that belong to elements of rules.
#[derive(Debug, Default)]
pub(super) struct KnownMarkers(HashSet<(NodeId, Span)>);

impl KnownMarkers {
    pub(super) fn add(&mut self, markers: &[&Marker]) {
        self.0.extend(markers.iter().map(|marker| (marker.holder, marker.span)));
    }

    fn has(&self, marker: &Marker) -> bool {
        self.0.contains(&(marker.holder, marker.span))
    }
}

/// Whether a schema's mark is about what the rule is about: all of the element, or its one value.
pub(super) fn is_about(marker: &Marker, rule: &Rule) -> bool {
    let value = match &rule.element {
        Element::Field(FieldElement { value, .. }) => value.as_deref(),
        _ => None,
    };
    match (&marker.scope, value) {
        (MarkerScope::Whole, None) => true,
        (MarkerScope::EnumValue(said), Some(value)) => said.text == value,
        _ => false,
    }
}

/// The key under which a mark gives its date.
pub(super) fn date_spot(
    description: &Description,
    marker: &Marker,
    dated: MarkerDate,
) -> Option<KeyLocation> {
    let is_source = |(source, _): &&(MarkerSource, Span)| *source == dated.source;
    let (_, span) = marker.sources.iter().find(is_source)?;
    let holder = description.value(marker.holder)?;
    let member = holder.children().find(|member| member.label() == *span)?;
    KeyLocation::of(description, NodeId { file: marker.holder.file, value: member.id() })
}

impl Inspector<'_> {
    /// What is marked, and no rule knows.
    pub(super) fn unknown(&mut self, marks: &KnownMarkers) {
        let description = self.description;
        let mut concerned = None;
        let mut listed = EnumValues::default();
        for marker in description.markers().iter().filter(|marker| !marks.has(marker)) {
            let concerned = concerned.get_or_insert_with(|| AffectedOperations::new(description));
            let Some(spot) = spot(description, marker, &mut listed) else { continue };
            // What finds no room is only counted.
            let has_room = !self.full.contains(&spot.file);
            let reached = if has_room { concerned.by(marker) } else { BTreeSet::new() };
            let operations = self.affected(&reached);
            let (element, subject) = what(description, marker, &spot);
            let rule = Arc::new(Rule {
                id: Check::UnknownToTable.id().to_owned(),
                element,
                announced: None,
                places: Vec::new(),
                exceptions: Vec::new(),
                replacement: None,
                note: None,
                introduced: marker.introduced.map(|dated| dated.date),
                removal: marker.removal.map(|dated| dated.date),
                docs: None,
                schema: None,
                fix: None,
                grade: Grade::ByDays,
            });
            let (check, rule, spot) = (Check::UnknownToTable, &rule, &spot);
            self.tell(PendingFinding { check, rule, spot, operations, detail: None, subject });
        }
    }
}

/// The values that the `enum` of one schema lists, looked up for all its marks.
#[derive(Debug, Default)]
struct EnumValues<'d> {
    holder: Option<NodeId>,
    values: HashMap<&'d str, NodeId>,
}

impl<'d> EnumValues<'d> {
    /// Where the schema at `holder` lists this value.
    fn place(
        &mut self,
        description: &'d Description,
        holder: NodeId,
        value: &str,
    ) -> Option<NodeId> {
        if self.holder != Some(holder) {
            // A parameter's values are those of its schema.
            let value = description.value(holder);
            let list = value
                .and_then(|value| value.get("enum").or_else(|| value.get("schema")?.get("enum")));
            let values = list.into_iter().flat_map(ValueRef::children);
            let place = |value: &ValueRef<'_>| NodeId { file: holder.file, value: value.id() };
            let placed = values.filter_map(|value| Some((value.text()?, place(&value))));
            *self = Self { holder: Some(holder), values: placed.collect() };
        }
        self.values.get(value).copied()
    }
}

/// Where a mark is told: at the key of what carries it, at a parameter's name, at a value among those that are listed.
fn spot<'d>(
    description: &'d Description,
    marker: &Marker,
    listed: &mut EnumValues<'d>,
) -> Option<KeyLocation> {
    let NodeId { file, .. } = marker.holder;
    let holder = description.value(marker.holder)?;
    let carrier = match holder.get("name").filter(|_| marker.element == MarkedElement::Parameter) {
        Some(name) => KeyLocation::name(description, NodeId { file, value: name.id() }),
        None => KeyLocation::of(description, marker.holder),
    };
    let MarkerScope::EnumValue(said) = &marker.scope else { return carrier };
    let carrier = carrier?;
    // Wherever it stands in the list, and also where it does not, it is this value of this carrier.
    let known = carrier.pointer.clone().distinguished_by("enum").distinguished_by(&said.text);
    let place = listed.place(description, marker.holder, &said.text);
    let spot = place.and_then(|place| KeyLocation::name(description, place)).unwrap_or(carrier);
    let pointer = Pointers { exact: spot.pointer.exact, ..known };
    Some(KeyLocation { pointer, ..spot })
}

/// What carries a mark, as a rule would name it, and what to call it where a rule could not.
fn what(
    description: &Description,
    marker: &Marker,
    spot: &KeyLocation,
) -> (Element, Option<String>) {
    let value = description.value(marker.holder);
    let key = value.and_then(ValueRef::key).unwrap_or_default();
    // It is what a rule would be about, and stands in each of its marks.
    let key = truncate_text(key, MAX_SHOWN_LEN).into_owned();
    let stands_in = value.and_then(|value| value.parent()?.key());
    let name = || value.and_then(|value| value.get("name")?.text()).unwrap_or(&key).to_owned();
    match marker.element {
        MarkedElement::Operation | MarkedElement::PathItem => (Element::Endpoint, None),
        MarkedElement::Header => (Element::Header(key), None),
        MarkedElement::SecurityScheme => {
            (Element::Header(key.clone()), Some(format!("the security scheme `{key}`")))
        }
        MarkedElement::Parameter => {
            let is_header = value.and_then(|value| value.get("in")?.text()) == Some("header");
            let name = name();
            (if is_header { Element::Header(name) } else { Element::Parameter(name) }, None)
        }
        MarkedElement::Schema => {
            let value = match &marker.scope {
                MarkerScope::Whole => None,
                MarkerScope::EnumValue(said) => Some(said.text.clone()),
            };
            let is_value = value.is_some();
            let subject = match stands_in {
                _ if is_value => None,
                Some("properties") => None,
                Some("schemas" | "definitions" | "$defs") => Some(format!("the schema `{key}`")),
                _ => Some(format!("the schema at {}", spot.pointer.exact)),
            };
            (Element::Field(FieldElement { name: key, value }), subject)
        }
    }
}

/// The root's member of this name, or the root.
pub(super) fn root_member(description: &Description, name: &str) -> Option<KeyLocation> {
    let file = description.files().first()?;
    let member = file.document.root().get(name);
    let value = member.map_or(ValueId::ROOT, ValueRef::id);
    KeyLocation::of(description, NodeId { file: crate::openapi::FileId::FIRST, value })
}
