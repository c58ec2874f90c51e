//! The texts of findings about deprecations that the traffic itself announces.

use super::announced::{Announced, RuleAgreement};
use super::check::Check;
use super::finding::Finding;
use super::message::replacement_advice;
use super::parts::{Certainty, ExchangePart};
use sundown_exchange::Removal;
use sundown_text_json::text::join;

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

    pub(super) fn consequence() -> String {
        let id = Check::AnnouncedInTraffic.id();
        format!("check {id}: see `sundown explain {id}`")
    }
}
