//! One deprecated element as a published list or a description announces it: the neutral form between rules files and the
//! formats of others. Where a list's element sits in bodies is no part of it; that is what rules add.

use std::fmt;

use chrono::NaiveDate;

use super::{Element, FieldElement, Rule, SchemaReference};
use crate::traffic::{Method, OperationPattern, PatternSegment, Side};

/// A deprecation as announced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The id that the list gives it, where it is one that a rule can have.
    pub id: Option<String>,
    /// With what it is announced.
    pub site: AnnouncementSite,
    /// What is deprecated.
    pub element: Element,
    /// What is said of it.
    pub facts: AnnouncedFacts,
}

/// With what an element is announced.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AnnouncementSite {
    /// An operation.
    Operation(OperationPattern),
    /// The property's place in a description.
    Schema(SchemaReference),
}

impl AnnouncementSite {
    /// The operation, where it is one.
    pub fn operation(&self) -> Option<&OperationPattern> {
        match self {
            Self::Operation(operation) => Some(operation),
            Self::Schema(_) => None,
        }
    }
}

impl fmt::Display for AnnouncementSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(operation) => operation.fmt(f),
            Self::Schema(reference) => reference.fmt(f),
        }
    }
}

/// What is said of a deprecated element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnouncedFacts {
    /// What to use instead.
    pub replacement: Option<String>,
    /// What else there is to know.
    pub note: Option<String>,
    /// Since when it has been deprecated.
    pub introduced: Option<NaiveDate>,
    /// The last day on which it works.
    pub removal: Option<NaiveDate>,
    /// Where to read more.
    pub docs: Option<String>,
}

/// What makes two announcements be about the same thing; variables of other names make no other operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum AnnouncementKey {
    Operation(Option<Method>, Vec<PatternSegment>, Element),
    Schema(SchemaReference, Element),
}

/// The types that lists know, by their names there.
pub(super) const TYPES: [&str; 5] = ["endpoint", "field", "enum-value", "parameter", "header"];

impl Announcement {
    /// A rule as a list would announce it: once, or for each operation of a rule that names none of its own. Without
    /// its places; nothing for a rule that only a schema locates.
    pub fn of(rule: &Rule) -> Vec<Self> {
        let mut operations: Vec<&OperationPattern> = rule.announced.iter().collect();
        if operations.is_empty() {
            operations = rule.places.iter().map(|place| &place.operation).collect();
        }
        let mut seen = std::collections::HashSet::new();
        operations.retain(|operation| seen.insert((&operation.method, &operation.segments)));
        let announce = |operation: &OperationPattern| Self {
            id: Some(rule.id.clone()),
            site: AnnouncementSite::Operation(operation.clone()),
            element: rule.element.clone(),
            facts: AnnouncedFacts::of(rule),
        };
        operations.into_iter().map(announce).collect()
    }

    pub(super) fn key(&self) -> AnnouncementKey {
        key(&self.site, &self.element)
    }

    /// What it is about: ``field `total` of POST /v2/orders``.
    pub fn subject(&self) -> String {
        subject(&self.site.to_string(), &self.element)
    }
}

pub(super) fn key(site: &AnnouncementSite, element: &Element) -> AnnouncementKey {
    match site {
        AnnouncementSite::Operation(operation) => AnnouncementKey::Operation(
            operation.method.clone(),
            operation.segments.clone(),
            element.clone(),
        ),
        AnnouncementSite::Schema(reference) => {
            AnnouncementKey::Schema(reference.clone(), element.clone())
        }
    }
}

/// With what a rule is announced: the schema by which it is located, else its own operation; `None` where it has neither.
pub(super) fn site_of(rule: &Rule) -> Option<AnnouncementSite> {
    let schema = || rule.schema.clone().map(AnnouncementSite::Schema);
    schema().or_else(|| rule.announced.clone().map(AnnouncementSite::Operation))
}

/// ``field `total` of POST /v2/orders``; an endpoint is its operation.
pub(super) fn subject(operation: &str, element: &Element) -> String {
    match element {
        Element::Endpoint => operation.to_owned(),
        element => format!("{} of {operation}", named(element)),
    }
}

/// ``field `total` `` and the like; `whole endpoint`.
pub(super) fn named(element: &Element) -> String {
    match element {
        Element::Endpoint => "whole endpoint".to_owned(),
        Element::Field(FieldElement { name, value: Some(value) }) => {
            format!("value `{value}` of field `{name}`")
        }
        element => format!("{} `{}`", element.kind(), element.name().unwrap_or_default()),
    }
}

impl AnnouncedFacts {
    /// What a rule says.
    pub fn of(rule: &Rule) -> Self {
        Self {
            replacement: rule.replacement.clone(),
            note: rule.note.clone(),
            introduced: rule.introduced,
            removal: rule.removal,
            docs: rule.docs.clone(),
        }
    }
}

/// The type by which lists call an element.
pub(super) fn type_name(element: &Element) -> &'static str {
    match element {
        Element::Field(FieldElement { value: Some(_), .. }) => "enum-value",
        element => element.kind(),
    }
}

/// Whether a rule looks into requests anywhere.
pub(super) fn is_in_requests(rule: &Rule) -> bool {
    rule.places.iter().any(|place| place.sides.contains(Side::Request))
}

/// Whether a rule looks into responses anywhere.
pub(super) fn is_in_responses(rule: &Rule) -> bool {
    rule.places.iter().any(|place| place.sides.contains(Side::Response))
}
