//! All schemas of a description, with the facts that depend on the whole graph.

use super::model::{Discriminator, Schema};
use crate::ancestry::{beside, neighbours};
use crate::{
    Ancestry, DescriptionProblemKind, Edge, Library, Marker, NodeId, SchemaId, SchemaStep, narrow,
    reachable,
};
use regex::Regex;
use std::collections::{HashMap, HashSet};

/// All schemas of a description.
#[derive(Debug, Default)]
pub struct Schemas {
    pub(crate) list: Vec<Schema>,
    pub(crate) edges: Vec<Edge>,
    /// By schema: the indices of the edges that lead to it from parts of the same value.
    by_target: Vec<Vec<u32>>,
    /// The schema of each value; `None` for a reference that is being followed.
    pub(super) index: HashMap<NodeId, Option<SchemaId>>,
    /// Those that are `readOnly`, or always have a part that is: only the service writes a property with such a schema.
    pub(crate) read_only: HashSet<SchemaId>,
    /// As [`Self::read_only`], for `writeOnly`: only the consumer writes it.
    pub(crate) write_only: HashSet<SchemaId>,
    /// By schema: the result of [`Self::representative`], if a schema contains itself.
    representatives: Vec<SchemaId>,
    /// The result of [`Self::has_markers`].
    marked: HashSet<SchemaId>,
    /// The discriminators, by their schema.
    pub(crate) discriminators: HashMap<SchemaId, Discriminator>,
    /// By a schema with a discriminator: the result of [`Self::subtypes`].
    subtypes: HashMap<SchemaId, Vec<SchemaId>>,
    /// The regular expressions of properties by pattern, without those that are not supported.
    pub(crate) patterns: HashMap<String, Regex>,
}

impl Schemas {
    /// The schema with this id.
    pub fn get(&self, id: SchemaId) -> Option<&Schema> {
        self.list.get(id.index())
    }

    /// The ids of all schemas.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SchemaId> + use<> {
        (0..narrow(self.list.len())).map(SchemaId)
    }

    /// The edges of a schema, in the order of the file.
    pub fn edges(&self, id: SchemaId) -> &[Edge] {
        let Some(schema) = self.get(id) else {
            return &[];
        };
        self.edges
            .get(schema.edges.0 as usize..schema.edges.1 as usize)
            .unwrap_or_default()
    }

    /// The edges of these schemas.
    pub fn edges_of(&self, schemas: &[SchemaId]) -> impl Iterator<Item = &Edge> {
        schemas.iter().flat_map(|&id| self.edges(id))
    }

    /// The edges of these schemas to the elements of lists.
    pub fn elements_of(&self, schemas: &[SchemaId]) -> impl Iterator<Item = &Edge> {
        let edges = schemas.iter().flat_map(|&id| self.unnamed_edges(id));
        edges.filter(|edge| edge.kind.step() == SchemaStep::Element)
    }

    /// The edges of a schema that are not properties, in the order of the file.
    pub(crate) fn unnamed_edges(&self, id: SchemaId) -> impl Iterator<Item = &Edge> + Clone {
        let unnamed = self.get(id).into_iter().flat_map(|schema| &schema.unnamed);
        unnamed.filter_map(|&edge| self.edges.get(edge as usize))
    }

    /// The edges to a schema's properties of this name, in the order of the file.
    pub(crate) fn properties_named(&self, id: SchemaId, name: &str) -> impl Iterator<Item = &Edge> {
        let named = self.get(id).and_then(|schema| schema.named.get(name));
        let named = named.into_iter().flatten();
        named.filter_map(|&edge| self.edges.get(edge as usize))
    }

    /// The discriminator of a schema.
    pub fn discriminator(&self, id: SchemaId) -> Option<&Discriminator> {
        self.discriminators.get(&id)
    }

    /// Whether the schema, or a part that it is composed of, has a marker.
    pub fn has_markers(&self, id: SchemaId) -> bool {
        self.marked.contains(&id)
    }

    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The schema at a node, or the target if the node is a reference. Returns `None` if there is no schema.
    pub fn at(&self, node: NodeId) -> Option<SchemaId> {
        self.index.get(&node).copied().flatten()
    }

    /// The subtypes of a schema with a discriminator: the schemas that always contain it, directly or indirectly.
    pub(crate) fn subtypes(&self, base: SchemaId) -> &[SchemaId] {
        self.subtypes.get(&base).map_or(&[], Vec::as_slice)
    }

    /// Finds the subtypes of every schema with a discriminator.
    fn find_subtypes(&self, library: &mut Library<'_>) -> HashMap<SchemaId, Vec<SchemaId>> {
        if self.discriminators.is_empty() {
            return HashMap::new();
        }
        // In a chain, each schema is a subtype of all that come after it, so the total is bounded.
        let mut room = library.visits();
        let mut bases: Vec<SchemaId> = self.discriminators.keys().copied().collect();
        bases.sort_unstable();
        let mut subtypes = HashMap::new();
        for &base in &bases {
            let found = self.composed_of([base], |step| step == SchemaStep::Always);
            let found: Vec<SchemaId> = found.take(room).skip(1).collect();
            room = room.saturating_sub(1 + found.len());
            subtypes.insert(base, found);
        }
        if room == 0
            && let Some(Schema { node, .. }) = bases.first().and_then(|&base| self.get(base))
        {
            let problem = DescriptionProblemKind::TooMuch(library.expansion());
            library.report_at(*node, problem);
        }
        subtypes
    }

    /// Returns one of the schemas that always contain each other, the same for all of them. To search one for the whole circle
    /// keeps searches linear. A schema that does not contain itself represents itself.
    pub fn representative(&self, id: SchemaId) -> SchemaId {
        self.representatives.get(id.index()).copied().unwrap_or(id)
    }

    /// Derives the facts that depend on the whole graph, and reports schemas that contain themselves.
    pub(crate) fn finish(&mut self, library: &mut Library<'_>) {
        let parts = (0..).zip(&self.edges);
        let parts = parts.filter(|(_, edge)| !edge.kind.step().is_inside());
        let targets = parts.map(|(number, edge)| (edge.to.0, number));
        self.by_target = neighbours(self.list.len(), targets);
        self.subtypes = self.find_subtypes(library);
        let is_always = |step| step == SchemaStep::Always;
        let read_only = self.composed_of(self.read_only.iter().copied(), is_always);
        let write_only = self.composed_of(self.write_only.iter().copied(), is_always);
        (self.read_only, self.write_only) = (read_only.collect(), write_only.collect());
        self.find_circles(library);
    }

    /// Finds the schemas that always contain each other, and reports them.
    fn find_circles(&mut self, library: &mut Library<'_>) {
        let always = self.edges.iter();
        let always = always.filter(|edge| edge.kind.step() == SchemaStep::Always);
        let ends: Vec<(u32, u32)> = always
            .clone()
            .map(|edge| (edge.from.0, edge.to.0))
            .collect();
        let mut representatives: Vec<SchemaId> = self.ids().collect();
        for circle in Ancestry::new(self.list.len(), &ends).components {
            let Some((&first, others)) = circle.split_first() else {
                continue;
            };
            for &id in others {
                if let Some(representative) = representatives.get_mut(id as usize) {
                    *representative = SchemaId(first);
                }
            }
        }
        for edge in always {
            if representatives.get(edge.from.index()) == Some(&edge.to) {
                library.report_at(edge.node, DescriptionProblemKind::Circle);
            }
        }
        self.representatives = representatives;
    }

    /// These schemas and all that are composed of them by such steps, each once, the nearest first. What uses a schema inside of another
    /// value is not composed of it.
    pub fn composed_of(
        &self,
        schemas: impl IntoIterator<Item = SchemaId>,
        is_step: impl Fn(SchemaStep) -> bool + Copy,
    ) -> impl Iterator<Item = SchemaId> {
        reachable(schemas, move |id| {
            let edges = beside(&self.by_target, id.0).iter();
            let edges = edges.filter_map(|number| self.edges.get(*number as usize));
            let edges = edges.filter(move |edge| is_step(edge.kind.step()));
            edges.map(|edge| edge.from)
        })
    }

    /// Finds the schemas that are composed of a schema with a marker.
    pub(crate) fn propagate_markers(&mut self, markers: &[Marker]) {
        let own = markers.iter().filter_map(|marker| self.at(marker.holder));
        let marked = self.composed_of(own, |step| !step.is_inside());
        self.marked = marked.collect();
    }
}
