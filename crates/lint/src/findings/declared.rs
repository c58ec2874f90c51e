//! The details and texts of findings in API descriptions, and in other texts that people write.

use std::sync::Arc;

use super::message::{first_of, replacement_advice};
use super::{Check, ExchangePart, Finding};
use sundown_exchange::Side;
use sundown_text_json::text::join;

/// The details of a finding in an API description, or of a value in another text that people write, which no operation reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The check that found it.
    pub check: Check,
    /// The operations that reach the element, in order, without duplicates; may be empty.
    pub operations: Vec<AffectedOperation>,
    /// Details of the check: dates and names of elements, never values.
    pub detail: Option<String>,
    /// The deprecated thing, if it is not the rule's element.
    pub subject: Option<String>,
}

/// A part of an operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AffectedOperation {
    /// The call itself, or one of its messages.
    pub part: ExchangePart,
    /// Method and path template.
    pub operation: Arc<str>,
}

impl Declared {
    /// The sort key of findings in one place.
    pub fn order(&self) -> impl Ord + '_ {
        (&self.operations, &self.detail, &self.subject)
    }

    /// The first of its operations, for formats with room for one.
    pub fn first(&self) -> Option<&AffectedOperation> {
        self.operations.first()
    }

    /// The side, if it is the same for all operations.
    pub fn side(&self) -> Option<Side> {
        let first = self.first()?.part;
        self.operations
            .iter()
            .all(|affected| affected.part == first)
            .then(|| first.side())?
    }
}

/// How many operations a message lists.
const MAX_NAMED: usize = 3;

impl Declared {
    pub(super) fn message(&self, finding: &Finding) -> String {
        let subject = self.subject(finding);
        let detail = self.detail.as_deref().unwrap_or_default();
        let text = match self.check {
            Check::Exposed => match finding.last_day() {
                Some(last_day) => format!("{subject} is still declared, but {last_day}"),
                None => format!("{subject} is still declared but {}", finding.fate()),
            },
            Check::Unmarked => format!("{subject} is not marked as deprecated"),
            Check::Undated => format!("{subject} is marked as deprecated without a date{detail}"),
            Check::DateDiffers => format!("{subject} has a different removal date here: {detail}"),
            Check::ReplacementMissing => {
                format!("{subject} has a replacement that is not declared: {detail}")
            }
            Check::ReplacementDeprecated => {
                format!("{subject} has a replacement that is itself deprecated: {detail}")
            }
            Check::StillRequired => format!("{subject} is deprecated but still required"),
            Check::RemovedEarly => {
                format!(
                    "{subject} is not declared, although it {}",
                    finding.promise()
                )
            }
            Check::NeverMatched => {
                format!("no operation of the rule is in this description: {detail}")
            }
            Check::UnknownToTable => {
                format!("{subject} is marked as deprecated, but no rule covers it")
            }
            Check::Mentioned => match &self.subject {
                Some(value) if detail.is_empty() => {
                    format!("{value} is mentioned and {}", finding.fate())
                }
                Some(value) => format!("{value} is mentioned and {} ({detail})", finding.fate()),
                None => detail.to_owned(),
            },
            Check::Examples => format!("an example uses {subject}, which {}", finding.fate()),
            Check::AnnouncedInTraffic | Check::Requirement => {
                format!("{subject} {}", finding.fate())
            }
        };
        text + finding.doubt()
    }

    fn subject(&self, finding: &Finding) -> String {
        let name = self.subject.clone().or_else(|| finding.rule.phrase());
        let places = self.places();
        match name {
            None if places.is_empty() => "the operation".to_owned(),
            None => places,
            Some(name) if places.is_empty() && self.subject.is_some() => name,
            Some(name) if places.is_empty() => format!("{name}, which no operation reaches,"),
            Some(name)
                if self
                    .first()
                    .is_some_and(|first| first.part == ExchangePart::Operation) =>
            {
                format!("{name} of {places}")
            }
            Some(name) => format!("{name} in {places}"),
        }
    }

    /// The operations as a phrase: `the request of A and the response of A, B, C and 7 more`.
    fn places(&self) -> String {
        let groups = self.operations.chunk_by(|one, next| one.part == next.part);
        let groups = groups.map(|group| {
            let named = group.iter().map(|affected| &*affected.operation);
            let named = first_of(MAX_NAMED, named);
            match group.first().and_then(|first| first.part.side()) {
                Some(side) => format!("the {} of {named}", side.name()),
                None => named,
            }
        });
        join(groups, " and ")
    }

    pub(super) fn advice(&self, finding: &Finding) -> String {
        let date = finding.rule.removal.map(|removal| removal.to_string());
        let date = date.as_deref().unwrap_or("YYYY-MM-DD");
        let has_ended = finding.days_left.is_some_and(|days_left| days_left < 0);
        match self.check {
            Check::Exposed if has_ended => {
                format!("take it out; {}", replacement_advice(&finding.rule))
            }
            Check::Mentioned if self.subject.is_none() => {
                "leave the file out (`exclude`) if it is only a list".to_owned()
            }
            Check::Exposed | Check::Examples | Check::Mentioned => {
                replacement_advice(&finding.rule)
            }
            Check::Unmarked | Check::Undated | Check::StillRequired if has_ended => {
                "take it out".to_owned()
            }
            Check::Unmarked => "add `deprecated: true`".to_owned(),
            Check::Undated => format!("add `x-sunset: {date}`"),
            Check::DateDiffers => "make the dates agree".to_owned(),
            Check::ReplacementMissing => "declare it, or correct the rule".to_owned(),
            Check::ReplacementDeprecated => "name a replacement that is not deprecated".to_owned(),
            Check::StillRequired => "make it optional, so that callers can migrate".to_owned(),
            Check::RemovedEarly => "declare it until its removal".to_owned(),
            Check::NeverMatched => "compare the operation with the description".to_owned(),
            Check::UnknownToTable | Check::AnnouncedInTraffic | Check::Requirement => {
                "add a rule for it".to_owned()
            }
        }
    }
}
