//! What rules know of an operation beside its bodies: itself, its parameters and its headers.

use super::search::{Declaration, DescriptionSearch};
use super::spot::KeyLocation;
use crate::findings::ExchangePart;
use crate::openapi::{DescribedOperation, Parameter, ParameterId, ParameterLocation};
use crate::rules::{Element, RulePlace};
use crate::traffic::Side;

impl DescriptionSearch<'_> {
    /// What of an operation is in no body.
    pub(super) fn outside(
        &mut self,
        rule: usize,
        place: &RulePlace,
        call: usize,
        operation: &DescribedOperation,
    ) {
        let Some(checked) = self.table.rules().get(rule) else { return };
        let sides = place.sides;
        match &checked.element {
            Element::Field(_) => {}
            Element::Endpoint => {
                let spot =
                    KeyLocation::labelled(self.description, operation.place, operation.label);
                let standing = self.replacements.of_call(checked.replacement.as_deref());
                let what = Declaration::Operation(call);
                let reached = (ExchangePart::Operation, call);
                self.define(rule, operation.place, what, spot, reached, standing);
            }
            Element::Parameter(name) if sides.contains(Side::Request) => {
                let is_it = |found: &Parameter| {
                    found.location == ParameterLocation::Query && found.name == *name
                };
                let found = self.parameters(&operation.parameters, is_it);
                if found.is_empty() && place.operation.is_concrete() {
                    let expected = self.found.expected.entry(rule).or_default();
                    expected.insert((ExchangePart::Message(Side::Request), call));
                }
                for id in found {
                    self.parameter(rule, id, call, operation, Side::Request);
                }
            }
            Element::Parameter(_) => {}
            Element::Header(name) => {
                if sides.contains(Side::Request) {
                    let is_it = |found: &Parameter| {
                        found.location == ParameterLocation::Header
                            && found.name.eq_ignore_ascii_case(name)
                    };
                    for id in self.parameters(&operation.parameters, is_it) {
                        self.parameter(rule, id, call, operation, Side::Request);
                    }
                }
                if sides.contains(Side::Response) {
                    let headers: Vec<_> = operation.headers.iter().map(|(_, id)| *id).collect();
                    let is_it = |found: &Parameter| found.name.eq_ignore_ascii_case(name);
                    for id in self.parameters(&headers, is_it) {
                        self.parameter(rule, id, call, operation, Side::Response);
                    }
                }
            }
        }
    }

    fn parameters(
        &self,
        among: &[ParameterId],
        is_it: impl Fn(&Parameter) -> bool,
    ) -> Vec<ParameterId> {
        let found = |id: &ParameterId| self.description.parameter(*id).is_some_and(&is_it);
        among.iter().copied().filter(found).collect()
    }

    fn parameter(
        &mut self,
        rule: usize,
        id: ParameterId,
        call: usize,
        operation: &DescribedOperation,
        side: Side,
    ) {
        let Some(parameter) = self.description.parameter(id) else { return };
        let spot = KeyLocation::parameter(self.description, parameter);
        let replacement = self.table.rules().get(rule).and_then(|rule| rule.replacement.as_deref());
        let standing = self.replacements.of_parameter(replacement, operation);
        let what = Declaration::Parameter(id);
        let reached = (ExchangePart::Message(side), call);
        self.define(rule, parameter.place, what, spot, reached, standing);
    }
}
