//! The sentences about what a capture proves of an element.

use chrono::NaiveDate;

use super::{CodeRange, Finding, Period, Tally, UseOutcome};
use crate::rules::{AfterRemoval, RemovedInRequest, RemovedInResponse};
use sundown_exchange::Side;
use sundown_text_json::text::join;

/// That the rules state what was said before.
pub(super) const AS_STATED: &str = ", as the rule table says";

/// The words for what happens after the last day.
pub(super) struct Outlook {
    /// The predicate.
    pub text: String,
    /// Whether the rules state it.
    pub is_stated: bool,
}

impl Finding {
    /// The message whose part the element is; `None` if it is the operation.
    fn side(&self) -> Option<Side> {
        let side = self.found.part.side().unwrap_or(Side::Request);
        Some(side).filter(|_| !self.rule.element.is_endpoint())
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
        let mut tallies = self.evidence.tallies.iter();
        let refused = tallies
            .clone()
            .find(|tally| tally.outcome == UseOutcome::Refused)?;
        let is_refused_at_last = tallies.all(|tally| {
            let times = tally.uses.last.zip(refused.uses.first);
            tally.outcome != UseOutcome::Accepted || times.is_some_and(|(a, b)| a < b)
        });
        if self.side().is_some() || !is_refused_at_last {
            return None;
        }
        let days = refused
            .days()
            .map(|(first, last)| days_text(first, last))
            .unwrap_or_default();
        let remark = if self.states_status_of(refused) {
            AS_STATED
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
        let side = self.side();
        let is_late = tally.period == Period::Late;
        let used = if side.is_none() { "called" } else { "sent" };
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
        match tally.uses.count {
            1 if is_about_request && side == Some(Side::Request) => {
                format!("sent in a request that was {participle}{status}")
            }
            count if is_about_request && side == Some(Side::Request) => {
                format!("sent in {count} requests that were {participle}{status}")
            }
            1 => format!("{participle}{status}"),
            2 => format!("{participle} twice{status}"),
            count => format!("{participle} {count} times{status}"),
        }
    }

    /// The other outcomes of the same period.
    fn other_answers(&self, headline: &Tally) -> String {
        let answers = [("also", false), ("later", true)].map(|(word, later)| {
            let of_time = self.evidence.tallies.iter().skip(1).filter(|tally| {
                let times = tally.uses.first.zip(headline.uses.last);
                tally.period == headline.period && times.is_some_and(|(a, b)| a > b) == later
            });
            match join(of_time.map(|tally| self.other_answer(tally)), ", ") {
                none if none.is_empty() => none,
                answers => format!("; {word} {answers}"),
            }
        });
        answers.concat()
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
        match (self.side(), tally.outcome) {
            (_, UseOutcome::Sent | UseOutcome::Accepted | UseOutcome::Unknown)
                if self.is_removal_silent() =>
            {
                format!("; the rule table says that {text}")
            }
            (_, UseOutcome::Unknown) if is_stated => format!("; the rule table says that {text}"),
            (_, UseOutcome::Unknown) => String::new(),
            (Some(Side::Response), _) if !is_stated => ": do not rely on it".to_owned(),
            (Some(Side::Response), _) => contradicted,
            _ if self.states_status_of(tally) => AS_STATED.to_owned(),
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
        match self.side() {
            None => false,
            Some(Side::Request) => request == Some(RemovedInRequest::Ignored),
            Some(Side::Response) => response == Some(RemovedInResponse::Null),
        }
    }

    /// Returns whether the rules state the status of these answers for uses after the last day.
    fn states_status_of(&self, tally: &Tally) -> bool {
        let AfterRemoval {
            operation, request, ..
        } = self.rule.after_removal;
        let stated = match (self.side(), request) {
            (None, _) => operation,
            (Some(Side::Request), Some(RemovedInRequest::Refused(status))) => Some(status),
            _ => None,
        };
        stated.is_some() && stated == tally.status()
    }

    fn outlook_with_date(&self) -> Option<String> {
        let last_day = self.rule.removal?;
        let Outlook { text, is_stated } = self.outlook();
        Some(match self.side() {
            _ if is_stated => {
                format!("according to the rule table, {text} after {last_day}")
            }
            Some(Side::Response) => format!("do not rely on it after {last_day}"),
            _ => format!("{text} after {last_day}"),
        })
    }

    /// What the service does with the element after its last day: what its rules state, or else what services may do.
    pub(super) fn outlook(&self) -> Outlook {
        let AfterRemoval {
            operation,
            request,
            response,
        } = self.rule.after_removal;
        let stated = match self.side() {
            None => operation.map(|status| format!("the service answers {status}")),
            Some(Side::Response) => response.map(|response| match response {
                RemovedInResponse::Omitted => "it is missing from responses".to_owned(),
                RemovedInResponse::Null => "its value is null".to_owned(),
            }),
            Some(Side::Request) => request.map(|request| match request {
                RemovedInRequest::Refused(status) => {
                    format!("the service answers {status} to requests with it")
                }
                RemovedInRequest::Ignored => "the service ignores it".to_owned(),
            }),
        };
        Outlook {
            is_stated: stated.is_some(),
            text: stated.unwrap_or_else(|| match self.side() {
                None => "calls may fail".to_owned(),
                Some(Side::Response) => "it may be missing: do not rely on it".to_owned(),
                Some(Side::Request) => "it may be refused or ignored".to_owned(),
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
    fn text(self) -> Option<String> {
        match self {
            Self::One(status) => Some(status.to_string()),
            Self::Class(class) => Some(format!("{class}xx")),
            Self::None | Self::Mixed => None,
        }
    }

    /// In brackets after a space; empty if there is no word for it.
    fn in_brackets(self) -> String {
        let text = self.text().map(|text| format!(" ({text})"));
        text.unwrap_or_default()
    }

    pub(super) fn in_words(self) -> String {
        self.text().unwrap_or_else(|| "errors".to_owned())
    }
}
