//! The operations that a mark of deprecation concerns, looked up for many marks.

use std::collections::{BTreeSet, HashMap};

use crate::findings::ExchangePart;
use crate::openapi::{
    Carrier, Description, Direction, EntryPoint, EntryRoot, MarkedElement, Marker, NodeId,
    OperationId, OperationRole, ParameterId, ParameterLocation, Reach,
};
use crate::traffic::Side;

/// What of a description concerns which operations. Built once for many questions.
#[derive(Debug)]
pub(super) struct AffectedOperations<'d> {
    description: &'d Description,
    reach: Reach<'d>,
    /// By their own place, and by those of their path items.
    operations: HashMap<NodeId, Vec<OperationId>>,
    /// By their own place, and by those of references to them.
    parameters: HashMap<NodeId, Vec<ParameterId>>,
    /// By parameter: the operations that have it.
    users: HashMap<ParameterId, Vec<(Side, OperationId)>>,
}

impl<'d> AffectedOperations<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let mut operations: HashMap<NodeId, Vec<OperationId>> = HashMap::new();
        let mut users: HashMap<ParameterId, Vec<(Side, OperationId)>> = HashMap::new();
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            for &place in operation.path_items.iter().chain([&operation.place]) {
                operations.entry(place).or_default().push(id);
            }
            let sent = operation.parameters.iter().map(|&own| (own, Side::Request));
            let headers = operation.headers.iter().map(|(carrier, own)| (*own, side(carrier)));
            for (own, side) in sent.chain(headers) {
                users.entry(own).or_default().push((side, id));
            }
        }
        let mut parameters: HashMap<NodeId, Vec<ParameterId>> = HashMap::new();
        for (id, parameter) in description.parameter_ids().zip(description.parameters()) {
            for &place in parameter.references.iter().chain([&parameter.place]) {
                parameters.entry(place).or_default().push(id);
            }
        }
        Self { description, reach: Reach::new(description), operations, parameters, users }
    }

    /// The parts of operations, by their numbers, that a mark concerns.
    pub(super) fn by(&mut self, marker: &Marker) -> BTreeSet<(ExchangePart, usize)> {
        let holder = marker.holder;
        match marker.element {
            MarkedElement::SecurityScheme => BTreeSet::new(),
            MarkedElement::Operation | MarkedElement::PathItem => {
                let found = self.operations.get(&holder).into_iter().flatten();
                found.map(|id| (ExchangePart::Operation, id.index())).collect()
            }
            MarkedElement::Parameter | MarkedElement::Header => {
                let found = self.parameters.get(&holder).into_iter().flatten();
                let users = found.filter_map(|id| self.users.get(id)).flatten();
                users.map(|(side, id)| (ExchangePart::Message(*side), id.index())).collect()
            }
            MarkedElement::Schema => {
                let description = self.description;
                let schema = description.schemas().at(holder);
                let found = schema.map(|schema| self.reach.operations(schema)).unwrap_or_default();
                found.into_iter().filter_map(|found| part(description, found)).collect()
            }
        }
    }
}

fn part(description: &Description, found: EntryPoint) -> Option<(ExchangePart, usize)> {
    let operation = description.operation(found.operation)?;
    let side = match found.root {
        EntryRoot::Body(index) => side(&operation.bodies.get(index)?.carrier),
        EntryRoot::Parameter(id) => match description.parameter(id)?.location {
            ParameterLocation::ResponseHeader => Side::Response,
            _ => side_of(found.direction, operation.role),
        },
    };
    Some((ExchangePart::Message(side), found.operation.index()))
}

fn side(carrier: &Carrier) -> Side {
    match carrier {
        Carrier::Request => Side::Request,
        Carrier::Response(_) => Side::Response,
    }
}

fn side_of(direction: Direction, role: OperationRole) -> Side {
    if Carrier::Request.direction(role) == direction { Side::Request } else { Side::Response }
}
