//! Counts, days and times as lines of a partial result write them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::DateTime;
use serde::{Deserialize, Serialize};

use crate::capped::MAX_COUNT;
use crate::history::{History, TimeUnit};
use crate::tally::{ReadTally, SeenPeriod, UseCount, UseTally};
use sundown_exchange::Reason;

/// Counts of how pieces were read; those that are 0 are left out.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReadCounts<'l> {
    #[serde(skip_serializing_if = "is_zero")]
    read: u64,
    #[serde(skip_serializing_if = "is_zero")]
    absent: u64,
    #[serde(skip_serializing_if = "is_zero")]
    not_json: u64,
    #[serde(borrow, skip_serializing_if = "BTreeMap::is_empty")]
    failed: BTreeMap<Cow<'l, str>, u64>,
    #[serde(skip_serializing_if = "is_zero")]
    undated: u64,
    #[serde(skip_serializing_if = "is_empty_period")]
    seen: Seconds,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hours: Vec<(i64, u64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    days: Vec<(i64, u64)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    days_are_capped: bool,
}

/// Counts of uses; those that are 0 are left out.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UseCounts<'l> {
    calls: u64,
    uses: u64,
    #[serde(skip_serializing_if = "is_zero")]
    possible: u64,
    #[serde(skip_serializing_if = "is_empty_period")]
    seen: Seconds,
    /// By reason; the empty reason for bodies that are not JSON.
    #[serde(borrow, skip_serializing_if = "BTreeMap::is_empty")]
    beyond_read: BTreeMap<Cow<'l, str>, u64>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    #[serde(skip_serializing_if = "is_zero")]
    expected: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hours: Vec<(i64, u64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    days: Vec<(i64, u64)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    days_are_capped: bool,
}

/// The first and last time, in seconds since 1970.
pub(super) type Seconds = (Option<i64>, Option<i64>);

impl<'l> ReadCounts<'l> {
    pub(super) fn of(tally: &'l ReadTally) -> Self {
        Self {
            read: tally.read,
            absent: tally.absent,
            not_json: tally.not_json,
            failed: (tally.failed.iter())
                .map(|(reason, count)| (Cow::Borrowed(reason.name()), *count))
                .collect(),
            undated: tally.undated,
            seen: seconds(tally.period),
            hours: counts(&tally.history, TimeUnit::Hour),
            days: counts(&tally.history, TimeUnit::Day),
            days_are_capped: tally.history.is_capped(),
        }
    }

    pub(super) fn read(self) -> Option<ReadTally> {
        let failed = self
            .failed
            .iter()
            .map(|(reason, count)| Some((Reason::from_name(reason)?, usable(*count)?)));
        Some(ReadTally {
            read: usable(self.read)?,
            absent: usable(self.absent)?,
            not_json: usable(self.not_json)?,
            failed: failed.collect::<Option<_>>()?,
            undated: usable(self.undated)?,
            period: period(self.seen)?,
            history: history(&self.hours, &self.days, self.days_are_capped)?,
        })
    }
}

impl<'l> UseCounts<'l> {
    pub(super) fn of(tally: &'l UseTally) -> Self {
        let UseCount {
            calls,
            occurrences,
            possible,
            period,
        } = tally.count;
        Self {
            calls,
            uses: occurrences,
            possible,
            seen: seconds(period),
            beyond_read: (tally.beyond_read.iter())
                .map(|(reason, count)| (Cow::Borrowed(reason.map_or("", Reason::name)), *count))
                .collect(),
            left_out: tally.left_out,
            expected: tally.expected,
            hours: counts(&tally.history, TimeUnit::Hour),
            days: counts(&tally.history, TimeUnit::Day),
            days_are_capped: tally.history.is_capped(),
        }
    }

    pub(super) fn read(self) -> Option<UseTally> {
        let beyond = self.beyond_read.iter().map(|(reason, count)| {
            let reason = match &**reason {
                "" => None,
                name => Some(Reason::from_name(name)?),
            };
            Some((reason, usable(*count)?))
        });
        Some(UseTally {
            count: use_count(self.calls, self.uses, self.possible, self.seen)?,
            beyond_read: beyond.collect::<Option<_>>()?,
            left_out: usable(self.left_out)?,
            expected: usable(self.expected)?,
            history: history(&self.hours, &self.days, self.days_are_capped)?,
        })
    }
}

/// Returns a count, if a scan can have it: sums of such counts do not overflow.
pub(super) fn usable(count: u64) -> Option<u64> {
    (count <= MAX_COUNT).then_some(count)
}

pub(super) fn use_count(
    calls: u64,
    occurrences: u64,
    possible: u64,
    seen: Seconds,
) -> Option<UseCount> {
    // Each call with a use has at least one.
    if calls > occurrences || possible > calls {
        return None;
    }
    Some(UseCount {
        calls: usable(calls)?,
        occurrences: usable(occurrences)?,
        possible: usable(possible)?,
        period: period(seen)?,
    })
}

pub(super) fn seconds(period: SeenPeriod) -> Seconds {
    let [first, last] = [period.first, period.last].map(|time| Some(time?.timestamp()));
    (first, last)
}

fn period(seen: Seconds) -> Option<SeenPeriod> {
    let (first, last) = match seen {
        (None, None) => return Some(SeenPeriod::default()),
        (first, last) => (first?, last?),
    };
    (first <= last).then_some(SeenPeriod {
        first: Some(DateTime::from_timestamp(first, 0)?),
        last: Some(DateTime::from_timestamp(last, 0)?),
    })
}

/// The counts by hour or day since 1970, the earliest first, if the history is in this unit.
fn counts(history: &History, unit: TimeUnit) -> Vec<(i64, u64)> {
    if history.unit() == unit {
        history.counts(unit).into_iter().collect()
    } else {
        Vec::new()
    }
}

fn history(hours: &[(i64, u64)], days: &[(i64, u64)], is_capped: bool) -> Option<History> {
    let mut history = History::default();
    for (unit, counts) in [(TimeUnit::Hour, hours), (TimeUnit::Day, days)] {
        for &(number, count) in counts {
            unit.start(number)?;
            history.add_counts(unit, number, usable(count)?);
        }
    }
    if is_capped {
        history.set_capped();
    }
    Some(history)
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_empty_period(period: &Seconds) -> bool {
    *period == (None, None)
}
