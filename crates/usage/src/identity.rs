//! The rules and options that scans must share before they are added.

use serde::{Deserialize, Serialize};

use super::caller::CallerAttribute;
use sundown_report::{IdentityFact, OtherIdentity, PartialError};

/// The rules and options of a scan. Scans of which one of these differs count different things.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanIdentity {
    /// A digest of the rule table and of its elements.
    pub(super) rules: String,
    /// The ids of the selected rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selected: Option<Vec<String>>,
    /// The API of the selected rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) api: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<String>,
    /// The attributes of callers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) by: Vec<String>,
    /// Whether values are shown that are hashed otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) shown: bool,
    /// Identifies the secret with which callers are hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    /// The patterns of excluded callers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) excluded: Vec<String>,
}

impl ScanIdentity {
    /// The attributes of callers.
    pub(super) fn attributes(&self) -> Result<Vec<CallerAttribute>, String> {
        self.by
            .iter()
            .map(|name| CallerAttribute::parse(name))
            .collect()
    }

    /// Returns an error if a scan with the identity `other` cannot be added to one with this.
    pub fn check(&self, other: &Self) -> Result<(), PartialError> {
        IdentityFact::compare_all(other.facts(), self.facts(), OtherIdentity::FirstPart)
    }

    /// Returns an error if a scan with the identity `other` cannot be compared with one with this: its rules and its period may
    /// differ.
    pub fn check_comparable(&self, other: &Self) -> Result<(), PartialError> {
        let [other, own] = [other, self].map(|identity| {
            identity
                .facts()
                .into_iter()
                .filter(|fact| !matches!(fact.what, RULES | SINCE | UNTIL))
        });
        IdentityFact::compare_all(other, own, OtherIdentity::ThisScan)
    }

    /// The facts that must agree.
    fn facts(&self) -> [IdentityFact; 9] {
        let text = |option: &Option<String>| option.clone().unwrap_or_else(|| "none".to_owned());
        let list = |texts: &[String]| match texts {
            [] => "none".to_owned(),
            texts => texts.join(", "),
        };
        let selected = self
            .selected
            .as_deref()
            .map_or_else(|| "all".to_owned(), list);
        let values = if self.shown { "shown" } else { "hashed" };
        let same_rules = "scan with the same rules, in the same version of sundown";
        let same_options = "scan with the same options";
        [
            (RULES, self.rules.clone(), same_rules),
            ("the selected rules (--rule)", selected, same_options),
            ("the APIs (--api)", text(&self.api), same_options),
            (SINCE, text(&self.since), same_options),
            (UNTIL, text(&self.until), same_options),
            (
                "the attributes of callers (--by)",
                list(&self.by),
                same_options,
            ),
            (
                "the values of callers (--show-callers)",
                values.to_owned(),
                same_options,
            ),
            (
                "the excluded callers (--exclude-caller)",
                list(&self.excluded),
                same_options,
            ),
            (
                "the keys of the hashes of callers",
                text(&self.key),
                "scan with the same secret: --caller-key-file FILE",
            ),
        ]
        .map(|(what, value, help)| IdentityFact { what, value, help })
    }
}

const RULES: &str = "the rules";
const SINCE: &str = "the first times (--since)";
const UNTIL: &str = "the last times (--until)";
