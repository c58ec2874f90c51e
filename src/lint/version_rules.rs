//! The rules about single versions that were found, shared by their findings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::rules::{Rule, RuleTable};

/// The rules about versions that were found lately, by the index of the rule about all of them.
#[derive(Debug, Default)]
pub(super) struct VersionRules(RefCell<HashMap<usize, HashMap<String, Arc<Rule>>>>);

/// The number of versions of one rule that are remembered: more than services have.
const MOST_VERSIONS: usize = 1_000;

impl VersionRules {
    /// The rule about this version; the one about all versions if findings must not name this one.
    pub(super) fn get(&self, table: &RuleTable, number: usize, version: &str) -> Option<Arc<Rule>> {
        let mut rules = self.0.borrow_mut();
        let known = rules.entry(number).or_default();
        if let Some(known) = known.get(version) {
            return Some(Arc::clone(known));
        }
        let all = table.rules().get(number)?;
        let own = table.rule_for_found_version(number, version);
        let own = own.map_or_else(|| Arc::clone(all), Arc::new);
        if known.len() >= MOST_VERSIONS {
            known.clear();
        }
        known.insert(version.to_owned(), Arc::clone(&own));
        Some(own)
    }
}
