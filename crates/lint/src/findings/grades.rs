//! The severities that the user sets for checks.

use std::collections::HashMap;

use super::Check;
use crate::rules::Grade;

/// The grades of checks, and of checks of single rules.
#[derive(Debug, Clone, Default)]
pub struct CheckGrades {
    checks: HashMap<Check, Grade>,
    /// By their names in reports: `exposed/chat-citations`.
    codes: HashMap<String, Grade>,
}

impl CheckGrades {
    /// Sets the grade of all findings of a check.
    pub fn set(&mut self, check: Check, grade: Grade) {
        self.checks.insert(check, grade);
    }

    /// Sets the grade of the findings of a check about one rule. It overrides the grade of the check.
    pub fn set_of_rule(&mut self, check: Check, rule: &str, grade: Grade) {
        self.codes.insert(code(check, rule), grade);
    }

    /// Returns whether a check is off for every rule.
    pub(crate) fn are_off(&self, check: Check) -> bool {
        self.checks.get(&check) == Some(&Grade::Off)
            && !self
                .codes
                .keys()
                .any(|code| code.starts_with(&format!("{}/", check.id())))
    }

    /// The grade of the findings of a check about a rule.
    pub(crate) fn of(&self, check: Check, rule: &str) -> Grade {
        if self.checks.is_empty() && self.codes.is_empty() {
            return Grade::ByDays;
        }
        self.codes
            .get(&code(check, rule))
            .or_else(|| self.checks.get(&check))
            .copied()
            .unwrap_or_default()
    }
}

fn code(check: Check, rule: &str) -> String {
    format!("{}/{rule}", check.id())
}
