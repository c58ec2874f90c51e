//! Operations of the user's own rules that no call reached: their path may be misspelled.

use std::collections::BTreeSet;

use super::rule_set::RuleSet;

/// An operation that rules name and no call reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncalledOperation {
    /// The operation, as the rules write it.
    pub operation: String,
    /// The number of their file.
    pub file: usize,
    /// The ids of its rules.
    pub rules: BTreeSet<String>,
}

impl RuleSet {
    /// The operations that the user's rules name, by rules file, without those of packs and built-in rules, of which most users
    /// call few.
    pub fn own_operations(&self) -> impl Iterator<Item = UncalledOperation> {
        let of_files = self.operations().iter().flat_map(|operation| {
            let files = operation.files.iter();
            files.map(move |&file| (operation, file))
        });
        let own = of_files.filter(|(_, file)| self.origin(*file).is_users());
        own.filter_map(|(operation, file)| {
            let places = operation.places.iter();
            let rules = places
                .filter_map(|place| self.rule_at(place.rule))
                .filter(|rule| rule.file == file && !rule.is_off());
            let rules: BTreeSet<_> = rules.map(|rule| rule.id.clone()).collect();
            (!rules.is_empty()).then(|| UncalledOperation {
                operation: operation.pattern.to_string(),
                file,
                rules,
            })
        })
    }
}
