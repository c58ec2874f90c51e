//! The severities that the user sets for checks.

use std::collections::HashMap;

use super::Check;
use crate::rules::Grade;

/// The grades of checks, and of checks of single rules: by their names in reports, `exposed` and `exposed/chat-citations`.
#[derive(Debug, Clone, Default)]
pub struct CheckGrades(HashMap<String, Grade>);

impl CheckGrades {
    /// Sets the grade of all findings of a check, or of those about one rule, which overrides that of the check.
    pub fn set(&mut self, id: &str, grade: Grade) {
        self.0.insert(id.to_owned(), grade);
    }

    /// Returns whether a check is off for every rule.
    pub(crate) fn are_off(&self, check: Check) -> bool {
        let of_rules = format!("{}/", check.id());
        self.0.get(check.id()) == Some(&Grade::Off)
            && !self.0.keys().any(|id| id.starts_with(&of_rules))
    }

    /// The grade of the findings of a check about a rule.
    pub(crate) fn of(&self, check: Check, rule: &str) -> Grade {
        if self.0.is_empty() {
            return Grade::ByDays;
        }
        self.0
            .get(&format!("{}/{rule}", check.id()))
            .or_else(|| self.0.get(check.id()))
            .copied()
            .unwrap_or_default()
    }
}
