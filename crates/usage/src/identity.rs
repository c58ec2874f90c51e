//! The rules and options that scans must share before their counts are added.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A rule or an option on which scans must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum IdentityFact {
    /// A digest of the rules.
    Rules,
    /// Whether values are shown.
    ShownValues,
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

/// The first fact on which a scan differs from another.
#[derive(Debug, Error)]
#[error("{} of this partial result differ from those of the first: {found} instead of {wanted}", fact.texts().0)]
pub struct IdentityDifference {
    fact: IdentityFact,
    found: String,
    wanted: String,
}

/// The rules and options of a scan. Scans of which one of these differs count different things.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ScanIdentity(BTreeMap<IdentityFact, Vec<String>>);

impl IdentityFact {
    /// A noun in the plural, and the remedy if it differs.
    fn texts(self) -> (&'static str, &'static str) {
        const OPTIONS: &str = "use the same options in all runs";
        match self {
            Self::Rules => (
                "the rules",
                "use the same rules, configuration and version of sundown in all runs",
            ),
            Self::ShownValues => ("the settings of --show-values", OPTIONS),
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
    pub(super) fn help(&self) -> &'static str {
        self.fact.texts().1
    }
}

impl ScanIdentity {
    /// States a fact. One without a value is one that is not stated.
    #[must_use]
    pub(super) fn with<V: Display>(
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
    pub(super) fn values(&self, fact: IdentityFact) -> &[String] {
        self.0.get(&fact).map_or(&[], Vec::as_slice)
    }

    /// Returns an error about the first fact on which a scan differs from one with this identity.
    pub(super) fn check(&self, found: &Self) -> Result<(), IdentityDifference> {
        let facts = self.0.keys().chain(found.0.keys());
        let differing = facts
            .filter(|fact| self.values(**fact) != found.values(**fact))
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
            found,
            wanted,
        })
    }
}
