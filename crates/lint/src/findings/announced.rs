//! The details of findings about deprecations that the traffic itself announces.

use chrono::NaiveDate;

use crate::rules::{ElementPart, Rule};
use sundown_exchange::{Removal, SignalField};

/// The details of an announced deprecation. The element and its date are in the finding's rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announced {
    /// The header fields or annotations that announce it.
    pub by: Vec<SignalField>,
    /// Identifies the element within the operation: its kind, name and schema; empty for the whole operation.
    pub key: String,
    /// The schema that contains the element, if the announcement names one.
    pub schema: Option<String>,
    /// The date of the deprecation, if announced.
    pub since: Option<NaiveDate>,
    /// The removal date as it is announced.
    pub removal: Removal,
    /// The first release of the service without it, if announced.
    pub release: Option<String>,
    /// How the rules agree with it.
    pub standing: RuleAgreement,
}

/// The relation of the rules to an announcement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleAgreement {
    /// The rule of this id has the same date.
    Known(String),
    /// The rule of this id has another removal date, or none.
    Differs(String, Option<NaiveDate>),
    /// No rule covers the element.
    Unknown,
}

impl Announced {
    /// The key of a part of the call that only the text of a warning names.
    pub(crate) const PART: &str = "part";

    /// Returns whether a rule that found the operation or its version states what is announced: the same day, or no day, of a
    /// version. Both are deprecated as a whole; another element may have a severity and allowances of its own.
    pub(crate) fn is_stated_by(&self, rule: &Rule) -> bool {
        let is_whole = rule.element.part == ElementPart::Endpoint && self.removal.date().is_some();
        self.key.is_empty()
            && self.standing == RuleAgreement::Unknown
            && self.removal != Removal::Unreadable
            && self.removal.agrees_with(rule.removal)
            && (is_whole || rule.is_about_version())
    }
}

impl RuleAgreement {
    /// Its name in machine formats.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Known(_) => "known",
            Self::Differs(..) => "date-differs",
            Self::Unknown => "unknown",
        }
    }

    /// The rule that covers the element.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Known(rule) | Self::Differs(rule, _) => Some(rule),
            Self::Unknown => None,
        }
    }

    /// The removal date of that rule, if it differs.
    pub fn date(&self) -> Option<NaiveDate> {
        match self {
            Self::Differs(_, date) => *date,
            Self::Known(_) | Self::Unknown => None,
        }
    }
}
