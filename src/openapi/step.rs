//! The walk of a body through the graph of schemas, one value at a time.

use std::collections::{HashSet, VecDeque};

use super::operation::Direction;
use super::schema::{Access, Edge, EdgeKind, SchemaId, SchemaStep};
use super::{Description, NodeId};

/// How many choices one way remembers: alternatives inside alternatives, which nobody nests as deep as this.
const MAX_CHOICES: usize = 64;

/// An alternative that a body may have taken: a branch of `oneOf`, `anyOf` and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The schema with the alternatives.
    pub of: SchemaId,
    /// By which keyword.
    pub kind: EdgeKind,
    /// Which of them.
    pub index: u32,
}

/// A schema that describes a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The schema.
    pub schema: SchemaId,
    /// What has to be chosen for it to, from the outside in, the first 64 of it; nothing: it always does. Where several
    /// ways lead to the schema, this is one of those with the fewest choices.
    pub choices: Vec<Choice>,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stepped {
    /// The edge gone along; the next schema is its [`to`](Edge::to).
    pub edge: Edge,
    /// What had to be chosen for it, as in [`Applied`].
    pub choices: Vec<Choice>,
}

impl Description {
    /// All schemas that describe a value which these describe: they themselves, and what they are composed of. Each once.
    pub fn applied(&self, schemas: &[SchemaId]) -> Vec<Applied> {
        let mut applied: Vec<Applied> = Vec::new();
        let mut seen = HashSet::new();
        let start = schemas.iter().map(|&schema| Applied { schema, choices: Vec::new() });
        // What always holds goes in front, so that each schema is met first by a way with the fewest choices.
        let mut queue: VecDeque<Applied> = start.collect();
        while let Some(next) = queue.pop_front() {
            if !seen.insert(next.schema) {
                continue;
            }
            for edge in self.schemas().unnamed_edges(next.schema) {
                match edge.kind.step() {
                    SchemaStep::Always => {
                        queue
                            .push_front(Applied { schema: edge.to, choices: next.choices.clone() });
                    }
                    SchemaStep::Perhaps => {
                        let choice = Choice { of: edge.from, kind: edge.kind, index: edge.index };
                        let choices = next.choices.iter().copied().chain([choice]);
                        let choices = choices.take(MAX_CHOICES).collect();
                        queue.push_back(Applied { schema: edge.to, choices });
                    }
                    SchemaStep::Key | SchemaStep::Element => {}
                }
            }
            applied.push(next);
        }
        applied
    }

    /// The steps to the member of this name of an object that these schemas describe, in bodies that go this way.
    pub fn member(&self, from: &[Applied], name: &str, direction: Direction) -> Vec<Stepped> {
        self.stepped(from, direction, |id| self.edges_to_member(id, name))
    }

    /// The steps to the element of this index of an array that these schemas describe.
    pub fn element(&self, from: &[Applied], index: usize, direction: Direction) -> Vec<Stepped> {
        self.stepped(from, direction, |id| self.edges_to_element(id, index))
    }

    fn stepped<'d>(
        &'d self,
        from: &[Applied],
        direction: Direction,
        edges: impl Fn(SchemaId) -> Vec<&'d Edge>,
    ) -> Vec<Stepped> {
        let steps = from.iter().flat_map(|applied| {
            edges(applied.schema).into_iter().map(move |edge| (edge, &applied.choices))
        });
        let open = steps.filter(|(edge, _)| self.is_open(edge, direction));
        let mut stepped: Vec<Stepped> =
            open.map(|(edge, choices)| Stepped { edge: *edge, choices: choices.clone() }).collect();
        // What another schema has evaluated is not left over (JSON Schema 2020-12, core, section 11).
        let is_leftover = |step: &Stepped| {
            matches!(step.edge.kind, EdgeKind::UnevaluatedProperties | EdgeKind::UnevaluatedItems)
        };
        if !stepped.iter().all(is_leftover) {
            stepped.retain(|step| !is_leftover(step));
        }
        stepped
    }

    /// Whether what an edge leads to occurs in bodies that go this way: `readOnly` and `writeOnly` are for one of them each.
    pub fn is_open(&self, edge: &Edge, direction: Direction) -> bool {
        let access = self.schemas().whole_access(edge.to);
        match (access, direction) {
            _ if edge.kind.step() != SchemaStep::Key => true,
            (Access::ReadOnly, Direction::ToService) => false,
            (Access::WriteOnly, Direction::FromService) => false,
            _ => true,
        }
    }

    /// The edges of one schema to a member: those of its name, those of patterns, else the one for all others.
    pub(super) fn edges_to_member(&self, schema: SchemaId, name: &str) -> Vec<&Edge> {
        let schemas = self.schemas();
        let key = |edge: &Edge| self.key_of(edge).unwrap_or_default();
        let mut named = schemas.properties_named(schema, name, key);
        named.extend(schemas.unnamed_edges(schema).filter(|edge| self.is_matched(edge, name)));
        if named.is_empty() { self.edges_to_others(schema) } else { named }
    }

    /// The edges of one schema to members of which it says nothing by name.
    pub(super) fn edges_to_others(&self, schema: SchemaId) -> Vec<&Edge> {
        let is_other = |edge: &&Edge| {
            matches!(edge.kind, EdgeKind::AdditionalProperties | EdgeKind::UnevaluatedProperties)
        };
        self.schemas().unnamed_edges(schema).filter(is_other).collect()
    }

    /// The key of the member that holds what an edge leads to: a property's name, or a pattern.
    fn key_of(&self, edge: &Edge) -> Option<&str> {
        let file = self.schemas().get(edge.from)?.place.file;
        self.value(NodeId { file, value: edge.member })?.key()
    }

    fn is_matched(&self, edge: &Edge, name: &str) -> bool {
        if edge.kind != EdgeKind::PatternProperty {
            return false;
        }
        let pattern = self.key_of(edge).and_then(|pattern| self.schemas().patterns.get(pattern));
        pattern.is_none_or(|pattern| pattern.is_match(name))
    }

    /// The edges of one schema to an element: `items` is for those behind `prefixItems`.
    pub(super) fn edges_to_element(&self, schema: SchemaId, index: usize) -> Vec<&Edge> {
        let edges = || self.schemas().unnamed_edges(schema);
        let is_prefix = |edge: &&Edge| edge.kind == EdgeKind::PrefixItem;
        let is_inside = edges().filter(is_prefix).count() > index;
        let is_reached = |edge: &&Edge| match edge.kind {
            EdgeKind::PrefixItem => edge.index as usize == index,
            EdgeKind::Items | EdgeKind::UnevaluatedItems => !is_inside,
            EdgeKind::Contains => true,
            _ => false,
        };
        edges().filter(is_reached).collect()
    }
}
