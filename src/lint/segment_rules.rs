//! The rules about the variables in the path of an operation, by value.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::NaiveDate;

use super::rule_choice::{ChosenRule, choose};
use super::rule_use::{RuleUse, push_new};
use super::rules_by_value::{MatchedRule, RulesByValue, ValueRule};
use crate::rules::{Rule, RuleTable};
use crate::traffic::{PathVariable, Target};

/// The rules about path segments.
#[derive(Debug, Default)]
pub(super) struct SegmentRules(Vec<VariableRules>);

/// The rules about one variable.
#[derive(Debug)]
struct VariableRules {
    variable: VariableKey,
    rules: RulesByValue,
}

/// A variable in the path of an operation, as the rules of a file see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VariableKey {
    /// Index into the table.
    pub(super) operation: usize,
    pub(super) file: usize,
    pub(super) place: PathVariable,
}

impl SegmentRules {
    /// Adds a rule about a variable.
    pub(super) fn push(&mut self, variable: VariableKey, rule: &Arc<Rule>, rule_use: RuleUse) {
        let known = self.0.iter().position(|known| known.variable == variable);
        let index = known.unwrap_or_else(|| {
            self.0.push(VariableRules {
                variable,
                rules: RulesByValue::default(),
            });
            self.0.len() - 1
        });
        if let Some(rules) = self.0.get_mut(index) {
            rules.rules.push(rule, rule_use);
        }
    }

    /// Returns whether there is no rule.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All rules, in no particular order.
    pub(super) fn rule_uses(&self) -> impl Iterator<Item = &RuleUse> {
        let rules = self.0.iter().flat_map(|variable| variable.rules.iter());
        rules.map(|ValueRule { rule_use, .. }| rule_use)
    }

    /// The rules to report for the values in a called path, each once. Variables of several operations may have the same part of
    /// the path: it is one key.
    pub(super) fn choose(
        &self,
        table: &RuleTable,
        target: &Target<'_>,
        as_of: NaiveDate,
    ) -> Vec<MatchedRule> {
        let mut parts: Vec<([Cow<'_, str>; 1], Vec<&RulesByValue>)> = Vec::new();
        for VariableRules { variable, rules } in &self.0 {
            let VariableKey {
                operation,
                file,
                place,
            } = *variable;
            let Some(value) = table.variable_value((operation, file), place, target) else {
                continue;
            };
            match parts
                .iter_mut()
                .find(|([known], _)| is_same_part(known, value))
            {
                Some((_, known)) => known.push(rules),
                None => parts.push(([value.into()], vec![rules])),
            }
        }
        let mut chosen = Vec::new();
        for (value, rules) in &parts {
            let candidates = rules
                .iter()
                .flat_map(|rules| rules.candidates(value, as_of));
            for ChosenRule { matched, .. } in choose(candidates, value) {
                push_new(&mut chosen, matched);
            }
        }
        chosen
    }
}

/// Returns whether two texts are the same part of one text, and not only equal.
fn is_same_part(one: &str, other: &str) -> bool {
    one.as_ptr() == other.as_ptr() && one.len() == other.len()
}
