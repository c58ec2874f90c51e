//! The operations that a marker affects, indexed once for many markers.

use std::collections::{BTreeSet, HashMap};

use crate::findings::ExchangePart;
use crate::openapi::{
    Carrier, Description, Direction, EntryPoint, EntryRoot, MarkedElement, Marker, NodeId,
    OperationId, OperationRole, ParameterId, ParameterLocation, Reach,
};
use crate::traffic::Side;

/// An index from marked elements to the operations that use them.
#[derive(Debug)]
pub(super) struct MarkerTargets<'d> {
    description: &'d Description,
    reach: Reach<'d>,
    /// Operations by their own node and by the nodes of their path items.
    operations: HashMap<NodeId, Vec<OperationId>>,
    /// Parameters by their own node and by the nodes of references to them.
    parameters: HashMap<NodeId, Vec<ParameterId>>,
    /// The operations that have a parameter.
    users: HashMap<ParameterId, Vec<(Side, OperationId)>>,
}

impl<'d> MarkerTargets<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let mut operations: HashMap<NodeId, Vec<OperationId>> = HashMap::new();
        let mut users: HashMap<ParameterId, Vec<(Side, OperationId)>> = HashMap::new();
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            for &node in operation.path_items.iter().chain([&operation.node]) {
                operations.entry(node).or_default().push(id);
            }
            let sent = operation.parameters.iter().map(|&own| (own, Side::Request));
            let headers =
                operation.headers.iter().map(|(carrier, own)| (*own, side_of_carrier(carrier)));
            for (own, side) in sent.chain(headers) {
                users.entry(own).or_default().push((side, id));
            }
        }
        let mut parameters: HashMap<NodeId, Vec<ParameterId>> = HashMap::new();
        for (id, parameter) in description.parameter_ids().zip(description.parameters()) {
            for &node in parameter.references.iter().chain([&parameter.node]) {
                parameters.entry(node).or_default().push(id);
            }
        }
        Self { description, reach: Reach::new(description), operations, parameters, users }
    }

    /// Returns the parts of operations, by the operations' indices, that a marker affects.
    pub(super) fn find(&mut self, marker: &Marker) -> BTreeSet<(ExchangePart, usize)> {
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
                found.into_iter().filter_map(|entry| part_of_entry(description, entry)).collect()
            }
        }
    }
}

fn part_of_entry(description: &Description, entry: EntryPoint) -> Option<(ExchangePart, usize)> {
    let operation = description.operation(entry.operation)?;
    let side = match entry.root {
        EntryRoot::Body(index) => side_of_carrier(&operation.bodies.get(index)?.carrier),
        EntryRoot::Parameter(id) => match description.parameter(id)?.location {
            ParameterLocation::ResponseHeader => Side::Response,
            _ => side_of_direction(entry.direction, operation.role),
        },
    };
    Some((ExchangePart::Message(side), entry.operation.index()))
}

fn side_of_carrier(carrier: &Carrier) -> Side {
    match carrier {
        Carrier::Request => Side::Request,
        Carrier::Response(_) => Side::Response,
    }
}

fn side_of_direction(direction: Direction, role: OperationRole) -> Side {
    if Carrier::Request.direction(role) == direction { Side::Request } else { Side::Response }
}
