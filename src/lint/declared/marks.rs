//! The description's own marks of deprecation, and those that no rule knows.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::judge::{Report, Told};
use super::spot::Spot;
use crate::description::{
    Carrier, Dated, Description, Direction, Element as Marked, Marker, MarkerSource, OperationId,
    ParameterLocation, Place, Reach, Role, Root, Scope,
};
use crate::document::pointer::LONGEST;
use crate::document::{Value, ValueId};
use crate::exchange::Side;
use crate::finding::{Check, Part};
use crate::rule::{Element, Grade, Named, Rule};
use crate::source::{Span, shortened};

/// Marks that belong to elements of rules.
#[derive(Debug, Default)]
pub(super) struct Marks(HashSet<(Place, Span)>);

impl Marks {
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
        Element::Field(Named { value, .. }) => value.as_deref(),
        _ => None,
    };
    match (&marker.scope, value) {
        (Scope::Whole, None) => true,
        (Scope::EnumValue(said), Some(value)) => said.text == value,
        _ => false,
    }
}

/// The key under which a mark gives its date.
pub(super) fn date_spot(description: &Description, marker: &Marker, dated: Dated) -> Option<Spot> {
    let is_source = |(source, _): &&(MarkerSource, Span)| *source == dated.source;
    let (_, span) = marker.sources.iter().find(is_source)?;
    let holder = description.value(marker.holder)?;
    let member = holder.children().find(|member| member.label() == *span)?;
    Spot::of(description, Place { file: marker.holder.file, value: member.id() })
}

impl Report<'_> {
    /// What is marked, and no rule knows.
    pub(super) fn unknown(&mut self, marks: &Marks) {
        let description = self.description;
        let mut reach = None;
        for marker in description.markers().iter().filter(|marker| !marks.has(marker)) {
            let reach = reach.get_or_insert_with(|| Reach::new(description));
            let Some(spot) = spot(description, marker) else { continue };
            let operations = self.affected(&reached(description, reach, marker));
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
            self.tell(Told { check, rule, spot, operations, detail: None, subject });
        }
    }
}

/// Where a mark is told: at the key of what carries it, at a parameter's name.
fn spot(description: &Description, marker: &Marker) -> Option<Spot> {
    let Place { file, .. } = marker.holder;
    let holder = description.value(marker.holder)?;
    match holder.get("name").filter(|_| marker.element == Marked::Parameter) {
        Some(name) => Spot::name(description, Place { file, value: name.id() }),
        None => Spot::of(description, marker.holder),
    }
}

/// What carries a mark, as a rule would name it, and what to call it where a rule could not.
fn what(description: &Description, marker: &Marker, spot: &Spot) -> (Element, Option<String>) {
    let value = description.value(marker.holder);
    let key = value.and_then(Value::key).unwrap_or_default();
    // It is what a rule would be about, and stands in each of its marks.
    let key = shortened(key, LONGEST).into_owned();
    let stands_in = value.and_then(|value| value.parent()?.key());
    let name = || value.and_then(|value| value.get("name")?.text()).unwrap_or(&key).to_owned();
    match marker.element {
        Marked::Operation | Marked::PathItem => (Element::Endpoint, None),
        Marked::Header => (Element::Header(key), None),
        Marked::SecurityScheme => {
            (Element::Header(key.clone()), Some(format!("the security scheme `{key}`")))
        }
        Marked::Parameter => {
            let is_header = value.and_then(|value| value.get("in")?.text()) == Some("header");
            let name = name();
            (if is_header { Element::Header(name) } else { Element::Parameter(name) }, None)
        }
        Marked::Schema => {
            let value = match &marker.scope {
                Scope::Whole => None,
                Scope::EnumValue(said) => Some(said.text.clone()),
            };
            let is_value = value.is_some();
            let subject = match stands_in {
                _ if is_value => None,
                Some("properties") => None,
                Some("schemas" | "definitions" | "$defs") => Some(format!("the schema `{key}`")),
                _ => Some(format!("the schema at {}", spot.pointer.exact)),
            };
            (Element::Field(Named { name: key, value }), subject)
        }
    }
}

/// What a mark concerns.
fn reached(
    description: &Description,
    reach: &mut Reach<'_>,
    marker: &Marker,
) -> BTreeSet<(Part, usize)> {
    let holder = marker.holder;
    let operations = || description.operation_ids().zip(description.operations());
    match marker.element {
        Marked::SecurityScheme => BTreeSet::new(),
        Marked::Operation | Marked::PathItem => operations()
            .filter(|(_, found)| found.place == holder || found.path_items.contains(&holder))
            .map(|(id, _)| (Part::Operation, id.index()))
            .collect(),
        Marked::Parameter | Marked::Header => {
            let is_it = |id| {
                let parameter = description.parameter(id);
                parameter.is_some_and(|it| it.place == holder || it.references.contains(&holder))
            };
            let of_operation = |(id, found): (OperationId, &crate::description::Operation)| {
                let sent = found.parameters.iter().map(|&own| (own, Side::Request));
                let headers = found.headers.iter().map(|(carrier, own)| (*own, side(carrier)));
                let own: Vec<_> = sent.chain(headers).filter(|(own, _)| is_it(*own)).collect();
                own.into_iter().map(move |(_, side)| (Part::Message(side), id.index()))
            };
            operations().flat_map(of_operation).collect()
        }
        Marked::Schema => {
            let schema = description.schemas().at(holder);
            let reached = schema.map(|schema| reach.operations(schema)).unwrap_or_default();
            let part = |found: crate::description::Reached| {
                let operation = description.operation(found.operation)?;
                let side = match found.root {
                    Root::Body(index) => side(&operation.bodies.get(index)?.carrier),
                    Root::Parameter(id) => match description.parameter(id)?.location {
                        ParameterLocation::ResponseHeader => Side::Response,
                        _ => side_of(found.direction, operation.role),
                    },
                };
                Some((Part::Message(side), found.operation.index()))
            };
            reached.into_iter().filter_map(part).collect()
        }
    }
}

fn side(carrier: &Carrier) -> Side {
    match carrier {
        Carrier::Request => Side::Request,
        Carrier::Response(_) => Side::Response,
    }
}

fn side_of(direction: Direction, role: Role) -> Side {
    if Carrier::Request.direction(role) == direction { Side::Request } else { Side::Response }
}

/// The root's member of this name, or the root.
pub(super) fn root_member(description: &Description, name: &str) -> Option<Spot> {
    let file = description.files().first()?;
    let member = file.document.root().get(name);
    let value = member.map_or(ValueId::ROOT, Value::id);
    Spot::of(description, Place { file: crate::description::FileId::FIRST, value })
}
