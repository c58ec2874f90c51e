//! Allowances: findings that are allowed for a reason until a day.

use std::sync::Arc;

use chrono::NaiveDate;

use super::pointer::PointerPattern;
use crate::findings::{Check, Finding};
use crate::rules::Rule;
use sundown_exchange::OperationPattern;
use sundown_files::{FileName, GlobList};
use sundown_text_json::json::pointer::Pointers;

/// One allowance. It has at least one of the conditions rules, files, operation and pointer; a missing condition always
/// holds.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// Ids of rules, of checks, or of both as reports show them (`check/rule`). If empty, all rules.
    pub rules: Vec<String>,
    /// Files, as globs relative to the project's root.
    pub files: Option<GlobList>,
    /// The operation.
    pub operation: Option<OperationScope>,
    /// The position in the body. Only elements in bodies match it.
    pub pointer: Option<PointerPattern>,
    /// What messages say of it.
    pub terms: Arc<AllowanceTerms>,
    /// Whether it stays active when the element is removed before its last day.
    pub outlasts_removal: bool,
}

/// Where an allowance is, until when it applies, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct AllowanceTerms {
    /// The file that contains it.
    pub file: Arc<str>,
    /// The line on which it begins.
    pub line: usize,
    /// Why the findings are allowed, on one line.
    pub reason: String,
    /// The last day, or a text that is not a date: then it has expired.
    pub until: Result<NaiveDate, String>,
}

/// The operations to which an allowance applies.
#[derive(Debug, Clone)]
pub enum OperationScope {
    /// Those that the pattern matches.
    Pattern(OperationPattern),
    /// The one of this name, which need not be a valid pattern in a description.
    Named(String),
}

/// An allowance as it applies to one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedAllowance {
    /// Where it is, and its reason.
    pub terms: Arc<AllowanceTerms>,
    /// The last day of the element, if that ends it earlier.
    pub(super) removal: Option<NaiveDate>,
}

impl Allowance {
    /// Returns whether it is about an element of this rule at this position, which this check found.
    pub(super) fn is_about(
        &self,
        rule: &Rule,
        check: Option<Check>,
        position: Option<&Pointers>,
    ) -> bool {
        (self.rules.is_empty() || self.rules.iter().any(|own| names(own, rule, check)))
            && self
                .pointer
                .as_ref()
                .is_none_or(|own| position.is_some_and(|at| own.matches(&at.starred)))
    }

    /// Returns whether it applies to the file and the operation of the finding. In a description, it must apply to all operations that
    /// reach the element, because an allowance for one of them does not allow the others.
    pub(super) fn reaches(&self, finding: &Finding, file: &FileName) -> bool {
        if self
            .files
            .as_ref()
            .is_some_and(|files| !files.matches(file))
        {
            return false;
        }
        let Some(scope) = &self.operation else {
            return true;
        };
        match finding.declared().map(|declared| &*declared.operations) {
            Some(all @ [_, ..]) => all.iter().all(|own| scope.covers(&own.operation)),
            _ => scope.covers(&finding.found.operation),
        }
    }

    /// The allowance as it applies to an element with this removal date.
    pub(super) fn apply(&self, removal: Option<NaiveDate>) -> AppliedAllowance {
        let until = self.terms.until.as_ref();
        let is_end =
            |day: &NaiveDate| !self.outlasts_removal && until.is_ok_and(|until| day < until);
        AppliedAllowance {
            terms: Arc::clone(&self.terms),
            removal: removal.filter(is_end),
        }
    }
}

/// Returns whether `text` names the rule, the check, or both.
fn names(text: &str, rule: &Rule, check: Option<Check>) -> bool {
    let of_check = check.is_some_and(|check| match text.split_once('/') {
        Some((id, of)) => id == check.id() && rule.is_called(of),
        None => text == check.id(),
    });
    of_check || rule.is_called(text)
}

impl OperationScope {
    fn covers(&self, operation: &str) -> bool {
        match self {
            Self::Named(name) => name == operation,
            Self::Pattern(pattern) => {
                OperationPattern::parse(operation).is_ok_and(|other| pattern.covers(&other))
            }
        }
    }
}

impl AppliedAllowance {
    /// The last day; `None` if the date is invalid.
    pub fn last_day(&self) -> Option<NaiveDate> {
        self.removal.or(self.terms.until.clone().ok())
    }

    /// That the allowance has expired, when, and its reason. Not escaped.
    pub(crate) fn expired_text(&self) -> String {
        let AllowanceTerms {
            file,
            line,
            reason,
            until,
        } = &*self.terms;
        let how = match (until, self.removal) {
            (Ok(until), Some(removal)) => {
                format!("ended with the removal, after {removal} instead of {until}")
            }
            (Ok(day), None) => format!("ended after {day}"),
            (Err(written), _) => format!("counts as ended, because \"{written}\" is not a date"),
        };
        format!("its allowance ({file}:{line}) {how}; its reason was: {reason}")
    }

    /// Until when it applies, and why. Not escaped.
    pub fn active_text(&self) -> String {
        let AllowanceTerms {
            file, line, reason, ..
        } = &*self.terms;
        let until = self.last_day().map(|day| format!("until {day}"));
        let until = until.unwrap_or_default();
        format!("allowed {until} ({file}:{line}): {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Element;

    #[test]
    fn an_expired_allowance_says_when_it_ended_and_why_it_was_given() {
        let terms = AllowanceTerms {
            file: "sundown.toml".into(),
            line: 1,
            reason: "as agreed".to_owned(),
            until: Ok(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()),
        };
        let grant = AppliedAllowance {
            terms: Arc::new(terms),
            removal: None,
        };
        assert_eq!(
            grant.expired_text(),
            "its allowance (sundown.toml:1) ended after 2026-11-20; its reason was: as agreed"
        );
    }

    #[test]
    fn a_rule_is_named_alone_or_after_its_check() {
        let check = Some(Check::Unmarked);
        let rule = Rule::new("old".to_owned(), Element::ENDPOINT);
        for text in ["old", "unmarked", "unmarked/old"] {
            assert!(names(text, &rule, check), "{text}");
        }
        for text in [
            "undated",
            "undated/old",
            "unmarked/new",
            "unmarked/",
            "/old",
        ] {
            assert!(!names(text, &rule, check), "{text}");
        }
        assert!(names("old", &rule, None) && !names("unmarked/old", &rule, None));
    }

    #[test]
    fn the_removal_ends_an_allowance_with_a_later_date_unless_it_is_ignored() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let (until, removal) = (day("2026-12-31"), day("2026-11-20"));
        let terms = |until| AllowanceTerms {
            file: "a".into(),
            line: 1,
            reason: "x".to_owned(),
            until,
        };
        let mut allowance = Allowance {
            rules: Vec::new(),
            files: None,
            operation: None,
            pointer: None,
            terms: Arc::new(terms(Ok(until))),
            outlasts_removal: false,
        };
        let last_day = |own: &Allowance, removal| own.apply(removal).last_day();
        assert_eq!(last_day(&allowance, None), Some(until));
        assert_eq!(last_day(&allowance, Some(until)), Some(until));
        assert_eq!(last_day(&allowance, Some(removal)), Some(removal));
        allowance.outlasts_removal = true;
        assert_eq!(last_day(&allowance, Some(removal)), Some(until));
        allowance.terms = Arc::new(terms(Err("x".to_owned())));
        assert_eq!(last_day(&allowance, Some(removal)), None);
    }
}
