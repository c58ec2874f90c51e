//! The operations that a marker affects, indexed once for many markers.

use std::collections::{BTreeSet, HashMap};

use crate::findings::ExchangePart;
use sundown_exchange::Side;
use sundown_openapi::{
    Carrier, Description, Direction, EntryPoint, EntryRoot, MarkedElement, Marker, NodeId,
    OperationId, OperationRole, ParameterId, ParameterLocation, Reach,
};

/// An index from marked elements to the operations that use them.
#[derive(Debug)]
pub(super) struct MarkerTargets<'d> {
    description: &'d Description,
    reach: Reach,
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
            let headers = operation
                .headers
                .iter()
                .map(|(carrier, own)| (*own, side_of_carrier(carrier)));
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
        Self {
            description,
            reach: Reach::new(description),
            operations,
            parameters,
            users,
        }
    }

    /// Returns the parts of operations, by the operations' indices, that each marker affects.
    pub(super) fn find(&self, markers: &[&Marker]) -> Vec<BTreeSet<(ExchangePart, usize)>> {
        let mut found: Vec<_> = markers
            .iter()
            .map(|marker| self.of_marker(marker))
            .collect();
        let schemas = self.description.schemas();
        let marked = markers
            .iter()
            .enumerate()
            .filter(|(_, marker)| marker.element == MarkedElement::Schema)
            .filter_map(|(at, marker)| Some((at, schemas.at(marker.holder)?)));
        let (indices, marked): (Vec<usize>, Vec<_>) = marked.unzip();
        self.reach.find(&marked, |at, entry| {
            let affected = indices.get(at).and_then(|&at| found.get_mut(at));
            if let Some(affected) = affected {
                affected.extend(part_of_entry(self.description, entry));
            }
        });
        found
    }

    /// Returns what a marker of something else than a schema affects.
    fn of_marker(&self, marker: &Marker) -> BTreeSet<(ExchangePart, usize)> {
        let holder = marker.holder;
        match marker.element {
            MarkedElement::SecurityScheme | MarkedElement::Schema => BTreeSet::new(),
            MarkedElement::Operation | MarkedElement::PathItem => self
                .operations
                .get(&holder)
                .into_iter()
                .flatten()
                .map(|id| (ExchangePart::Operation, id.index()))
                .collect(),
            MarkedElement::Parameter | MarkedElement::Header => self
                .parameters
                .get(&holder)
                .into_iter()
                .flatten()
                .filter_map(|id| self.users.get(id))
                .flatten()
                .map(|(side, id)| (ExchangePart::Message(*side), id.index()))
                .collect(),
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
    if Carrier::Request.direction(role) == direction {
        Side::Request
    } else {
        Side::Response
    }
}
