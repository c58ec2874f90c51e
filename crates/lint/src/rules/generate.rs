//! Generates the rules of an API description: one for each element that it marks as deprecated.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use super::described::{is_read, located_name, side_of};
use super::{
    DescribedRules, Element, PropertyCertainty, PropertyRule, Rule, RuleFile, RuleOrigin,
    RulePlace, SchemaReference, Sides, ValueTest,
};
use sundown_exchange::Side;
use sundown_openapi::{
    Carrier, DeprecatedElement, DeprecationStatus, Description, Edge, EdgeKind, Label,
    MarkedElement, Marker, NodeId, OperationId, OperationRole, Parameter, ParameterId,
    ParameterLocation, ProseReader, SchemaId, prose_texts,
};
use sundown_selector::Selector;
use sundown_text_json::json::{Node, pointer};

/// Marked elements of one kind that rules cannot find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedElements {
    /// The kind of the elements: `the query`, `the webhook`.
    pub what: &'static str,
    /// Why no rule finds them.
    pub why: &'static str,
    /// Their names.
    pub names: Vec<String>,
    /// The location of the first: `api.yaml:3:5`.
    pub location: String,
}

/// How calls write the members of a parameter.
#[derive(Clone, Copy)]
enum MemberForm {
    /// `name[member]=value`.
    InBrackets,
    /// In a value that is JSON.
    Json,
    /// Each as a parameter of its own.
    Apart,
    /// In a way that no rule reads.
    Unread,
}

/// The work of searching the members of all parameters, in bytes: the paths of members, and a constant for each.
const MAX_MEMBER_BYTES: usize = 8_000_000;

/// The part of the work that does not depend on the path of a member.
const COST_OF_MEMBER: usize = 80;

/// The depth to which members of parameters are searched.
const MAX_MEMBER_DEPTH: usize = 64;

/// Why no rule finds an element of an operation whose path cannot be called.
const NOT_CALLED: &str = "no call has it";

/// Why no rule finds an element that no operation has.
const NOT_REACHED: &str = "no operation has it";

/// Why no rule finds an element that captures do not contain.
const NOT_SHOWN: &str = "captures do not show it";

impl RuleFile {
    /// Generates the rules of a description, and lists the marked elements that rules cannot find. `name` is the name for
    /// messages.
    pub fn from_description(
        name: &str,
        description: impl Into<Arc<Description>>,
    ) -> (Self, Vec<UnsupportedElements>) {
        let generated = GeneratedRules::new(name, &description.into());
        (generated.file, generated.unsupported)
    }
}

/// The rules of a description.
#[derive(Default)]
pub(super) struct GeneratedRules {
    pub file: RuleFile,
    /// The location of each rule's element in the description.
    pub labels: Vec<Label>,
    pub unsupported: Vec<UnsupportedElements>,
}

impl GeneratedRules {
    pub(super) fn new(name: &str, description: &Arc<Description>) -> Self {
        let mut generator = RuleGenerator {
            description,
            described: DescribedRules::new(Arc::clone(description)),
            generated: Self::default(),
            ids: HashMap::new(),
            member_room: MAX_MEMBER_BYTES,
            prose: ProseReader::new(description),
        };
        generator.add_operations();
        generator.add_parameters();
        generator.add_located();
        generator.list_unread_bodies();
        generator.list_unreached();
        let RuleGenerator {
            mut generated,
            described,
            ..
        } = generator;
        generated.file = RuleFile {
            name: name.to_owned(),
            api: title(description).unwrap_or(name).to_owned(),
            described: vec![described],
            origin: RuleOrigin::Description,
            ..generated.file
        };
        generated
    }
}

fn title(description: &Description) -> Option<&str> {
    let title = description.root()?.get("info")?.get("title")?.as_str();
    title.filter(|title| !title.trim().is_empty())
}

struct RuleGenerator<'d> {
    description: &'d Description,
    /// The rules about members, elements and bodies, and the operations as calls have them.
    described: DescribedRules,
    generated: GeneratedRules,
    /// The ids, each with the last number that was appended to it.
    ids: HashMap<String, usize>,
    /// How much more work the members of parameters may take.
    member_room: usize,
    prose: ProseReader<'d>,
}

impl<'d> RuleGenerator<'d> {
    fn places(&self, of: OperationId, sides: Sides) -> Vec<RulePlace> {
        let operations = &self.described.operations;
        let first = operations.partition_point(|(_, id)| *id < of);
        let own = operations.iter().skip(first);
        own.take_while(|(_, id)| *id == of)
            .map(|(operation, _)| RulePlace {
                operation: operation.clone(),
                sides,
                selectors: Vec::new(),
            })
            .collect()
    }

    fn add_operations(&mut self) {
        let description = self.description;
        for (id, operation) in description.numbered_operations() {
            let markers: Vec<_> = whole_markers(description.operation_markers(operation));
            if markers.is_empty() {
                continue;
            }
            let places = self.places(id, Sides::Both);
            let unseen = match operation.role {
                OperationRole::Served if places.is_empty() => Some(("the path", NOT_CALLED)),
                OperationRole::Served => None,
                OperationRole::Webhook => Some(("the webhook", NOT_SHOWN)),
                OperationRole::Callback => Some(("the callback", NOT_SHOWN)),
            };
            if let Some((what, why)) = unseen {
                self.list_unsupported(what, &operation.path, why, operation.label);
            }
            if operation.role != OperationRole::Served {
                continue;
            }
            let words = match &operation.id {
                Some(id) => vec![id.as_str()],
                None => vec![operation.method.as_str(), operation.path.as_str()],
            };
            let element = DeprecatedElement::Operation(id);
            self.add_rule(&words, Element::ENDPOINT, places, &markers, Some(element));
        }
    }

    fn add_parameters(&mut self) {
        let description = self.description;
        // Sorted by parameter: in the order in which operations first use them.
        let mut users: BTreeMap<ParameterId, Vec<(OperationId, Side)>> = BTreeMap::new();
        for (id, operation) in description.numbered_operations() {
            if operation.role != OperationRole::Served {
                continue;
            }
            for (carrier, parameter, found) in description.carried(operation) {
                // Those of requests are of the parts of a body.
                let is_header = found.location == ParameterLocation::ResponseHeader;
                if is_header && *carrier == Carrier::Request {
                    if !description.parameter_markers(found).is_empty() {
                        let what = "the header of a part";
                        self.list_unsupported(what, &found.name, "no rule finds it", found.label);
                    }
                    continue;
                }
                let users = users.entry(parameter).or_default();
                users.push((id, side_of(carrier)));
            }
        }
        for (id, users) in users {
            if let Some(parameter) = description.parameter(id) {
                self.add_parameter(id, parameter, &users);
            }
        }
    }

    fn add_parameter(
        &mut self,
        id: ParameterId,
        parameter: &'d Parameter,
        users: &[(OperationId, Side)],
    ) {
        let description = self.description;
        let mut markers = description.parameter_markers(parameter);
        let of_elements = self.elements(parameter);
        let of_elements = of_elements.flat_map(|one| description.schema_markers(one));
        markers.extend(whole_markers(of_elements));
        let values = markers.iter();
        let values = values.filter_map(|marker| Some((marker.value.as_deref()?, *marker)));
        let values: Vec<_> = values.collect();
        let members = self.members(parameter);
        if markers.is_empty() && values.is_empty() && members.is_empty() {
            return;
        }
        let places = users.iter();
        let places = places.flat_map(|&(id, side)| self.places(id, Sides::Only(side)));
        let mut places: Vec<RulePlace> = places.collect();
        if places.is_empty() {
            return self.list_unsupported(
                "the parameter",
                &parameter.name,
                NOT_CALLED,
                parameter.label,
            );
        }
        if parameter.location == ParameterLocation::Form {
            let name = parameter.name.replace('\\', "\\\\").replace('\'', "\\'");
            let selector = Selector::parse(&format!("$['{name}']")).ok();
            for place in &mut places {
                place.selectors.extend(selector.clone());
            }
        }
        let places: Arc<[_]> = places.into();
        let operation = places.first().and_then(|one| one.operation.short_name());
        let operation = operation.unwrap_or_default().to_owned();
        self.add_members(parameter, &members, &operation, &places);
        if markers.is_empty() && values.is_empty() {
            return;
        }
        let name = parameter.name.as_str();
        let whole = whole_markers(markers);
        // A mark of the parameter itself is about all alternatives.
        let is_possible = parameter.schema.is_some_and(|one| {
            let of_schema = description.schema_markers(one);
            description.deprecation_of(one) == DeprecationStatus::Possible
                && whole.iter().all(|marker| of_schema.contains(marker))
        });
        let of_values = element_of_values(parameter);
        let elements = if whole.is_empty() && of_values.is_some() {
            Vec::new()
        } else {
            self.parameter_elements(parameter)
        };
        for element in elements {
            let member = element.name().filter(|_| element.value.is_none());
            let words = [&operation, member.unwrap_or(name)];
            let about = Some(DeprecatedElement::Parameter(id));
            let rule = self.add_rule(&words, element.clone(), places.clone(), &whole, about);
            rule.is_possible |= is_possible;
        }
        if let Some(element) = of_values {
            let is_list = self.elements(parameter).next().is_some();
            for (value, marker) in values {
                let words = [&operation, name, value];
                let value = match parameter.location {
                    ParameterLocation::Cookie => format!("{name}={value}"),
                    _ => value.to_owned(),
                };
                let element = element.clone().with_value(Some(value));
                let rule = self.add_rule(&words, element, Arc::clone(&places), &[marker], None);
                rule.is_of_list = is_list;
            }
        }
    }

    /// The edges from the schema of a parameter and from those that it applies.
    fn edges(&self, parameter: &Parameter) -> impl Iterator<Item = &'d Edge> + use<'d> {
        let description = self.description;
        let schemas = parameter.schema.into_iter();
        let schemas = schemas.flat_map(|schema| description.applied([schema]));
        schemas.flat_map(|schema| description.schemas().edges(schema))
    }

    /// The schemas of the elements of a parameter that is an array.
    fn elements(&self, parameter: &Parameter) -> impl Iterator<Item = SchemaId> + use<'d> {
        self.edges(parameter)
            .filter(|edge| matches!(edge.kind, EdgeKind::Items | EdgeKind::PrefixItem))
            .map(|edge| edge.to)
    }

    /// The marked properties inside a parameter that is an object, by their paths in it: `[state]`, `[lines][][state]`.
    fn members(&mut self, parameter: &Parameter) -> Vec<(String, &'d Edge)> {
        let description = self.description;
        let is_field = parameter.location == ParameterLocation::Form;
        let schema = parameter.schema.filter(|_| !is_field);
        let mut members = Vec::new();
        // Each with its path, and the schemas around it: a schema inside itself is not entered again.
        let mut waiting: VecDeque<_> = schema
            .map(|schema| (String::new(), vec![schema]))
            .into_iter()
            .collect();
        let mut is_cut = false;
        while let Some((path, around)) = waiting.pop_front() {
            let schemas = description.applied(around.last().copied());
            for edge in schemas.flat_map(|id| description.schemas().edges(id)) {
                let own = match edge.kind {
                    EdgeKind::Property => description.key_of(edge),
                    EdgeKind::Items | EdgeKind::PrefixItem => Some(""),
                    _ => None,
                };
                let Some(own) = own else { continue };
                let path = format!("{path}[{own}]");
                let is_marked = description.schemas().has_markers(edge.to);
                if edge.kind == EdgeKind::Property && is_marked {
                    members.push((path.clone(), edge));
                }
                if around.contains(&edge.to) || around.len() >= MAX_MEMBER_DEPTH {
                    continue;
                }
                let Some(room) = self.member_room.checked_sub(path.len() + COST_OF_MEMBER) else {
                    is_cut = true;
                    continue;
                };
                self.member_room = room;
                waiting.push_back((path, [&around[..], &[edge.to]].concat()));
            }
        }
        if is_cut {
            self.list_unsupported(
                "a member of the parameter",
                &parameter.name,
                "there are too many to search",
                parameter.label,
            );
        }
        members
    }

    /// Adds the rules about the properties of a parameter that is an object: each is a parameter of its own, or written as
    /// `name[property]`, which is also a member of a parameter whose value is JSON.
    fn add_members(
        &mut self,
        parameter: &Parameter,
        members: &[(String, &'d Edge)],
        operation: &str,
        places: &Arc<[RulePlace]>,
    ) {
        let form = self.form_of_members(parameter);
        for (path, edge) in members {
            let Some(value) = self.description.value(edge.node) else {
                continue;
            };
            let name = value.key().unwrap_or_default();
            let called = match form {
                MemberForm::InBrackets | MemberForm::Json => format!("{}{path}", parameter.name),
                MemberForm::Apart if path.len() == name.len() + "[]".len() => name.to_owned(),
                MemberForm::Apart | MemberForm::Unread => {
                    let name = format!("{}{path}", parameter.name);
                    let what = "the member of a parameter";
                    let label = self.description.label(edge.node);
                    self.list_unsupported(what, &name, "no rule finds it", label);
                    continue;
                }
            };
            for (value, markers) in by_value(&self.description.schema_markers(edge.to)) {
                let words: Vec<&str> = [operation, &called].into_iter().chain(value).collect();
                let element = Element::parameter(&called).with_value(value.map(str::to_owned));
                let about = value.is_none().then_some(DeprecatedElement::Property(edge));
                self.add_rule(&words, element, Arc::clone(places), &markers, about);
            }
        }
    }

    /// How calls write the members of a parameter that is an object (OpenAPI, "Style Values").
    fn form_of_members(&self, parameter: &Parameter) -> MemberForm {
        let own = self.description.value(parameter.node);
        let of_key = |key| own.and_then(|own| own.get(key));
        let mut media_types = of_key("content").into_iter().flat_map(Node::children);
        let media_type = media_types.next().and_then(Node::key);
        let explode = of_key("explode").and_then(Node::as_bool);
        let style = of_key("style").and_then(Node::as_str).unwrap_or("form");
        match (parameter.location, media_type) {
            (ParameterLocation::Query, Some(media_type)) if media_type.contains("json") => {
                MemberForm::Json
            }
            (ParameterLocation::QueryString, Some("application/x-www-form-urlencoded")) => {
                MemberForm::Apart
            }
            (ParameterLocation::Query, None) if style == "deepObject" => MemberForm::InBrackets,
            (ParameterLocation::Query, None) if style == "form" && explode != Some(false) => {
                MemberForm::Apart
            }
            _ => MemberForm::Unread,
        }
    }

    /// The elements that a whole parameter is. An object whose members are written apart is these.
    fn parameter_elements(&mut self, parameter: &Parameter) -> Vec<Element> {
        let (name, description) = (&parameter.name, self.description);
        let what = match parameter.location {
            ParameterLocation::Query => {
                let edges = self.edges(parameter);
                let members = edges.filter(|edge| edge.kind == EdgeKind::Property);
                let members = members.filter_map(|edge| description.key_of(edge));
                let members: Vec<_> = match self.form_of_members(parameter) {
                    MemberForm::Apart => members.map(Element::parameter).collect(),
                    MemberForm::InBrackets => vec![Element::parameter(format!("{name}[*]"))],
                    MemberForm::Json | MemberForm::Unread => Vec::new(),
                };
                if members.is_empty() {
                    return vec![Element::parameter(name)];
                }
                return members;
            }
            ParameterLocation::QueryString => "the query",
            ParameterLocation::Path => "the path parameter",
            ParameterLocation::Cookie => {
                return vec![Element {
                    value: Some(ValueTest::StartsWith(format!("{name}="))),
                    ..Element::header("Cookie")
                }];
            }
            _ => return element_of_values(parameter).into_iter().collect(),
        };
        self.list_unsupported(what, name, NOT_SHOWN, parameter.label);
        Vec::new()
    }

    /// Adds the rules about members, elements and bodies. Those of properties come first, because ids are given in this order.
    fn add_located(&mut self) {
        let description = self.description;
        let (named, others): (Vec<_>, Vec<_>) = description
            .deprecated_values()
            .partition(|(edge, _)| edge.kind == EdgeKind::Property);
        for (edge, markers) in named.into_iter().chain(others) {
            self.add_value(edge.node, edge.to, Some(edge), &markers);
        }
        for (operation, body) in description.bodies() {
            let Some(schema) = body.schema else {
                continue;
            };
            let markers = description.body_markers(body.node, body.schema);
            if markers.is_empty() {
                continue;
            }
            let has_other = operation.bodies.iter().any(|other| {
                is_read(other, side_of(&body.carrier))
                    && other.schema.is_some()
                    && description
                        .body_markers(other.node, other.schema)
                        .is_empty()
            });
            if has_other {
                let name = format!("{} {}", operation.method, operation.path);
                let why = "others of another status or media type may look like it";
                self.list_unsupported("a whole body of", &name, why, body.label);
            } else if !self.described.properties.contains_key(&body.node) {
                self.add_value(body.node, schema, None, &markers);
            }
        }
    }

    /// Adds the rules about the value to which `node` gives a schema: that of an edge, or a body.
    fn add_value(
        &mut self,
        node: NodeId,
        schema: SchemaId,
        edge: Option<&'d Edge>,
        markers: &[&Marker],
    ) {
        let description = self.description;
        let Some(value) = description.value(node) else {
            return;
        };
        let name = located_name(value, edge.map(|edge| edge.kind));
        let pointer = value.pointer();
        let words: Vec<String> = distinctive_words(&pointer);
        let file = description.file(node.file).map_or("", |file| &file.name);
        let file = file.to_owned();
        let reference = SchemaReference { file, pointer };
        for (value, markers) in by_value(markers) {
            let field = Element::field(&name).with_value(value.map(str::to_owned));
            let words: Vec<&str> = words.iter().map(String::as_str).chain(value).collect();
            let certainty = PropertyCertainty::of(description, schema, &field);
            let about = edge
                .filter(|edge| value.is_none() && edge.kind == EdgeKind::Property)
                .map(DeprecatedElement::Property);
            let rule = self.add_rule(&words, field, Vec::new(), &markers, about);
            rule.schema = Some(reference.clone());
            let rule = PropertyRule {
                rule: self.generated.file.rules.len() - 1,
                certainty,
                sides: Sides::Both,
            };
            let known = self.described.properties.entry(node);
            known.or_default().push(rule);
        }
    }

    /// Lists the marked elements that no operation has.
    fn list_unreached(&mut self) {
        for marker in self.description.unreached_markers() {
            let holder = self.description.value(marker.holder);
            let name = holder.and_then(|holder| distinctive_words(&holder.pointer()).pop());
            let (what, why) = match marker.element {
                MarkedElement::SecurityScheme => ("the security scheme", NOT_SHOWN),
                MarkedElement::Schema => ("the schema", NOT_REACHED),
                MarkedElement::Header => ("the header", NOT_REACHED),
                _ => ("the parameter", NOT_REACHED),
            };
            let name = name.unwrap_or_default();
            let label = self.description.label(marker.holder);
            self.list_unsupported(what, &name, why, label);
        }
    }

    /// Lists the operations of which no body with a deprecated member is read.
    fn list_unread_bodies(&mut self) {
        let description = self.description;
        for (id, operation) in description.numbered_operations() {
            let is_called = !self.places(id, Sides::Both).is_empty();
            for side in Side::BOTH {
                let bodies = operation.bodies.iter();
                let mut bodies = bodies.filter(|body| side_of(&body.carrier) == side);
                let mut held = bodies.clone();
                let held = held.find(|body| self.described.may_hold_rule(body));
                let Some(first) = held else { continue };
                let why = match operation.role {
                    OperationRole::Served if !is_called => "no call has its path",
                    OperationRole::Served if bodies.any(|body| is_read(body, side)) => continue,
                    OperationRole::Served => "bodies of its media type are not read",
                    OperationRole::Webhook | OperationRole::Callback => NOT_SHOWN,
                };
                let name = format!("{} {}", operation.method, operation.path);
                self.list_unsupported("a member of a body of", &name, why, first.label);
            }
        }
    }

    fn list_unsupported(
        &mut self,
        what: &'static str,
        name: &str,
        why: &'static str,
        label: Label,
    ) {
        let mut known = self.generated.unsupported.iter_mut();
        if let Some(known) = known.find(|known| known.what == what && known.why == why) {
            if known.names.last().is_none_or(|last| last != name) {
                known.names.push(name.to_owned());
            }
            return;
        }
        self.generated.unsupported.push(UnsupportedElements {
            what,
            why,
            names: vec![name.to_owned()],
            location: self.description.shown(label),
        });
    }

    /// Adds a rule with at least one marker, completed by what the prose says about the element: the replacement, or else a note.
    fn add_rule(
        &mut self,
        words: &[&str],
        element: Element,
        places: impl Into<Arc<[RulePlace]>>,
        markers: &[&Marker],
        about: Option<DeprecatedElement<'d>>,
    ) -> &mut Rule {
        let text = |of: fn(&Marker) -> Option<&str>| {
            markers
                .iter()
                .find_map(|marker| of(marker))
                .map(str::to_owned)
        };
        let places = places.into();
        let id = self.unique_id(&kebab_case(words));
        let holder = markers.first().map(|one| one.holder);
        let label = holder.map(|holder| self.description.label(holder));
        self.generated.labels.extend(label);
        let mut rule = Rule {
            announced: places.first().map(|place| place.operation.clone()),
            places,
            replacement: text(|marker| marker.replacement.as_deref()),
            note: text(|marker| marker.message.as_deref()),
            introduced: markers
                .iter()
                .find_map(|marker| Some(marker.introduced?.date)),
            has_unreadable_end: markers.iter().all(|marker| marker.removal.is_none())
                && markers.iter().any(|marker| marker.has_unreadable_end),
            removal: markers.iter().find_map(|marker| Some(marker.removal?.date)),
            docs: text(|marker| marker.docs.as_deref()).or_else(|| self.external_docs(markers)),
            is_possible: markers.iter().all(|one| one.is_only_prose()),
            ..Rule::new(id, element)
        };
        if let Some(about) = about.filter(|_| rule.replacement.is_none()) {
            let messages = markers
                .iter()
                .filter_map(|marker| marker.message.as_deref());
            let holders = markers
                .iter()
                .filter_map(|marker| self.description.value(marker.holder));
            let prose = holders.flat_map(prose_texts).map(|(_, text)| text);
            let advice = self.prose.advice(about, messages.chain(prose));
            rule.replacement = advice.replacement;
            rule.note = rule.note.or(advice.note);
        }
        let rules = &mut self.generated.file.rules;
        rules.push(rule);
        let last = rules.len() - 1;
        &mut rules[last]
    }

    /// The address in the `externalDocs` of a marked object.
    fn external_docs(&self, markers: &[&Marker]) -> Option<String> {
        markers
            .iter()
            .filter_map(|marker| self.description.value(marker.holder))
            .filter_map(|holder| holder.get("externalDocs")?.get("url")?.as_str())
            .find(|address| address.starts_with("http"))
            .map(str::to_owned)
    }

    fn unique_id(&mut self, id: &str) -> String {
        let mut candidate = id.to_owned();
        while self.ids.contains_key(&candidate) {
            let number = self.ids.entry(id.to_owned()).or_insert(1);
            *number += 1;
            candidate = format!("{id}-{number}");
        }
        self.ids.insert(candidate.clone(), 1);
        candidate
    }
}

/// The element of which rules are about single values.
fn element_of_values(parameter: &Parameter) -> Option<Element> {
    let name = &parameter.name;
    match parameter.location {
        ParameterLocation::Query => Some(Element::parameter(name)),
        ParameterLocation::Form => Some(Element::field(name)),
        ParameterLocation::Header | ParameterLocation::ResponseHeader => {
            Some(Element::header(name))
        }
        ParameterLocation::Path => Some(Element::segment(name)),
        ParameterLocation::Cookie => Some(Element::header("Cookie")),
        ParameterLocation::QueryString => None,
    }
}

/// The markers of the whole element, without those of single values.
fn whole_markers<'m>(markers: impl IntoIterator<Item = &'m Marker>) -> Vec<&'m Marker> {
    markers
        .into_iter()
        .filter(|marker| marker.value.is_none())
        .collect()
}

/// The markers of the whole element together, and that of each value.
fn by_value<'m>(markers: &[&'m Marker]) -> Vec<(Option<&'m str>, Vec<&'m Marker>)> {
    let whole = whole_markers(markers.iter().copied());
    let whole = (!whole.is_empty()).then_some((None, whole));
    let values = markers.iter().filter(|marker| marker.value.is_some());
    let values = values.map(|marker| (marker.value.as_deref(), vec![*marker]));
    whole.into_iter().chain(values).collect()
}

/// The tokens of a JSON Pointer that distinguish one schema from another.
fn distinctive_words(pointer: &str) -> Vec<String> {
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
    pointer::tokens(pointer)
        .filter(|token| !FRAME.contains(&&**token) && token.parse::<u32>().is_err())
        .map(Cow::into_owned)
        .collect()
}

/// Joins words to an id: lower-case letters and digits, separated by `-`.
fn kebab_case(words: &[&str]) -> String {
    let mut id = String::new();
    let mut before = ' ';
    let words = words.iter().flat_map(|word| [" ", word]);
    for character in words.flat_map(str::chars) {
        let starts_word = character.is_ascii_uppercase() && !before.is_ascii_uppercase()
            || !character.is_ascii_alphanumeric();
        if starts_word && !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
        if character.is_ascii_alphanumeric() {
            id.push(character.to_ascii_lowercase());
        }
        before = character;
    }
    match id.trim_end_matches('-') {
        "" => "element",
        id => id,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_an_id() {
        for (words, id) in [
            (
                vec!["SearchResult", "trackingToken"],
                "search-result-tracking-token",
            ),
            (vec!["listURLs"], "list-urls"),
            (vec!["GET", "/v1/{id}/x"], "get-v1-id-x"),
            (vec!["é"], "element"),
        ] {
            assert_eq!(kebab_case(&words), id);
        }
    }
}
