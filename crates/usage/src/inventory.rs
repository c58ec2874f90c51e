//! An inventory of values: which values calls send in the elements that have rules about values, with a rule or without one.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::capped::{add_count, sum_counts};
use super::scan::{RuleFacts, UsageScan};
use super::tally::ElementId;

/// The calls with each value, in the order of reports.
pub(super) type Inventory<'s> = BTreeMap<CalledValue<'s>, u64>;

/// A value of an element in all operations of an API. Of each element, what ends first comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CalledValue<'s> {
    pub api: &'s str,
    pub kind: &'static str,
    pub name: &'s str,
    pub side: &'static str,
    pub state: ValueState<'s>,
    /// The value, or how the rule describes its values; `None` for all values that are not listed.
    pub value: Option<String>,
}

/// What rules say about a value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueState<'s> {
    /// It has a last day by this rule.
    Ends(NaiveDate, &'s str),
    /// It is deprecated by this rule.
    Undated(&'s str),
    /// No rule knows it.
    Unknown,
}

impl<'s> CalledValue<'s> {
    fn new(id: &'s ElementId, facts: &'s RuleFacts, value: Option<String>) -> Self {
        Self {
            api: &facts.api,
            kind: facts.element.part.kind(),
            name: facts.element.name().unwrap_or_default(),
            side: id.part.name(),
            state: match facts.removal {
                _ if facts.element.is_about_other_values() => ValueState::Unknown,
                Some(removal) => ValueState::Ends(removal, &id.rule),
                None => ValueState::Undated(&id.rule),
            },
            value,
        }
    }
}

/// Counts the calls by value, if the scan counted those with values that no rule knows.
pub(super) fn take_inventory(scan: &UsageScan) -> Inventory<'_> {
    let mut inventory = Inventory::new();
    let mut facts = scan.rules.values();
    if !facts.any(|facts| facts.element.is_about_other_values()) {
        return inventory;
    }
    for (id, tally) in &scan.elements {
        let facts = scan.rules.get(&id.rule);
        let Some((facts, test)) =
            facts.and_then(|facts| Some((facts, facts.element.value.as_ref()?)))
        else {
            continue;
        };
        let uses = &tally.uses;
        for (value, calls) in uses.values.iter() {
            let value = CalledValue::new(id, facts, Some(value.clone()));
            add_count(inventory.entry(value).or_default(), *calls);
        }
        let known = Some(test.to_string()).filter(|_| !facts.element.is_about_other_values());
        let listed = sum_counts(uses.values.iter().map(|(_, calls)| *calls));
        let rest = uses.count.calls.saturating_sub(listed);
        add_count(
            inventory
                .entry(CalledValue::new(id, facts, known))
                .or_default(),
            rest,
        );
    }
    inventory.retain(|_, calls| *calls > 0);
    inventory
}
