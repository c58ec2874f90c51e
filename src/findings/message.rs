//! The texts of findings for people.

use super::{Announced, Certainty, Check, ExchangePart, Finding, RuleAgreement};
use crate::rules::{AfterRemoval, Element, FieldElement, RemovedInRequest, RemovedInResponse};
use crate::traffic::Side;

impl Finding {
    /// One line: what is used, where, and how long it will work.
    pub fn message(&self) -> String {
        let doubt = match self.found.certainty {
            Certainty::Certain => "",
            Certainty::Possible => {
                " (possibly: another alternative of its schema is not deprecated)"
            }
        };
        match (&self.declared, &self.announced) {
            (Some(declared), _) => declared.message(self),
            (None, Some(announced)) => announced.message(self),
            (None, None) => format!("{} {}{doubt}", self.subject(), self.fate()),
        }
    }

    fn subject(&self) -> String {
        let operation = &self.found.operation;
        let side = self.found.part.name();
        match &self.rule.element {
            Element::Endpoint => format!("{operation}"),
            Element::Field(FieldElement { name, value: None }) => {
                format!("`{name}` in the {side} of {operation}")
            }
            Element::Field(FieldElement { name, value: Some(value) }) => {
                format!("the value `{value}` of `{name}` in the {side} of {operation}")
            }
            Element::Parameter(name) => format!("the parameter `{name}` of {operation}"),
            Element::Header(name) => format!("the header `{name}` in the {side} of {operation}"),
        }
    }

    /// How long the element works, as a predicate with its date. That it has been removed is not claimed: only its last day is known.
    pub(super) fn fate(&self) -> String {
        if let Some(last_day) = self.last_day() {
            return format!("is deprecated: {last_day}");
        }
        match (self.days_left, self.rule.removal) {
            (Some(0), Some(removal)) => {
                format!("is deprecated: today is its last day ({removal}, UTC)")
            }
            (Some(1), Some(removal)) => format!("is deprecated: 1 day left, until {removal}"),
            (Some(days), Some(removal)) => {
                format!("is deprecated: {days} days left, until {removal}")
            }
            _ => "is deprecated; no date announced".to_owned(),
        }
    }

    /// The last day of an element, if it is in the past.
    pub(super) fn last_day(&self) -> Option<String> {
        let (days, removal) = (self.days_left.filter(|days| *days < 0)?, self.rule.removal?);
        // On the first day after it, it may have ended a minute ago.
        let ago = if days < -1 { format!(", {} days ago", -days) } else { String::new() };
        Some(format!("its last day was {removal}{ago}"))
    }

    /// Until when the element should work.
    pub(super) fn promise(&self) -> String {
        match (self.days_left, self.rule.removal) {
            (Some(days), Some(removal)) if days >= 0 => format!("works until {removal}"),
            (_, Some(removal)) => format!("worked until {removal}"),
            _ => "has no removal date".to_owned(),
        }
    }

    /// The days left in a few words, for tables.
    pub fn time_left(&self) -> String {
        match self.days_left {
            None => "no date".to_owned(),
            Some(-1) => "1 day past".to_owned(),
            Some(days) if days < 0 => format!("{} days past", -days),
            Some(0) => "last day".to_owned(),
            Some(1) => "1 day left".to_owned(),
            Some(days) => format!("{days} days left"),
        }
    }

    /// The remedy in a few words: usually the replacement.
    pub fn advice(&self) -> String {
        match (&self.declared, &self.announced) {
            (Some(declared), _) => declared.advice(self),
            (None, Some(announced)) => announced.advice(self),
            (None, None) => self.replacement_advice(),
        }
    }

    pub(super) fn replacement_advice(&self) -> String {
        match &self.rule.replacement {
            Some(replacement) if replacement.contains(' ') => format!("use {replacement}"),
            Some(replacement) => format!("use `{replacement}`"),
            None => "no replacement announced".to_owned(),
        }
    }

    /// The note of its rule; `None` if the advice is not about a replacement.
    pub fn note(&self) -> Option<&str> {
        let is_about_rule = match (&self.declared, &self.announced) {
            (Some(declared), _) => matches!(declared.check, Check::Exposed | Check::Examples),
            (None, Some(announced)) => matches!(announced.standing, RuleAgreement::Known(_)),
            (None, None) => true,
        };
        self.rule.note.as_deref().filter(|_| is_about_rule)
    }

    /// The advice and the note, for formats in which a finding is one text.
    pub fn advice_and_note(&self) -> String {
        match self.note() {
            Some(note) => format!("{}; note: {note}", self.advice()),
            None => self.advice(),
        }
    }

    /// The effect of the removal on callers.
    pub fn consequence(&self) -> String {
        if let Some(declared) = &self.declared {
            return declared.consequence();
        }
        if self.announced.is_some() {
            return Announced::consequence();
        }
        if let Some(late) = self.late_use() {
            return late;
        }
        let when = match self.days_left {
            None => "once removed,",
            Some(days) if days < 0 => "past its last day,",
            Some(_) => "after its last day,",
        };
        format!("{when} {}", self.fate_in_service())
    }

    /// What the capture shows of a use after the last day.
    fn late_use(&self) -> Option<String> {
        let (removal, seen) = (self.rule.removal?, self.sightings.last?.date_naive());
        let days = (seen - removal).num_days();
        let seen_after = match days {
            ..=0 => return None,
            1 => format!("on {seen}, the day after its last day"),
            days => format!("on {seen}, {days} days after its last day"),
        };
        Some(match (&self.rule.element, self.found.part) {
            (Element::Endpoint, _) => format!("called {seen_after}"),
            (_, ExchangePart::Message(Side::Response)) => {
                format!("still sent {seen_after}: do not rely on it")
            }
            _ => format!("sent {seen_after}"),
        })
    }

    /// What the service does with the element after its last day: what its rules state, or else what services may do.
    fn fate_in_service(&self) -> String {
        let AfterRemoval { operation, request, response } = self.rule.after_removal;
        let stated = match (&self.rule.element, self.found.part) {
            (Element::Endpoint, _) => match operation {
                Some(status) => format!("the service answers {status}"),
                None => return "calls may fail".to_owned(),
            },
            (_, ExchangePart::Message(Side::Response)) => match response {
                Some(RemovedInResponse::Omitted) => "it is missing from responses".to_owned(),
                Some(RemovedInResponse::Null) => "it is null".to_owned(),
                None => return "it may be missing: do not rely on it".to_owned(),
            },
            (_, ExchangePart::Operation | ExchangePart::Message(Side::Request)) => match request {
                Some(RemovedInRequest::Refused(status)) => {
                    format!("the service answers {status} to requests with it")
                }
                Some(RemovedInRequest::Ignored) => "the service ignores it".to_owned(),
                None => return "it may be refused or ignored".to_owned(),
            },
        };
        format!("{stated}, as its rules state")
    }
}
