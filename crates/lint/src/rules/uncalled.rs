//! Operations of the user's own rules that no call reached: their path may be misspelled.

use std::collections::BTreeSet;

use super::RuleOrigin;
use super::table::RuleTable;

/// An operation that rules name and no call reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncalledOperation {
    /// The operation, as the rules write it.
    pub operation: String,
    /// The ids of its rules.
    pub rules: BTreeSet<String>,
}

impl RuleTable {
    /// The operations that the user's rules name, without those of packs and built-in rules, of which most users call few. Each has
    /// the ids of its rules.
    pub fn own_operations(&self) -> impl Iterator<Item = UncalledOperation> {
        self.operations().iter().filter_map(|operation| {
            let own = operation.places.iter().filter(|place| {
                let origin = self.origin(self.file_of(place.rule));
                matches!(origin, RuleOrigin::User | RuleOrigin::Description)
            });
            let rules = own.filter_map(|place| self.rules().get(place.rule));
            let rules: BTreeSet<_> = rules
                .filter(|rule| !rule.is_off())
                .map(|rule| rule.id.clone())
                .collect();
            (!rules.is_empty()).then(|| UncalledOperation {
                operation: operation.pattern.to_string(),
                rules,
            })
        })
    }
}
