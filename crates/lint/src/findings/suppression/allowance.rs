//! Allowances: findings that are allowed for a reason until a day.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::pointer::PointerPattern;
use crate::findings::{Check, Finding};
use sundown_exchange::OperationPattern;
use sundown_files::{FileName, GlobList};
use sundown_text_json::json::pointer::Pointers;

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
    /// The last day on which it applies.
    pub until: ExpiryDate,
    /// Is true if the removal of the element ends it.
    pub removal: RemovalEffect,
}

/// The operations to which an allowance applies.
#[derive(Debug, Clone)]
pub enum OperationScope {
    /// Those that the pattern matches.
    Pattern(OperationPattern),
    /// The one of this name, which need not be a valid pattern in a description.
    Named(String),
}

/// The parsed operations of findings, each parsed once.
#[derive(Debug, Default)]
pub(super) struct OperationCache {
    known: HashMap<Box<str>, Option<OperationPattern>>,
}

/// The last day of an allowance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpiryDate {
    /// This day.
    Day(NaiveDate),
    /// The text at this position is not a date; it counts as past.
    Unreadable(Range<usize>),
}

/// The effect of an element's removal on an allowance with a later date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalEffect {
    /// The removal ends the allowance.
    Ends,
    /// The allowance stays active.
    Ignored,
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
    /// When it ends.
    pub end: Expiry,
}

/// When an allowance expires for one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expiry {
    /// After this day.
    Day(NaiveDate),
    /// After the removal date, although its own date is later.
    Removal {
        /// The last day on which the element works.
        removal: NaiveDate,
        /// The date of the allowance.
        until: NaiveDate,
    },
    /// It has expired, because this text is not a date.
    Unreadable(String),
}

impl ExpiryDate {
    /// The invalid date in `text`; empty for a valid date.
    pub(super) fn written(&self, text: &str) -> String {
        match self {
            Self::Day(_) => String::new(),
            Self::Unreadable(span) => text
                .get(span.clone())
                .unwrap_or_default()
                .trim_matches(['"', '\''])
                .to_owned(),
        }
    }
}

impl Allowance {
    /// Returns whether it covers the finding. Its files must have been compared before.
    pub(super) fn covers(&self, finding: &Finding, operations: &mut OperationCache) -> bool {
        self.is_about(&finding.rule.id, &finding.rule.other_ids, finding.check())
            && self.is_at(finding.found.pointer.as_ref())
            && self.reaches(finding, operations)
    }

    /// Returns whether it covers an element inside the finding. Such elements have the same operation.
    pub(super) fn covers_inside(&self, finding: &Finding, operations: &mut OperationCache) -> bool {
        finding.related.iter().any(|inside| {
            self.is_about(&inside.rule, &inside.other_ids, finding.check())
                && self.is_at(inside.pointer.as_ref())
        }) && self.reaches(finding, operations)
    }

    fn is_at(&self, position: Option<&Pointers>) -> bool {
        self.pointer
            .as_ref()
            .is_none_or(|own| position.is_some_and(|at| own.matches(&at.starred)))
    }

    fn is_about(&self, rule: &str, other_ids: &[Arc<str>], check: Option<Check>) -> bool {
        let mut ids = [rule].into_iter().chain(other_ids.iter().map(|id| &**id));
        self.rules.is_empty()
            || ids.any(|rule| self.rules.iter().any(|own| names(own, rule, check)))
    }

    /// Returns whether it applies to this file.
    pub(super) fn is_about_file(&self, file: &FileName) -> bool {
        self.files.as_ref().is_none_or(|files| files.matches(file))
    }

    fn reaches(&self, finding: &Finding, operations: &mut OperationCache) -> bool {
        self.operation
            .as_ref()
            .is_none_or(|operation| operation.covers_all_of(finding, operations))
    }

    /// When it expires for an element with this removal date.
    pub(super) fn end(&self, removal: Option<NaiveDate>, written: &str) -> Expiry {
        match (&self.until, removal) {
            (ExpiryDate::Unreadable(_), _) => Expiry::Unreadable(written.to_owned()),
            (&ExpiryDate::Day(until), Some(removal))
                if removal < until && self.removal == RemovalEffect::Ends =>
            {
                Expiry::Removal { removal, until }
            }
            (&ExpiryDate::Day(until), _) => Expiry::Day(until),
        }
    }
}

/// Returns whether `text` names the rule, the check, or both.
fn names(text: &str, rule: &str, check: Option<Check>) -> bool {
    let of_check = check.is_some_and(|check| match text.split_once('/') {
        Some((id, of)) => id == check.id() && of == rule,
        None => text == check.id(),
    });
    text == rule || of_check
}

impl OperationScope {
    /// Returns whether it applies to the operation of the finding. In a description, it must apply to all operations that
    /// reach the element, because an allowance for one of them does not allow the others.
    fn covers_all_of(&self, finding: &Finding, known: &mut OperationCache) -> bool {
        match finding
            .declared()
            .filter(|declared| !declared.operations.is_empty())
        {
            Some(declared) => declared
                .operations
                .iter()
                .all(|affected| self.covers(&affected.operation, known)),
            None => self.covers(&finding.found.operation, known),
        }
    }

    fn covers(&self, operation: &str, known: &mut OperationCache) -> bool {
        match self {
            Self::Named(name) => name == operation,
            Self::Pattern(pattern) => known
                .get(operation)
                .is_some_and(|other| pattern.covers(other)),
        }
    }
}

impl OperationCache {
    /// The pattern of an operation by its name; `None` if the name is not a pattern.
    fn get(&mut self, name: &str) -> Option<&OperationPattern> {
        if !self.known.contains_key(name) {
            self.known
                .insert(name.into(), OperationPattern::parse(name).ok());
        }
        self.known.get(name)?.as_ref()
    }
}

impl Expiry {
    /// The last day; `None` if the date is invalid.
    pub fn day(&self) -> Option<NaiveDate> {
        match self {
            Self::Day(day) | Self::Removal { removal: day, .. } => Some(*day),
            Self::Unreadable(_) => None,
        }
    }

    /// Returns whether the allowance is still active on this day.
    pub(super) fn is_after(&self, today: NaiveDate) -> bool {
        self.day().is_some_and(|day| today <= day)
    }
}

impl AppliedAllowance {
    /// That the allowance has expired, when, and its reason. Not escaped.
    pub(crate) fn expired_text(&self) -> String {
        let Self {
            file,
            line,
            reason,
            end,
        } = self;
        let how = match end {
            Expiry::Day(day) => format!("ended after {day}"),
            Expiry::Removal { removal, until } => {
                format!("ended with the removal, after {removal} instead of {until}")
            }
            Expiry::Unreadable(written) => {
                format!("counts as ended, because \"{written}\" is not a date")
            }
        };
        format!("its allowance ({file}:{line}) {how}; its reason was: {reason}")
    }

    /// Until when it applies, and why. Not escaped.
    pub fn active_text(&self) -> String {
        let Self {
            file,
            line,
            reason,
            end,
        } = self;
        let until = end
            .day()
            .map(|day| format!("until {day}"))
            .unwrap_or_default();
        format!("allowed {until} ({file}:{line}): {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expired_allowance_says_when_it_ended_and_why_it_was_given() {
        let grant = AppliedAllowance {
            file: "sundown.toml".into(),
            line: 1,
            reason: "as agreed".to_owned(),
            end: Expiry::Day(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()),
        };
        assert_eq!(
            grant.expired_text(),
            "its allowance (sundown.toml:1) ended after 2026-11-20; its reason was: as agreed"
        );
    }

    #[test]
    fn a_rule_is_named_alone_or_after_its_check() {
        let check = Some(Check::Unmarked);
        for text in ["old", "unmarked", "unmarked/old"] {
            assert!(names(text, "old", check), "{text}");
        }
        for text in [
            "undated",
            "undated/old",
            "unmarked/new",
            "unmarked/",
            "/old",
        ] {
            assert!(!names(text, "old", check), "{text}");
        }
        assert!(names("old", "old", None) && !names("unmarked/old", "old", None));
    }

    #[test]
    fn the_removal_ends_an_allowance_with_a_later_date_unless_it_is_ignored() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let (until, removal) = (day("2026-12-31"), day("2026-11-20"));
        let mut allowance = Allowance {
            span: 0..0,
            rules: Vec::new(),
            files: None,
            operation: None,
            pointer: None,
            reason: "x".to_owned(),
            until: ExpiryDate::Day(until),
            removal: RemovalEffect::Ends,
        };
        assert_eq!(allowance.end(None, ""), Expiry::Day(until));
        assert_eq!(allowance.end(Some(until), ""), Expiry::Day(until));
        let cut = allowance.end(Some(removal), "");
        assert!(cut.is_after(removal), "the day itself is allowed");
        assert!(!cut.is_after(day("2026-11-21")));
        allowance.removal = RemovalEffect::Ignored;
        assert_eq!(allowance.end(Some(removal), ""), Expiry::Day(until));
        allowance.until = ExpiryDate::Unreadable(0..3);
        assert!(!allowance.end(None, "x").is_after(NaiveDate::MIN));
    }
}
