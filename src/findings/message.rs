//! The texts of findings for people.

use super::{Announced, Certainty, ExchangePart, Finding};
use crate::rules::{Element, FieldElement};
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

    /// The removal of the element as a predicate, with its date.
    pub(super) fn fate(&self) -> String {
        match (self.days_left, self.rule.removal) {
            (Some(-1), Some(removal)) => format!("was removed 1 day ago (last day {removal})"),
            (Some(days), Some(removal)) if days < 0 => {
                format!("was removed {} days ago (last day {removal})", -days)
            }
            (Some(0), Some(removal)) => {
                format!("has its last day: it is removed after {removal} (UTC)")
            }
            (Some(1), Some(removal)) => format!("is deprecated: 1 day left, until {removal}"),
            (Some(days), Some(removal)) => {
                format!("is deprecated: {days} days left, until {removal}")
            }
            _ => "is deprecated; no date announced".to_owned(),
        }
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
            Some(-1) => "removed 1 day ago".to_owned(),
            Some(days) if days < 0 => format!("removed {} days ago", -days),
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
        match (&self.rule.replacement, &self.rule.note) {
            (Some(replacement), _) if replacement.contains(' ') => format!("use {replacement}"),
            (Some(replacement), _) => format!("use `{replacement}`"),
            (None, Some(note)) => format!("no replacement: {note}"),
            (None, None) => "no replacement announced".to_owned(),
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
        let removed = self.days_left.is_some_and(|days| days < 0);
        let when = if removed { "removed:" } else { "once removed," };
        let what = match (&self.rule.element, self.found.part) {
            (Element::Endpoint, _) => "the service answers 410 (Gone)",
            (Element::Field(_) | Element::Header(_), ExchangePart::Message(Side::Response)) => {
                "it is silently missing from the response"
            }
            _ => "the service answers 400 (Bad Request) to a request that has it",
        };
        format!("{when} {what}")
    }
}
