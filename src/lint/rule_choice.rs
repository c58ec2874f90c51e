//! Chooses the rules to report among those that hold for one key: a member of a body, a query parameter, a header field or a
//! segment of the path.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use chrono::NaiveDate;

use super::rules_by_value::{MatchedRule, RulesByValue, ValueRule};
use crate::findings::Certainty;
use crate::rules::RuleRank;
use crate::selector::automaton::Specificity;

/// A rule that holds for a key, or for one value of its list.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleCandidate<'p> {
    pub(super) rule: &'p ValueRule,
    /// That of the selector, for a member of a body.
    pub(super) specificity: Option<Specificity>,
    /// How certain it is that the key is a use.
    pub(super) certainty: Certainty,
    /// The index of the value; `None` if the rule is about any value.
    pub(super) value: Option<usize>,
}

/// The rule that is chosen for a key.
#[derive(Debug)]
pub(super) struct ChosenRule {
    pub(super) matched: MatchedRule,
    pub(super) certainty: Certainty,
}

impl RuleCandidate<'_> {
    fn rank(&self) -> RuleRank<'_> {
        let ValueRule { rule, rule_use } = self.rule;
        rule_use.precedence.rank(rule, self.specificity)
    }

    /// The one with the greater rank.
    fn better(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

impl RulesByValue {
    /// The rules that hold for a key with these values.
    pub(super) fn candidates<'s>(
        &'s self,
        values: &'s [Cow<'_, str>],
        as_of: NaiveDate,
    ) -> impl Iterator<Item = RuleCandidate<'s>> {
        let (specificity, certainty) = (None, Certainty::Certain);
        let whole = self.whole().iter();
        let whole = whole.map(move |rule| RuleCandidate {
            rule,
            specificity,
            certainty,
            value: None,
        });
        let of_value = move |(index, value): (usize, &'s Cow<'_, str>)| {
            let due = self
                .about(value)
                .filter(move |rule| rule.rule.reports(value, as_of));
            due.map(move |rule| RuleCandidate {
                rule,
                specificity,
                certainty,
                value: Some(index),
            })
        };
        whole.chain(values.iter().enumerate().flat_map(of_value))
    }

    /// The rules to report for a part of a call. Its values are asked for only if a rule is about a value.
    pub(super) fn choose<'v>(
        &self,
        values: impl FnOnce() -> Vec<Cow<'v, str>>,
        as_of: NaiveDate,
    ) -> Vec<MatchedRule> {
        let values = if self.has_values() {
            values()
        } else {
            Vec::new()
        };
        let chosen = choose(self.candidates(&values, as_of), &values);
        chosen.into_iter().map(|chosen| chosen.matched).collect()
    }
}

/// Chooses the rule with the most specific selector, then with the most specific value. If it is about a value and the key has
/// a list, there is one for each further value of the list that rules are about.
pub(super) fn choose<'p>(
    candidates: impl IntoIterator<Item = RuleCandidate<'p>>,
    values: &[Cow<'_, str>],
) -> Vec<ChosenRule> {
    // By the index of the value, so that the rules are in the order of the list.
    let mut best: BTreeMap<Option<usize>, RuleCandidate<'_>> = BTreeMap::new();
    for candidate in candidates {
        let value = candidate.value;
        let candidate = match best.remove(&value) {
            Some(known) => known.better(candidate),
            None => candidate,
        };
        best.insert(value, candidate);
    }
    let greatest = best
        .values()
        .max_by(|one, other| one.rank().cmp(&other.rank()));
    let is_about_any = greatest.is_some_and(|greatest| greatest.value.is_none());
    let mut known = HashSet::new();
    let mut chosen = Vec::new();
    for (
        index,
        RuleCandidate {
            rule, certainty, ..
        },
    ) in best
    {
        let value = index
            .and_then(|index| values.get(index))
            .map_or("", |value| value);
        let matched = rule.matched(value);
        if index.is_none() == is_about_any && known.insert(matched.clone()) {
            chosen.push(ChosenRule { matched, certainty });
        }
    }
    chosen
}
