//! Steps from a value into its members and elements, through the graph of schemas.

use std::collections::{HashSet, VecDeque};

use crate::{Description, Direction, Edge, EdgeKind, SchemaId, SchemaStep, reachable};

impl Description {
    /// All schemas that apply to a value that the given schemas describe: these and their parts, each once. Schemas that
    /// always apply come before the alternatives of the same schema.
    pub fn applied(
        &self,
        schemas: impl IntoIterator<Item = SchemaId>,
    ) -> impl Iterator<Item = SchemaId> {
        let mut seen = HashSet::new();
        let mut queue: VecDeque<SchemaId> = schemas.into_iter().collect();
        std::iter::from_fn(move || {
            let schema = loop {
                let next = queue.pop_front()?;
                if seen.insert(next) {
                    break next;
                }
            };
            for edge in self.schemas().unnamed_edges(schema) {
                match edge.kind.step() {
                    SchemaStep::Always => queue.push_front(edge.to),
                    SchemaStep::Conditional => queue.push_back(edge.to),
                    SchemaStep::Member | SchemaStep::Element => {}
                }
            }
            Some(schema)
        })
    }

    /// The schemas that apply to values, and to the elements of values that are lists: so many of each at most.
    pub fn applied_through_lists(
        &self,
        schemas: impl IntoIterator<Item = SchemaId>,
        most: usize,
    ) -> Vec<SchemaId> {
        let mut applied: Vec<SchemaId> = self.applied(schemas).take(most).collect();
        let elements = self.schemas().elements_of(&applied).map(|edge| edge.to);
        let elements: Vec<SchemaId> = elements.take(most).collect();
        applied.extend(self.applied(elements).take(most));
        applied
    }

    /// The schemas that apply to every value with these schemas: these and the parts that always apply, each once.
    pub fn always_applied(&self, schemas: impl IntoIterator<Item = SchemaId>) -> Vec<SchemaId> {
        reachable(schemas, |schema| {
            let edges = self.schemas().unnamed_edges(schema);
            let always = edges.filter(|edge| edge.kind.step() == SchemaStep::Always);
            always.map(|edge| edge.to)
        })
        .collect()
    }

    /// The edges to the member of this name, from an object to which all these schemas apply, in bodies of this direction.
    pub fn member(&self, applied: &[SchemaId], name: &str, direction: Direction) -> Vec<Edge> {
        let open = applied
            .iter()
            .flat_map(|&id| self.edges_to_member(id, name))
            .filter(|edge| self.is_open(edge, direction))
            .collect();
        without_leftovers(open).into_iter().copied().collect()
    }

    /// Whether the value to which an edge leads occurs in bodies of this direction: `readOnly` and `writeOnly` exclude one
    /// direction each.
    pub fn is_open(&self, edge: &Edge, direction: Direction) -> bool {
        let schemas = self.schemas();
        let (excluded, other) = match direction {
            Direction::ToService => (&schemas.read_only, &schemas.write_only),
            Direction::FromService => (&schemas.write_only, &schemas.read_only),
        };
        let is_excluded = excluded.contains(&edge.to) && !other.contains(&edge.to);
        edge.kind.step() != SchemaStep::Member || !is_excluded
    }

    /// The schema that a discriminator's value chooses: by the mapping, or else a branch or a subtype of this name. A subtype refers
    /// to the schema.
    pub fn branch(&self, schema: SchemaId, value: &str) -> Option<SchemaId> {
        let mut choices = self.choices(schema);
        let chosen = choices.find(|(name, _)| *name == Some(value));
        chosen.map(|(_, to)| to)
    }

    /// The schemas that a discriminator of this schema may choose, each with the value that does.
    pub fn choices(&self, id: SchemaId) -> impl Iterator<Item = (Option<&str>, SchemaId)> {
        let schemas = self.schemas();
        let discriminator = schemas.discriminator(id).into_iter();
        discriminator.flat_map(move |discriminator| {
            let mapping = discriminator.mapping.iter();
            let mapped = mapping.map(|(value, to)| (Some(value.as_str()), *to));
            let edges = schemas.unnamed_edges(id);
            let branches =
                edges.filter(|one| matches!(one.kind, EdgeKind::OneOf | EdgeKind::AnyOf));
            let others = branches
                .map(|edge| edge.to)
                .chain(schemas.subtypes(id).iter().copied());
            mapped.chain(others.map(|to| (self.name_of(to), to)))
        })
    }

    /// The key of a schema in the object that contains it.
    pub fn name_of(&self, schema: SchemaId) -> Option<&str> {
        self.schema_value(schema)?.key()
    }

    /// The name of the property that an edge leads to.
    pub fn property_name(&self, edge: &Edge) -> Option<&str> {
        self.key_of(edge)
            .filter(|_| edge.kind == EdgeKind::Property)
    }

    /// The edges of one schema to a member: by its name and by patterns, or else the one for all other names.
    pub fn edges_to_member(&self, schema: SchemaId, name: &str) -> Vec<&Edge> {
        let schemas = self.schemas();
        let patterns = schemas.unnamed_edges(schema);
        let patterns = patterns.filter(|edge| self.matches_name(edge, name));
        let named = schemas.properties_named(schema, name).chain(patterns);
        let named: Vec<&Edge> = named.collect();
        if named.is_empty() {
            self.edges_to_others(schema)
        } else {
            named
        }
    }

    /// The edges of one schema to members whose names it does not mention.
    pub(super) fn edges_to_others(&self, schema: SchemaId) -> Vec<&Edge> {
        self.schemas()
            .unnamed_edges(schema)
            .filter(|edge| {
                matches!(
                    edge.kind,
                    EdgeKind::AdditionalProperties | EdgeKind::UnevaluatedProperties
                )
            })
            .collect()
    }

    /// The key that holds the target of an edge: a property's name, or a pattern.
    pub fn key_of(&self, edge: &Edge) -> Option<&str> {
        self.value(edge.node)?.key()
    }

    /// Whether the pattern of an edge is supported; any name matches one that is not.
    pub(super) fn has_known_pattern(&self, edge: &Edge) -> bool {
        self.key_of(edge)
            .is_some_and(|pattern| self.schemas().patterns.contains_key(pattern))
    }

    fn matches_name(&self, edge: &Edge, name: &str) -> bool {
        if edge.kind != EdgeKind::PatternProperty {
            return false;
        }
        let pattern = self
            .key_of(edge)
            .and_then(|pattern| self.schemas().patterns.get(pattern));
        pattern.is_none_or(|pattern| pattern.is_match(name))
    }

    /// The edges of one schema to an element. `items` applies to the elements after those of `prefixItems`.
    pub(super) fn edges_to_element(&self, schema: SchemaId, index: usize) -> Vec<&Edge> {
        let edges = self.schemas().unnamed_edges(schema);
        let is_in_prefix = edges
            .clone()
            .filter(|edge| edge.kind == EdgeKind::PrefixItem)
            .count()
            > index;
        edges
            .filter(|edge| match edge.kind {
                EdgeKind::PrefixItem => edge.index as usize == index,
                EdgeKind::Items | EdgeKind::UnevaluatedItems => !is_in_prefix,
                EdgeKind::Contains => true,
                _ => false,
            })
            .collect()
    }
}

/// Drops the edges of `unevaluatedProperties` and `unevaluatedItems` if another schema has evaluated the value (JSON Schema
/// 2020-12, core, section 11).
pub(super) fn without_leftovers(mut edges: Vec<&Edge>) -> Vec<&Edge> {
    if !edges.iter().all(|edge| is_leftover(edge)) {
        edges.retain(|edge| !is_leftover(edge));
    }
    edges
}

/// Whether an edge is to what other edges leave over.
fn is_leftover(edge: &Edge) -> bool {
    matches!(
        edge.kind,
        EdgeKind::UnevaluatedProperties | EdgeKind::UnevaluatedItems
    )
}
