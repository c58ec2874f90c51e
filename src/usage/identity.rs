//! The rules and options that scans must share before they are added.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::caller::{CallerAttribute, CallerValues};
use super::counter::UsageOptions;
use crate::findings::digest;
use crate::lint::PlanElement;
use crate::report::PartialError;
use crate::rules::RuleTable;

/// The rules and options of a scan. Scans of which one of these differs count different things.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanIdentity {
    /// A digest of the rule table and of its elements.
    rules: String,
    /// The ids of the selected rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selected: Option<Vec<String>>,
    /// The API of the selected rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    api: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// The attributes of callers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by: Vec<String>,
    /// Whether values are shown that are hashed otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shown: bool,
    /// Identifies the secret with which callers are hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The patterns of excluded callers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    excluded: Vec<String>,
}

impl ScanIdentity {
    /// The identity of scans with these rules and options.
    pub(super) fn of(options: &UsageOptions, table: &RuleTable, elements: &[PlanElement]) -> Self {
        let sorted = |mut texts: Vec<String>| {
            texts.sort_unstable();
            texts.dedup();
            texts
        };
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        let callers = &options.callers;
        let is_hidden = callers.attributes.iter().any(|attribute| !attribute.is_shown());
        let patterns = callers.excluded.iter().map(|glob| glob.glob().to_string());
        Self {
            rules: digest_of(table, elements),
            selected: options.rules.as_ref().map(|rules| sorted(rules.iter().cloned().collect())),
            api: options.api.as_deref().map(str::to_lowercase),
            since: options.since.map(time),
            until: options.until.map(time),
            by: callers.attributes.iter().map(CallerAttribute::name).collect(),
            shown: is_hidden && callers.values == CallerValues::Shown,
            key: callers.key.id().filter(|_| !callers.attributes.is_empty()),
            excluded: sorted(patterns.collect()),
        }
    }

    /// The attributes of callers.
    pub fn attributes(&self) -> Result<Vec<CallerAttribute>, String> {
        self.by.iter().map(|name| CallerAttribute::parse(name)).collect()
    }

    /// Returns an error if a scan with the identity `other` cannot be added to one with this.
    pub fn check(&self, other: &Self) -> Result<(), PartialError> {
        let text = |option: &Option<String>| option.clone().unwrap_or_else(|| "none".to_owned());
        let list = |texts: &[String]| {
            if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
        };
        let all =
            |rules: &Option<Vec<String>>| rules.as_deref().map_or_else(|| "all".to_owned(), list);
        let values = |shown: bool| if shown { "shown" } else { "hashed" }.to_owned();
        let same_rules = "scan all parts with the same rules, in the same version of sundown";
        let same_options = "scan all parts with the same options";
        let same_key = "scan all parts with the same secret: --caller-key-file FILE";
        let facts = |of: &Self| {
            [
                ("the rules", of.rules.clone(), same_rules),
                ("the selected rules (--rule)", all(&of.selected), same_options),
                ("the APIs (--api)", text(&of.api), same_options),
                ("the first times (--since)", text(&of.since), same_options),
                ("the last times (--until)", text(&of.until), same_options),
                ("the attributes of callers (--by)", list(&of.by), same_options),
                ("the values of callers (--show-callers)", values(of.shown), same_options),
                ("the excluded callers (--exclude-caller)", list(&of.excluded), same_options),
                ("the keys of the hashes of callers", text(&of.key), same_key),
            ]
        };
        let pairs = facts(self).into_iter().zip(facts(other));
        for ((what, wanted, help), (_, found, _)) in pairs {
            if wanted != found {
                return Err(PartialError::Differs { what, found, wanted, help });
            }
        }
        Ok(())
    }
}

/// A digest of the rules, and of the elements that descriptions make of them.
fn digest_of(table: &RuleTable, elements: &[PlanElement]) -> String {
    let rules = table.digest();
    let mut texts = vec![rules.as_str()];
    for PlanElement { rule, operation, part } in elements {
        let rule = table.rules().get(*rule).map_or("", |rule| &rule.id);
        texts.extend([rule, operation, part.name()]);
    }
    digest(&texts)
}
