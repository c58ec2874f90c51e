//! The possible parents of properties with a rule, by their keys, so that a search of raw bytes need not examine every key
//! with the name of a property.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::SchemaGraph;
use super::leading::{LeadingEdge, LeadingSchemas};
use crate::schema::{SchemaId, SchemaStep};

/// The values that may have a property as a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyParents<'g> {
    /// Any value.
    Any,
    /// Only some values.
    Only(NamedParents<'g>),
}

/// Parents of a property that are known by the keys before them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedParents<'g> {
    /// Whether the body itself may be the parent.
    pub may_be_body: bool,
    /// The keys whose value may be the parent.
    pub keys: BTreeSet<&'g str>,
    /// The keys whose value may have the parent as an element.
    pub keys_of_lists: BTreeSet<&'g str>,
}

/// The most keys for one property. With more keys, a search for them is not worthwhile.
const MAX_KEYS: usize = 4;

/// The most uses of schemas that are followed for the properties of one graph. Beyond, a property may have any parent.
const MAX_USES: usize = 100_000;

impl SchemaGraph {
    /// The names of the properties that have a rule, each with the values that may have such a member.
    pub fn property_parents(&self) -> BTreeMap<&str, PropertyParents<'_>> {
        let reachable = self.reachable_leading();
        let mut uses = SchemaPlacements::new(self, &reachable);
        let mut found: BTreeMap<&str, Option<NamedParents<'_>>> = BTreeMap::new();
        for &id in &reachable {
            let mut parents = None;
            for edge in self.leading.edges(id) {
                let name = self.leading.name_of(edge);
                let Some(name) = name.filter(|_| edge.has_rule && self.has_rule(&edge.edge)) else {
                    continue;
                };
                let more = parents.get_or_insert_with(|| uses.parents(id));
                let known = found
                    .entry(name)
                    .or_insert_with(|| Some(NamedParents::default()));
                *known = known
                    .take()
                    .zip(more.as_ref())
                    .and_then(|(known, more)| known.and(more));
            }
        }
        let parents = |found: Option<_>| found.map_or(PropertyParents::Any, PropertyParents::Only);
        found
            .into_iter()
            .map(|(name, found)| (name, parents(found)))
            .collect()
    }
}

impl NamedParents<'_> {
    /// These parents and others; `None` if they are too many.
    fn and(mut self, more: &Self) -> Option<Self> {
        self.may_be_body |= more.may_be_body;
        self.keys.extend(&more.keys);
        self.keys_of_lists.extend(&more.keys_of_lists);
        self.is_small().then_some(self)
    }

    fn is_small(&self) -> bool {
        self.keys.len() + self.keys_of_lists.len() <= MAX_KEYS
    }
}

/// The places at which a schema is used.
#[derive(Debug, Clone, Copy)]
enum SchemaPlacement<'g> {
    /// For the same value as another schema.
    Composition(SchemaId),
    /// For the member with this key.
    Member(&'g str),
    /// For members with other keys.
    OtherMembers,
    /// For the elements of a list.
    Element(SchemaId),
}

/// The uses of all reachable schemas.
struct SchemaPlacements<'g> {
    graph: &'g SchemaGraph,
    roots: HashSet<SchemaId>,
    reachable: HashSet<SchemaId>,
    /// The number of uses that may still be followed.
    left: usize,
}

impl<'g> SchemaPlacements<'g> {
    fn new(graph: &'g SchemaGraph, reachable: &[SchemaId]) -> Self {
        Self {
            graph,
            roots: graph.roots.iter().map(|root| root.schema).collect(),
            reachable: reachable.iter().copied().collect(),
            left: MAX_USES,
        }
    }

    /// The places at which a schema is used. Those that are not followed count, too; `None` if the limit is exceeded.
    fn of(&mut self, id: SchemaId) -> Option<Vec<SchemaPlacement<'g>>> {
        let leading = &self.graph.leading;
        let (edges, choosing) = (leading.incoming(id), leading.choosing(id));
        self.left = self.left.checked_sub(edges.len() + choosing.len() + 1)?;
        let is_met = |id: &SchemaId| self.reachable.contains(id);
        let edges = edges.iter().filter(|found| is_met(&found.edge.from));
        let edges = edges.map(|found| SchemaPlacement::of(leading, found));
        let choosing = choosing.iter().filter(|from| is_met(from));
        let choosing = choosing.map(|&from| SchemaPlacement::Composition(from));
        Some(edges.chain(choosing).collect())
    }

    /// The values that a schema may describe; `None` if they are not known by their keys.
    fn parents(&mut self, id: SchemaId) -> Option<NamedParents<'g>> {
        let mut parents = NamedParents::default();
        for schema in self.composed(id)? {
            parents.may_be_body |= self.roots.contains(&schema);
            for placement in self.of(schema)? {
                match placement {
                    SchemaPlacement::Composition(_) => {}
                    SchemaPlacement::Member(key) => {
                        parents.keys.insert(key);
                    }
                    SchemaPlacement::OtherMembers => return None,
                    SchemaPlacement::Element(list) => {
                        parents.keys_of_lists.extend(self.keys_of(list)?);
                    }
                }
                if !parents.is_small() {
                    return None;
                }
            }
        }
        Some(parents)
    }

    /// The keys of the values that a schema may describe; `None` if other values are among them.
    fn keys_of(&mut self, list: SchemaId) -> Option<BTreeSet<&'g str>> {
        let mut keys = BTreeSet::new();
        for schema in self.composed(list)? {
            if self.roots.contains(&schema) {
                return None;
            }
            for placement in self.of(schema)? {
                match placement {
                    SchemaPlacement::Composition(_) => {}
                    SchemaPlacement::Member(key) => {
                        keys.insert(key);
                    }
                    SchemaPlacement::OtherMembers | SchemaPlacement::Element(_) => return None,
                }
            }
        }
        Some(keys)
    }

    /// A schema and all schemas that it is a part of, for the same value.
    fn composed(&mut self, id: SchemaId) -> Option<Vec<SchemaId>> {
        let mut seen = HashSet::from([id]);
        let mut found = vec![id];
        let mut next = 0;
        while let Some(&id) = found.get(next) {
            next += 1;
            for one in self.of(id)? {
                if let SchemaPlacement::Composition(whole) = one
                    && seen.insert(whole)
                {
                    found.push(whole);
                }
            }
        }
        Some(found)
    }
}

impl<'g> SchemaPlacement<'g> {
    fn of(leading: &'g LeadingSchemas, found: &LeadingEdge) -> Self {
        let edge = &found.edge;
        match edge.kind.step() {
            SchemaStep::Always | SchemaStep::Conditional => Self::Composition(edge.from),
            SchemaStep::Element => Self::Element(edge.from),
            SchemaStep::Member => leading
                .name_of(found)
                .map_or(Self::OtherMembers, Self::Member),
        }
    }
}
