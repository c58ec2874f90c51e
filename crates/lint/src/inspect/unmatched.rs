//! The checks for rules without a declaration: the element was removed too early, or the operation never existed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::inspector::{Inspector, PendingFinding};
use super::location::KeyLocation;
use super::search::{Reached, SearchResults};
use crate::findings::{Check, ExchangePart};
use crate::rules::{ElementPart, Grade, Rule, RuleOrigin};
use sundown_openapi::{Description, FileId, NodeId, OperationId};
use sundown_text_json::text::quote_list;

impl Inspector<'_> {
    /// Reports the rules whose element is declared nowhere.
    pub(super) fn report_unmatched(&mut self, results: &SearchResults) {
        let matched = self.matched_rules();
        let served: HashSet<usize> = matched.iter().map(|&rule| self.set.file_of(rule)).collect();
        let declared: HashSet<usize> = results.definitions.keys().map(|&(rule, _)| rule).collect();
        let set = self.set;
        let located = self.expected_by_description(results);
        let present = self.present_files();
        let mut unknown: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
        for (number, rule) in set.rules().iter().enumerate() {
            let file = set.file_of(number);
            if rule.grade == Grade::Off {
                continue;
            }
            if rule.schema.is_some() && rule.places.is_empty() {
                self.report_removed_early(number, &located);
            } else if matched.contains(&number) {
                if !declared.contains(&number) {
                    self.report_removed_early(number, &results.expected);
                }
            } else if rule.element.is_endpoint() && set.origin(file) == RuleOrigin::Description {
                if present.contains(&file) && self.is_promised(rule) {
                    self.report_removed_operation(rule);
                }
            } else {
                let operation = operation_of(rule).filter(|_| served.contains(&file));
                if let Some(operation) = operation {
                    unknown.entry((file, operation)).or_default().push(number);
                }
            }
        }
        for ((_, operation), rules) in &unknown {
            self.report_never_matched(operation, rules);
        }
    }

    /// The rules with an operation that the description has.
    fn matched_rules(&self) -> HashSet<usize> {
        let calls = self.calls.iter();
        let places = calls.flat_map(|call| self.set.all_matched_places(&call.matched));
        places.map(|place| place.rule).collect()
    }

    /// The parts of operations that should contain the fields of rules which descriptions locate and this one does not declare
    /// there.
    fn expected_by_description(&self, results: &SearchResults) -> BTreeMap<usize, Reached> {
        let set = self.set;
        let mut declared = HashSet::new();
        for ((rule, _), found) in &results.definitions {
            declared.extend(found.reached.iter().map(|&reached| (*rule, reached)));
        }
        let mut calls: BTreeMap<usize, HashMap<_, Vec<OperationId>>> = BTreeMap::new();
        for ((id, _), call) in self.description.numbered_operations().zip(self.calls) {
            let matched = call.matched.templates.iter();
            let operations = matched.filter_map(|&index| set.operations().get(index));
            for found in operations.flat_map(|operation| &operation.described) {
                let calls = calls.entry(found.description).or_default();
                calls.entry(found.operation).or_default().push(id);
            }
        }
        let mut expected: BTreeMap<usize, Reached> = BTreeMap::new();
        for (description, calls) in calls {
            let users = set.described(description).map(|described| {
                described.users(|one| {
                    let rule = set.rule_at(one.rule);
                    rule.is_some_and(|rule| self.is_promised(rule))
                })
            });
            let users = users.into_iter().flatten();
            for ((_, rule), users) in
                users.filter(|((_, rule), _)| !results.unlisted.contains(rule))
            {
                for (operation, side) in users {
                    let part = ExchangePart::Message(side);
                    let calls = calls.get(&operation).into_iter().flatten();
                    let calls = calls.map(|&call| (part, call));
                    let missing = calls.filter(|&reached| !declared.contains(&(rule, reached)));
                    expected.entry(rule).or_default().extend(missing);
                }
            }
        }
        expected
    }

    /// The rules files of which this description has an operation.
    fn present_files(&self) -> HashSet<usize> {
        let matched = self.calls.iter().flat_map(|call| &call.matched.templates);
        let operations = matched.filter_map(|&index| self.set.operations().get(index));
        operations
            .flat_map(|operation| operation.files.iter().copied())
            .collect()
    }

    fn report_removed_operation(&mut self, rule: &Arc<Rule>) {
        let location = member_of_root(self.description, "paths");
        let (Some(location), Some(operation)) = (location, operation_of(rule)) else {
            return;
        };
        self.report(PendingFinding {
            subject: Some(format!("the operation `{operation}`")),
            ..PendingFinding::new(Check::RemovedEarly, rule, &location)
        });
    }

    fn report_removed_early(&mut self, number: usize, expected: &BTreeMap<usize, Reached>) {
        let (Some(rule), Some(expected)) = (self.set.rule_at(number), expected.get(&number)) else {
            return;
        };
        if !self.is_promised(rule) {
            return;
        }
        let operation = expected
            .iter()
            .next()
            .and_then(|&(_, call)| self.description.operation(call));
        let location =
            operation.and_then(|one| KeyLocation::at_label(self.description, one.node, one.label));
        let Some(location) = location else { return };
        self.report(PendingFinding {
            operations: self.affected(expected),
            ..PendingFinding::new(Check::RemovedEarly, rule, &location)
        });
    }

    /// Whether the element must still be declared. Without a removal date, that is unknown; header fields are
    /// seldom declared at all.
    fn is_promised(&self, rule: &Rule) -> bool {
        let is_judged = matches!(
            rule.element.part,
            ElementPart::Field(_) | ElementPart::Parameter(_) | ElementPart::Endpoint
        );
        let lifecycle = &self.options.lifecycle;
        is_judged
            && rule
                .removal
                .is_some_and(|removal| lifecycle.days_left(removal) >= 0)
    }

    /// Reports all rules of one operation in one finding: a description of a part of an API lacks many operations.
    fn report_never_matched(&mut self, operation: &str, rules: &[usize]) {
        let set = self.set;
        let mut rules = rules.iter().filter_map(|&number| set.rule_at(number));
        let Some(rule) = rules.next() else { return };
        let Some(location) = member_of_root(self.description, "paths") else {
            return;
        };
        let others: Vec<&str> = rules.map(|rule| &*rule.id).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            [other] => format!("; the rule `{other}` has the same operation"),
            others => format!("; the rules {} have the same operation", quote_list(others)),
        };
        self.report(PendingFinding {
            detail: Some(format!("`{operation}`{others}")),
            ..PendingFinding::new(Check::NeverMatched, rule, &location)
        });
    }
}

/// The operation that the message names for a rule.
fn operation_of(rule: &Rule) -> Option<String> {
    rule.announced
        .as_ref()
        .or_else(|| rule.places.first().map(|place| &place.operation))
        .map(ToString::to_string)
}

/// The root's member of this name, or the root.
fn member_of_root(description: &Description, name: &str) -> Option<KeyLocation> {
    let root = description.root()?;
    let value = root.get(name).unwrap_or(root);
    KeyLocation::of_node(description, NodeId::of(FileId::FIRST, value))
}
