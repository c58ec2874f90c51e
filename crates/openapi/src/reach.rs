//! The way back from a schema to the operations whose bodies or parameters reach it.

use std::collections::HashMap;

use super::Description;
use super::ancestry::Ancestry;
use super::operation::{Carrier, Direction, OperationId, ParameterId};
use super::schema::SchemaId;

/// The schema graph reversed, and its entry points. Built once for many searches.
#[derive(Debug)]
pub struct Reach {
    roots: HashMap<usize, Vec<EntryPoint>>,
    /// By direction.
    graphs: [(Direction, Ancestry); 2],
}

/// The part of an operation from which a schema is reached: a body, a parameter, or a header.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryPoint {
    pub operation: OperationId,
    /// The direction in which the part is sent.
    pub direction: Direction,
    pub carrier: Carrier,
    /// The index of a body in `Operation::bodies`.
    pub body: Option<usize>,
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
    pub fn find(&self, schemas: &[SchemaId], mut visit: impl FnMut(usize, &EntryPoint)) {
        let targets: Vec<usize> = schemas.iter().map(|schema| schema.index()).collect();
        for (direction, graph) in &self.graphs {
            graph.find(&targets, |node, found| {
                let roots = self.roots.get(&node).into_iter().flatten();
                for root in roots.filter(|root| root.direction == *direction) {
                    for &schema in found {
                        visit(schema, root);
                    }
                }
            });
        }
    }
}

fn roots(description: &Description) -> HashMap<usize, Vec<EntryPoint>> {
    let mut roots: HashMap<usize, Vec<EntryPoint>> = HashMap::new();
    for (id, operation) in description.numbered_operations() {
        let bodies = operation.bodies.iter().enumerate();
        let bodies = bodies.map(|(index, body)| (body.schema, &body.carrier, Some(index)));
        let schema = |id: &ParameterId| description.parameter(*id).and_then(|found| found.schema);
        let parameters = operation.parameters.iter();
        let parameters = parameters.map(|id| (schema(id), &Carrier::Request, None));
        let headers = operation.headers.iter();
        let headers = headers.map(|(carrier, id)| (schema(id), carrier, None));
        for (schema, carrier, body) in bodies.chain(parameters).chain(headers) {
            if let Some(schema) = schema {
                roots.entry(schema.index()).or_default().push(EntryPoint {
                    operation: id,
                    direction: carrier.direction(operation.role),
                    carrier: carrier.clone(),
                    body,
                });
            }
        }
    }
    roots
}
