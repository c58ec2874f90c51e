//! Reads the keys of deprecated security schemes: each is a parameter of the operations of the service.

use super::contents::location;
use super::path_reader::PathReader;
use crate::{
    FileId, Label, NodeId, OperationRole, Parameter, ParameterId, ParameterLocation, narrow,
};
use std::collections::HashSet;
use sundown_text_json::json::Node;

impl PathReader<'_, '_> {
    /// Adds the keys of marked schemes to the operations, except where a parameter has the place. A key that another scheme sends in
    /// the same place is left out, because a call does not show which of them is meant.
    pub(super) fn api_keys(&mut self, file: FileId, schemes: &[Node<'_>]) {
        let markers = self.schemas.markers.iter();
        let marked: HashSet<NodeId> = markers.map(|marker| marker.holder).collect();
        let (marked, others): (Vec<Node<'_>>, Vec<_>) =
            (schemes.iter()).partition(|scheme| marked.contains(&NodeId::of(file, **scheme)));
        let others: Vec<_> = others.into_iter().filter_map(place_of).collect();
        for scheme in marked {
            let is_key = scheme.text_of("type") == Some("apiKey");
            let own = place_of(scheme)
                .filter(|own| is_key && !others.iter().any(|one| are_equal(one, own)));
            let (Some((location, name)), label) = (own, Label::of(file, scheme)) else {
                continue;
            };
            if !self.visit(self.operations.len(), label) {
                return;
            }
            let id = ParameterId(narrow(self.parameters.len()));
            for operation in &mut self.operations {
                let is_served = operation.role == OperationRole::Served;
                let is_known = operation.parameters.iter().any(|known| {
                    let known = self.parameters.get(known.index());
                    known
                        .is_some_and(|one| are_equal(&(one.location, &one.name), &(location, name)))
                });
                if is_served && !is_known {
                    operation.parameters.push(id);
                }
            }
            self.parameters.push(Parameter {
                node: NodeId::of(file, scheme),
                references: Vec::new(),
                name: name.to_owned(),
                label,
                location,
                is_required: false,
                schema: None,
                pattern: None,
                examples: Vec::new(),
            });
        }
    }
}

/// Where calls send what a security scheme demands.
fn place_of(scheme: Node<'_>) -> Option<(ParameterLocation, &str)> {
    match scheme.text_of("type")? {
        "apiKey" => Some((location(scheme)?, scheme.text_of("name")?)),
        "mutualTLS" => None,
        _ => Some((ParameterLocation::Header, "Authorization")),
    }
}

fn are_equal(one: &(ParameterLocation, &str), other: &(ParameterLocation, &str)) -> bool {
    one.0 == other.0 && one.1.eq_ignore_ascii_case(other.1)
}
