//! The way back from a schema to the operations whose bodies or parameters reach it.

use std::collections::HashMap;

use super::Description;
use super::ancestry::Ancestry;
use super::operation::{Direction, OperationId, ParameterId};
use super::schema::SchemaId;

/// The schema graph reversed, and its entry points. Built once for many searches.
#[derive(Debug)]
pub struct Reach {
    roots: HashMap<usize, Vec<EntryPoint>>,
    /// By direction.
    graphs: [(Direction, Ancestry); 2],
}

/// The part of an operation from which a schema is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPoint {
    pub operation: OperationId,
    /// The direction in which the part is sent.
    pub direction: Direction,
    /// The body or parameter.
    pub root: EntryRoot,
}

/// A body or parameter of an operation, which has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryRoot {
    /// The body of this index in `Operation::bodies`.
    Body(usize),
    /// A parameter, or a header of a response.
    Parameter(ParameterId),
}

impl Reach {
    /// The number of schemas from which one search goes out.
    pub const AT_ONCE: usize = Ancestry::AT_ONCE;

    /// Reverses the edges.
    pub fn new(description: &Description) -> Self {
        let schemas = description.schemas();
        let graphs = [Direction::ToService, Direction::FromService].map(|direction| {
            let edges = schemas.all_edges().iter();
            let open = edges.filter(|edge| description.is_open(edge, direction));
            let ends: Vec<(u32, u32)> = open.map(|edge| (edge.from.0, edge.to.0)).collect();
            (direction, Ancestry::new(schemas.ids().count(), &ends))
        });
        let roots = roots(description);
        Self { roots, graphs }
    }

    /// Finds all entry points from which each of the schemas is reached. `visit` receives the index of a schema and an entry point,
    /// in no order.
    pub fn find(&self, schemas: &[SchemaId], mut visit: impl FnMut(usize, EntryPoint)) {
        let targets: Vec<usize> = schemas.iter().map(|schema| schema.index()).collect();
        for (direction, graph) in &self.graphs {
            graph.find(&targets, |node, found| {
                let roots = self.roots.get(&node).into_iter().flatten();
                for root in roots.filter(|root| root.direction == *direction) {
                    for &schema in found {
                        visit(schema, *root);
                    }
                }
            });
        }
    }
}

fn roots(description: &Description) -> HashMap<usize, Vec<EntryPoint>> {
    let mut roots: HashMap<usize, Vec<EntryPoint>> = HashMap::new();
    for (operation, id) in description
        .operations()
        .iter()
        .zip(description.operation_ids())
    {
        let bodies = operation
            .bodies
            .iter()
            .enumerate()
            .map(|(index, body)| (body.schema, body.direction, EntryRoot::Body(index)));
        let schema = |id: ParameterId| description.parameter(id).and_then(|found| found.schema);
        let request = super::Carrier::Request.direction(operation.role);
        let parameters = operation
            .parameters
            .iter()
            .map(|&id| (schema(id), request, EntryRoot::Parameter(id)));
        let headers = operation.headers.iter().map(|(carrier, id)| {
            (
                schema(*id),
                carrier.direction(operation.role),
                EntryRoot::Parameter(*id),
            )
        });
        for (schema, direction, root) in bodies.chain(parameters).chain(headers) {
            if let Some(schema) = schema {
                let reached = EntryPoint {
                    operation: id,
                    direction,
                    root,
                };
                roots.entry(schema.index()).or_default().push(reached);
            }
        }
    }
    roots
}
