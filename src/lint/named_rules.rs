//! The rules about named parts of a call (query parameters, or header fields of one side), by name and value.

use std::borrow::Cow;
use std::collections::HashMap;

use super::rule_use::{RuleUse, push_new};

/// The rules about query parameters or header fields.
#[derive(Debug, Default)]
pub(super) struct NamedRules(Vec<NamedPart>);

/// The rules about the parts of one name. A rule about a value is looked up by it, so many values cost as much as one.
#[derive(Debug)]
pub(super) struct NamedPart {
    pub(super) name: String,
    /// The rules about the part with any value.
    whole: Vec<RuleUse>,
    /// The rules about one value, by the value.
    by_value: HashMap<String, Vec<RuleUse>>,
}

impl NamedRules {
    /// Adds a rule about a part, or about one value of it.
    pub(super) fn push(&mut self, name: String, value: Option<&str>, rule_use: RuleUse) {
        let known = self.0.iter().position(|part| part.name == name);
        let index = known.unwrap_or_else(|| {
            self.0.push(NamedPart { name, whole: Vec::new(), by_value: HashMap::new() });
            self.0.len() - 1
        });
        let Some(part) = self.0.get_mut(index) else { return };
        let rules = match value {
            None => &mut part.whole,
            Some(value) => part.by_value.entry(value.to_owned()).or_default(),
        };
        push_new(rules, rule_use);
    }

    /// Returns whether there is no rule.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts, each name once.
    pub(super) fn parts(&self) -> impl Iterator<Item = &NamedPart> {
        self.0.iter()
    }

    /// All rules, in no particular order.
    pub(super) fn rule_uses(&self) -> impl Iterator<Item = &RuleUse> {
        self.0.iter().flat_map(|part| part.whole.iter().chain(part.by_value.values().flatten()))
    }
}

impl NamedPart {
    /// The rules about a part with these values, each once. The values are asked for only if a rule is about a value.
    pub(super) fn matching<'v>(&self, values: impl FnOnce() -> Vec<Cow<'v, str>>) -> Vec<&RuleUse> {
        let mut matching: Vec<_> = self.whole.iter().collect();
        if !self.by_value.is_empty() {
            for rule_use in
                values().iter().filter_map(|value| self.by_value.get(&**value)).flatten()
            {
                push_new(&mut matching, rule_use);
            }
        }
        matching
    }
}
