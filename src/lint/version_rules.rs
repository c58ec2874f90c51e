//! The rules about single versions that were found, shared by their findings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::rules::Rule;

/// The rules about versions that were found lately, by the index of the rule about all of them.
#[derive(Debug, Default)]
pub(super) struct VersionRules(RefCell<HashMap<usize, HashMap<String, Arc<Rule>>>>);

/// The number of versions of one rule that are remembered: more than services have.
const MOST_VERSIONS: usize = 1_000;

impl VersionRules {
    /// The rule about this version; `rule` if it is not about versions.
    pub(super) fn get(&self, number: usize, rule: &Arc<Rule>, version: &str) -> Arc<Rule> {
        let mut rules = self.0.borrow_mut();
        let known = rules.entry(number).or_default();
        if let Some(known) = known.get(version) {
            return Arc::clone(known);
        }
        let own = rule.for_version(version).map_or_else(|| Arc::clone(rule), Arc::new);
        if known.len() >= MOST_VERSIONS {
            known.clear();
        }
        known.insert(version.to_owned(), Arc::clone(&own));
        own
    }
}
