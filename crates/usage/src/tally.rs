//! Counts of calls and uses that can be added in any order.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::capped::{CappedMap, add_count, add_counts};
use super::history::History;
use sundown_exchange::Reason;
use sundown_lint::PartReading;
use sundown_lint::findings::ExchangePart;

/// A deprecated element in one operation, on one side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ElementId {
    /// The rule's id.
    pub rule: Arc<str>,
    /// The operation.
    pub operation: Arc<str>,
    /// The part of the exchange.
    pub part: ExchangePart,
}

/// The period in which something was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeenPeriod {
    /// The earliest time.
    pub first: Option<DateTime<Utc>>,
    /// The latest time.
    pub last: Option<DateTime<Utc>>,
}

/// How the pieces of calls that can hold an element were read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadTally {
    /// Calls whose piece was read.
    pub read: u64,
    /// Calls without the piece.
    pub absent: u64,
    /// Calls whose body is something else than JSON.
    pub not_json: u64,
    /// Calls whose piece could not be read, by reason.
    pub failed: BTreeMap<Reason, u64>,
    /// Calls that were read and have no time.
    pub undated: u64,
    /// Calls that may be of this operation and do not match it: at another address, or in another spelling of the path.
    #[serde(default)]
    pub missed: u64,
    /// The calls that were read, over time.
    pub history: History,
    /// When calls were read.
    pub period: SeenPeriod,
}

/// The uses of an element.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UseTally {
    /// The calls with a use, and all uses in them.
    pub count: UseCount,
    /// Calls with a use whose piece was not counted as read: only a part of it was.
    pub beyond_read: BTreeMap<Reason, u64>,
    /// Calls with a use whose body was counted as absent, or as something else than JSON.
    pub beyond_json: u64,
    /// Calls with a use that are left out because they have no time, so that the period may have had them.
    pub left_out: u64,
    /// Calls with a use that the contract of a consumer expects.
    pub expected: u64,
    /// The calls with a use, over time.
    pub history: History,
    /// The calls with each value that no rule knows, if the user asks for the values.
    #[serde(default, skip_serializing_if = "ValueCounts::is_empty")]
    pub(super) values: ValueCounts,
}

/// The calls with each value.
type ValueCounts = CappedMap<String, u64, MAX_VALUES>;

/// The number of values of an element that are kept: more than a service has.
const MAX_VALUES: usize = 1_000;

/// A number of calls with a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UseCount {
    /// The calls with at least one use.
    pub calls: u64,
    /// The uses.
    pub occurrences: u64,
    /// The calls in which no use is certain.
    pub possible: u64,
    /// When there were uses.
    pub period: SeenPeriod,
}

impl SeenPeriod {
    /// The period of one call. Reports show seconds, so nothing smaller is kept.
    pub(super) fn of(time: Option<DateTime<Utc>>) -> Self {
        let time = time.and_then(|time| DateTime::from_timestamp(time.timestamp(), 0));
        Self {
            first: time,
            last: time,
        }
    }

    fn merge(&mut self, other: Self) {
        let times = [self.first, self.last, other.first, other.last];
        self.first = times.into_iter().flatten().min();
        self.last = times.into_iter().flatten().max();
    }
}

impl ReadTally {
    /// Adds a call.
    pub(super) fn add(&mut self, reading: PartReading, time: Option<DateTime<Utc>>) {
        match reading {
            PartReading::Read => {}
            PartReading::Absent => return self.absent += 1,
            PartReading::NotJson => return self.not_json += 1,
            PartReading::Failed(reason) => return *self.failed.entry(reason).or_default() += 1,
        }
        self.read += 1;
        self.period.merge(SeenPeriod::of(time));
        match time {
            Some(time) => self.history.add(time),
            None => self.undated += 1,
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.read, other.read);
        add_count(&mut self.absent, other.absent);
        add_count(&mut self.not_json, other.not_json);
        add_counts(&mut self.failed, other.failed);
        add_count(&mut self.undated, other.undated);
        add_count(&mut self.missed, other.missed);
        self.history.merge(&other.history);
        self.period.merge(other.period);
    }

    /// All calls.
    pub fn calls(&self) -> u64 {
        self.read + self.absent + self.not_json + self.failures()
    }

    /// The calls whose piece could not be read.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }
}

impl UseTally {
    /// Adds the uses of one call.
    pub(super) fn add(
        &mut self,
        count: UseCount,
        reading: PartReading,
        time: Option<DateTime<Utc>>,
    ) {
        self.count.merge(count);
        match reading {
            PartReading::Read => {}
            PartReading::Failed(reason) => *self.beyond_read.entry(reason).or_default() += 1,
            PartReading::Absent | PartReading::NotJson => self.beyond_json += 1,
        }
        if let Some(time) = time {
            self.history.add(time);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count.merge(other.count);
        add_counts(&mut self.beyond_read, other.beyond_read);
        add_count(&mut self.beyond_json, other.beyond_json);
        add_count(&mut self.left_out, other.left_out);
        add_count(&mut self.expected, other.expected);
        self.history.merge(&other.history);
        for (value, calls) in other.values.iter() {
            self.add_value(value, *calls);
        }
        if other.values.is_capped() {
            self.values.set_capped();
        }
    }

    /// Adds calls with a value that no rule knows.
    pub(super) fn add_value(&mut self, value: &str, calls: u64) {
        if let Some(known) = self.values.entry(value.to_owned(), u64::default) {
            add_count(known, calls);
        }
    }
}

impl UseCount {
    pub(super) fn merge(&mut self, other: Self) {
        add_count(&mut self.calls, other.calls);
        add_count(&mut self.occurrences, other.occurrences);
        add_count(&mut self.possible, other.possible);
        self.period.merge(other.period);
    }
}
