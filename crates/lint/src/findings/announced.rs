//! The details and texts of findings about deprecations that the traffic itself announces.

use chrono::NaiveDate;

use super::message::replacement_advice;
use super::{Certainty, ExchangePart, Finding};
use crate::rules::{ElementPart, Rule};
use sundown_exchange::{Removal, SignalField};
use sundown_text_json::text::join;

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

impl Announced {
    pub(super) fn message(&self, finding: &Finding) -> String {
        let by = join(self.by.iter().map(|field| field.name()), ", ");
        let standing = match &self.standing {
            RuleAgreement::Known(rule) => format!("the rule {rule} covers it"),
            RuleAgreement::Differs(rule, Some(date)) => format!("the rule {rule} says {date}"),
            RuleAgreement::Differs(rule, None) => format!("the rule {rule} has no date"),
            RuleAgreement::Unknown if self.is_about_part() => "its text names the part".to_owned(),
            RuleAgreement::Unknown => "no rule covers it".to_owned(),
        };
        let word = finding.begins.map_or("since", |_| "from");
        let since = self
            .since
            .map(|since| format!(", {word} {since}"))
            .unwrap_or_default();
        let period = match self.removal {
            Removal::EndOf(_) => ", which name no day",
            _ => "",
        };
        let release = self
            .release
            .as_ref()
            .map(|release| format!(", removed in release {release}"))
            .unwrap_or_default();
        let subject = self.subject(finding);
        let is_certain = finding.found.certainty == Certainty::Certain || self.is_about_part();
        let fate = if is_certain {
            finding.fate()
        } else {
            "may be deprecated".to_owned()
        };
        let announcer = self
            .by
            .first()
            .map_or("responses announce", |field| field.announcer());
        format!("{subject} {fate}, as {announcer} ({by}{since}{release}{period}); {standing}")
    }

    /// Returns whether only the text of a warning names the element.
    pub fn is_about_part(&self) -> bool {
        self.key == Self::PART
    }

    /// The element without its operation; `None` for the whole operation.
    fn element(&self, finding: &Finding) -> Option<String> {
        finding.rule.element.phrase(|name| match &self.schema {
            Some(schema) => format!("`{name}` of `{schema}`"),
            None => format!("`{name}`"),
        })
    }

    fn subject(&self, finding: &Finding) -> String {
        let operation = &finding.found.operation;
        match (self.element(finding), finding.found.part) {
            _ if self.is_about_part() => format!("a part of {operation}"),
            (None, _) => operation.to_string(),
            (Some(element), ExchangePart::Operation) => format!("{element} in {operation}"),
            (Some(element), ExchangePart::Message(side)) => {
                format!("{element} in the {} of {operation}", side.name())
            }
        }
    }

    pub(super) fn advice(&self, finding: &Finding) -> String {
        match self.standing {
            RuleAgreement::Known(_) => replacement_advice(&finding.rule),
            RuleAgreement::Differs(..) => "correct the date in the rule".to_owned(),
            RuleAgreement::Unknown => "add a rule for it".to_owned(),
        }
    }
}
