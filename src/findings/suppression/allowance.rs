//! What somebody has allowed, for which reason and until when.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::pointer::PointerPattern;
use crate::findings::{Check, Finding};
use crate::formats::{FileName, GlobList};
use crate::traffic::OperationPattern;

/// One allowance. What it does not say it does not ask for; it says at least one of rules, files, operation and pointer.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// Where it stands in its file, in bytes.
    pub span: Range<usize>,
    /// Ids of rules, or of checks of descriptions, or both as reports show them (`check/rule`). Empty: all.
    pub rules: Vec<String>,
    /// Files, as globs from the project's root on.
    pub files: Option<GlobList>,
    /// The operation.
    pub operation: Option<OperationScope>,
    /// The place in the body. What is not in a body has none.
    pub pointer: Option<PointerPattern>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub until: ExpiryDate,
    /// What the removal of the element does to it.
    pub removal: RemovalEffect,
}

/// Which operations an allowance is about.
#[derive(Debug, Clone)]
pub enum OperationScope {
    /// Those that the pattern stands for.
    Pattern(OperationPattern),
    /// The one of this name, which descriptions may write as no pattern can.
    Named(String),
}

/// The operations of findings, each of whose names is read once.
#[derive(Debug, Default)]
pub(super) struct OperationCache {
    known: HashMap<Box<str>, Option<OperationPattern>>,
}

/// The last day of an allowance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpiryDate {
    /// This day.
    Day(NaiveDate),
    /// What stands there is no day: it counts as past.
    Unreadable(Range<usize>),
}

/// What the removal of an element does to an allowance that reaches beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalEffect {
    /// It ends it.
    Ends,
    /// Nothing.
    Ignored,
}

/// An allowance as it speaks of one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedAllowance {
    /// The file in which it stands.
    pub file: Arc<str>,
    /// The line on which it begins.
    pub line: usize,
    /// Why, on one line.
    pub reason: String,
    /// When it ends.
    pub end: Expiry,
}

/// When an allowance ends for one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expiry {
    /// After this day.
    Day(NaiveDate),
    /// After the day of the removal, though it says a later one.
    Removal {
        /// The last day on which the element works.
        removal: NaiveDate,
        /// What the allowance says.
        until: NaiveDate,
    },
    /// It has ended, since this is no day.
    Unreadable(String),
}

impl ExpiryDate {
    /// What stands in `text` where the day should; nothing for a day.
    pub(super) fn written(&self, text: &str) -> String {
        match self {
            Self::Day(_) => String::new(),
            Self::Unreadable(span) => {
                let text = text.get(span.clone()).unwrap_or_default();
                text.trim_matches(['"', '\'']).to_owned()
            }
        }
    }
}

impl Allowance {
    /// Whether it speaks of the finding, in a file that it is about.
    pub(super) fn covers(&self, finding: &Finding, operations: &mut OperationCache) -> bool {
        let pointer = finding.found.pointer.as_ref().map(|pointer| &*pointer.starred);
        self.is_about(&finding.rule.id, finding.check())
            && self.pointer.as_ref().is_none_or(|own| pointer.is_some_and(|at| own.matches(at)))
            && self.reaches(finding, operations)
    }

    /// Whether it speaks of the elements inside one, of which only rule and pointer differ.
    pub(super) fn covers_inside(&self, finding: &Finding, operations: &mut OperationCache) -> bool {
        finding.related.iter().any(|inside| {
            self.is_about(&inside.rule, finding.check())
                && (self.pointer.as_ref())
                    .is_none_or(|pointer| pointer.matches(&inside.pointer.starred))
        }) && self.reaches(finding, operations)
    }

    fn is_about(&self, rule: &str, check: Option<Check>) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|own| names(own, rule, check))
    }

    /// Whether it is about this file.
    pub(super) fn is_about_file(&self, file: &FileName) -> bool {
        self.files.as_ref().is_none_or(|files| files.matches(file))
    }

    fn reaches(&self, finding: &Finding, operations: &mut OperationCache) -> bool {
        let own = self.operation.as_ref();
        own.is_none_or(|operation| operation.covers_all_of(finding, operations))
    }

    /// When it ends for an element with this removal date.
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

/// Whether `text` names the rule, the check, or both.
fn names(text: &str, rule: &str, check: Option<Check>) -> bool {
    let of_check = check.is_some_and(|check| match text.split_once('/') {
        Some((id, of)) => id == check.id() && of == rule,
        None => text == check.id(),
    });
    text == rule || of_check
}

impl OperationScope {
    /// Whether it is about the finding's operation: of a description, about all operations that reach the element, since
    /// whoever allows one of them has not allowed the others.
    fn covers_all_of(&self, finding: &Finding, known: &mut OperationCache) -> bool {
        match finding.declared.as_ref().filter(|declared| !declared.operations.is_empty()) {
            Some(declared) => {
                declared.operations.iter().all(|affected| self.covers(&affected.operation, known))
            }
            None => self.covers(&finding.found.operation, known),
        }
    }

    fn covers(&self, operation: &str, known: &mut OperationCache) -> bool {
        match self {
            Self::Named(name) => name == operation,
            Self::Pattern(pattern) => {
                known.get(operation).is_some_and(|other| pattern.covers(other))
            }
        }
    }
}

impl OperationCache {
    /// The pattern of an operation by its name; `None` where that is none.
    fn get(&mut self, name: &str) -> Option<&OperationPattern> {
        if !self.known.contains_key(name) {
            self.known.insert(name.into(), OperationPattern::parse(name).ok());
        }
        self.known.get(name)?.as_ref()
    }
}

impl Expiry {
    /// The last day; `None` where there is none.
    pub fn day(&self) -> Option<NaiveDate> {
        match self {
            Self::Day(day) | Self::Removal { removal: day, .. } => Some(*day),
            Self::Unreadable(_) => None,
        }
    }

    /// Whether the allowance still holds.
    pub(super) fn is_after(&self, today: NaiveDate) -> bool {
        self.day().is_some_and(|day| today <= day)
    }
}

impl AppliedAllowance {
    /// That the allowance has ended, when and what it was for. Not escaped.
    pub fn expired_text(&self) -> String {
        let Self { file, line, reason, end } = self;
        let how = match end {
            Expiry::Day(day) => format!("ended after {day}"),
            Expiry::Removal { removal, until } => {
                format!("ended with the removal, after {removal}, and not after {until}")
            }
            Expiry::Unreadable(written) => {
                format!("counts as ended, since \"{written}\" is no date")
            }
        };
        format!("its allowance ({file}:{line}) {how}; it said: {reason}")
    }

    /// Until when it holds, and why. Not escaped.
    pub fn active_text(&self) -> String {
        let Self { file, line, reason, end } = self;
        let until = end.day().map(|day| format!("until {day}")).unwrap_or_default();
        format!("allowed {until} ({file}:{line}): {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_named_alone_or_behind_its_check() {
        let check = Some(Check::Unmarked);
        for text in ["old", "unmarked", "unmarked/old"] {
            assert!(names(text, "old", check), "{text}");
        }
        for text in ["undated", "undated/old", "unmarked/new", "unmarked/", "/old"] {
            assert!(!names(text, "old", check), "{text}");
        }
        assert!(names("old", "old", None) && !names("unmarked/old", "old", None));
    }

    #[test]
    fn the_removal_ends_what_reaches_beyond_it_unless_it_is_ignored() {
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
