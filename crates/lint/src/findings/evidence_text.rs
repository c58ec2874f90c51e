//! The sentences about what a capture proves of an element.

use chrono::NaiveDate;

use super::{CodeRange, ExchangePart, Finding, Period, Tally, UseOutcome};
use crate::rules::{AfterRemoval, ElementPart, RemovedInRequest, RemovedInResponse};
use sundown_exchange::{Side, StatusCode};
use sundown_text_json::text::join;

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
    pub text: String,
    /// Whether the rules state it.
    pub is_stated: bool,
}

impl Finding {
    fn role(&self) -> ElementRole {
        match (&self.rule.element.part, self.found.part) {
            (ElementPart::Endpoint, _) => ElementRole::Operation,
            (_, ExchangePart::Message(Side::Response)) => ElementRole::Response,
            _ => ElementRole::Request,
        }
    }

    /// What the capture proves, and what to expect after the last day; `None` if it proves nothing.
    pub(super) fn evidence_text(&self) -> Option<String> {
        let tally = self.evidence.headline()?;
        if tally.period == Period::Unknown {
            return self.refusal_text();
        }
        let when = self.when(tally)?;
        let answer = self.answer(tally);
        let others = self.other_answers(tally);
        Some(match tally.period {
            Period::Late => {
                let is_served = tally.outcome <= UseOutcome::Accepted && !self.is_removal_silent();
                let still = if is_served { "still " } else { "" };
                format!("{still}{answer}{when}{}{others}", self.late_remark(tally))
            }
            // What is refused already needs no outlook.
            Period::InTime if tally.outcome == UseOutcome::Refused => {
                format!("{answer}{when}{others}")
            }
            Period::InTime | Period::Unknown => {
                format!("{answer}{when}{others}; {}", self.outlook_with_date()?)
            }
        })
    }

    /// That an operation was refused at last, although its last day or the time is not known. Of a field, that proves nothing.
    fn refusal_text(&self) -> Option<String> {
        let of = |outcome| {
            let tallies = self.evidence.headline().into_iter();
            let tallies = tallies.chain(self.evidence.others());
            tallies.filter(move |tally| tally.outcome == outcome)
        };
        let refused = of(UseOutcome::Refused).next()?;
        if self.role() != ElementRole::Operation
            || !of(UseOutcome::Accepted)
                .all(|tally| tally.last.zip(refused.first).is_some_and(|(a, b)| a < b))
        {
            return None;
        }
        let days = refused
            .days()
            .map(|(first, last)| days_text(first, last))
            .unwrap_or_default();
        let is_stated = self
            .stated_status()
            .is_some_and(|own| Some(own) == refused.status());
        let remark = if is_stated {
            ", as the rule table says"
        } else {
            ": it may have been removed already"
        };
        Some(format!("{}{days}{remark}", self.answer(refused)))
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
            1 => ", most recently the day after its last day".to_owned(),
            days if first == last => format!(", {days} days after its last day"),
            days => format!(", most recently {days} days after its last day"),
        };
        Some(days_text(first, last) + &after)
    }

    /// How the uses were answered, as a predicate with their number.
    fn answer(&self, tally: &Tally) -> String {
        let role = self.role();
        let is_late = tally.period == Period::Late;
        let used = if role == ElementRole::Operation {
            "called"
        } else {
            "sent"
        };
        let (participle, status) = match tally.outcome {
            UseOutcome::Sent => ("sent", String::new()),
            UseOutcome::Accepted if is_late => ("accepted", tally.codes.in_brackets()),
            UseOutcome::Accepted | UseOutcome::Unknown => (used, String::new()),
            UseOutcome::Refused => ("refused", tally.codes.in_brackets()),
            UseOutcome::Redirected => ("redirected", tally.codes.in_brackets()),
            UseOutcome::ClientError | UseOutcome::Inconclusive | UseOutcome::ServerError => {
                ("answered", format!(" with {}", tally.codes.in_words()))
            }
        };
        // A status is about the whole request, and says nothing else about its parts.
        let is_about_request = match tally.outcome {
            UseOutcome::Sent | UseOutcome::Unknown => false,
            UseOutcome::Accepted => is_late && self.is_removal_silent(),
            _ => true,
        };
        match tally.count {
            1 if is_about_request && role == ElementRole::Request => {
                format!("sent in a request that was {participle}{status}")
            }
            count if is_about_request && role == ElementRole::Request => {
                format!("sent in {count} requests that were {participle}{status}")
            }
            1 => format!("{participle}{status}"),
            2 => format!("{participle} twice{status}"),
            count => format!("{participle} {count} times{status}"),
        }
    }

    /// The other outcomes of the same period.
    fn other_answers(&self, headline: &Tally) -> String {
        let answers = |word: &str, later: bool| {
            let of_time = self.evidence.others().filter(|tally| {
                let is_later = tally.first.zip(headline.last).is_some_and(|(a, b)| a > b);
                tally.period == headline.period && is_later == later
            });
            match join(of_time.map(|tally| self.other_answer(tally)), ", ") {
                none if none.is_empty() => none,
                answers => format!("; {word} {answers}"),
            }
        };
        answers("also", false) + &answers("later", true)
    }

    /// An answer after another one, whose status the words before it do not give.
    fn other_answer(&self, tally: &Tally) -> String {
        let unknown = if tally.outcome == UseOutcome::Unknown {
            " without a known status"
        } else {
            ""
        };
        self.answer(tally) + unknown
    }

    /// How an answer after the last day agrees with what the rules state, or else what it does not show.
    fn late_remark(&self, tally: &Tally) -> String {
        let Outlook { text, is_stated } = self.outlook();
        let contradicted = format!(", although the rule table says that {text}");
        let stated = self.stated_status();
        match (self.role(), tally.outcome) {
            (_, UseOutcome::Sent | UseOutcome::Accepted | UseOutcome::Unknown)
                if self.is_removal_silent() =>
            {
                format!("; the rule table says that {text}")
            }
            (_, UseOutcome::Unknown) if is_stated => format!("; the rule table says that {text}"),
            (_, UseOutcome::Unknown) => String::new(),
            (ElementRole::Response, _) if !is_stated => ": do not rely on it".to_owned(),
            (ElementRole::Response, _) => contradicted,
            _ if stated.is_some() && stated == tally.status() => {
                ", as the rule table says".to_owned()
            }
            (_, UseOutcome::Accepted) if is_stated => contradicted,
            (_, UseOutcome::Sent | UseOutcome::Accepted | UseOutcome::Refused) => String::new(),
            _ => ": this does not show whether it still works".to_owned(),
        }
    }

    /// Returns whether the rules state that the answers to uses look the same after the removal: the element of a request is
    /// ignored, that of a response is `null`. Then a success after the last day does not prove that it is served.
    pub(super) fn is_removal_silent(&self) -> bool {
        let AfterRemoval {
            request, response, ..
        } = self.rule.after_removal;
        match self.role() {
            ElementRole::Operation => false,
            ElementRole::Request => request == Some(RemovedInRequest::Ignored),
            ElementRole::Response => response == Some(RemovedInResponse::Null),
        }
    }

    /// The status that the rules state for uses after the last day.
    fn stated_status(&self) -> Option<StatusCode> {
        let AfterRemoval {
            operation, request, ..
        } = self.rule.after_removal;
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
            _ if is_stated => {
                format!("according to the rule table, {text} after {last_day}")
            }
            ElementRole::Response => format!("do not rely on it after {last_day}"),
            ElementRole::Operation | ElementRole::Request => format!("{text} after {last_day}"),
        })
    }

    /// What the service does with the element after its last day: what its rules state, or else what services may do.
    pub(super) fn outlook(&self) -> Outlook {
        let AfterRemoval {
            operation,
            request,
            response,
        } = self.rule.after_removal;
        let stated = match self.role() {
            ElementRole::Operation => {
                operation.map(|status| format!("the service answers {status}"))
            }
            ElementRole::Response => response.map(|response| match response {
                RemovedInResponse::Omitted => "it is missing from responses".to_owned(),
                RemovedInResponse::Null => "its value is null".to_owned(),
            }),
            ElementRole::Request => request.map(|request| match request {
                RemovedInRequest::Refused(status) => {
                    format!("the service answers {status} to requests with it")
                }
                RemovedInRequest::Ignored => "the service ignores it".to_owned(),
            }),
        };
        Outlook {
            is_stated: stated.is_some(),
            text: stated.unwrap_or_else(|| match self.role() {
                ElementRole::Operation => "calls may fail".to_owned(),
                ElementRole::Response => "it may be missing: do not rely on it".to_owned(),
                ElementRole::Request => "it may be refused or ignored".to_owned(),
            }),
        }
    }
}

/// A day, or a range of days, after a space.
fn days_text(first: NaiveDate, last: NaiveDate) -> String {
    if first == last {
        format!(" on {first}")
    } else {
        format!(" between {first} and {last}")
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

    pub(super) fn in_words(self) -> String {
        match self {
            Self::One(status) => status.to_string(),
            Self::Class(class) => format!("{class}xx"),
            Self::None | Self::Mixed => "errors".to_owned(),
        }
    }
}
