//! Calls over time: by hour in a short period, by day in a longer one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::capped::{CappedMap, add_count};

/// The number of days that are kept, the latest: more than ten years.
const MAX_DAYS: usize = 4_000;

/// The number of days (UTC) in which calls are counted by hour.
const HOURLY_DAYS: i64 = 3;

const HOURS: i64 = 24;

/// The period for which calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TimeUnit {
    /// An hour.
    #[default]
    Hour,
    /// A day, in UTC.
    Day,
}

/// The calls in each hour, as long as all are on three successive days; else those on each day. The unit depends on the calls
/// alone, not on the order or grouping in which they are added.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    unit: TimeUnit,
    /// The calls by hour or day since 1970, the latest first.
    counts: CappedMap<Reverse<i64>, u64, MAX_DAYS>,
}

impl TimeUnit {
    /// The hour or day of a time, counted from 1970.
    pub(super) fn of(self, time: DateTime<Utc>) -> i64 {
        time.timestamp().div_euclid(self.seconds())
    }

    /// The first moment of an hour or day.
    pub(super) fn start(self, number: i64) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(number.checked_mul(self.seconds())?, 0)
    }

    /// Describes a time as exactly as this unit makes sense of it.
    pub(super) fn describe(self, time: DateTime<Utc>) -> String {
        let format = match self {
            Self::Hour => "%Y-%m-%d %H:%M",
            Self::Day => "%Y-%m-%d",
        };
        time.format(format).to_string()
    }

    fn seconds(self) -> i64 {
        match self {
            Self::Hour => 3_600,
            Self::Day => HOURS * 3_600,
        }
    }
}

impl History {
    /// Adds a call.
    pub(super) fn add(&mut self, time: DateTime<Utc>) {
        self.add_count(self.unit.of(time), 1);
    }

    /// Adds calls of an hour or day, counted from 1970.
    fn add_counts(&mut self, unit: TimeUnit, number: i64, count: u64) {
        if unit == TimeUnit::Day {
            self.count_by_day();
        }
        let number = if self.unit == unit {
            number
        } else {
            number.div_euclid(HOURS)
        };
        self.add_count(number, count);
    }

    /// Adds calls of an hour or day in the unit of the history.
    fn add_count(&mut self, mut number: i64, count: u64) {
        if let Some(known) = self.counts.get_mut(&Reverse(number)) {
            return add_count(known, count);
        }
        if self.unit == TimeUnit::Hour && !self.is_short_with(number) {
            self.count_by_day();
            number = number.div_euclid(HOURS);
        }
        if let Some(known) = self.counts.entry(Reverse(number), || 0) {
            add_count(known, count);
        }
    }

    /// Returns whether all hours, and this one, are on few successive days.
    fn is_short_with(&self, hour: i64) -> bool {
        let mut known = self.counts.iter().map(|(hour, _)| hour.0);
        let ends = [known.next(), known.next_back(), Some(hour)];
        let days = ends
            .into_iter()
            .flatten()
            .map(|hour| hour.div_euclid(HOURS));
        let first = days.clone().min();
        let last = days.max();
        first
            .zip(last)
            .is_none_or(|(first, last)| last - first < HOURLY_DAYS)
    }

    fn count_by_day(&mut self) {
        if self.unit == TimeUnit::Hour {
            self.unit = TimeUnit::Day;
            let hours = std::mem::take(&mut self.counts);
            for (hour, count) in hours.iter() {
                self.add_counts(TimeUnit::Hour, hour.0, *count);
            }
        }
    }

    /// Adds the calls of another history.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.unit == TimeUnit::Day {
            self.count_by_day();
        }
        for (number, count) in other.counts.iter() {
            // A damaged partial result may have days that no calendar has.
            if other.unit.start(number.0).is_some() {
                self.add_counts(other.unit, number.0, *count);
            }
        }
        if other.is_capped() {
            self.counts.set_capped();
        }
    }

    /// The unit in which calls are counted.
    pub fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// The calls in each hour or day that has some, the earliest first. A history by day has no hours: they are the first of the
    /// days.
    pub(super) fn counts(&self, unit: TimeUnit) -> BTreeMap<i64, u64> {
        let mut counts = BTreeMap::new();
        for (number, count) in self.counts.iter() {
            let number = match (self.unit, unit) {
                (TimeUnit::Hour, TimeUnit::Day) => number.0.div_euclid(HOURS),
                (TimeUnit::Day, TimeUnit::Hour) => number.0.saturating_mul(HOURS),
                _ => number.0,
            };
            add_count(counts.entry(number).or_default(), *count);
        }
        counts
    }

    /// The number of days with calls.
    pub fn days(&self) -> u64 {
        let days = match self.unit {
            TimeUnit::Hour => self.counts(TimeUnit::Day).len(),
            TimeUnit::Day => self.counts.len(),
        };
        days as u64
    }

    /// The days with calls up to this one, the latest first.
    pub(super) fn days_until(&self, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
        let starts = self
            .counts
            .iter()
            .filter_map(|(number, _)| self.unit.start(number.0));
        let mut later = None;
        starts
            .map(|start| start.date_naive())
            .filter(move |day| later.replace(*day) != Some(*day))
            .filter(move |day| *day <= last)
    }

    /// Returns whether days were dropped.
    pub(crate) fn is_capped(&self) -> bool {
        self.counts.is_capped()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn history(hours: &[i64]) -> History {
        let mut history = History::default();
        for hour in hours {
            history.add(TimeUnit::Hour.start(*hour).unwrap());
        }
        history
    }

    /// Hours around 1970, on few days or on many.
    fn hours() -> impl Strategy<Value = Vec<i64>> {
        (1i64..120, -100i64..100)
            .prop_flat_map(|(length, first)| prop::collection::vec(first..first + length, 0..40))
    }

    proptest! {
        #[test]
        fn neither_order_nor_grouping_matters(mut hours in hours(), at in 0usize..40) {
            let whole = history(&hours);
            let (one, other) = hours.split_at(at.min(hours.len()));
            let (one, other) = (history(one), history(other));
            for (mut first, second) in [(one.clone(), &other), (other.clone(), &one)] {
                first.merge(second);
                prop_assert_eq!(&first, &whole);
            }
            hours.reverse();
            prop_assert_eq!(history(&hours), whole);
        }

        #[test]
        fn no_call_is_lost_and_three_days_have_hours(hours in hours()) {
            let found = history(&hours);
            let mut days: Vec<_> = hours.iter().map(|hour| hour.div_euclid(24)).collect();
            days.sort_unstable();
            let is_short = days.first().zip(days.last()).is_none_or(|(first, last)| last - first < 3);
            prop_assert_eq!(found.unit() == TimeUnit::Hour, is_short);
            let all = if is_short { [TimeUnit::Hour, TimeUnit::Day] } else { [TimeUnit::Day; 2] };
            for unit in all {
                let counts = found.counts(unit);
                for (number, count) in &counts {
                    let of = hours.iter().filter(|hour| unit.of(TimeUnit::Hour.start(**hour).unwrap()) == *number);
                    prop_assert_eq!(of.count() as u64, *count);
                }
                prop_assert_eq!(counts.values().sum::<u64>(), hours.len() as u64);
            }
            days.dedup();
            prop_assert_eq!(found.days(), days.len() as u64);
            let date = |day: i64| TimeUnit::Day.start(day).unwrap().date_naive();
            let early = days.iter().rev().filter(|day| **day <= 0).map(|day| date(*day));
            let until: Vec<_> = found.days_until(date(0)).collect();
            prop_assert_eq!(until, early.collect::<Vec<_>>());
        }
    }
}
