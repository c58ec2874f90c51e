//! Dates in descriptions: the values of extensions, and dates in prose.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};
use regex::Regex;

/// Parses a date: `2026-11-20`, with or without a time (RFC 3339; the result is the date in UTC), or an HTTP date
/// (RFC 9110, section 5.6.7).
pub(super) fn parse(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let in_utc = |time: DateTime<_>| time.with_timezone(&Utc).date_naive();
    NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .ok()
        .or_else(|| DateTime::parse_from_rfc3339(text).ok().map(in_utc))
        .or_else(|| DateTime::parse_from_rfc2822(text).ok().map(in_utc))
}

/// Matches `2026-11-20`, `November 20, 2026` and `20 Nov 2026`.
static DATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const MONTH: &str = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?";
    const DAY: &str = "[0-9]{1,2}(?:st|nd|rd|th)?";
    const YEAR: &str = "[0-9]{4}";
    Regex::new(&format!(
        r"(?i)\b(?:({YEAR}-[0-9]{{2}}-[0-9]{{2}})|({MONTH}) ({DAY}),? ({YEAR})|({DAY}) (?:of )?({MONTH}),? ({YEAR}))\b"
    ))
    .ok()
});

/// Matches the words by which a sentence is about a removal.
static REMOVAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)remov|sunset|retire|shut ?down|shut off|turned? off|end[ -]of[ -]life|no longer|cease|discontinu|stop|delet")
        .ok()
});

/// Finds the first date in a sentence about a removal.
pub(super) fn removal_in(prose: &str) -> Option<NaiveDate> {
    let (dates, removal) = (DATES.as_ref()?, REMOVAL.as_ref()?);
    sentences(prose).filter(|sentence| removal.is_match(sentence)).find_map(|sentence| {
        dates.captures_iter(sentence).find_map(|found| {
            let part = |index| found.get(index).map(|part| part.as_str());
            match (part(1), part(2), part(5)) {
                (Some(date), ..) => parse(date),
                (_, Some(month), _) => parse_written_out(part(4)?, month, part(3)?),
                (.., Some(day)) => parse_written_out(part(7)?, part(6)?, day),
                _ => None,
            }
        })
    })
}

/// Splits prose into sentences. A full stop before a number is part of an abbreviation: `Nov. 2`.
fn sentences(prose: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(prose);
    std::iter::from_fn(move || {
        let text = rest?;
        let starts_sentence = |at: usize| {
            let after = text.get(at..).and_then(|after| after.strip_prefix(' '));
            after.is_some_and(|after| after.starts_with(char::is_alphabetic))
        };
        let ends = text.match_indices(['\n', '!', '?', ';', '.']);
        let mut ends = ends.filter(|(at, end)| *end != "." || starts_sentence(at + 1));
        let end = ends.next().map(|(at, end)| at + end.len());
        rest = end.and_then(|end| text.get(end..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// Parses a date whose month is a word.
fn parse_written_out(year: &str, month: &str, day: &str) -> Option<NaiveDate> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = month.to_ascii_lowercase();
    let number = MONTHS.iter().position(|name| month.starts_with(name))? + 1;
    let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    NaiveDate::from_ymd_opt(year.parse().ok()?, u32::try_from(number).ok()?, day.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_parsed_in_all_notations() {
        let date = NaiveDate::from_ymd_opt(2026, 11, 20);
        for text in [
            "2026-11-20",
            " 2026-11-20\n",
            "2026-11-20T23:59:59Z",
            "2026-11-21T01:00:00+02:00",
            "Fri, 20 Nov 2026 12:00:00 GMT",
        ] {
            assert_eq!(parse(text), date, "{text}");
        }
        for text in ["", "soon", "2026-13-01", "2026-02-30", "20.11.2026", "2026"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn prose_gives_the_date_of_the_sentence_about_a_removal() {
        let date = NaiveDate::from_ymd_opt(2026, 11, 2);
        for prose in [
            "Deprecated since 2020-01-01. It will be removed on 2026-11-02.",
            "Stops working on November 2, 2026",
            "Deprecated. Sunset: 2nd of Nov 2026!",
            "No longer there after Nov. 2nd, 2026",
        ] {
            assert_eq!(removal_in(prose), date, "{prose}");
        }
        for prose in
            ["Deprecated since 2020-01-01.", "Will be removed soon", "removed on 2026-99-99"]
        {
            assert_eq!(removal_in(prose), None, "{prose}");
        }
    }
}
