//! The elements of rules outside bodies: operations, parameters and header fields.

use super::calls::RuleInCall;
use super::examples::UseInExample;
use super::location::KeyLocation;
use super::markers::{is_about, is_whole};
use super::replacement::ReplacementStatus;
use super::search::{Declaration, DescriptionSearch, FoundDeclaration};
use crate::findings::{Certainty, ExchangePart};
use crate::rules::{ElementPart, Rule, ValueTest};
use sundown_exchange::Side;
use sundown_openapi::{NodeId, Parameter, ParameterId, ParameterLocation};
use sundown_text_json::json::Node;

impl DescriptionSearch<'_> {
    /// Looks for the element of a rule that is not about a body.
    pub(super) fn search_outside_bodies(&mut self, wanted: RuleInCall<'_>) {
        let RuleInCall {
            rule,
            place,
            call,
            operation,
        } = wanted;
        let Some(checked) = self.table.rule_at(rule) else {
            return;
        };
        let sides = place.sides;
        match &checked.element.part {
            ElementPart::Endpoint => {
                let replacement = self.operation_replacement(checked.replacement.as_deref());
                let found = FoundDeclaration {
                    rule,
                    node: operation.node,
                    declaration: Declaration::Operation(call),
                };
                self.define_reached(found, (ExchangePart::Operation, call), replacement);
            }
            ElementPart::Parameter(name) if sides.contains(Side::Request) => {
                let found = self.parameters_with(checked, &operation.parameters, |found| {
                    found.location == ParameterLocation::Query && found.name == *name
                });
                let is_whole = checked.element.value.is_none();
                if found.is_empty() && is_whole && place.operation.is_concrete() {
                    let expected = self.results.expected.entry(rule).or_default();
                    expected.insert((ExchangePart::Message(Side::Request), call));
                }
                self.define_parameters(wanted, &found, Side::Request);
                self.search_examples(wanted, name, checked.element.value.as_ref());
            }
            ElementPart::Field(_) | ElementPart::Segment(_) | ElementPart::Parameter(_) => {}
            ElementPart::Header(name) => {
                let cookie = checked.element.cookie();
                for side in Side::BOTH.into_iter().filter(|&side| sides.contains(side)) {
                    let headers = operation.headers.iter().map(|(_, id)| *id);
                    let among = match side {
                        Side::Request => operation.parameters.clone(),
                        Side::Response => headers.collect(),
                    };
                    let found =
                        self.parameters_with(checked, &among, |found| match found.location {
                            ParameterLocation::Header | ParameterLocation::ResponseHeader => {
                                found.name.eq_ignore_ascii_case(name)
                            }
                            ParameterLocation::Cookie => {
                                cookie.is_some_and(|(own, _)| own == found.name)
                            }
                            _ => false,
                        });
                    self.define_parameters(wanted, &found, side);
                }
            }
        }
    }

    /// The wanted parameters. The declaration of a parameter is that of one value only if a marker names the value.
    fn parameters_with(
        &self,
        rule: &Rule,
        among: &[ParameterId],
        is_wanted: impl Fn(&Parameter) -> bool,
    ) -> Vec<ParameterId> {
        let description = self.description;
        let is_whole = is_whole(&rule.element);
        let found = among.iter().copied().filter(|&id| {
            let found = description.parameter(id);
            found.is_some_and(|found| {
                let mut markers = description.parameter_markers(found).into_iter();
                is_wanted(found) && (is_whole || markers.any(|marker| is_about(marker, rule)))
            })
        });
        found.collect()
    }

    /// Looks in the examples of a query parameter for one of its values, or for a member that the name of an element has in brackets.
    fn search_examples(&mut self, wanted: RuleInCall<'_>, name: &str, value: Option<&ValueTest>) {
        let description = self.description;
        let (base, path) = name.split_once('[').unwrap_or((name, ""));
        if path.is_empty() && value.is_none() {
            return;
        }
        let parameters = wanted.operation.parameters.iter();
        for parameter in parameters.filter_map(|id| description.parameter(*id)) {
            if parameter.location != ParameterLocation::Query || parameter.name != base {
                continue;
            }
            let schemas = parameter
                .schema
                .map(|schema| description.applied(&[schema]));
            let schemas = schemas.into_iter().flatten();
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
                    let reached = (ExchangePart::Message(Side::Request), wanted.call);
                    let found = UseInExample {
                        rule: wanted.rule,
                        node,
                        location,
                        certainty: Certainty::Certain,
                    };
                    self.example(found).insert(reached);
                }
            }
        }
    }

    fn define_parameters(&mut self, wanted: RuleInCall<'_>, ids: &[ParameterId], side: Side) {
        let RuleInCall {
            rule,
            call,
            operation,
            ..
        } = wanted;
        let replacement = self
            .table
            .rule_at(rule)
            .and_then(|rule| rule.replacement.as_deref());
        for &id in ids {
            let Some(parameter) = self.description.parameter(id) else {
                continue;
            };
            let replacement = self.parameter_replacement(replacement, operation);
            let found = FoundDeclaration {
                rule,
                node: parameter.node,
                declaration: Declaration::Parameter(id),
            };
            self.define_reached(found, (ExchangePart::Message(side), call), replacement);
        }
    }

    /// Records a declaration that a part of an operation reaches.
    fn define_reached(
        &mut self,
        found: FoundDeclaration,
        by: (ExchangePart, usize),
        replacement: ReplacementStatus,
    ) {
        if let Some(definition) = self.define(found) {
            definition.reached.insert(by);
            definition.judge(replacement);
        }
    }
}
