//! Dates as descriptions write them: in extensions, and in prose.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};
use regex::Regex;

/// The date of a text that is one: `2026-11-20`, with or without a time (RFC 3339; the date is UTC's), or as HTTP headers
/// have it (RFC 9110, section 5.6.7).
pub(super) fn parse(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let in_utc = |time: DateTime<_>| time.with_timezone(&Utc).date_naive();
    NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .ok()
        .or_else(|| DateTime::parse_from_rfc3339(text).ok().map(in_utc))
        .or_else(|| DateTime::parse_from_rfc2822(text).ok().map(in_utc))
}

/// `2026-11-20`, `November 20, 2026`, `20 Nov 2026`.
static DATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const MONTH: &str = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?";
    const DAY: &str = "[0-9]{1,2}(?:st|nd|rd|th)?";
    const YEAR: &str = "[0-9]{4}";
    Regex::new(&format!(
        r"(?i)\b(?:({YEAR}-[0-9]{{2}}-[0-9]{{2}})|({MONTH}) ({DAY}),? ({YEAR})|({DAY}) (?:of )?({MONTH}),? ({YEAR}))\b"
    ))
    .ok()
});

/// What a sentence says that tells of a removal.
static REMOVAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)remov|sunset|retire|shut ?down|shut off|turned? off|end[ -]of[ -]life|no longer|cease|discontinu|stop|delet")
        .ok()
});

/// The first date in prose that stands in a sentence about a removal.
pub(super) fn removal_in(prose: &str) -> Option<NaiveDate> {
    let (dates, removal) = (DATES.as_ref()?, REMOVAL.as_ref()?);
    sentences(prose).filter(|sentence| removal.is_match(sentence)).find_map(|sentence| {
        dates.captures_iter(sentence).find_map(|found| {
            let part = |index| found.get(index).map(|part| part.as_str());
            match (part(1), part(2), part(5)) {
                (Some(date), ..) => parse(date),
                (_, Some(month), _) => written_out(part(4)?, month, part(3)?),
                (.., Some(day)) => written_out(part(7)?, part(6)?, day),
                _ => None,
            }
        })
    })
}

/// A full stop in front of a number ends an abbreviation: `Nov. 2`.
fn sentences(prose: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(prose);
    std::iter::from_fn(move || {
        let text = rest?;
        let begins_next = |at: usize| {
            let behind = text.get(at..).and_then(|behind| behind.strip_prefix(' '));
            behind.is_some_and(|behind| behind.starts_with(char::is_alphabetic))
        };
        let ends = text.match_indices(['\n', '!', '?', ';', '.']);
        let mut ends = ends.filter(|(at, end)| *end != "." || begins_next(at + 1));
        let end = ends.next().map(|(at, end)| at + end.len());
        rest = end.and_then(|end| text.get(end..));
        text.get(..end.unwrap_or(text.len()))
    })
}

fn written_out(year: &str, month: &str, day: &str) -> Option<NaiveDate> {
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
    fn dates_are_read_as_they_are_written() {
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
    fn in_prose_a_removal_is_told_by_its_sentence() {
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
