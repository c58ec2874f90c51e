//! Dates as people and programs write them: in header fields, descriptions, lists, settings and prose.

use chrono::{
    DateTime, Datelike, Days, Month, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc,
};

/// A date that a text states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedDate {
    Day(NaiveDate),
    /// A moment in UTC, which is also the zone of a time without one.
    Moment(NaiveDateTime),
    /// The last day of a month, a quarter or a year, of which only that is stated.
    Period(NaiveDate),
}

impl StatedDate {
    /// The last day that it includes.
    pub fn last_day(self) -> NaiveDate {
        match self {
            Self::Day(date) | Self::Period(date) => date,
            Self::Moment(moment) => moment.date(),
        }
    }

    /// The day, if a day is stated.
    pub fn day(self) -> Option<NaiveDate> {
        (!matches!(self, Self::Period(_))).then(|| self.last_day())
    }
}

/// The longest text that may be a date.
const MAX_LEN: usize = 64;

/// Parses a date, in each of these forms, with or without a time and a zone after it:
///
/// - ISO 8601 and RFC 3339: `2026-12-31`, `2026/12/31`, `20261231`, `2026-12-31T23:59:59+02:00`, and with a time also the day of
///   the year or of a week, `2026-365T23:59Z` and `2026-W53-4T23:59Z`;
/// - the three of RFC 9110, section 5.6.7, also with `UTC`, other zones, or full names: `Thu, 31 Dec 2026 23:59:59 GMT`;
/// - in words: `31 Dec 2026`, `December 31st, 2026`;
/// - seconds or milliseconds since 1970: `@1798761599`, `1798761599`, `1798761599000`;
/// - a month, a quarter, or the end of a year: `2026-12`, `Dec 2026`, `Q4 2026`, `end of 2026`.
///
/// A day of the week and a comment in parentheses are ignored. Numbers alone, whose order is a custom of a country (`01/02/2026`),
/// are no date.
pub fn parse_date(text: &str) -> Option<StatedDate> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '"');
    if text.len() > MAX_LEN {
        return None;
    }
    if let Some(moment) = epoch(text) {
        return Some(StatedDate::Moment(moment));
    }
    let mut parts = DateParts::default();
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    for word in words.filter(|word| !word.is_empty() && !word.starts_with('(')) {
        parts.read_word(&word.to_ascii_lowercase())?;
    }
    parts.finish()
}

/// Parses the time of a line of an access log, `19/Nov/2026:09:12:44 +0100`, to the second. Parsed by hand: each line has one.
pub fn parse_log_time(text: &str) -> Option<DateTime<Utc>> {
    let number = |start: usize, length: usize| -> Option<u32> {
        text.get(start..start + length)?
            .bytes()
            .try_fold(0, |number, byte| {
                byte.is_ascii_digit()
                    .then(|| number * 10 + u32::from(byte - b'0'))
            })
    };
    let month: Month = text.get(3..6)?.parse().ok()?;
    let year = i32::try_from(number(7, 4)?).ok()?;
    let local = NaiveDate::from_ymd_opt(year, month.number_from_month(), number(0, 2)?)?
        .and_hms_opt(number(12, 2)?, number(15, 2)?, number(18, 2)?)?;
    let Some(sign) = text.find(['+', '-']) else {
        return Some(local.and_utc());
    };
    let east = i64::from(number(sign + 1, 2)? * 60 + number(sign + 3, 2)?);
    let offset = TimeDelta::minutes(if text.get(sign..=sign) == Some("-") {
        -east
    } else {
        east
    });
    Some(local.and_utc() - offset)
}

/// Parses a number of seconds or milliseconds.
fn epoch(text: &str) -> Option<NaiveDateTime> {
    let marked = text.strip_prefix('@');
    let number = marked.unwrap_or(text);
    let moment = match number.len() {
        13 if is_digits(number) => DateTime::from_timestamp_millis(number.parse().ok()?),
        10 if is_digits(number) => DateTime::from_timestamp(number.parse().ok()?, 0),
        _ => DateTime::from_timestamp(marked?.parse().ok()?, 0),
    };
    Some(moment?.naive_utc())
}

/// The parts of a date, each of which is there once.
#[derive(Debug, Default)]
struct DateParts {
    year: Option<i32>,
    quarter: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    time: Option<NaiveTime>,
    /// How far its zone is ahead of UTC.
    offset: Option<TimeDelta>,
    /// `first` or `last`, before `quarter`.
    ordinal: Option<u32>,
    is_end: bool,
}

impl DateParts {
    fn read_word(&mut self, word: &str) -> Option<()> {
        if word.starts_with(['+', '-']) {
            return self.read_offset(word);
        }
        let numbers = word
            .find(|c: char| !c.is_ascii_digit() && !"-/".contains(c))
            .unwrap_or(word.len());
        let (date, rest) = word.split_at(numbers);
        if let Some((date, time)) = word.split_once('t')
            && let Some(day) = day_by_number(date)
        {
            let (year, month, day) = (day.year(), day.month(), day.day());
            put(&mut self.year, year)?;
            put(&mut self.month, month)?;
            put(&mut self.day, day)?;
            return self.read_time(time);
        }
        if word.get(..4).is_some_and(is_digits) && (rest.is_empty() || rest.starts_with('t')) {
            self.read_numbers(date)?;
            return match rest.get(1..) {
                Some(time) => self.read_time(time),
                None => Some(()),
            };
        }
        if word.contains(':') {
            return self.read_time(word);
        }
        let word = word.replace(['\'', '’'], "");
        let mut pieces: Vec<_> = word
            .split(['-', '/', '.'])
            .filter(|piece| !piece.is_empty())
            .collect();
        if let [day, _, year] = *pieces
            && is_digits(year)
            && [day.len(), year.len()] == [2, 2]
        {
            // RFC 850: the years of the reader's century, and those of the one before that are nearer.
            let year: i32 = year.parse().ok()?;
            put(&mut self.year, year + if year < 70 { 2000 } else { 1900 })?;
            pieces.pop();
        }
        pieces.iter().try_for_each(|piece| self.read_piece(piece))
    }

    /// Reads `2026`, `2026-12`, `2026-12-31` or `20261231`.
    fn read_numbers(&mut self, text: &str) -> Option<()> {
        let (year, rest) = text.split_at_checked(4)?;
        put(&mut self.year, year.parse().ok()?)?;
        let mut numbers = match rest.split_at_checked(2) {
            Some((month, day)) if is_digits(rest) && rest.len() == 4 => vec![month, day],
            _ if rest.is_empty() => Vec::new(),
            _ => rest.strip_prefix(['-', '/'])?.split(['-', '/']).collect(),
        }
        .into_iter();
        for part in [&mut self.month, &mut self.day] {
            let Some(digits) = numbers.next() else { break };
            put(part, small(digits)?)?;
        }
        numbers.next().is_none().then_some(())
    }

    /// Reads a time, and the zone after it.
    fn read_time(&mut self, text: &str) -> Option<()> {
        let end = text.find(|c: char| !c.is_ascii_digit() && !":.".contains(c));
        let (time, zone) = text.split_at(end.unwrap_or(text.len()));
        if !zone.is_empty() {
            self.read_offset(zone)?;
        }
        let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let digits = whole.replace(':', "");
        if !matches!(digits.len(), 4 | 6) || !is_digits(&digits) || !is_digits(fraction) {
            return None;
        }
        let time = match (pair(&digits, 0)?, pair(&digits, 2)?, pair(&digits, 4)?) {
            // The end of the day is no part of the next one.
            (24, 0, 0) => NaiveTime::from_hms_opt(23, 59, 59)?,
            // A leap second belongs to the minute before it.
            (hour, minute, 60) => NaiveTime::from_hms_opt(hour, minute, 59)?,
            (hour, minute, second) => NaiveTime::from_hms_opt(hour, minute, second)?,
        };
        put(&mut self.time, time)
    }

    /// Reads `Z`, `GMT`, `+02:00` or `+0200`.
    fn read_offset(&mut self, text: &str) -> Option<()> {
        let minutes = match text.strip_prefix(['+', '-']) {
            None => 60 * zone(text)?,
            Some(written) => {
                let digits = written.replace(':', "");
                let is_whole = matches!(digits.len(), 2 | 4);
                let minutes = i64::from(60 * pair(&digits, 0)? + pair(&digits, 2)?);
                is_whole.then_some(if text.starts_with('-') {
                    -minutes
                } else {
                    minutes
                })?
            }
        };
        put(&mut self.offset, TimeDelta::minutes(minutes))
    }

    /// Reads a number or a word, in lower case.
    fn read_piece(&mut self, piece: &str) -> Option<()> {
        const ORDINALS: [&str; 4] = ["first", "second", "third", "fourth"];
        let letters = piece.find(|c: char| !c.is_ascii_digit());
        let (digits, suffix) = piece.split_at(letters.unwrap_or(piece.len()));
        if !digits.is_empty() {
            return match (digits.len(), suffix) {
                (4, "") => put(&mut self.year, digits.parse().ok()?),
                (_, "" | "st" | "nd" | "rd" | "th") => put(&mut self.day, small(digits)?),
                _ => None,
            };
        }
        if let Some(month) = number_of(piece, &MONTHS) {
            return put(&mut self.month, month);
        }
        if let Some(ordinal) = ORDINALS.iter().position(|word| *word == piece) {
            return put(&mut self.ordinal, u32::try_from(ordinal + 1).ok()?);
        }
        match piece {
            "q1" | "q2" | "q3" | "q4" => put(&mut self.quarter, small(piece.get(1..)?)?),
            "last" => put(&mut self.ordinal, 4),
            "quarter" => {
                let number = self.ordinal.take().or_else(|| self.day.take())?;
                put(&mut self.quarter, number)
            }
            "end" => {
                self.is_end = true;
                Some(())
            }
            "of" | "the" | "at" => Some(()),
            _ if number_of(piece, &WEEKDAYS).is_some() => Some(()),
            _ => self.read_offset(piece),
        }
    }

    fn finish(self) -> Option<StatedDate> {
        let year = self.year?;
        if self.ordinal.is_some() {
            return None;
        }
        let last_month = match (self.quarter, self.month, self.day) {
            (None, Some(month), Some(day)) => {
                let date = NaiveDate::from_ymd_opt(year, month, day)?;
                return Some(match self.time {
                    None => StatedDate::Day(date),
                    Some(time) => {
                        let offset = self.offset.unwrap_or_default();
                        StatedDate::Moment(date.and_time(time).checked_sub_signed(offset)?)
                    }
                });
            }
            (Some(quarter @ 1..=4), None, None) => 3 * quarter,
            (None, Some(month), None) => month,
            (None, None, None) if self.is_end => 12,
            _ => return None,
        };
        let last = NaiveDate::from_ymd_opt(year, last_month, 1)?
            .checked_add_months(Months::new(1))?
            .checked_sub_days(Days::new(1))?;
        self.time.is_none().then_some(StatedDate::Period(last))
    }
}

/// The day that a text gives by its number in the year, or in a week.
fn day_by_number(text: &str) -> Option<NaiveDate> {
    let formats: &[&str] = match text.len() {
        7 => &["%Y%j"],
        8 => &["%Y-%j", "%Gw%V%u"],
        10 => &["%G-w%V-%u"],
        _ => &[],
    };
    let mut formats = formats.iter().filter(|_| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || b"-w".contains(&byte))
    });
    formats.find_map(|format| NaiveDate::parse_from_str(text, format).ok())
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The number of the name that a word begins, with three letters or more.
fn number_of(word: &str, names: &[&str]) -> Option<u32> {
    let index = names.iter().position(|name| name.starts_with(word))?;
    u32::try_from(index + 1).ok().filter(|_| word.len() >= 3)
}

/// The hours that a zone is ahead of UTC, of those that mail and HTTP name.
fn zone(name: &str) -> Option<i64> {
    Some(match name {
        "z" | "utc" | "gmt" | "ut" => 0,
        "edt" => -4,
        "est" | "cdt" => -5,
        "cst" | "mdt" => -6,
        "mst" | "pdt" => -7,
        "pst" => -8,
        _ => return None,
    })
}

/// Takes the value of a part that has none yet.
fn put<T>(part: &mut Option<T>, value: T) -> Option<()> {
    part.replace(value).is_none().then_some(())
}

/// Whether a text is a number in digits alone.
pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number that two of the digits are; 0 after the last.
fn pair(digits: &str, from: usize) -> Option<u32> {
    digits.get(from..from + 2).map_or(Some(0), small)
}

/// A number of one or two digits.
fn small(digits: &str) -> Option<u32> {
    digits
        .parse()
        .ok()
        .filter(|_| is_digits(digits) && digits.len() <= 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_day_is_read_in_every_form() {
        for text in [
            "2026-12-31",
            " 2026-12-31\n",
            "\"2026-12-31\"",
            "2026/12/31",
            "20261231",
            "2026-12-31T23:59:59Z",
            "2026-12-31t23:59:59.123z",
            "2026-12-31T23:59:60Z",
            "2026-12-31T23:59",
            "2026-12-31 23:59:59",
            "2026-12-31 23:59:59 +00:00",
            "2027-01-01T01:00:00+02:00",
            "2027-01-01T01:00:00+0200",
            "2026-12-31T20:00:00-03",
            "20261231T235959Z",
            "Thu, 31 Dec 2026 23:59:59 GMT",
            "Thu, 31 Dec 2026 23:59:59 UTC",
            "Thu, 31 Dec 2026 23:59:59 +0000 (UTC)",
            "Thu, 31 Dec 2026 15:59:59 PST",
            "Thursday, 31-Dec-26 23:59:59 GMT",
            "Thursday, 31 December 2026 23:59:59 GMT",
            "Thu Dec 31 23:59:59 2026",
            // A day of the week that is not that of the date.
            "Mon, 31 Dec 2026 23:59:59 GMT",
            "31 Dec 2026",
            "31-Dec-2026",
            "2026-Dec-31",
            "December 31, 2026",
            "Dec. 31st, 2026",
            "the 31'st of December 2026",
            "@1798761599",
            "@1798761599000",
            "1798761599",
            "1798761599000",
        ] {
            let date = parse_date(text).and_then(StatedDate::day);
            assert_eq!(date, Some(day("2026-12-31")), "{text}");
        }
        assert_eq!(
            parse_date("2026-Oct-1"),
            Some(StatedDate::Day(day("2026-10-01")))
        );
    }

    #[test]
    fn a_month_a_quarter_and_a_year_end_with_their_last_day() {
        for (text, last) in [
            ("2028-02", "2028-02-29"),
            ("2026/12", "2026-12-31"),
            ("Dec 2026", "2026-12-31"),
            ("end of November, 2026", "2026-11-30"),
            ("Q4 2026", "2026-12-31"),
            ("2026-Q3", "2026-09-30"),
            ("end of Q1/2026", "2026-03-31"),
            ("the first quarter of 2026", "2026-03-31"),
            ("2nd quarter 2026", "2026-06-30"),
            ("last quarter of 2026", "2026-12-31"),
            ("end of 2026", "2026-12-31"),
        ] {
            assert_eq!(
                parse_date(text),
                Some(StatedDate::Period(day(last))),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_date_or_may_be_two_is_none() {
        for text in [
            "",
            "soon",
            "next winter",
            "2026",
            "version 3",
            "3.1.0",
            "true",
            "2026-13-01",
            "2026-02-30",
            "31 Feb 2026",
            "20.11.2026",
            "01/02/2026",
            "12/2026",
            "5",
            "0",
            "202612",
            "12345678901",
            "31 Dec",
            "Dec 31 23:59",
            "31 Dec 2026 2027",
            "5 31 Dec 2026",
            "Q5 2026",
            "first 2026",
            "2026-12-31 or later",
            "2026-12-31T25:00:00Z",
            "2026-12-31T23:59:59+9",
            "@soon",
            "@99999999999999999999",
            "31 Dec 2026 CET",
            "Dec 2026 12:00",
            "2026-12-31-01",
            "https://docs.example/2026-12-31",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_read_without_a_panic(text in any::<String>(), date in "[0-9TZtz:/+.@ -]{0,30}") {
            parse_date(&text);
            parse_date(&date);
        }
    }
}
