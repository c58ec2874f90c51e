//! The rules and options that runs must share before their results are added.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A rule or an option on which results must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdentityFact {
    /// The version of the program, which decides what is found.
    Version,
    /// A digest of the rules.
    Rules,
    /// A digest of the severities that the user sets for rules and checks.
    Severities,
    /// The day for which findings are graded.
    Day,
    /// The days before an error.
    ErrorWithin,
    /// The days before a warning.
    WarnWithin,
    /// The severity of responses.
    ResponseSeverity,
    /// The user's role.
    Role,
    /// Whether everything was validated.
    Strict,
    /// Whether values are shown.
    ShownValues,
    /// The revision since which files must have changed.
    ChangedSince,
    /// The ids of the selected rules.
    SelectedRules,
    /// The API of the selected rules.
    SelectedApi,
    /// The first time that counts.
    Since,
    /// The time before which calls count.
    Until,
    /// The attributes of callers.
    CallersBy,
    /// Whether values of callers are shown that are hashed otherwise.
    ShownCallers,
    /// The patterns of excluded callers.
    ExcludedCallers,
    /// Identifies the secret with which callers are hashed.
    CallerKey,
}

/// The result with which a partial result must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherIdentity {
    /// The first of those that are merged.
    FirstPart,
    /// The merge of partial results that agree with each other.
    ThisMerge,
}

/// The first fact on which a result differs from another.
#[derive(Debug, Error)]
#[error("{} of {other}: {found} instead of {wanted}", fact.texts().0)]
pub struct IdentityDifference {
    fact: IdentityFact,
    other: OtherIdentity,
    found: String,
    wanted: String,
}

/// The rules and options of a run. Runs of which one of these differs report different things.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity(BTreeMap<IdentityFact, Vec<String>>);

impl IdentityFact {
    /// A noun in the plural, and the remedy if it differs.
    fn texts(self) -> (&'static str, &'static str) {
        const OPTIONS: &str = "use the same options in all runs and in the merge";
        const RULES: &str =
            "use the same rules, configuration and version of sundown in all runs and in the merge";
        match self {
            Self::Version => (
                "the versions of sundown",
                "use the same version of sundown in all runs",
            ),
            Self::Rules => ("the rules", RULES),
            Self::Severities => ("the severities of rules and checks", RULES),
            Self::Day => (
                "the days",
                "check as of the same day in all runs: --as-of YYYY-MM-DD",
            ),
            Self::ErrorWithin => ("the days before an error (--error-within)", OPTIONS),
            Self::WarnWithin => ("the days before a warning (--warn-within)", OPTIONS),
            Self::ResponseSeverity => {
                ("the severities of responses (--response-severity)", OPTIONS)
            }
            Self::Role => ("the roles (--role)", OPTIONS),
            Self::Strict => ("the settings of --strict", OPTIONS),
            Self::ShownValues => ("the settings of --show-values", OPTIONS),
            Self::ChangedSince => ("the revisions (--changed-since)", OPTIONS),
            Self::SelectedRules => ("the selected rules (--rule)", OPTIONS),
            Self::SelectedApi => ("the APIs (--api)", OPTIONS),
            Self::Since => ("the first times (--since)", OPTIONS),
            Self::Until => ("the last times (--until)", OPTIONS),
            Self::CallersBy => ("the attributes of callers (--by)", OPTIONS),
            Self::ShownCallers => ("the settings of --show-callers", OPTIONS),
            Self::ExcludedCallers => ("the excluded callers (--exclude-caller)", OPTIONS),
            Self::CallerKey => (
                "the keys of the hashes of callers",
                "scan with the same secret: --caller-key-file FILE",
            ),
        }
    }
}

impl IdentityDifference {
    /// The remedy.
    pub fn help(&self) -> &'static str {
        self.fact.texts().1
    }
}

impl OtherIdentity {
    /// Returns whether the results must agree on a fact. A merge takes over the options of the runs that it does not grade with.
    fn is_about(self, fact: IdentityFact) -> bool {
        match self {
            Self::FirstPart => true,
            Self::ThisMerge => fact <= IdentityFact::ResponseSeverity,
        }
    }
}

impl Display for OtherIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstPart => "this partial result differ from those of the first",
            Self::ThisMerge => "the partial results differ from those of this merge",
        })
    }
}

impl RunIdentity {
    /// States a fact. One without a value is one that is not stated.
    #[must_use]
    pub fn with<V: Display>(
        mut self,
        fact: IdentityFact,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values: Vec<_> = values.into_iter().map(|value| value.to_string()).collect();
        if !values.is_empty() {
            self.0.insert(fact, values);
        }
        self
    }

    /// The values of a fact; none if it is not stated.
    pub fn values(&self, fact: IdentityFact) -> &[String] {
        self.0.get(&fact).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a fact is stated.
    pub fn has(&self, fact: IdentityFact) -> bool {
        self.0.contains_key(&fact)
    }

    /// The day for which findings are graded.
    pub fn day(&self) -> NaiveDate {
        let day = self.values(IdentityFact::Day).first();
        day.and_then(|day| day.parse().ok()).unwrap_or_default()
    }

    /// Returns an error about the first fact on which a result differs from one with this identity.
    pub fn check(&self, found: &Self, other: OtherIdentity) -> Result<(), IdentityDifference> {
        let facts = self.0.keys().chain(found.0.keys());
        let differing = facts
            .filter(|fact| other.is_about(**fact) && self.values(**fact) != found.values(**fact))
            .min();
        let Some(&fact) = differing else {
            return Ok(());
        };
        let [found, wanted] = [found, self].map(|identity| match identity.values(fact) {
            [] => "the default".to_owned(),
            values => values.join(", "),
        });
        Err(IdentityDifference {
            fact,
            other,
            found,
            wanted,
        })
    }
}
