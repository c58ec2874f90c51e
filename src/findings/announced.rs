//! The details and texts of findings about deprecations that the traffic itself announces.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{Check, ExchangePart, Finding};
use crate::traffic::{Removal, SignalField};

/// The details of an announced deprecation. The element and its date are in the finding's rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleAgreement {
    /// The rule of this id has the same date.
    Known(String),
    /// The rule of this id has another removal date, or none.
    Differs(String, Option<NaiveDate>),
    /// No rule covers the element.
    Unknown,
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

impl Announced {
    pub(super) fn message(&self, finding: &Finding) -> String {
        let by = self.by.iter().map(|field| field.name()).collect::<Vec<_>>().join(", ");
        let standing = match &self.standing {
            RuleAgreement::Known(rule) => format!("the rule {rule} covers it"),
            RuleAgreement::Differs(rule, Some(date)) => format!("the rule {rule} says {date}"),
            RuleAgreement::Differs(rule, None) => format!("the rule {rule} has no date"),
            RuleAgreement::Unknown => "no rule covers it".to_owned(),
        };
        let since = self.since.map(|since| format!(", since {since}")).unwrap_or_default();
        let unread = match self.removal {
            Removal::Unreadable => ", with a date that cannot be read",
            _ => "",
        };
        let release =
            self.release.as_ref().map(|release| format!(", removed in release {release}"));
        let release = release.unwrap_or_default();
        let (subject, fate) = (self.subject(finding), finding.fate());
        let announcer = self.by.first().map_or("responses announce", |field| field.announcer());
        format!("{subject} {fate}, as {announcer} ({by}{since}{release}{unread}); {standing}")
    }

    /// The element without its operation; empty for the whole operation.
    fn element(&self, finding: &Finding) -> String {
        let name = |name: &str| match &self.schema {
            Some(schema) => format!("`{name}` of `{schema}`"),
            None => format!("`{name}`"),
        };
        finding.rule.element.phrase(name).unwrap_or_default()
    }

    fn subject(&self, finding: &Finding) -> String {
        let operation = &finding.found.operation;
        match (self.element(finding), finding.found.part) {
            (element, _) if element.is_empty() => operation.to_string(),
            (element, ExchangePart::Operation) => format!("{element} in {operation}"),
            (element, ExchangePart::Message(side)) => {
                format!("{element} in the {} of {operation}", side.name())
            }
        }
    }

    pub(super) fn advice(&self, finding: &Finding) -> String {
        match self.standing {
            RuleAgreement::Known(_) => finding.replacement_advice(),
            RuleAgreement::Differs(..) => "correct the date in the rule".to_owned(),
            RuleAgreement::Unknown => "add a rule for it".to_owned(),
        }
    }

    pub(super) fn consequence() -> String {
        let id = Check::AnnouncedInTraffic.id();
        format!("check {id}: see `sundown explain {id}`")
    }
}
