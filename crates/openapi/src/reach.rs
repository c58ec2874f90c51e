//! The way back from a schema to the operations whose bodies or parameters reach it.

use std::collections::HashMap;

use super::Description;
use super::operation::{Direction, OperationId, ParameterId};
use super::schema::SchemaId;

/// The schema graph reversed, and its entry points. Built once for many searches.
#[derive(Debug)]
pub struct Reach<'d> {
    description: &'d Description,
    /// The indices of edges, ordered by their targets.
    incoming: Vec<u32>,
    /// For each schema, the position in `incoming` of the first edge to it; one more entry marks the end.
    first: Vec<usize>,
    roots: HashMap<SchemaId, Vec<EntryPoint>>,
    /// By direction.
    components: Vec<(Direction, Components)>,
}

/// Sets of schemas that reach each other: those of a set reach only those of earlier sets and each other.
#[derive(Debug)]
struct Components {
    schemas: Vec<Vec<SchemaId>>,
    /// The component of each schema.
    of: Vec<usize>,
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
    /// The body of this index in `Operation::bodies`.
    Body(usize),
    /// A parameter, or a header of a response.
    Parameter(ParameterId),
}

impl<'d> Reach<'d> {
    /// The number of schemas from which one search goes out.
    pub const AT_ONCE: usize = u64::BITS as usize;

    /// Reverses the edges.
    pub fn new(description: &'d Description) -> Self {
        let edges = description.schemas().all_edges();
        let mut incoming: Vec<u32> = (0..u32::try_from(edges.len()).unwrap_or(u32::MAX)).collect();
        let to = |edge: u32| edges.get(edge as usize).map(|edge| edge.to.index());
        incoming.sort_by_key(|&edge| to(edge));
        let schemas = description.schemas().ids().count();
        let first = (0..=schemas)
            .map(|id| incoming.partition_point(|&edge| to(edge) < Some(id)))
            .collect();
        let roots = roots(description);
        let mut reach = Self {
            description,
            incoming,
            first,
            roots,
            components: Vec::new(),
        };
        let directions = [Direction::ToService, Direction::FromService];
        reach.components = directions
            .into_iter()
            .map(|one| (one, reach.components_in(one)))
            .collect();
        reach
    }

    /// Finds all entry points from which each of the schemas is reached. `visit` receives the index of a schema and an entry point,
    /// in no order.
    ///
    /// The time is that of one search for every [`Self::AT_ONCE`] schemas: a component passes a word on to those that reach it, with
    /// a bit for each schema that it reaches.
    pub fn find(&self, schemas: &[SchemaId], mut visit: impl FnMut(usize, EntryPoint)) {
        for (direction, components) in &self.components {
            let direction = *direction;
            for (chunk, schemas) in schemas.chunks(Self::AT_ONCE).enumerate() {
                let mut reached = vec![0_u64; components.schemas.len()];
                for (bit, schema) in schemas.iter().enumerate() {
                    components.add(&mut reached, *schema, 1 << bit);
                }
                for (component, members) in components.schemas.iter().enumerate() {
                    let word = reached.get(component).copied().filter(|word| *word != 0);
                    let Some(word) = word else { continue };
                    for &id in members {
                        self.sources(id, direction)
                            .for_each(|source| components.add(&mut reached, source, word));
                        let roots = self.roots.get(&id).into_iter().flatten();
                        for root in roots.filter(|root| root.direction == direction) {
                            (0..Self::AT_ONCE)
                                .filter(|bit| word >> bit & 1 == 1)
                                .for_each(|bit| visit(chunk * Self::AT_ONCE + bit, *root));
                        }
                    }
                }
            }
        }
    }

    /// Finds the components (Kosaraju's algorithm).
    fn components_in(&self, direction: Direction) -> Components {
        let schemas = self.description.schemas();
        let count = self.first.len().saturating_sub(1);
        // The schemas in the order in which a depth-first search against the edges leaves them.
        let mut left = Vec::with_capacity(count);
        let mut is_entered = vec![false; count];
        let mut enter = |id: SchemaId| {
            let entered = is_entered.get_mut(id.index());
            entered.is_some_and(|entered| !std::mem::replace(entered, true))
        };
        for start in schemas.ids() {
            let mut stack = Vec::new();
            if enter(start) {
                stack.push((start, self.sources(start, direction)));
            }
            while let Some((id, sources)) = stack.last_mut() {
                match sources.next() {
                    Some(source) if enter(source) => {
                        stack.push((source, self.sources(source, direction)));
                    }
                    Some(_) => {}
                    None => {
                        left.push(*id);
                        stack.pop();
                    }
                }
            }
        }
        let mut components = Components {
            schemas: Vec::new(),
            of: vec![usize::MAX; count],
        };
        for &start in left.iter().rev() {
            let mut stack = vec![start];
            let mut members = Vec::new();
            while let Some(id) = stack.pop() {
                let of = components
                    .of
                    .get_mut(id.index())
                    .filter(|of| **of == usize::MAX);
                let Some(of) = of else { continue };
                *of = components.schemas.len();
                members.push(id);
                let open = schemas
                    .edges(id)
                    .iter()
                    .filter(|edge| self.description.is_open(edge, direction));
                stack.extend(open.map(|edge| edge.to));
            }
            if !members.is_empty() {
                components.schemas.push(members);
            }
        }
        components
    }

    /// The sources of the edges to a schema that are open in a direction.
    fn sources(&self, id: SchemaId, direction: Direction) -> impl Iterator<Item = SchemaId> + '_ {
        let edges = self.description.schemas().all_edges();
        let into = self
            .first
            .get(id.index())
            .zip(self.first.get(id.index() + 1))
            .and_then(|(&from, &to)| self.incoming.get(from..to))
            .unwrap_or_default();
        into.iter()
            .filter_map(|&edge| edges.get(edge as usize))
            .filter(move |edge| self.description.is_open(edge, direction))
            .map(|edge| edge.from)
    }
}

impl Components {
    fn add(&self, reached: &mut [u64], schema: SchemaId, word: u64) {
        let component = self.of.get(schema.index()).copied().unwrap_or(usize::MAX);
        if let Some(reached) = reached.get_mut(component) {
            *reached |= word;
        }
    }
}

fn roots(description: &Description) -> HashMap<SchemaId, Vec<EntryPoint>> {
    let mut roots: HashMap<SchemaId, Vec<EntryPoint>> = HashMap::new();
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
                roots.entry(schema).or_default().push(reached);
            }
        }
    }
    roots
}
