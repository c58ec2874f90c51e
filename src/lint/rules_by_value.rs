//! The rules about one part of a call, by its values. Many values cost as much as one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::rule_use::{RuleUse, push_new};
use crate::rules::{Rule, ValueTest};

/// The rules about one part, by the values that they are about.
#[derive(Debug, Default)]
pub(super) struct RulesByValue {
    /// The rules about the part with any value.
    whole: Vec<ValueRule>,
    /// The rules about one value, by the value.
    exact: HashMap<String, Vec<ValueRule>>,
    /// The rules about values with a beginning, by the beginning.
    beginnings: HashMap<String, Vec<ValueRule>>,
    /// The lengths of the beginnings.
    lengths: BTreeSet<usize>,
    /// The rules about versions.
    versions: Vec<ValueRule>,
}

/// A rule about some values of a part.
#[derive(Debug, Clone)]
pub(super) struct ValueRule {
    pub(super) rule: Arc<Rule>,
    pub(super) rule_use: RuleUse,
}

/// A rule that a call uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct MatchedRule {
    pub(super) rule_use: RuleUse,
    /// The version that was found, if the rule is about versions.
    pub(super) version: Option<String>,
}

impl RulesByValue {
    /// Adds a rule. One that is known is not added again.
    pub(super) fn push(&mut self, rule: &Arc<Rule>, rule_use: RuleUse) {
        let list = match &rule.element.value {
            None => &mut self.whole,
            Some(ValueTest::Exact(text)) => self
                .exact
                .entry(rule.normalized(text).to_owned())
                .or_default(),
            Some(ValueTest::StartsWith(text)) => {
                self.lengths.insert(text.len());
                self.beginnings.entry(text.clone()).or_default()
            }
            Some(ValueTest::Before(_) | ValueTest::Supported { .. }) => &mut self.versions,
        };
        push_new(
            list,
            ValueRule {
                rule: Arc::clone(rule),
                rule_use,
            },
        );
    }

    /// The rules about the part with any value.
    pub(super) fn whole(&self) -> &[ValueRule] {
        &self.whole
    }

    /// Returns whether a rule is about some values only.
    pub(super) fn has_values(&self) -> bool {
        !(self.exact.is_empty() && self.beginnings.is_empty() && self.versions.is_empty())
    }

    /// All rules, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &ValueRule> {
        let exact = self.exact.values().flatten();
        self.whole
            .iter()
            .chain(exact)
            .chain(self.beginnings.values().flatten())
            .chain(&self.versions)
    }

    /// The rules about this value, without those about any value.
    pub(super) fn about<'s>(&'s self, value: &'s str) -> impl Iterator<Item = &'s ValueRule> {
        let beginnings = self
            .lengths
            .iter()
            .take_while(|length| **length <= value.len());
        let beginnings = beginnings.filter_map(|&length| self.beginnings.get(value.get(..length)?));
        let versions = self.versions.iter().filter(|rule| rule.holds(value));
        self.exact
            .get(value)
            .into_iter()
            .chain(beginnings)
            .flatten()
            .chain(versions)
    }
}

impl ValueRule {
    fn holds(&self, value: &str) -> bool {
        self.rule
            .element
            .value
            .as_ref()
            .is_some_and(|test| test.holds(value))
    }

    /// The match of this value.
    pub(super) fn matched(&self, value: &str) -> MatchedRule {
        let is_about_versions = self
            .rule
            .element
            .value
            .as_ref()
            .is_some_and(ValueTest::is_about_versions);
        let version = is_about_versions.then(|| value.to_owned());
        MatchedRule {
            rule_use: self.rule_use.clone(),
            version,
        }
    }
}

impl PartialEq for ValueRule {
    fn eq(&self, other: &Self) -> bool {
        self.rule_use == other.rule_use
    }
}
