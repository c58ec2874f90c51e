//! Rules that found nothing: their element is gone too early, or their operation has never been there.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::calls::places;
use super::judge::{Inspector, PendingFinding};
use super::marks::root_member;
use super::search::SearchResults;
use super::spot::KeyLocation;
use crate::findings::Check;
use crate::rules::{Element, Grade, Rule};

/// So many letters may differ where an operation is offered as what was meant.
const FEW: usize = 3;

impl Inspector<'_> {
    /// Reports the rules of which nothing is declared.
    pub(super) fn unmatched(&mut self, found: &SearchResults) {
        let matched = self.matched();
        let served: HashSet<usize> = matched.iter().map(|&rule| self.table.file_of(rule)).collect();
        let declared: HashSet<usize> = found.definitions.keys().map(|&(rule, _)| rule).collect();
        let table = self.table;
        let mut unknown: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
        for (number, rule) in table.rules().iter().enumerate() {
            let file = table.file_of(number);
            if rule.grade == Grade::Off {
                continue;
            }
            if !matched.contains(&number) {
                let operation = named(rule).filter(|_| served.contains(&file));
                if let Some(operation) = operation {
                    unknown.entry((file, operation)).or_default().push(number);
                }
            } else if !declared.contains(&number) {
                self.removed_early(number, found);
            }
        }
        for ((_, operation), rules) in &unknown {
            self.never_matched(operation, rules);
        }
    }

    /// The rules one of whose operations the description has.
    fn matched(&self) -> BTreeSet<usize> {
        let calls = self.calls.iter().filter(|call| !call.resolved.is_empty());
        let resolved: HashSet<_> = calls.map(|call| &call.resolved).collect();
        let places = resolved.into_iter().flat_map(|resolved| places(self.table, resolved));
        places.map(|(rule, _)| rule).collect()
    }

    fn removed_early(&mut self, number: usize, found: &SearchResults) {
        let table = self.table;
        let (Some(rule), Some(expected)) = (table.rules().get(number), found.expected.get(&number))
        else {
            return;
        };
        let is_promised = self.is_promised(rule);
        let first = expected.iter().next().and_then(|&(_, call)| self.calls.get(call));
        let operation = first.and_then(|call| self.description.operation(call.id));
        let spot = operation.and_then(|operation| {
            KeyLocation::labelled(self.description, operation.place, operation.label)
        });
        let Some(spot) = spot.filter(|_| is_promised) else { return };
        let operations = self.affected(expected);
        let (check, spot) = (Check::RemovedEarly, &spot);
        self.tell(PendingFinding { check, rule, spot, operations, detail: None, subject: None });
    }

    /// Whether the element should still be there; of what has no date nobody can say. Descriptions seldom have headers.
    fn is_promised(&self, rule: &Rule) -> bool {
        let is_judged = matches!(rule.element, Element::Field(_) | Element::Parameter(_));
        is_judged && rule.removal.is_some_and(|removal| self.lifecycle.days_left(removal) >= 0)
    }

    /// Reports rules that name the same operation, together: a description of a part of an API lacks many.
    fn never_matched(&mut self, operation: &str, rules: &[usize]) {
        let table = self.table;
        let mut rules = rules.iter().filter_map(|&number| table.rules().get(number));
        let Some(rule) = rules.next() else { return };
        let Some(spot) = root_member(self.description, "paths") else { return };
        let others: Vec<String> = rules.map(|rule| format!("`{}`", rule.id)).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            others => format!("; nor is one of {}", others.join(", ")),
        };
        let nearest = match self.nearest(operation) {
            Some(nearest) => format!("; the nearest here is `{nearest}`"),
            None => String::new(),
        };
        let detail = Some(format!("`{operation}`{others}{nearest}"));
        let (check, spot, operations) = (Check::NeverMatched, &spot, Vec::new());
        self.tell(PendingFinding { check, rule, spot, operations, detail, subject: None });
    }

    /// The operation of the description that is most like this one, if it is like it at all: a few letters or the method
    /// differ.
    fn nearest(&self, operation: &str) -> Option<&str> {
        let path = |name| str::split_once(name, ' ').map(|(_, path)| path);
        let own = path(operation);
        let distance = |name| match name {
            name if path(name) == own => Some(0),
            // So many letters differ at least.
            name if name.len().abs_diff(operation.len()) > 4 * FEW => None,
            name => Some(strsim::damerau_levenshtein(operation, name)).filter(|&few| few <= FEW),
        };
        let names = self.calls.iter().map(|call| &*call.name);
        names.filter_map(|name| Some((distance(name)?, name))).min().map(|(_, name)| name)
    }
}

/// The operation by which a rule is told to match none.
fn named(rule: &Rule) -> Option<String> {
    let first = || rule.places.first().map(|place| &place.operation);
    rule.announced.as_ref().or_else(first).map(ToString::to_string)
}
