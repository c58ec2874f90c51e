//! The way back from a schema to the operations whose bodies or parameters reach it.

use std::collections::{BTreeSet, HashMap};

use super::Description;
use super::operation::{Direction, OperationId, ParameterId};
use super::schema::SchemaId;

/// The edges of the schema graph reversed, and its entry points. Built once for many queries.
#[derive(Debug)]
pub struct Reach<'d> {
    description: &'d Description,
    /// The indices of edges, ordered by their targets.
    incoming: Vec<u32>,
    /// For each schema, the position in `incoming` of the first edge to it; one more entry marks the end.
    first: Vec<usize>,
    roots: HashMap<SchemaId, Vec<EntryPoint>>,
    /// For each schema, the last search that visited it.
    seen: Vec<usize>,
    searches: usize,
    /// The entry points of schemas that contain themselves, by representative.
    circles: HashMap<SchemaId, BTreeSet<EntryPoint>>,
}

/// The part of an operation from which a schema is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPoint {
    /// The operation.
    pub operation: OperationId,
    /// The direction in which the part is sent.
    pub direction: Direction,
    /// The body or parameter.
    pub root: EntryRoot,
}

/// A body or parameter of an operation, which has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryRoot {
    /// The body of this index in [`Operation::bodies`](super::Operation::bodies).
    Body(usize),
    /// A parameter, or a header of a response.
    Parameter(ParameterId),
}

impl<'d> Reach<'d> {
    /// Reverses the edges.
    pub fn new(description: &'d Description) -> Self {
        let edges = description.schemas().all_edges();
        let mut incoming: Vec<u32> = (0..u32::try_from(edges.len()).unwrap_or(u32::MAX)).collect();
        let to = |edge: u32| edges.get(edge as usize).map(|edge| edge.to.index());
        incoming.sort_by_key(|&edge| to(edge));
        let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]);
        let schemas = ends.map(|id| id.index() + 1).max().unwrap_or(0);
        let first_of = |id: usize| incoming.partition_point(|&edge| to(edge) < Some(id));
        let first = (0..=schemas).map(first_of).collect();
        let seen = vec![0; schemas];
        Self {
            description,
            incoming,
            first,
            roots: roots(description),
            seen,
            searches: 0,
            circles: HashMap::new(),
        }
    }

    /// Finds all entry points from which the schema is reached.
    pub fn operations(&mut self, schema: SchemaId) -> BTreeSet<EntryPoint> {
        let schemas = self.description.schemas();
        let circle = schemas.representative(schema);
        if let Some(known) = self.circles.get(&circle) {
            return known.clone();
        }
        let directions = [Direction::ToService, Direction::FromService];
        let found: BTreeSet<_> =
            directions.iter().flat_map(|&direction| self.in_direction(circle, direction)).collect();
        if !schemas.circle(circle).is_empty() {
            self.circles.insert(circle, found.clone());
        }
        found
    }

    fn in_direction(&mut self, schema: SchemaId, direction: Direction) -> Vec<EntryPoint> {
        let edges = self.description.schemas().all_edges();
        self.searches += 1;
        let Self { description, incoming, first, roots, seen, searches, .. } = self;
        // Returns whether this search visits a schema for the first time. A schema without edges is only visited once.
        let mut is_new = |schema: SchemaId| {
            let last = seen.get_mut(schema.index());
            last.is_none_or(|last| std::mem::replace(last, *searches) != *searches)
        };
        let mut stack: Vec<SchemaId> = [schema].into_iter().filter(|&id| is_new(id)).collect();
        let mut found = Vec::new();
        while let Some(id) = stack.pop() {
            let roots = roots.get(&id).into_iter().flatten();
            found.extend(roots.filter(|root| root.direction == direction));
            let range = first.get(id.index()).zip(first.get(id.index() + 1));
            let into = range.and_then(|(&from, &to)| incoming.get(from..to)).unwrap_or_default();
            for edge in into.iter().filter_map(|&edge| edges.get(edge as usize)) {
                if description.is_open(edge, direction) && is_new(edge.from) {
                    stack.push(edge.from);
                }
            }
        }
        found
    }
}

fn roots(description: &Description) -> HashMap<SchemaId, Vec<EntryPoint>> {
    let mut roots: HashMap<SchemaId, Vec<EntryPoint>> = HashMap::new();
    for (operation, id) in description.operations().iter().zip(description.operation_ids()) {
        let bodies = operation.bodies.iter().enumerate();
        let bodies =
            bodies.map(|(index, body)| (body.schema, body.direction, EntryRoot::Body(index)));
        let schema = |id: ParameterId| description.parameter(id).and_then(|found| found.schema);
        let request = super::Carrier::Request.direction(operation.role);
        let parameters = operation.parameters.iter();
        let parameters = parameters.map(|&id| (schema(id), request, EntryRoot::Parameter(id)));
        let headers = operation.headers.iter();
        let headers = headers.map(|(carrier, id)| {
            (schema(*id), carrier.direction(operation.role), EntryRoot::Parameter(*id))
        });
        for (schema, direction, root) in bodies.chain(parameters).chain(headers) {
            if let Some(schema) = schema {
                let reached = EntryPoint { operation: id, direction, root };
                roots.entry(schema).or_default().push(reached);
            }
        }
    }
    roots
}
