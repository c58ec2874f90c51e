//! The rules and options that runs of `sundown check` must share before their results are added.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::{IdentityFact, OtherIdentity, PartialError};
use sundown_lint::rules::{Lifecycle, Severity};

/// The rules and options of a run. Runs of which one of these differs report different things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckIdentity {
    /// The version of the program, which decides what is found.
    pub version: String,
    /// A digest of the rule table.
    pub rules: String,
    /// A digest of the severities that the user sets for rules and checks.
    pub severities: String,
    /// The day and the thresholds.
    pub lifecycle: Lifecycle,
    /// The user's role.
    pub role: String,
    /// Whether everything was validated.
    pub is_strict: bool,
    /// Whether values are shown.
    pub shows_values: bool,
    /// The revision since which files must have changed.
    pub changed_since: Option<String>,
}

impl Default for CheckIdentity {
    fn default() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: String::new(),
            severities: String::new(),
            lifecycle: Lifecycle::on(NaiveDate::default()),
            role: String::new(),
            is_strict: false,
            shows_values: false,
            changed_since: None,
        }
    }
}

impl CheckIdentity {
    /// Takes over from the results of runs what is not said again when they are merged.
    #[must_use]
    pub fn completed_by(self, parts: &Self) -> Self {
        let Self {
            version,
            rules,
            severities,
            lifecycle,
            ..
        } = self;
        Self {
            version,
            rules,
            severities,
            lifecycle,
            ..parts.clone()
        }
    }

    /// Returns an error if results of runs with the identity `parts` cannot be reported with this one.
    pub fn check_parts(&self, parts: &Self) -> Result<(), PartialError> {
        IdentityFact::compare_all(parts.facts(), self.facts(), OtherIdentity::ThisMerge)
    }

    /// Returns an error if the result of a run with the identity `other` cannot be added to one with this.
    pub fn check(&self, other: &Self) -> Result<(), PartialError> {
        IdentityFact::compare_all(other.facts(), self.facts(), OtherIdentity::FirstPart)
    }

    /// The facts that must agree.
    fn facts(&self) -> [IdentityFact; 10] {
        const RULES: &str =
            "use the same rules and the same configuration in all runs and in the merge";
        const OPTIONS: &str = "use the same options in all runs and in the merge";
        const DAY: &str = "check as of the same day in all runs: --as-of YYYY-MM-DD";
        let Lifecycle {
            as_of,
            error_within,
            warn_within,
            response_cap,
        } = self.lifecycle;
        let warn_within = warn_within.map_or("none".to_owned(), |days| days.to_string());
        let response_cap = response_cap.map_or("none", Severity::name).to_owned();
        let since = self.changed_since.as_deref().unwrap_or("none").to_owned();
        let [strict, values] =
            [self.is_strict, self.shows_values].map(|is_set| if is_set { "on" } else { "off" });
        [
            (
                "the versions of sundown",
                self.version.clone(),
                "use the same version of sundown in all runs",
            ),
            ("the rules", self.rules.clone(), RULES),
            (
                "the severities of rules and checks",
                self.severities.clone(),
                RULES,
            ),
            ("the days", as_of.to_string(), DAY),
            (
                "the days before an error (--error-within)",
                error_within.to_string(),
                OPTIONS,
            ),
            (
                "the days before a warning (--warn-within)",
                warn_within,
                OPTIONS,
            ),
            (
                "the severities of responses (--response-severity)",
                response_cap,
                OPTIONS,
            ),
            ("the roles (--role)", self.role.clone(), OPTIONS),
            (
                "the settings of --strict and --show-values",
                format!("{strict} and {values}"),
                OPTIONS,
            ),
            ("the revisions (--changed-since)", since, OPTIONS),
        ]
        .map(|(what, value, help)| IdentityFact { what, value, help })
    }
}
