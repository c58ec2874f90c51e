//! Announcements: deprecated elements as published lists and descriptions announce them.
//!
//! An announcement is the common form between rules files and other formats. It does not say where the element occurs in
//! bodies; rules add that.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use chrono::NaiveDate;

use super::{Element, ElementPart, Rule, SchemaReference, ValueTest};
use sundown_exchange::{Method, OperationPattern, PatternSegment};

/// An announced deprecation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The id in the list, if it is a valid rule id.
    pub id: Option<String>,
    /// The operation or schema for which it is announced.
    pub site: AnnouncementSite,
    /// The deprecated element.
    pub element: Element,
    /// The details.
    pub facts: AnnouncedFacts,
}

/// The operation or schema for which an element is announced.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AnnouncementSite {
    Operation(OperationPattern),
    /// The property in a description.
    Schema(SchemaReference),
}

impl AnnouncementSite {
    /// The operation, if it is one.
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

/// The details of an announced deprecation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnouncedFacts {
    pub replacement: Option<String>,
    /// A further note for users.
    pub note: Option<String>,
    /// The date since which the element is deprecated.
    pub introduced: Option<NaiveDate>,
    /// The last day on which it works.
    pub removal: Option<NaiveDate>,
    /// The address of the documentation.
    pub docs: Option<String>,
    /// Whether it is only possible that the element is deprecated.
    pub is_possible: bool,
}

/// The identity of an announcement's subject. The names of path variables do not matter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum AnnouncementKey {
    Operation(Option<Method>, Vec<PatternSegment>, Element),
    Schema(SchemaReference, Element),
}

/// The types of elements in lists.
pub(super) const TYPES: [&str; 6] = [
    "endpoint",
    "field",
    "enum-value",
    "parameter",
    "header",
    "segment",
];

impl Announcement {
    /// The announcements of a rule: one for its announced operation, or else one for each operation of its places, or in whose bodies
    /// a description locates it.
    pub fn of(rule: &Rule, located: Option<&BTreeSet<OperationPattern>>) -> Vec<Self> {
        let mut operations: Vec<&OperationPattern> = rule.announced.iter().collect();
        if operations.is_empty() {
            let places = rule.places.iter().map(|place| &place.operation);
            operations = places.chain(located.into_iter().flatten()).collect();
        }
        let mut seen = HashSet::new();
        operations.retain(|operation| seen.insert((&operation.method, &operation.segments)));
        operations
            .into_iter()
            .map(|operation| Self {
                id: Some(rule.id.clone()),
                site: AnnouncementSite::Operation(operation.clone()),
                element: rule.element.clone(),
                facts: AnnouncedFacts::of(rule),
            })
            .collect()
    }

    pub(super) fn key(&self) -> AnnouncementKey {
        key(&self.site, &self.element)
    }

    /// The subject for messages: ``field `total` of POST /v2/orders``. The subject of an endpoint is its operation.
    pub fn subject(&self) -> String {
        let (site, element) = (&self.site, &self.element);
        match element.name() {
            None => site.to_string(),
            Some(_) => format!("{} of {site}", named(element)),
        }
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

/// The site of a rule: the schema that locates it, or else its announced operation.
pub(super) fn site_of(rule: &Rule) -> Option<AnnouncementSite> {
    rule.schema
        .clone()
        .map(AnnouncementSite::Schema)
        .or_else(|| rule.announced.clone().map(AnnouncementSite::Operation))
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

impl AnnouncedFacts {
    /// The details of a rule.
    pub fn of(rule: &Rule) -> Self {
        Self {
            replacement: rule.replacement.clone(),
            note: rule.note.clone(),
            introduced: rule.introduced,
            removal: rule.removal,
            docs: rule.docs.clone(),
            is_possible: rule.is_possible,
        }
    }
}

/// The type of an element in lists.
pub(super) fn type_name(element: &Element) -> &'static str {
    match (&element.part, &element.value) {
        (ElementPart::Field(_), Some(_)) => "enum-value",
        (part, _) => part.kind(),
    }
}
