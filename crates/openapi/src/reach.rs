//! The way back from a schema to the operations whose bodies or parameters reach it.

use std::collections::{HashMap, HashSet};

use super::ancestry::{Ancestry, reachable};
use super::operation::{Carrier, Direction, OperationId, Parameter};
use super::schema::SchemaId;
use super::{Description, MarkedElement, Marker, NodeId};

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

impl Description {
    /// All schemas that describe a part of values with these schemas.
    pub(crate) fn parts_of(
        &self,
        schemas: impl IntoIterator<Item = SchemaId>,
    ) -> impl Iterator<Item = SchemaId> {
        reachable(schemas, |id| {
            let edges = self.schemas().edges(id).iter().map(|edge| edge.to);
            edges.chain(self.possible_choices(id))
        })
    }

    /// The marked elements that no operation has: schemas, parameters, headers and security schemes.
    pub fn unreached_markers(&self) -> Vec<&Marker> {
        let operations = self.operations().iter();
        let roots = operations.flat_map(|one| self.carried(one).map(|(_, parameter)| parameter));
        let bodies = self.bodies().map(|(_, body)| body);
        // A parameter may give a body (Swagger 2.0).
        let holders = bodies.clone().filter_map(|body| {
            let holder = self.value(body.node)?.parent()?;
            Some(NodeId::of(body.node.file, holder))
        });
        let used = roots.clone().flat_map(Parameter::nodes).chain(holders);
        let used: HashSet<NodeId> = used.collect();
        let bodies = bodies.filter_map(|one| one.schema);
        let roots = roots.filter_map(|one| one.schema).chain(bodies);
        let reached: HashSet<SchemaId> = self.parts_of(roots).collect();
        self.markers()
            .iter()
            .filter(|marker| match marker.element {
                MarkedElement::Schema => {
                    let schema = self.schemas().at(marker.holder);
                    schema.is_none_or(|schema| !reached.contains(&schema))
                }
                MarkedElement::Operation | MarkedElement::PathItem => false,
                _ => !used.contains(&marker.holder),
            })
            .collect()
    }
}

fn roots(description: &Description) -> HashMap<usize, Vec<EntryPoint>> {
    let mut roots: HashMap<usize, Vec<EntryPoint>> = HashMap::new();
    for (id, operation) in description.numbered_operations() {
        let bodies = operation.bodies.iter().enumerate();
        let bodies = bodies.map(|(index, body)| (body.schema, &body.carrier, Some(index)));
        let parameters = description.carried(operation);
        let parameters = parameters.map(|(carrier, one)| (one.schema, carrier, None));
        for (schema, carrier, body) in bodies.chain(parameters) {
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
