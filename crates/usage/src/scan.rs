//! The result of a scan: counts that can be merged with those of other scans, in any order and grouping.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::caller::{CallerAttribute, attributes_or_consumer};
use super::caller_uses::CallerUses;
use super::capped::add_count;
use super::identity::{IdentityFact, ScanIdentity};
use super::partial::PartialError;
use super::tally::{ElementId, ReadTally, UseTally};
use sundown_lint::rules::{Element, Rule, RuleFile};
use sundown_report::InputTally;

/// The counts of a scan. Scans of parts of the traffic merge to the scan of all of it.
#[derive(Debug, Clone, Default)]
pub struct UsageScan {
    /// All calls of operations with selected rules.
    pub calls: ReadTally,
    /// The calls of operations with rules, selected or not, of each API: they show when its traffic was read.
    pub apis: BTreeMap<String, ReadTally>,
    /// The elements, also those that no call reached.
    pub elements: BTreeMap<ElementId, ElementTally>,
    /// The uses by caller.
    pub callers: CallerUses,
    /// The rules of the elements.
    pub rules: BTreeMap<Arc<str>, RuleFacts>,
    /// Calls that the options leave out.
    pub excluded: ExcludedCalls,
    /// The input that was read.
    pub input: InputTally,
    /// The rules and options of the scan.
    pub(super) identity: ScanIdentity,
}

/// The counts of an element.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ElementTally {
    /// The calls of its operation.
    #[serde(skip_serializing_if = "is_default")]
    pub reads: ReadTally,
    /// Its uses.
    #[serde(skip_serializing_if = "is_default")]
    pub uses: UseTally,
}

/// What reports say about a rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RuleFacts {
    /// The API of its table.
    pub api: String,
    /// The deprecated element.
    pub element: Element,
    /// The last day on which it works.
    pub removal: Option<NaiveDate>,
    /// The replacement.
    pub replacement: Option<String>,
    /// Whether the name of its field is a path, which no body may have as a name.
    pub names_path: bool,
    /// Whether the user's rules or descriptions have it, and not a pack or a built-in table.
    pub is_own: bool,
}

/// Calls that the options leave out, and what is unknown about others.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct ExcludedCalls {
    /// Calls before or after the period.
    pub outside_period: u64,
    /// Calls without a time, if a period is given.
    pub undated: u64,
    /// Calls of callers that a pattern leaves out.
    pub by_caller: u64,
    /// Calls with a caller attribute that identifies no one because it is not text, or too long.
    pub unusable_callers: u64,
    /// Pieces of calls that were counted or left out, and that could not be checked: all others may have had any call.
    pub failures_in_calls: u64,
}

impl UsageScan {
    /// Adds another scan.
    pub fn merge(&mut self, other: Self) -> Result<(), PartialError> {
        self.identity.check(&other.identity)?;
        self.add_counts(other);
        Ok(())
    }

    /// Adds the counts of another scan, or of a worker of the same run.
    pub fn add_counts(&mut self, other: Self) {
        self.input.merge(other.input);
        self.calls.merge(other.calls);
        for (api, calls) in other.apis {
            self.apis.entry(api).or_default().merge(calls);
        }
        for (id, tally) in other.elements {
            self.elements.entry(id).or_default().merge(tally);
        }
        self.callers.merge(other.callers);
        self.rules.extend(other.rules);
        self.excluded.merge(other.excluded);
    }

    /// The attributes of callers that the user named.
    pub(super) fn named_attributes(&self) -> Result<Vec<CallerAttribute>, String> {
        let named = self.identity.values(IdentityFact::CallersBy);
        named
            .iter()
            .map(|name| CallerAttribute::parse(name))
            .collect()
    }

    /// The attributes of its callers.
    pub fn attributes(&self) -> Result<Vec<CallerAttribute>, String> {
        let named = self.named_attributes()?;
        Ok(if self.callers.iter().next().is_none() {
            named
        } else {
            attributes_or_consumer(&named).to_vec()
        })
    }
}

impl ElementTally {
    pub(super) fn merge(&mut self, other: Self) {
        self.reads.merge(other.reads);
        self.uses.merge(other.uses);
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl RuleFacts {
    pub(super) fn new(rule: &Rule, file: &RuleFile) -> Self {
        Self {
            api: file.api.clone(),
            element: rule.element.clone(),
            removal: rule.removal,
            replacement: rule.replacement.clone(),
            names_path: rule.names_path,
            is_own: file.origin.is_users(),
        }
    }
}

impl ExcludedCalls {
    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.outside_period, other.outside_period);
        add_count(&mut self.undated, other.undated);
        add_count(&mut self.by_caller, other.by_caller);
        add_count(&mut self.unusable_callers, other.unusable_callers);
        add_count(&mut self.failures_in_calls, other.failures_in_calls);
    }
}
