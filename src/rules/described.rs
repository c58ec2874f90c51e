//! An API description as rules: every element that it marks as deprecated is one.
//!
//! Operations, parameters and header fields become rules like those of a table. A property's place is its schema: no path to
//! it is written down, and every operation that reaches the schema is covered.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::{
    Element, FieldElement, Grade, IdSource, Rule, RuleFile, RulePlace, SchemaReference, Sides,
};
use crate::json::ValueRef;
use crate::openapi::{
    Carrier, DeprecationStatus, DescribedOperation, Description, Edge, EdgeKind, EntryPoint,
    EntryRoot, FileId, Label, Marker, MarkerScope, NodeId, OperationId, OperationRole, Parameter,
    ParameterLocation, Reach,
};
use crate::text::Span;
use crate::traffic::{OperationPattern, PatternSegment, Side};

/// The rules of a file that are located through an API description.
#[derive(Debug, Clone)]
pub struct DescribedRules {
    /// The description.
    pub description: Arc<Description>,
    /// The rules of each property, by the property as it stands there.
    pub properties: HashMap<NodeId, Vec<PropertyRule>>,
    /// The operations that can be met in traffic, each by every way to call it.
    pub operations: Vec<(OperationPattern, OperationId)>,
}

/// A rule about a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyRule {
    /// Its number: in the file, or, once the file is in a table, there.
    pub rule: usize,
    /// Whether the property's own schema leaves it open that it is deprecated: only an alternative of it is.
    pub is_possible: bool,
    /// The sides on which it is one.
    pub sides: Sides,
}

/// Where a property stands, and what reaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyUsers {
    /// The file and the property's pointer in it: `api.yaml#/components/schemas/Order/properties/id`.
    pub property: String,
    /// The operations, each with the side.
    pub operations: Vec<(String, Side)>,
}

impl DescribedRules {
    /// The paths that may stand in front of those of the description.
    pub(super) fn bases(&self) -> Vec<Vec<PatternSegment>> {
        let mut seen = HashSet::new();
        let operations = self.description.operations().iter();
        let all = operations.flat_map(|operation| operation.prefixes.iter());
        let prefixes: Vec<&String> = all.filter(|prefix| seen.insert(*prefix)).collect();
        let segments = |prefix: &&String| {
            let segments: Vec<&str> = prefix.split('/').map(as_segment).collect();
            let text = format!("* /{}", segments.join("/").trim_start_matches('/'));
            Some(OperationPattern::parse(&text).ok()?.segments)
        };
        prefixes.iter().filter_map(segments).collect()
    }

    /// The properties whose rules are such, in the order of the description, each with one of these rules.
    pub(super) fn properties_of(
        &self,
        is_wanted: impl Fn(&PropertyRule) -> bool,
    ) -> Vec<(NodeId, PropertyRule)> {
        let wanted = self.properties.iter().filter_map(|(place, rules)| {
            Some((*place, *rules.iter().find(|rule| is_wanted(rule))?))
        });
        let mut properties: Vec<_> = wanted.collect();
        properties.sort_unstable_by_key(|(place, _)| *place);
        properties
    }

    /// The places of the properties whose rules are such, in the order of the description.
    pub(super) fn places_of(
        &self,
        is_wanted: impl Fn(&PropertyRule) -> bool,
    ) -> Vec<PropertyUsers> {
        let properties = self.properties_of(is_wanted);
        if properties.is_empty() {
            return Vec::new();
        }
        let mut reach = Reach::new(&self.description);
        properties
            .into_iter()
            .map(|(place, rule)| self.place(place, rule.sides, &mut reach))
            .collect()
    }

    fn place(&self, place: NodeId, sides: Sides, reach: &mut Reach<'_>) -> PropertyUsers {
        let description = &self.description;
        let file = description.file(place.file).map_or("", |file| &file.name);
        let pointer = description.value(place).map(ValueRef::pointer).unwrap_or_default();
        let edges = description.schemas().all_edges().iter();
        let holders = edges.filter(|edge| {
            let of = description.schemas().get(edge.from).map(|schema| schema.place.file);
            edge.member == place.value && of == Some(place.file)
        });
        let reached = holders.flat_map(|edge| {
            let reached = reach.operations(edge.from).into_iter();
            reached
                .filter(|reached| description.is_open(edge, reached.direction))
                .collect::<Vec<_>>()
        });
        let operation = |reached: EntryPoint| {
            let operation = description.operation(reached.operation)?;
            let EntryRoot::Body(body) = reached.root else { return None };
            let side = match operation.bodies.get(body)?.carrier {
                Carrier::Request => Side::Request,
                Carrier::Response(_) => Side::Response,
            };
            Some((patterns(operation).first()?.to_string(), side))
        };
        let operations = reached.filter_map(operation);
        let mut operations: Vec<_> = operations.filter(|(_, side)| sides.contains(*side)).collect();
        operations.sort();
        operations.dedup();
        PropertyUsers { property: format!("{file}#{pointer}"), operations }
    }
}

/// Something that a description marks as deprecated, and that is not looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedElement {
    /// What it is: `the cookie`, `a webhook`.
    pub what: &'static str,
    /// Its name.
    pub name: String,
}

impl RuleFile {
    /// The rules that a description makes, and what it marks that no rule can look for. `name` is what messages call it.
    pub fn from_description(
        name: &str,
        description: Description,
    ) -> (Self, Vec<UnsupportedElement>) {
        let GeneratedRules { file, unmatched, .. } = GeneratedRules::of(name, description);
        (file, unmatched)
    }
}

/// What a description makes.
pub(super) struct GeneratedRules {
    pub(super) file: RuleFile,
    /// Where each rule's element stands in the description.
    pub(super) labels: Vec<Label>,
    pub(super) unmatched: Vec<UnsupportedElement>,
}

impl GeneratedRules {
    pub(super) fn of(name: &str, description: Description) -> Self {
        let description = Arc::new(description);
        let mut reader = RuleGenerator {
            description: &description,
            operations: Vec::new(),
            rules: Vec::new(),
            labels: Vec::new(),
            ids: HashSet::new(),
            numbers: HashMap::new(),
            unmatched: Vec::new(),
        };
        reader.patterns();
        reader.endpoints();
        reader.parameters();
        let properties = reader.properties();
        reader.nameless();
        let RuleGenerator { rules, labels, unmatched, .. } = reader;
        let operations = called(&description).collect();
        let api = title(&description).unwrap_or(name).to_owned();
        let described =
            DescribedRules { description: Arc::clone(&description), properties, operations };
        let name = name.to_owned();
        let described = vec![described];
        let (opaque, notes) = (Vec::new(), Vec::new());
        let (ids, base_path) = (IdSource::Made, None);
        let file = RuleFile { name, api, base_path, opaque, rules, described, ids, notes };
        Self { file, labels, unmatched }
    }
}

/// The operations that can be met in traffic, each by every way to call it.
pub(super) fn called(
    description: &Description,
) -> impl Iterator<Item = (OperationPattern, OperationId)> {
    let operations = description.operation_ids().zip(description.operations());
    let served = operations.filter(|(_, operation)| operation.role == OperationRole::Served);
    served.flat_map(|(id, operation)| {
        patterns(operation).into_iter().map(move |pattern| (pattern, id))
    })
}

fn title(description: &Description) -> Option<&str> {
    let root = description.files().first()?.document.root();
    root.get("info")?.get("title")?.as_str().filter(|title| !title.trim().is_empty())
}

struct RuleGenerator<'d> {
    description: &'d Description,
    operations: Vec<(OperationId, Vec<OperationPattern>)>,
    rules: Vec<Rule>,
    labels: Vec<Label>,
    ids: HashSet<String>,
    /// The number behind the last id that was made of these words.
    numbers: HashMap<String, usize>,
    unmatched: Vec<UnsupportedElement>,
}

impl RuleGenerator<'_> {
    fn patterns(&mut self) {
        let description = self.description;
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            if operation.role == OperationRole::Served {
                let patterns = patterns(operation);
                if patterns.is_empty() {
                    self.leave("the path", &operation.path);
                }
                self.operations.push((id, patterns));
            }
        }
    }

    fn places(&self, of: OperationId, sides: Sides) -> Vec<RulePlace> {
        let place = |operation| RulePlace { operation, sides, selectors: Vec::new() };
        let known = self.operations.binary_search_by_key(&of, |(id, _)| *id);
        let known = known.ok().and_then(|at| self.operations.get(at));
        known.into_iter().flat_map(|(_, patterns)| patterns.iter().cloned().map(place)).collect()
    }

    fn endpoints(&mut self) {
        let description = self.description;
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            let markers: Vec<_> = whole(description.operation_markers(operation));
            if markers.is_empty() {
                continue;
            }
            if operation.role != OperationRole::Served {
                let what = if operation.role == OperationRole::Webhook {
                    "the webhook"
                } else {
                    "the callback"
                };
                self.leave(what, &operation.path);
                continue;
            }
            let words = match &operation.id {
                Some(id) => vec![id.as_str()],
                None => vec![operation.method.as_str(), operation.path.as_str()],
            };
            let places = self.places(id, Sides::Both);
            self.rule(&words, Element::Endpoint, places, &markers);
        }
    }

    fn parameters(&mut self) {
        let description = self.description;
        // In the order in which operations first have them.
        let mut users: BTreeMap<_, Vec<(OperationId, Sides)>> = BTreeMap::new();
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            if operation.role != OperationRole::Served {
                continue;
            }
            for &parameter in &operation.parameters {
                users.entry(parameter).or_default().push((id, Sides::Only(Side::Request)));
            }
            for (_, header) in &operation.headers {
                users.entry(*header).or_default().push((id, Sides::Only(Side::Response)));
            }
        }
        for (parameter, users) in users {
            let Some(parameter) = description.parameter(parameter) else { continue };
            let markers = description.parameter_markers(parameter);
            let (whole, values): (Vec<_>, Vec<_>) =
                markers.into_iter().partition(|marker| marker.scope == MarkerScope::Whole);
            if !values.is_empty() {
                self.leave("a value of the parameter", &parameter.name);
            }
            if whole.is_empty() {
                continue;
            }
            let Some(element) = self.parameter_element(parameter) else { continue };
            let places =
                users.iter().flat_map(|&(id, sides)| self.places(id, sides)).collect::<Vec<_>>();
            let of =
                places.first().and_then(|place| place.operation.short_name().map(str::to_owned));
            let words = [of.as_deref().unwrap_or_default(), parameter.name.as_str()];
            self.rule(&words, element, places, &whole);
        }
    }

    fn parameter_element(&mut self, parameter: &Parameter) -> Option<Element> {
        let name = &parameter.name;
        let what = match parameter.location {
            ParameterLocation::Query => return Some(Element::Parameter(name.clone())),
            ParameterLocation::Header | ParameterLocation::ResponseHeader => {
                return Some(Element::Header(name.to_ascii_lowercase()));
            }
            ParameterLocation::QueryString => "the query",
            ParameterLocation::Path => "the part of a path",
            ParameterLocation::Cookie => "the cookie",
            ParameterLocation::Form => "the field of a form",
        };
        self.leave(what, name);
        None
    }

    fn properties(&mut self) -> HashMap<NodeId, Vec<PropertyRule>> {
        let description = self.description;
        let mut properties: HashMap<NodeId, Vec<PropertyRule>> = HashMap::new();
        for (edge, markers) in description.deprecated_properties() {
            let Some((place, name)) = self.property(edge) else { continue };
            let is_possible = description.verdict_of(edge.to) == DeprecationStatus::Possible;
            let pointer = description.value(place).map(ValueRef::pointer).unwrap_or_default();
            let file = description.file(place.file).map_or("", |file| &file.name).to_owned();
            let reference = SchemaReference { file, pointer: pointer.clone() };
            let words: Vec<String> = telling_words(&pointer);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut push = |reader: &mut Self, value: Option<&str>, markers: &[&Marker]| {
                let named = FieldElement { name: name.clone(), value: value.map(str::to_owned) };
                let words: Vec<&str> = words.iter().copied().chain(value).collect();
                let rule = reader.rule(&words, Element::Field(named), Vec::new(), markers);
                if let Some(made) = reader.rules.get_mut(rule) {
                    made.schema = Some(reference.clone());
                }
                let sides = Sides::Both;
                let property = PropertyRule { rule, is_possible, sides };
                properties.entry(place).or_default().push(property);
            };
            let all = whole(markers.iter().copied());
            if !all.is_empty() {
                push(self, None, &all);
            }
            for marker in markers {
                if let MarkerScope::EnumValue(value) = &marker.scope {
                    push(self, Some(&value.text), &[marker]);
                }
            }
        }
        properties
    }

    /// What is deprecated under whatever name it has.
    fn nameless(&mut self) {
        let description = self.description;
        for edge in description.schemas().all_edges() {
            let is_nameless = matches!(
                edge.kind,
                EdgeKind::PatternProperty
                    | EdgeKind::AdditionalProperties
                    | EdgeKind::UnevaluatedProperties
            );
            if is_nameless && !description.schema_markers(edge.to).is_empty() {
                let file = description.schemas().get(edge.from).map(|schema| schema.place.file);
                let place = file.map(|file| NodeId { file, value: edge.member });
                let value = place.and_then(|place| description.value(place));
                self.leave(
                    "what has any name at",
                    &value.map(ValueRef::pointer).unwrap_or_default(),
                );
            }
        }
    }

    fn property(&self, edge: &Edge) -> Option<(NodeId, String)> {
        let file = self.description.schemas().get(edge.from)?.place.file;
        let (name, _) = self.description.property(edge)?;
        Some((NodeId { file, value: edge.member }, name.to_owned()))
    }

    fn leave(&mut self, what: &'static str, name: &str) {
        self.unmatched.push(UnsupportedElement { what, name: name.to_owned() });
    }

    /// Adds a rule, and gives its number.
    fn rule(
        &mut self,
        words: &[&str],
        element: Element,
        places: Vec<RulePlace>,
        markers: &[&Marker],
    ) -> usize {
        let said = |of: fn(&Marker) -> Option<&str>| {
            markers.iter().find_map(|marker| of(marker)).map(str::to_owned)
        };
        let id = self.unique(&kebab(words));
        let label = markers.first().map(|one| Label { file: one.holder.file, span: one.label });
        self.labels.push(label.unwrap_or(Label { file: FileId::FIRST, span: Span::default() }));
        self.rules.push(Rule {
            id,
            element,
            schema: None,
            announced: places.first().map(|place| place.operation.clone()),
            places,
            exceptions: Vec::new(),
            replacement: said(|marker| Some(&marker.replacement.as_ref()?.text)),
            note: said(|marker| Some(&marker.message.as_ref()?.text)),
            introduced: markers.iter().find_map(|marker| Some(marker.introduced?.date)),
            removal: markers.iter().find_map(|marker| Some(marker.removal?.date)),
            docs: said(|marker| Some(&marker.docs.as_ref()?.text)),
            fix: None,
            grade: Grade::ByDays,
        });
        self.rules.len() - 1
    }

    fn unique(&mut self, id: &str) -> String {
        let mut candidate = id.to_owned();
        while !self.ids.insert(candidate.clone()) {
            let number = self.numbers.entry(id.to_owned()).or_insert(1);
            *number += 1;
            candidate = format!("{id}-{number}");
        }
        candidate
    }
}

fn whole<'m>(markers: impl IntoIterator<Item = &'m Marker>) -> Vec<&'m Marker> {
    markers.into_iter().filter(|marker| marker.scope == MarkerScope::Whole).collect()
}

/// An operation by every way to call it. What stands behind a query or fragment tells operations apart that traffic cannot.
fn patterns(operation: &DescribedOperation) -> Vec<OperationPattern> {
    let path = operation.path.split(['?', '#']).next().unwrap_or_default();
    let mut patterns: Vec<OperationPattern> = Vec::new();
    for prefix in operation.prefixes.iter() {
        let whole = format!("{prefix}{path}");
        let segments: Vec<&str> = whole.split('/').map(as_segment).collect();
        let text = format!("{} /{}", operation.method, segments.join("/").trim_start_matches('/'));
        let written = format!("{} /{}", operation.method, whole.trim_start_matches('/'));
        if let Ok(pattern) = OperationPattern::parse(&text) {
            let pattern = pattern.written_as(written);
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
    }
    patterns
}

/// A segment of a path as a pattern has it: one that is a variable in part is one as a whole.
fn as_segment(segment: &str) -> &str {
    let inside = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let is_special =
        |text: &str| text.contains(['{', '}', '*']) || text.contains(char::is_whitespace);
    if is_special(inside.unwrap_or(segment)) { "{variable}" } else { segment }
}

/// The words of a pointer that tell one schema from another.
fn telling_words(pointer: &str) -> Vec<String> {
    const FRAME: [&str; 19] = [
        "components",
        "schemas",
        "definitions",
        "$defs",
        "properties",
        "paths",
        "content",
        "schema",
        "items",
        "allOf",
        "oneOf",
        "anyOf",
        "application/json",
        "responses",
        "parameters",
        "requestBodies",
        "webhooks",
        "callbacks",
        "patternProperties",
    ];
    let decoded =
        pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
    decoded
        .filter(|token| !FRAME.contains(&token.as_str()) && token.parse::<u32>().is_err())
        .collect()
}

/// Words as an id: lower-case letters and digits with `-` between.
fn kebab(words: &[&str]) -> String {
    let mut id = String::new();
    let mut before = ' ';
    for character in
        words.iter().flat_map(|word| [" "].into_iter().chain([*word])).flat_map(str::chars)
    {
        let begins = character.is_ascii_uppercase() && !before.is_ascii_uppercase()
            || !character.is_ascii_alphanumeric();
        if begins && !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
        if character.is_ascii_alphanumeric() {
            id.push(character.to_ascii_lowercase());
        }
        before = character;
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() { "element".to_owned() } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_words() {
        for (words, id) in [
            (vec!["SearchResult", "trackingToken"], "search-result-tracking-token"),
            (vec!["listURLs"], "list-urls"),
            (vec!["GET", "/v1/{id}/x"], "get-v1-id-x"),
            (vec!["é"], "element"),
        ] {
            assert_eq!(kebab(&words), id);
        }
    }
}
