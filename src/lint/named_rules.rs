//! The rules about named parts of a call (query parameters, or header fields of one side), by name and value.

use std::sync::Arc;

use super::rule_use::RuleUse;
use super::rules_by_value::{RulesByValue, ValueRule};
use crate::json::raw;
use crate::rules::Rule;
use crate::traffic::may_name_header;

/// The rules about query parameters or header fields.
#[derive(Debug, Default)]
pub(super) struct NamedRules(Vec<NamedPart>);

/// The rules about the parts of one name.
#[derive(Debug)]
pub(super) struct NamedPart {
    pub(super) name: String,
    pub(super) rules: RulesByValue,
}

impl NamedRules {
    /// Adds a rule about a part.
    pub(super) fn push(&mut self, name: String, rule: &Arc<Rule>, rule_use: RuleUse) {
        let known = self.0.iter().position(|part| part.name == name);
        let index = known.unwrap_or_else(|| {
            self.0.push(NamedPart {
                name,
                rules: RulesByValue::default(),
            });
            self.0.len() - 1
        });
        if let Some(part) = self.0.get_mut(index) {
            part.rules.push(rule, rule_use);
        }
    }

    /// Returns whether there is no rule.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a rule may be about a field among header fields in JSON.
    pub(super) fn may_match(&self, headers: &[u8]) -> bool {
        let is_name =
            |part: &NamedPart, text: &[u8]| part.name.as_bytes().eq_ignore_ascii_case(text);
        let may_be_escaped = |part: &NamedPart| !part.name.bytes().all(raw::is_plain);
        !self.is_empty()
            && !headers.is_empty()
            && (self.0.iter().any(may_be_escaped)
                || may_name_header(headers, |text| {
                    self.0.iter().any(|part| is_name(part, text))
                }))
    }

    /// The parts, each name once.
    pub(super) fn parts(&self) -> impl Iterator<Item = &NamedPart> {
        self.0.iter()
    }

    /// All rules, in no particular order.
    pub(super) fn rule_uses(&self) -> impl Iterator<Item = &RuleUse> {
        let rules = self.0.iter().flat_map(|part| part.rules.iter());
        rules.map(|ValueRule { rule_use, .. }| rule_use)
    }
}
