//! Whether a value of a body conforms to a schema (JSON Schema 2020-12, validation, and OpenAPI 3.0's dialect), to decide between
//! alternatives.
//!
//! Only what distinguishes kinds of objects counts: types, `const`, `enum`, `required`, `additionalProperties: false`, and all
//! of these in members, elements and compositions. Ranges, lengths, patterns and formats do not, because real bodies break them
//! more often. A value is only called invalid if a validator would call it so.

use std::cmp::Ordering;

use super::alternatives::Alternative;
use crate::{Description, Direction, Edge, EdgeKind, SchemaId, SchemaStep};
use sundown_selector::automaton::Validity;
use sundown_text_json::json::{Node, ValueKind};

/// The depth of members and compositions beyond which every value conforms, because the validation recurses.
const MAX_DEPTH: usize = 128;

/// A validation of values against the schemas of a description.
pub(super) struct Validation<'v> {
    pub description: &'v Description,
    /// The direction of the bodies.
    pub direction: Direction,
    /// Whether a property does not occur in bodies of this direction.
    pub has_one_way_properties: bool,
    pub validity: &'v mut Validity,
}

impl Validation<'_> {
    /// Whether the value conforms to all schemas of an expanded alternative.
    pub(super) fn is_valid(&mut self, alternative: &Alternative, value: Node<'_>) -> bool {
        if !self.spend(1 + alternative.schemas.len()) {
            return true;
        }
        let mut schemas = alternative.schemas_if(false);
        schemas.all(|id| self.has_valid_keywords(id, value, 0))
    }

    /// Whether a part of a schema under a condition applies to a value; `None` if that is open. A value may break a condition that
    /// is not checked, such as a pattern, but conforms to none that is broken.
    pub(super) fn applies(&mut self, edge: &Edge, value: Node<'_>) -> Option<bool> {
        let description = self.description;
        if edge.kind == EdgeKind::DependentSchema {
            let has_member = value.get(description.key_of(edge)?).is_some();
            return (has_member || !self.validity.is_partial).then_some(has_member);
        }
        let edges = description.schemas().unnamed_edges(edge.from);
        let mut conditions = edges.filter(|edge| edge.kind == EdgeKind::If);
        let is_broken = !conditions.all(|edge| self.conforms(edge.to, value, 0));
        is_broken.then_some(edge.kind == EdgeKind::Else)
    }

    /// Whether the schemas of an alternative allow null, as they say.
    pub(super) fn allows_null(&self, alternative: &Alternative, value: Node<'_>) -> bool {
        let mut schemas = alternative.schemas_if(false);
        schemas.all(|id| {
            let keywords = self.description.schema_value(id);
            keywords.is_none_or(|keywords| {
                keywords.get("nullable").and_then(Node::as_bool) == Some(true)
                    || has_valid_type(keywords, value) && has_valid_content(keywords, value)
            })
        })
    }

    /// Counts visits; returns whether there are any left.
    fn spend(&mut self, visits: usize) -> bool {
        self.validity.effort_left = self.validity.effort_left.saturating_sub(visits);
        self.validity.effort_left > 0
    }

    /// Whether the value conforms to a schema with all its parts.
    fn conforms(&mut self, schema: SchemaId, value: Node<'_>, depth: usize) -> bool {
        let key = (self.validity.graph, schema.0, value.index());
        if let Some(&known) = self.validity.known.get(&key) {
            return known;
        }
        if depth > MAX_DEPTH || !self.spend(1) {
            return true;
        }
        // A schema that contains itself adds nothing.
        self.validity.known.insert(key, true);
        let conforms = self.has_valid_keywords(schema, value, depth)
            && self.has_valid_composition(schema, value, depth);
        self.validity.known.insert(key, conforms);
        conforms
    }

    fn has_valid_composition(&mut self, schema: SchemaId, value: Node<'_>, depth: usize) -> bool {
        let description = self.description;
        let edges = description.schemas().unnamed_edges(schema);
        let mut always = edges
            .clone()
            .filter(|edge| edge.kind.step() == SchemaStep::Always);
        if !always.all(|edge| self.conforms(edge.to, value, depth + 1)) {
            return false;
        }
        // A value that conforms to several branches of `oneOf` is invalid, but which of them is meant stays unknown.
        [EdgeKind::OneOf, EdgeKind::AnyOf].into_iter().all(|kind| {
            let mut branches = edges.clone().filter(|edge| edge.kind == kind).peekable();
            branches.peek().is_none()
                || branches.any(|edge| self.conforms(edge.to, value, depth + 1))
        })
    }

    /// Whether the value conforms to the keywords of a schema object, without the schemas that it is composed of.
    fn has_valid_keywords(&mut self, schema: SchemaId, value: Node<'_>, depth: usize) -> bool {
        let description = self.description;
        let known = description.schemas().get(schema);
        let Some(known) = known.filter(|known| known.is_read) else {
            return true;
        };
        let Some(keywords) = description.value(known.node) else {
            return true;
        };
        // Services send null for members that their descriptions do not call nullable.
        if value.kind() == ValueKind::Null || keywords.kind() == ValueKind::Null {
            return true;
        }
        if value.as_str().is_some_and(is_placeholder) {
            return true;
        }
        let listed = keywords.get("enum").map_or(0, |list| list.children().len());
        if !self.spend(listed) {
            return true;
        }
        if keywords.as_bool() == Some(false) {
            return false;
        }
        has_valid_type(keywords, value)
            && has_valid_content(keywords, value)
            && match value.kind() {
                ValueKind::Object => {
                    self.has_required(schema, value)
                        && self.has_valid_members(schema, keywords, value, depth)
                }
                ValueKind::Array => self.has_valid_elements(schema, value, depth),
                _ => true,
            }
    }

    fn has_required(&mut self, schema: SchemaId, value: Node<'_>) -> bool {
        let description = self.description;
        let mut names = description.required(schema).filter_map(Node::as_str);
        names.all(|name| {
            self.validity.is_partial
                || !self.spend(1 + value.children().len())
                || value.get(name).is_some()
                || !self.is_expected(schema, name)
        })
    }

    /// Whether a required member occurs in bodies of this direction. A property that another part of the schema declares
    /// may be for one direction, too.
    fn is_expected(&self, schema: SchemaId, name: &str) -> bool {
        let description = self.description;
        let edges = description.edges_to_member(schema, name);
        let mut own = edges
            .iter()
            .filter(|edge| edge.kind == EdgeKind::Property)
            .peekable();
        match own.peek() {
            Some(_) => own.all(|edge| description.is_open(edge, self.direction)),
            None => !self.has_one_way_properties,
        }
    }

    fn has_valid_members(
        &mut self,
        schema: SchemaId,
        keywords: Node<'_>,
        value: Node<'_>,
        depth: usize,
    ) -> bool {
        let description = self.description;
        let is_closed = keywords.get("additionalProperties").and_then(Node::as_bool) == Some(false);
        value.children().all(|member| {
            if !self.spend(1) {
                return true;
            }
            let edges = description.edges_to_member(schema, member.key().unwrap_or_default());
            if edges.is_empty() {
                return !is_closed;
            }
            edges
                .into_iter()
                .all(|edge| self.is_undecided(edge) || self.conforms(edge.to, member, depth + 1))
        })
    }

    /// Whether an edge says nothing about a member: it is for the other direction, its pattern is not supported, or its
    /// keyword depends on other schemas.
    fn is_undecided(&self, edge: &Edge) -> bool {
        let description = self.description;
        match edge.kind {
            EdgeKind::Property | EdgeKind::AdditionalProperties => {
                !description.is_open(edge, self.direction)
            }
            EdgeKind::PatternProperty => !description.has_known_pattern(edge),
            _ => true,
        }
    }

    fn has_valid_elements(&mut self, schema: SchemaId, value: Node<'_>, depth: usize) -> bool {
        let description = self.description;
        value.children().enumerate().all(|(index, element)| {
            if !self.spend(1) {
                return true;
            }
            description
                .edges_to_element(schema, index)
                .into_iter()
                .filter(|edge| matches!(edge.kind, EdgeKind::Items | EdgeKind::PrefixItem))
                .all(|edge| self.conforms(edge.to, element, depth + 1))
        })
    }
}

/// Whether a text represents a value that the recording does not have: `{{variable}}` or `<PLACEHOLDER>`.
fn is_placeholder(text: &str) -> bool {
    text.contains("{{") || text.starts_with('<') && text.ends_with('>')
}

/// `type`: one name or several.
fn has_valid_type(keywords: Node<'_>, value: Node<'_>) -> bool {
    let Some(types) = keywords.get("type") else {
        return true;
    };
    let is = |name: Node<'_>| name.as_str().is_none_or(|name| is_of_type(value, name));
    match types.kind() {
        ValueKind::Array => types.children().len() == 0 || types.children().any(is),
        _ => is(types),
    }
}

fn is_of_type(value: Node<'_>, name: &str) -> bool {
    match (name, value.kind()) {
        ("object", kind) => kind == ValueKind::Object,
        ("array", kind) => kind == ValueKind::Array,
        ("string", kind) => kind == ValueKind::String,
        ("boolean", kind) => kind == ValueKind::Bool,
        ("null", kind) => kind == ValueKind::Null,
        ("number", kind) => kind == ValueKind::Number,
        // 1.0 is an integer.
        ("integer", ValueKind::Number) => {
            let number = value.text().and_then(|text| text.parse::<f64>().ok());
            number.is_none_or(|number| number.fract() == 0.0)
        }
        ("integer", _) => false,
        // A type of another dialect.
        _ => true,
    }
}

/// `const` and `enum`.
fn has_valid_content(keywords: Node<'_>, value: Node<'_>) -> bool {
    let allowed = keywords
        .get("enum")
        .filter(|list| list.kind() == ValueKind::Array && list.children().len() > 0);
    keywords
        .get("const")
        .is_none_or(|allowed| may_equal(allowed, value))
        && allowed.is_none_or(|list| list.children().any(|allowed| may_equal(allowed, value)))
}

/// Whether a value may be the one that a schema states. Arrays and objects are not compared.
fn may_equal(stated: Node<'_>, value: Node<'_>) -> bool {
    if stated.kind() != value.kind() {
        return false;
    }
    match (stated.text(), value.text()) {
        (Some(one), Some(other)) if stated.kind() == ValueKind::Number => {
            one == other
                || one
                    .parse::<f64>()
                    .ok()
                    .zip(other.parse::<f64>().ok())
                    .is_none_or(|(one, other)| one.partial_cmp(&other).is_some_and(Ordering::is_eq))
        }
        (Some(one), Some(other)) if stated.kind() == ValueKind::String => one == other,
        _ => stated.as_bool() == value.as_bool(),
    }
}
