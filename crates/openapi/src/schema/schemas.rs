//! All schemas of a description, with the facts that depend on the whole graph.

use super::super::NodeId;
use super::super::ancestry::Ancestry;
use super::super::library::Library;
use super::super::limits::{MAX_PER_VALUE, MAX_SHARED};
use super::super::marker::Marker;
use super::super::problem::DescriptionProblemKind;
use super::model::{Discriminator, Edge, EdgeKind, Schema, SchemaId, SchemaStep};
use regex::Regex;
use std::collections::{HashMap, HashSet, VecDeque};

/// All schemas of a description.
#[derive(Debug, Default)]
pub struct Schemas {
    pub(crate) list: Vec<Schema>,
    pub(crate) edges: Vec<Edge>,
    /// The indices of edges, in the same ranges as `edges`, but sorted: first properties by name, then all others.
    by_name: Vec<u32>,
    /// The indices of edges, sorted by the schemas to which they lead.
    by_target: Vec<u32>,
    /// By schema: the number of its properties.
    property_counts: Vec<u32>,
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
    /// The regular expressions of [`EdgeKind::PatternProperty`], without those that are not supported.
    pub(crate) patterns: HashMap<String, Regex>,
}

impl Schemas {
    /// The schema with this id.
    pub fn get(&self, id: SchemaId) -> Option<&Schema> {
        self.list.get(id.index())
    }

    /// The ids of all schemas.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SchemaId> + use<> {
        (0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)).map(SchemaId)
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

    /// The edges of a schema that are not properties, in the order of the file.
    pub(crate) fn unnamed_edges(&self, id: SchemaId) -> impl Iterator<Item = &Edge> {
        self.sorted(id)
            .1
            .iter()
            .filter_map(|&edge| self.edges.get(edge as usize))
    }

    /// The edges to a schema's properties of this name, in the order of the file. `name_of` returns the name of an edge.
    pub(crate) fn properties_named<'d>(
        &self,
        id: SchemaId,
        name: &str,
        name_of: impl Fn(&Edge) -> &'d str,
    ) -> Vec<&Edge> {
        let properties = self.sorted(id).0;
        let edge = |&number: &u32| self.edges.get(number as usize);
        let first = properties
            .partition_point(|number| edge(number).is_some_and(|edge| name_of(edge) < name));
        properties
            .get(first..)
            .unwrap_or_default()
            .iter()
            .filter_map(edge)
            .take_while(|edge| name_of(edge) == name)
            .collect()
    }

    /// The indices of a schema's properties, by name, and of its other edges.
    fn sorted(&self, id: SchemaId) -> (&[u32], &[u32]) {
        let Some(Schema {
            edges: (first, end),
            ..
        }) = self.get(id)
        else {
            return (&[], &[]);
        };
        let all = self
            .by_name
            .get(*first as usize..*end as usize)
            .unwrap_or_default();
        let properties = self
            .property_counts
            .get(id.index())
            .copied()
            .unwrap_or_default();
        all.split_at_checked(properties as usize)
            .unwrap_or((&[], all))
    }

    /// Sorts the properties of every schema by name, for binary search.
    fn sort(&mut self, library: &Library<'_>) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.by_name = (0..count(self.edges.len())).collect();
        self.property_counts = Vec::with_capacity(self.list.len());
        for schema in &self.list {
            let range = schema.edges.0 as usize..schema.edges.1 as usize;
            let file = library.file(schema.node.file);
            let edge = |number: u32| self.edges.get(number as usize);
            let name = |number: u32| {
                let edge = edge(number).filter(|edge| edge.kind == EdgeKind::Property)?;
                file.as_ref()?.document.node(edge.node.value).key()
            };
            let own = self.by_name.get_mut(range).unwrap_or_default();
            // The sort is stable: edges without a name keep their order.
            own.sort_by(|&one, &other| match (name(one), name(other)) {
                (None, None) => std::cmp::Ordering::Equal,
                (one, other) => other
                    .is_some()
                    .cmp(&one.is_some())
                    .then_with(|| one.cmp(&other)),
            });
            self.property_counts
                .push(count(own.partition_point(|&number| name(number).is_some())));
        }
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
        let usual = MAX_SHARED + MAX_PER_VALUE * library.values();
        let mut room = library.expansion().times(usual);
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
            && let Some(file) = library.file(node.file)
        {
            let span = file.document.node(node.value).label();
            library.report(
                node.file,
                span,
                DescriptionProblemKind::TooMuch(library.expansion()),
            );
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
        self.by_target = (0..).take(self.edges.len()).collect();
        let edges = &self.edges;
        let target = |number: &u32| edges.get(*number as usize).map(|edge| edge.to);
        self.by_target.sort_by_key(target);
        self.subtypes = self.find_subtypes(library);
        self.sort(library);
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
        for circle in Ancestry::new(self.list.len(), &ends).components() {
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
            if representatives.get(edge.from.index()) == Some(&edge.to)
                && let Some(file) = library.file(edge.node.file)
            {
                let span = file.document.node(edge.node.value).label();
                library.report(edge.node.file, span, DescriptionProblemKind::Circle);
            }
        }
        self.representatives = representatives;
    }

    /// The schemas with an edge of such a step to this one.
    fn holders(
        &self,
        id: SchemaId,
        is_step: impl Fn(SchemaStep) -> bool,
    ) -> impl Iterator<Item = SchemaId> {
        let edge = |number: &u32| self.edges.get(*number as usize);
        let first = self
            .by_target
            .partition_point(|number| edge(number).is_some_and(|edge| edge.to < id));
        let rest = self.by_target.get(first..).unwrap_or_default().iter();
        rest.filter_map(edge)
            .take_while(move |edge| edge.to == id)
            .filter(move |edge| is_step(edge.kind.step()))
            .map(|edge| edge.from)
    }

    /// These schemas and all that are composed of them by such steps, each once, the nearest first.
    pub fn composed_of(
        &self,
        schemas: impl IntoIterator<Item = SchemaId>,
        is_step: impl Fn(SchemaStep) -> bool + Copy,
    ) -> impl Iterator<Item = SchemaId> {
        let mut queue: VecDeque<SchemaId> = schemas.into_iter().collect();
        let mut seen: HashSet<SchemaId> = queue.iter().copied().collect();
        std::iter::from_fn(move || {
            let next = queue.pop_front()?;
            let holders = self.holders(next, is_step);
            queue.extend(holders.filter(|&holder| seen.insert(holder)));
            Some(next)
        })
    }

    /// Finds the schemas that are composed of a schema with a marker.
    pub(crate) fn propagate_markers(&mut self, markers: &[Marker]) {
        let own = markers.iter().filter_map(|marker| self.at(marker.holder));
        let marked = self.composed_of(own, |step| !step.is_inside());
        self.marked = marked.collect();
    }
}
