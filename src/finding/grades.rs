//! How findings in API descriptions are graded where the user says so.

use std::collections::HashMap;

use super::Check;
use crate::rule::Grade;

/// The grades of checks, or of checks of single rules.
#[derive(Debug, Clone, Default)]
pub struct CheckGrades {
    checks: HashMap<Check, Grade>,
    /// By what reports call them: `exposed/chat-citations`.
    codes: HashMap<String, Grade>,
}

impl CheckGrades {
    /// Has all findings of a check graded so.
    pub fn set(&mut self, check: Check, grade: Grade) {
        self.checks.insert(check, grade);
    }

    /// Has the findings of a check about one rule graded so, whatever holds for the check.
    pub fn set_of_rule(&mut self, check: Check, rule: &str, grade: Grade) {
        self.codes.insert(code(check, rule), grade);
    }

    /// The grade of a check's findings about a rule.
    pub(crate) fn of(&self, check: Check, rule: &str) -> Grade {
        if self.checks.is_empty() && self.codes.is_empty() {
            return Grade::ByDays;
        }
        let own = self.codes.get(&code(check, rule)).or_else(|| self.checks.get(&check));
        own.copied().unwrap_or_default()
    }
}

fn code(check: Check, rule: &str) -> String {
    format!("{}/{rule}", check.id())
}
