//! The way back from a schema to the operations whose bodies or parameters reach it.

use std::collections::{HashMap, HashSet};

use crate::{
    Ancestry, Carrier, Description, Direction, MarkedElement, Marker, NodeId, OperationId,
    SchemaId, reachable,
};

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
            let open = open.map(|edge| (edge.from.0, edge.to.0));
            let chosen = schemas.ids().flat_map(|id| {
                let choices = description.choices(id);
                choices.map(move |(_, to)| (id.0, to.0))
            });
            let ends: Vec<(u32, u32)> = open.chain(chosen).collect();
            (direction, Ancestry::new(schemas.ids().len(), &ends))
        });
        let mut roots: HashMap<usize, Vec<EntryPoint>> = HashMap::new();
        for (schema, entry) in description.roots() {
            roots.entry(schema.index()).or_default().push(entry);
        }
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
            edges.chain(self.choices(id).map(|(_, to)| to))
        })
    }

    /// The objects whose marks are about an operation or a part of it, with the message that carries the part.
    pub fn mark_holders(&self) -> impl Iterator<Item = (NodeId, OperationId, Option<&Carrier>)> {
        self.numbered_operations().flat_map(|(id, operation)| {
            let own = operation.path_items.iter().chain([&operation.node]);
            let own = own.map(|node| (*node, None));
            let parameters = self.carried(operation).flat_map(|(carrier, _, one)| {
                let nodes = one.nodes();
                nodes.map(move |node| (node, Some(carrier)))
            });
            let bodies = operation.bodies.iter();
            let bodies =
                bodies.filter_map(|body| Some((self.holder_of(body.node)?, Some(&body.carrier))));
            let all = own.chain(parameters).chain(bodies);
            all.map(move |(node, carrier)| (node, id, carrier))
        })
    }

    /// The schemas of bodies, parameters and headers.
    fn roots(&self) -> impl Iterator<Item = (SchemaId, EntryPoint)> {
        self.numbered_operations().flat_map(|(id, operation)| {
            let bodies = operation.bodies.iter().enumerate();
            let bodies = bodies.map(|(index, body)| (body.schema, &body.carrier, Some(index)));
            let parameters = self.carried(operation);
            let parameters = parameters.map(|(carrier, _, one)| (one.schema, carrier, None));
            let all = bodies.chain(parameters);
            all.filter_map(move |(schema, carrier, body)| {
                let entry = EntryPoint {
                    operation: id,
                    direction: carrier.direction(operation.role),
                    carrier: carrier.clone(),
                    body,
                };
                Some((schema?, entry))
            })
        })
    }

    /// The marked elements that no operation has: schemas, parameters, headers and security schemes.
    pub fn unreached_markers(&self) -> Vec<&Marker> {
        let used: HashSet<NodeId> = self.mark_holders().map(|(holder, ..)| holder).collect();
        let roots = self.roots().map(|(schema, _)| schema);
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
