//! From a schema back to the operations whose bodies or parameters reach it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Description;
use super::operation::{Direction, OperationId, ParameterId};
use super::schema::SchemaId;

/// The graph's edges backwards, and where it begins. Built once for many questions.
#[derive(Debug)]
pub struct Reach<'d> {
    description: &'d Description,
    /// Numbers of edges, ordered by where they lead.
    incoming: Vec<u32>,
    roots: HashMap<SchemaId, Vec<Reached>>,
}

/// Where an operation begins to reach a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reached {
    /// The operation.
    pub operation: OperationId,
    /// Which way it goes.
    pub direction: Direction,
    /// From what.
    pub root: Root,
}

/// What of an operation has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The body of this index in [`Operation::bodies`](super::Operation::bodies).
    Body(usize),
    /// A parameter, or a header of a response.
    Parameter(ParameterId),
}

impl<'d> Reach<'d> {
    /// Turns the edges around.
    pub fn new(description: &'d Description) -> Self {
        let edges = description.schemas().all_edges();
        let mut incoming: Vec<u32> = (0..u32::try_from(edges.len()).unwrap_or(u32::MAX)).collect();
        incoming.sort_by_key(|&edge| edges.get(edge as usize).map(|edge| edge.to));
        Self { description, incoming, roots: roots(description) }
    }

    /// The operations that reach the schema, each with every way in.
    pub fn operations(&self, schema: SchemaId) -> BTreeSet<Reached> {
        let directions = [Direction::ToService, Direction::FromService];
        directions.into_iter().flat_map(|direction| self.in_direction(schema, direction)).collect()
    }

    fn in_direction(&self, schema: SchemaId, direction: Direction) -> Vec<Reached> {
        let edges = self.description.schemas().all_edges();
        let mut seen = HashSet::from([schema]);
        let mut stack = vec![schema];
        let mut found = Vec::new();
        while let Some(id) = stack.pop() {
            let roots = self.roots.get(&id).into_iter().flatten();
            found.extend(roots.filter(|root| root.direction == direction));
            let to = |edge: &u32| edges.get(*edge as usize).map(|edge| edge.to);
            let first = self.incoming.partition_point(|edge| to(edge) < Some(id));
            let rest = self.incoming.get(first..).unwrap_or_default();
            let into = rest.iter().filter_map(|&edge| edges.get(edge as usize));
            for edge in into.take_while(|edge| edge.to == id) {
                if self.description.is_open(edge, direction) && seen.insert(edge.from) {
                    stack.push(edge.from);
                }
            }
        }
        found
    }
}

fn roots(description: &Description) -> HashMap<SchemaId, Vec<Reached>> {
    let mut roots: HashMap<SchemaId, Vec<Reached>> = HashMap::new();
    for (operation, id) in description.operations().iter().zip(description.operation_ids()) {
        let bodies = operation.bodies.iter().enumerate();
        let bodies = bodies.map(|(index, body)| (body.schema, body.direction, Root::Body(index)));
        let schema = |id: ParameterId| description.parameter(id).and_then(|found| found.schema);
        let request = super::Carrier::Request.direction(operation.role);
        let parameters = operation.parameters.iter();
        let parameters = parameters.map(|&id| (schema(id), request, Root::Parameter(id)));
        let headers = operation.headers.iter();
        let headers = headers.map(|(carrier, id)| {
            (schema(*id), carrier.direction(operation.role), Root::Parameter(*id))
        });
        for (schema, direction, root) in bodies.chain(parameters).chain(headers) {
            if let Some(schema) = schema {
                let reached = Reached { operation: id, direction, root };
                roots.entry(schema).or_default().push(reached);
            }
        }
    }
    roots
}
