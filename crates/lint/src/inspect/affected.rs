//! The operations that a marker affects, indexed once for many markers.

use std::collections::HashMap;

use super::search::Reached;
use crate::findings::ExchangePart;
use crate::rules::side_of;
use sundown_exchange::Side;
use sundown_openapi::{Description, MarkedElement, Marker, NodeId, Parameter, Reach};

/// An index from marked elements to the operations that use them.
#[derive(Debug)]
pub(super) struct MarkerTargets<'d> {
    description: &'d Description,
    reach: Reach,
    /// The parts of operations that have an operation, a path item, a parameter, or a reference to one of them.
    users: HashMap<NodeId, Reached>,
}

impl<'d> MarkerTargets<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let mut users: HashMap<NodeId, Reached> = HashMap::new();
        for (id, operation) in description.numbered_operations() {
            for &node in operation.path_items.iter().chain([&operation.node]) {
                let known = users.entry(node).or_default();
                known.insert((ExchangePart::Operation, id.index()));
            }
            let sent = operation.parameters.iter().map(|&own| (own, Side::Request));
            let headers = operation
                .headers
                .iter()
                .map(|(carrier, own)| (*own, side_of(carrier)));
            for (own, side) in sent.chain(headers) {
                let parameter = description.parameter(own).into_iter();
                for node in parameter.flat_map(Parameter::nodes) {
                    let known = users.entry(node).or_default();
                    known.insert((ExchangePart::Message(side), id.index()));
                }
            }
        }
        Self {
            description,
            reach: Reach::new(description),
            users,
        }
    }

    /// Returns the parts of operations, by the operations' indices, that each marker affects.
    pub(super) fn find(&self, markers: &[&Marker]) -> Vec<Reached> {
        let mut found: Vec<_> = markers
            .iter()
            .map(|marker| self.users.get(&marker.holder).cloned().unwrap_or_default())
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
                let part = ExchangePart::Message(side_of(&entry.carrier));
                affected.insert((part, entry.operation.index()));
            }
        });
        found
    }
}
