//! The checks beyond uses in traffic: of API descriptions, of deprecations that the traffic announces, of requirements, and of values in
//! source code. The user sets their grades.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::rules::Grade;

/// A check of a description, of an announced deprecation, of a requirement, or of a text that people write, against the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// A deprecated element is still declared.
    Exposed,
    /// A deprecated element is not marked as deprecated.
    Unmarked,
    /// A deprecated element is marked, but without a date.
    Undated,
    /// A deprecated element is marked with a date other than that of the rules.
    DateDiffers,
    /// The replacement of an element is not declared.
    ReplacementMissing,
    /// The replacement of an element is itself deprecated.
    ReplacementDeprecated,
    /// Requests must contain a deprecated element.
    StillRequired,
    /// An element is missing before its removal date.
    RemovedEarly,
    /// A rule names operations that the description does not have.
    NeverMatched,
    /// The description marks an element as deprecated that no rule covers.
    UnknownToTable,
    /// An example uses a deprecated element.
    Examples,
    /// A response announces a deprecation.
    AnnouncedInTraffic,
    /// An exchange violates a requirement of a rule set.
    Requirement,
    /// A text that people write names a value of the rules.
    Mentioned,
}

/// The texts of a check's reference page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPage {
    /// The situation that it reports.
    pub what: String,
    /// Why that matters.
    pub why: String,
    /// The severity of its findings.
    pub severity: String,
    /// Who sees its findings.
    pub who: String,
    /// The remedy.
    pub remedy: String,
    /// Its limits: cases that it cannot decide, and assumptions.
    pub limits: String,
}

/// The pages of `checks.toml`.
static PAGES: LazyLock<BTreeMap<String, CheckPage>> = LazyLock::new(|| {
    let pages = toml::from_str(include_str!("../../checks.toml"));
    debug_assert!(pages.is_ok(), "{pages:?}");
    pages.unwrap_or_default()
});

impl Check {
    /// All checks.
    pub const ALL: [Self; 14] = [
        Self::Exposed,
        Self::Unmarked,
        Self::Undated,
        Self::DateDiffers,
        Self::ReplacementMissing,
        Self::ReplacementDeprecated,
        Self::StillRequired,
        Self::RemovedEarly,
        Self::NeverMatched,
        Self::UnknownToTable,
        Self::Examples,
        Self::AnnouncedInTraffic,
        Self::Requirement,
        Self::Mentioned,
    ];

    /// Its name on the command line and in machine formats.
    pub fn id(self) -> &'static str {
        match self {
            Self::Exposed => "exposed",
            Self::Unmarked => "unmarked",
            Self::Undated => "undated",
            Self::DateDiffers => "date-differs",
            Self::ReplacementMissing => "replacement-missing",
            Self::ReplacementDeprecated => "replacement-deprecated",
            Self::StillRequired => "still-required",
            Self::RemovedEarly => "removed-early",
            Self::NeverMatched => "never-matched",
            Self::UnknownToTable => "unknown-to-table",
            Self::Examples => "examples",
            Self::AnnouncedInTraffic => "announced-in-traffic",
            Self::Requirement => "requirement",
            Self::Mentioned => "mentioned",
        }
    }

    /// The check of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.id() == id)
    }

    /// The texts of its reference page.
    pub fn page(self) -> CheckPage {
        PAGES.get(self.id()).cloned().unwrap_or_default()
    }
}

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
