//! Allowances: findings that are allowed for a reason until a day.

use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::pointer::PointerPattern;
use crate::findings::{Check, Finding};
use crate::rules::Rule;
use sundown_exchange::OperationPattern;
use sundown_files::GlobList;
use sundown_text_json::json::pointer::Pointers;
use sundown_text_json::text::join;

/// One allowance. It has at least one of the conditions rules, files, operation and pointer; a missing condition always
/// holds.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// Its position in its file, in bytes.
    pub span: Range<usize>,
    /// Ids of rules, of checks, or of both as reports show them (`check/rule`). If empty, all rules.
    pub rules: Vec<String>,
    /// Files, as globs relative to the project's root.
    pub files: Option<GlobList>,
    /// The operation.
    pub operation: Option<OperationScope>,
    /// The position in the body. Only elements in bodies match it.
    pub pointer: Option<PointerPattern>,
    /// Why the findings are allowed.
    pub reason: String,
    /// The last day on which it applies, or the span of a text that is not a date; that counts as past.
    pub until: Result<NaiveDate, Range<usize>>,
    /// Whether it stays active when the element is removed before that day.
    pub outlasts_removal: bool,
}

/// The operations to which an allowance applies.
#[derive(Debug, Clone)]
pub enum OperationScope {
    /// Those that the pattern matches.
    Pattern(OperationPattern),
    /// The one of this name, which need not be a valid pattern in a description.
    Named(String),
}

/// An allowance with what messages say of it.
#[derive(Debug, Clone)]
pub(super) struct ListedAllowance {
    pub allowance: Allowance,
    /// The line on which it begins.
    pub line: usize,
    /// The last day, or a text that is not a date.
    pub until: Result<NaiveDate, String>,
}

/// An allowance as it applies to one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedAllowance {
    /// The file that contains it.
    pub file: Arc<str>,
    /// The line on which it begins.
    pub line: usize,
    /// Its reason, on one line.
    pub reason: String,
    /// The last day, or a text that is not a date: then it has expired.
    until: Result<NaiveDate, String>,
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
        let is_there = |own: &PointerPattern| position.is_some_and(|at| own.matches(&at.starred));
        (self.rules.is_empty() || self.rules.iter().any(|own| names(own, rule, check)))
            && self.pointer.as_ref().is_none_or(is_there)
    }

    /// Returns whether it applies to the operation of the finding. In a description, it must apply to all operations that
    /// reach the element, because an allowance for one of them does not allow the others.
    pub(super) fn reaches(&self, finding: &Finding) -> bool {
        let Some(scope) = &self.operation else {
            return true;
        };
        match finding.declared().map(|declared| &*declared.operations) {
            Some(all @ [_, ..]) => all.iter().all(|own| scope.covers(&own.operation)),
            _ => scope.covers(&finding.found.operation),
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

impl ListedAllowance {
    /// The allowance in this file, as it applies to an element with this removal date.
    pub(super) fn apply(&self, file: &Arc<str>, removal: Option<NaiveDate>) -> AppliedAllowance {
        let Allowance {
            reason,
            outlasts_removal,
            ..
        } = &self.allowance;
        let is_earlier = |day: &NaiveDate| self.until.as_ref().is_ok_and(|until| day < until);
        AppliedAllowance {
            file: Arc::clone(file),
            line: self.line,
            reason: join(reason.split_whitespace(), " "),
            until: self.until.clone(),
            removal: removal.filter(is_earlier).filter(|_| !outlasts_removal),
        }
    }
}

impl AppliedAllowance {
    /// The last day; `None` if the date is invalid.
    pub fn last_day(&self) -> Option<NaiveDate> {
        self.removal.or(self.until.clone().ok())
    }

    /// That the allowance has expired, when, and its reason. Not escaped.
    pub(crate) fn expired_text(&self) -> String {
        let how = match (&self.until, self.removal) {
            (Ok(until), Some(removal)) => {
                format!("ended with the removal, after {removal} instead of {until}")
            }
            (Ok(day), None) => format!("ended after {day}"),
            (Err(written), _) => format!("counts as ended, because \"{written}\" is not a date"),
        };
        let Self {
            file, line, reason, ..
        } = self;
        format!("its allowance ({file}:{line}) {how}; its reason was: {reason}")
    }

    /// Until when it applies, and why. Not escaped.
    pub fn active_text(&self) -> String {
        let until = self.last_day().map(|day| format!("until {day}"));
        let until = until.unwrap_or_default();
        let Self {
            file, line, reason, ..
        } = self;
        format!("allowed {until} ({file}:{line}): {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Element;

    #[test]
    fn an_expired_allowance_says_when_it_ended_and_why_it_was_given() {
        let grant = AppliedAllowance {
            file: "sundown.toml".into(),
            line: 1,
            reason: "as agreed".to_owned(),
            until: Ok(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()),
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
        let allowance = Allowance {
            span: 0..0,
            rules: Vec::new(),
            files: None,
            operation: None,
            pointer: None,
            reason: "x".to_owned(),
            until: Ok(until),
            outlasts_removal: false,
        };
        let mut listed = ListedAllowance {
            allowance,
            line: 1,
            until: Ok(until),
        };
        let last_day =
            |listed: &ListedAllowance, removal| listed.apply(&"a".into(), removal).last_day();
        assert_eq!(last_day(&listed, None), Some(until));
        assert_eq!(last_day(&listed, Some(until)), Some(until));
        assert_eq!(last_day(&listed, Some(removal)), Some(removal));
        listed.allowance.outlasts_removal = true;
        assert_eq!(last_day(&listed, Some(removal)), Some(until));
        listed.until = Err("x".to_owned());
        assert_eq!(last_day(&listed, Some(removal)), None);
    }
}
