//! The elements of rules outside bodies: operations, parameters and header fields.

use super::conditions::{is_about, is_whole};
use super::location::KeyLocation;
use super::search::{Declaration, DescriptionSearch, FoundElement};
use crate::findings::{Certainty, ExchangePart};
use crate::rules::{ElementPart, MatchedPlace};
use sundown_exchange::Side;
use sundown_openapi::{
    DescribedOperation, Description, Direction, Edge, NodeId, OperationId, Parameter,
    ParameterLocation,
};
use sundown_text_json::json::Node;

/// The most schemas of a parameter in which a member is looked for.
const MAX_APPLIED: usize = 500;

impl DescriptionSearch<'_> {
    /// Looks for the element of a rule that is not about a body in an operation.
    pub(super) fn search_outside_bodies(&mut self, wanted: MatchedPlace<'_>, call: OperationId) {
        let Some(operation) = self.description.operation(call) else {
            return;
        };
        let MatchedPlace {
            rule, own, place, ..
        } = wanted;
        match &own.element.part {
            ElementPart::Endpoint => {
                let replacement = self.operation_replacement(own.replacement.as_deref());
                let found = FoundElement::Declaration(operation.node, Declaration::Operation(call));
                let by = [(ExchangePart::Operation, call)];
                if let Some(known) = self.record(rule, found, by) {
                    known.judge(replacement);
                }
            }
            ElementPart::Parameter(name) if place.sides.contains(Side::Request) => {
                let by = [(ExchangePart::Message(Side::Request), call)];
                let object = name.strip_suffix("[*]").unwrap_or(name);
                let mut is_declared =
                    self.declare_parameters(wanted, call, operation, Side::Request, |found| {
                        found.location == ParameterLocation::Query && found.name == object
                    });
                let is_whole = own.element.value.is_none();
                for member in self.members_of_parameters(operation, name) {
                    is_declared = true;
                    if is_whole {
                        let declaration = Declaration::Property(member.to);
                        let found = FoundElement::Declaration(member.node, declaration);
                        self.record(rule, found, by);
                    }
                }
                if !is_declared && is_whole && place.operation.is_concrete() {
                    self.record(rule, FoundElement::Expected, by);
                }
                self.search_examples(wanted, call, operation, name);
            }
            ElementPart::Field(_) | ElementPart::Segment(_) | ElementPart::Parameter(_) => {}
            ElementPart::Header(name) => {
                let cookie = own.element.cookie();
                for side in Side::BOTH {
                    if place.sides.contains(side) {
                        self.declare_parameters(wanted, call, operation, side, |found| match found
                            .location
                        {
                            ParameterLocation::Header | ParameterLocation::ResponseHeader => {
                                found.name.eq_ignore_ascii_case(name)
                            }
                            ParameterLocation::Cookie => {
                                cookie.is_some_and(|(own, _)| own == found.name)
                            }
                            _ => false,
                        });
                    }
                }
            }
        }
    }

    /// Records the wanted parameters or headers of one side, and returns whether there are any. The declaration of a parameter is that
    /// of one value only if a marker names the value.
    fn declare_parameters(
        &mut self,
        wanted: MatchedPlace<'_>,
        call: OperationId,
        operation: &DescribedOperation,
        side: Side,
        is_wanted: impl Fn(&Parameter) -> bool,
    ) -> bool {
        let description = self.description;
        let MatchedPlace { rule, own, .. } = wanted;
        let mut is_declared = false;
        for (_, id, found) in description.carried(operation) {
            let is_header = found.location == ParameterLocation::ResponseHeader;
            if is_header != (side == Side::Response) || !is_wanted(found) {
                continue;
            }
            let mut markers = description.parameter_markers(found).into_iter();
            if !is_whole(&own.element) && !markers.any(|marker| is_about(marker, own)) {
                continue;
            }
            is_declared = true;
            let replacement = self.parameter_replacement(own.replacement.as_deref(), operation);
            let declared = FoundElement::Declaration(found.node, Declaration::Parameter(id));
            let by = [(ExchangePart::Message(side), call)];
            if let Some(known) = self.record(rule, declared, by) {
                known.judge(replacement);
                if side == Side::Request && known.required.is_none() {
                    known.required = required_at(description, found);
                }
            }
        }
        is_declared
    }

    /// The property of query parameters that a name has in brackets: `old` in `f[old]`.
    fn members_of_parameters(&self, operation: &DescribedOperation, name: &str) -> Vec<Edge> {
        let description = self.description;
        let Some((base, path)) = name.split_once('[') else {
            return Vec::new();
        };
        let parameters = operation.parameters.iter();
        let parameters = parameters.filter_map(|id| description.parameter(*id));
        let parameters =
            parameters.filter(|one| one.location == ParameterLocation::Query && one.name == base);
        let mut schemas: Vec<_> = parameters.filter_map(|one| one.schema).collect();
        let mut members = Vec::new();
        for name in path.split(['[', ']']).filter(|name| !name.is_empty()) {
            let applied = description.applied_through_lists(schemas, MAX_APPLIED);
            members = description.member(&applied, name, Direction::ToService);
            schemas = members.iter().map(|member| member.to).collect();
        }
        members
    }

    /// Looks in the examples of a query parameter for one of its values, or for a member that the name of an element has in brackets.
    fn search_examples(
        &mut self,
        wanted: MatchedPlace<'_>,
        call: OperationId,
        operation: &DescribedOperation,
        name: &str,
    ) {
        let description = self.description;
        let value = wanted.own.element.value.as_ref();
        let (base, path) = name.split_once('[').unwrap_or((name, ""));
        if path.is_empty() && value.is_none() {
            return;
        }
        let parameters = operation.parameters.iter();
        for parameter in parameters.filter_map(|id| description.parameter(*id)) {
            if parameter.location != ParameterLocation::Query || parameter.name != base {
                continue;
            }
            let schemas = parameter
                .schema
                .into_iter()
                .flat_map(|schema| description.applied([schema]));
            let of_schemas = schemas.flat_map(|id| description.schema_examples(id));
            for example in parameter.examples.iter().copied().chain(of_schemas) {
                let mut members = path.split(['[', ']']).filter(|name| !name.is_empty());
                let root = description.value(example);
                let found = root.and_then(|root| members.try_fold(root, Node::get));
                let text = found.and_then(Node::text);
                let is_use = value.is_none_or(|test| text.is_some_and(|text| test.holds(text)));
                let Some(found) = found.filter(|_| is_use) else {
                    continue;
                };
                let node = NodeId::of(example.file, found);
                if let Some(location) = KeyLocation::of_node(description, node) {
                    let found = FoundElement::Example(node, location, Certainty::Certain);
                    let by = [(ExchangePart::Message(Side::Request), call)];
                    self.record(wanted.rule, found, by);
                }
            }
        }
    }
}

/// Where a parameter says that requests must contain it.
fn required_at(description: &Description, parameter: &Parameter) -> Option<KeyLocation> {
    let NodeId { file, .. } = parameter.node;
    let required = description.value(parameter.node)?.get("required")?;
    let is_required = parameter.is_required;
    is_required.then(|| KeyLocation::of_node(description, NodeId::of(file, required)))?
}
