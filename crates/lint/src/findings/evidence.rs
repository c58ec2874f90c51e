//! What the exchanges of a finding prove: how the service answered uses of the element, before and after its last day.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::{ExchangePart, ExchangeRef, Sightings};
use sundown_exchange::{Side, SignalField, StatusCode};

/// The answers to all uses that were folded into one finding. Merging is associative and commutative, so that the result does
/// not depend on the order in which exchanges are checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// In order, each period and outcome once. The most important comes first: of the uses after the last day, else of those before it,
    /// the outcome that proves most.
    pub tallies: Vec<Tally>,
    /// The header fields or annotations that announce what the rule states.
    pub(crate) announced_by: BTreeSet<SignalField>,
}

/// The uses of one period with the same outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// When they were.
    pub period: Period,
    /// What their answers prove.
    pub outcome: UseOutcome,
    /// How many, and when exactly.
    pub uses: Sightings,
    /// The status codes.
    pub codes: CodeRange,
}

/// When an element was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Period {
    /// After its last day.
    Late,
    /// On its last day, or before it.
    InTime,
    /// The time or the last day is not known.
    Unknown,
}

/// What the answer to the use of an element proves, in the order in which reports name several: what proves most comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseOutcome {
    /// The service sent the element.
    Sent,
    /// The service accepted the request.
    Accepted,
    /// The service refused the request with a status that means that its target does not exist (any more).
    Refused,
    /// The service referred to another URL.
    Redirected,
    /// The service found another fault in the request. Whether it is the element is not known.
    ClientError,
    /// The service did not look at the element: credentials or a limit came first.
    Inconclusive,
    /// The service failed.
    ServerError,
    /// The status is not known.
    Unknown,
}

/// Some status codes, as exactly as one word can say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeRange {
    /// None is known.
    None,
    /// All are this one.
    One(StatusCode),
    /// All begin with this digit.
    Class(u16),
    /// Several.
    Mixed,
}

impl UseOutcome {
    /// Its name in machine formats.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Redirected => "redirected",
            Self::ClientError => "client-error",
            Self::Inconclusive => "inconclusive",
            Self::ServerError => "server-error",
            Self::Unknown => "unknown",
        }
    }

    /// Returns what an answer proves about the element of an exchange in which `operation` was called.
    fn of(part: ExchangePart, operation: &str, status: Option<StatusCode>) -> Self {
        if part == ExchangePart::Message(Side::Response) {
            return Self::Sent;
        }
        match status.map_or(0, StatusCode::code) {
            // Only a service that knows the target has its protocol switched or its copy validated.
            101 | 200..=299 | 304 => Self::Accepted,
            300..=399 => Self::Redirected,
            // What a path with parameters names may be missing while its operation exists.
            404 if operation.contains('{') => Self::ClientError,
            404 | 405 | 410 => Self::Refused,
            401..=403 | 407 | 408 | 421 | 425 | 426 | 429 | 431 | 451 => Self::Inconclusive,
            400..=499 => Self::ClientError,
            500..=599 => Self::ServerError,
            _ => Self::Unknown,
        }
    }
}

impl CodeRange {
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, known) | (known, Self::None) => known,
            (one, other) if one == other => one,
            (one, other) => match (one.class(), other.class()) {
                (Some(one), Some(other)) if one == other => Self::Class(one),
                _ => Self::Mixed,
            },
        }
    }

    fn class(self) -> Option<u16> {
        match self {
            Self::One(status) => Some(status.code() / 100),
            Self::Class(class) => Some(class),
            Self::None | Self::Mixed => None,
        }
    }
}

impl Evidence {
    /// The evidence of one exchange; empty if neither its time nor its status is known.
    pub(super) fn of(
        exchange: &ExchangeRef,
        part: ExchangePart,
        operation: &str,
        last_day: Option<NaiveDate>,
    ) -> Self {
        let &ExchangeRef {
            started, status, ..
        } = exchange;
        if started.is_none() && status.is_none() {
            return Self::default();
        }
        let period = match (started, last_day) {
            (Some(started), Some(last_day)) if started.date_naive() > last_day => Period::Late,
            (Some(_), Some(_)) => Period::InTime,
            _ => Period::Unknown,
        };
        let tally = Tally {
            period,
            outcome: UseOutcome::of(part, operation, status),
            uses: Sightings::one(started),
            codes: status.map_or(CodeRange::None, CodeRange::One),
        };
        Self {
            tallies: vec![tally],
            announced_by: BTreeSet::new(),
        }
    }

    /// Adds the evidence of another finding.
    pub(super) fn add(&mut self, other: &Self) {
        self.announced_by.extend(&other.announced_by);
        for tally in &other.tallies {
            match self.tallies.binary_search_by_key(&tally.key(), Tally::key) {
                Ok(index) => {
                    if let Some(known) = self.tallies.get_mut(index) {
                        known.add(tally);
                    }
                }
                Err(index) => self.tallies.insert(index, *tally),
            }
        }
    }

    /// The most important tally; `None` without evidence.
    pub fn headline(&self) -> Option<&Tally> {
        self.tallies.first()
    }

    /// Returns whether the element was still served after its last day: accepted in a request, or sent in a response.
    pub fn is_served_late(&self) -> bool {
        self.tallies.iter().any(|tally| {
            let is_success = matches!(tally.outcome, UseOutcome::Sent | UseOutcome::Accepted);
            tally.period == Period::Late && is_success
        })
    }
}

impl Tally {
    fn key(&self) -> (Period, UseOutcome) {
        (self.period, self.outcome)
    }

    fn add(&mut self, other: &Self) {
        self.uses.add(other.uses);
        self.codes = self.codes.add(other.codes);
    }

    /// The days of the earliest and of the latest exchange.
    pub fn days(&self) -> Option<(NaiveDate, NaiveDate)> {
        Some((self.uses.first?.date_naive(), self.uses.last?.date_naive()))
    }

    /// The status, if all have the same.
    pub fn status(&self) -> Option<StatusCode> {
        match self.codes {
            CodeRange::One(status) => Some(status),
            CodeRange::None | CodeRange::Class(_) | CodeRange::Mixed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{TimeZone as _, Utc};
    use proptest::prelude::*;

    use super::*;

    fn one(second: i64, code: u16) -> Evidence {
        let exchange = ExchangeRef {
            index: 0,
            is_possible: false,
            started: (second > 0).then(|| Utc.timestamp_opt(second * 40_000, 0).unwrap()),
            status: StatusCode::new(code),
            origin: None,
        };
        let last_day = NaiveDate::from_ymd_opt(1970, 1, 5);
        Evidence::of(&exchange, ExchangePart::Operation, "GET /a", last_day)
    }

    fn merge(parts: &[Evidence]) -> Evidence {
        let mut whole = Evidence::default();
        for part in parts {
            whole.add(part);
        }
        whole
    }

    proptest! {
        #[test]
        fn evidence_does_not_depend_on_order_or_grouping(
            uses in prop::collection::vec((0i64..20, 90u16..610), 0..40),
            at in 0usize..40,
            turn in 0usize..40,
        ) {
            let parts: Vec<_> = uses.iter().map(|&(second, code)| one(second, code)).collect();
            let whole = merge(&parts);
            let (left, right) = parts.split_at(at.min(parts.len()));
            prop_assert_eq!(&merge(&[merge(left), merge(right)]), &whole);
            prop_assert_eq!(&merge(&[merge(right), merge(left)]), &whole);
            let mut turned = parts.clone();
            turned.rotate_left(turn.min(parts.len()));
            turned.reverse();
            prop_assert_eq!(&merge(&turned), &whole);
            let known = uses.iter().filter(|(second, code)| *second > 0 || (100..600).contains(code));
            let counted = whole.tallies.iter().map(|tally| tally.uses.count);
            prop_assert_eq!(counted.sum::<usize>(), known.count());
        }
    }
}
