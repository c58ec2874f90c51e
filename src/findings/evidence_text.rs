//! The sentences about what a capture proves of an element.

use super::{CodeRange, ExchangePart, Finding, Period, Tally, UseOutcome};
use crate::rules::{AfterRemoval, Element, RemovedInRequest, RemovedInResponse};
use crate::traffic::{Side, StatusCode};

/// The kind of element a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementRole {
    Operation,
    Request,
    Response,
}

/// The words for what happens after the last day.
pub(super) struct Outlook {
    /// The predicate.
    pub(super) text: String,
    /// Whether the rules state it.
    pub(super) is_stated: bool,
}

impl Finding {
    fn role(&self) -> ElementRole {
        match (&self.rule.element, self.found.part) {
            (Element::Endpoint, _) => ElementRole::Operation,
            (_, ExchangePart::Message(Side::Response)) => ElementRole::Response,
            _ => ElementRole::Request,
        }
    }

    /// What the capture proves, and what to expect after the last day; `None` if the time or the last day is not known.
    pub(super) fn evidence_text(&self) -> Option<String> {
        let tally = self.evidence.headline()?;
        let when = self.when(tally)?;
        let answer = self.carrier(tally) + &self.answer(tally);
        let also = self.also(tally.period);
        Some(match tally.period {
            Period::Late => {
                let still = if tally.outcome <= UseOutcome::Accepted { "still " } else { "" };
                format!("{still}{answer} {when}{}{also}", self.late_remark(tally))
            }
            // What is refused already needs no outlook.
            Period::InTime if tally.outcome == UseOutcome::Refused => {
                format!("{answer} {when}{also}")
            }
            Period::InTime => format!("{answer} {when}{also}; {}", self.outlook_with_date()?),
            Period::Unknown => return None,
        })
    }

    /// The day, or the range of days.
    fn when(&self, tally: &Tally) -> Option<String> {
        let last_day = self.rule.removal?;
        let (first, last) = tally.days()?;
        let after = match (last - last_day).num_days() {
            ..0 if tally.outcome == UseOutcome::Refused => ", before its last day".to_owned(),
            0 if tally.outcome == UseOutcome::Refused => ", its last day".to_owned(),
            ..=0 => String::new(),
            1 if first == last => ", the day after its last day".to_owned(),
            1 => ", the last on the day after its last day".to_owned(),
            days if first == last => format!(", {days} days after its last day"),
            days => format!(", the last {days} days after its last day"),
        };
        Some(if first == last {
            format!("on {first}{after}")
        } else {
            format!("between {first} and {last}{after}")
        })
    }

    /// The subject of the answer: the element itself, or requests with it.
    fn carrier(&self, tally: &Tally) -> String {
        let is_of_element = self.role() == ElementRole::Operation
            || matches!(
                tally.outcome,
                UseOutcome::Sent | UseOutcome::Accepted | UseOutcome::Unknown
            );
        match tally.count {
            _ if is_of_element => String::new(),
            1 => "its request was ".to_owned(),
            _ => "its requests were ".to_owned(),
        }
    }

    /// How the uses were answered, as a predicate with their number.
    fn answer(&self, tally: &Tally) -> String {
        let times = match tally.count {
            1 => String::new(),
            2 => " twice".to_owned(),
            count => format!(" {count} times"),
        };
        let role = self.role();
        let code = tally.codes.in_brackets();
        match tally.outcome {
            UseOutcome::Sent => format!("sent{times}"),
            UseOutcome::Accepted => match tally.period {
                Period::Late => format!("accepted{times}{code}"),
                _ if role == ElementRole::Operation => format!("called{times}"),
                _ => format!("sent{times}"),
            },
            UseOutcome::Refused => format!("refused{times}{code}"),
            UseOutcome::Redirected => format!("redirected{times}{code}"),
            UseOutcome::ClientError | UseOutcome::Inconclusive | UseOutcome::ServerError => {
                format!("answered{times} with {}", tally.codes.in_words())
            }
            UseOutcome::Unknown if role == ElementRole::Operation => format!("called{times}"),
            UseOutcome::Unknown => format!("sent{times}"),
        }
    }

    /// The other outcomes of the same period.
    fn also(&self, period: Period) -> String {
        let others = self.evidence.others().filter(|tally| tally.period == period);
        let others: Vec<_> = others.map(|tally| self.answer(tally)).collect();
        if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) }
    }

    /// How an answer after the last day agrees with what the rules state, or else what it does not show.
    fn late_remark(&self, tally: &Tally) -> String {
        let Outlook { text, is_stated } = self.outlook();
        let stated = self.stated_status();
        match (self.role(), tally.outcome) {
            (_, UseOutcome::Unknown) if is_stated => format!("; its rules state: {text}"),
            (_, UseOutcome::Unknown) => String::new(),
            (ElementRole::Response, _) if !is_stated => ": do not rely on it".to_owned(),
            (ElementRole::Response, _) if self.is_stated_null() => {
                format!("; its rules state: {text}")
            }
            (ElementRole::Response, _) => format!(", although its rules state: {text}"),
            _ if stated.is_some() && stated == tally.status() => ", as its rules state".to_owned(),
            (_, UseOutcome::Accepted) if stated.is_some() => {
                format!(", although its rules state: {text}")
            }
            (_, UseOutcome::Accepted) if is_stated => format!("; its rules state: {text}"),
            (ElementRole::Request, UseOutcome::ClientError) => {
                ": the status does not show why".to_owned()
            }
            (_, UseOutcome::Inconclusive | UseOutcome::ServerError) => {
                ": this does not show whether it still works".to_owned()
            }
            _ => String::new(),
        }
    }

    fn is_stated_null(&self) -> bool {
        self.rule.after_removal.response == Some(RemovedInResponse::Null)
    }

    /// The status that the rules state for uses after the last day.
    fn stated_status(&self) -> Option<StatusCode> {
        let AfterRemoval { operation, request, .. } = self.rule.after_removal;
        match (self.role(), request) {
            (ElementRole::Operation, _) => operation,
            (ElementRole::Request, Some(RemovedInRequest::Refused(status))) => Some(status),
            _ => None,
        }
    }

    fn outlook_with_date(&self) -> Option<String> {
        let last_day = self.rule.removal?;
        let Outlook { text, is_stated } = self.outlook();
        Some(match self.role() {
            _ if is_stated => format!("after {last_day}, {text}, as its rules state"),
            ElementRole::Response => format!("do not rely on it after {last_day}"),
            ElementRole::Operation | ElementRole::Request => format!("{text} after {last_day}"),
        })
    }

    /// What the service does with the element after its last day: what its rules state, or else what services may do.
    pub(super) fn outlook(&self) -> Outlook {
        let AfterRemoval { operation, request, response } = self.rule.after_removal;
        let stated = match self.role() {
            ElementRole::Operation => {
                operation.map(|status| format!("the service answers {status}"))
            }
            ElementRole::Response => response.map(|response| match response {
                RemovedInResponse::Omitted => "it is missing from responses".to_owned(),
                RemovedInResponse::Null => "it is null".to_owned(),
            }),
            ElementRole::Request => request.map(|request| match request {
                RemovedInRequest::Refused(status) => {
                    format!("the service answers {status} to requests with it")
                }
                RemovedInRequest::Ignored => "the service ignores it".to_owned(),
            }),
        };
        let neutral = || match self.role() {
            ElementRole::Operation => "calls may fail".to_owned(),
            ElementRole::Response => "it may be missing: do not rely on it".to_owned(),
            ElementRole::Request => "it may be refused or ignored".to_owned(),
        };
        Outlook { is_stated: stated.is_some(), text: stated.unwrap_or_else(neutral) }
    }
}

impl CodeRange {
    /// In brackets after a space; empty if there is no word for it.
    fn in_brackets(self) -> String {
        match self {
            Self::One(status) => format!(" ({status})"),
            Self::Class(class) => format!(" ({class}xx)"),
            Self::None | Self::Mixed => String::new(),
        }
    }

    fn in_words(self) -> String {
        match self {
            Self::One(status) => status.to_string(),
            Self::Class(class) => format!("{class}xx"),
            Self::None | Self::Mixed => "errors".to_owned(),
        }
    }
}
