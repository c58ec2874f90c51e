//! Removal dates as a calendar (RFC 5545): one all-day event for each date, with the elements that then stop working.
//!
//! The same rules give the same bytes: a time stamp is the date of the last announcement, not of the export. An event keeps
//! its UID as long as date and APIs stay the same, so that calendars update it instead of adding another event.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use chrono::{Days, NaiveDate};
use sha2::{Digest, Sha256};

use super::exported::left_out;
use super::{Exported, NothingToExport};
use crate::rules::Rule;
use crate::rules::announcement::{site_of, subject};
use crate::rules::{AnnouncedFacts, Announcement};
use sundown_text_json::text::is_unsafe;

/// The maximum length of a line in bytes, without its end (section 3.1).
const MAX_LINE_LEN: usize = 75;

/// Writes a calendar of all removal dates.
pub(super) fn write(rules: &[(&str, &Rule)]) -> Result<Exported, NothingToExport> {
    let mut by_date: BTreeMap<NaiveDate, Vec<(&str, &Rule)>> = BTreeMap::new();
    let mut dateless = Vec::new();
    for &(api, rule) in rules {
        match rule.removal {
            Some(date) => by_date.entry(date).or_default().push((api, rule)),
            None => dateless.push(rule.id.as_str()),
        }
    }
    let why = "because no removal date was announced";
    let left_out: Vec<String> = left_out("rule", why, &dateless).into_iter().collect();
    if by_date.is_empty() {
        return Err(NothingToExport { left_out });
    }
    let apis: BTreeSet<&str> = rules.iter().map(|(api, _)| *api).collect();
    let mut text = String::new();
    let head = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//sundown//removal dates//EN",
        "CALSCALE:GREGORIAN",
    ];
    for one in head {
        line(&mut text, one);
    }
    for (date, rules) in &by_date {
        event(&mut text, *date, rules, &apis);
    }
    line(&mut text, "END:VCALENDAR");
    Ok(Exported { text, left_out })
}

fn event(text: &mut String, date: NaiveDate, rules: &[(&str, &Rule)], apis: &BTreeSet<&str>) {
    const DAY: &str = "%Y%m%d";
    let stamp = rules
        .iter()
        .filter_map(|(_, rule)| rule.introduced)
        .max()
        .unwrap_or(date);
    let next_day = date.checked_add_days(Days::new(1)).unwrap_or(date);
    let count = rules.len();
    let what = if count == 1 {
        "deprecated element"
    } else {
        "deprecated elements"
    };
    let here: BTreeSet<&str> = rules.iter().map(|(api, _)| *api).collect();
    let here = here.into_iter().collect::<Vec<_>>().join(", ");
    line(text, "BEGIN:VEVENT");
    line(
        text,
        &format!("UID:removal-{date}-{}@sundown", fingerprint(apis)),
    );
    line(text, &format!("DTSTAMP:{}T000000Z", stamp.format(DAY)));
    line(text, &format!("DTSTART;VALUE=DATE:{}", date.format(DAY)));
    if next_day > date {
        line(text, &format!("DTEND;VALUE=DATE:{}", next_day.format(DAY)));
    }
    line(
        text,
        &format!(
            "SUMMARY:{}",
            escape(&format!("{here}: last day of {count} {what}"))
        ),
    );
    line(
        text,
        &format!("DESCRIPTION:{}", escape(&description(rules))),
    );
    // The event does not mark anyone as busy.
    line(text, "TRANSP:TRANSPARENT");
    line(text, "END:VEVENT");
}

/// A line for each element, with its replacement.
fn description(rules: &[(&str, &Rule)]) -> String {
    let mut description = "After this day (UTC) these stop working:".to_owned();
    for (_, rule) in rules {
        let subject = Announcement::of(rule)
            .first()
            .map(Announcement::subject)
            .or_else(|| site_of(rule).map(|site| subject(&site.to_string(), &rule.element)))
            .unwrap_or_else(|| rule.id.clone());
        let _ = write!(description, "\n- {subject}");
        let AnnouncedFacts {
            replacement, note, ..
        } = AnnouncedFacts::of(rule);
        if let Some(replacement) = replacement {
            let _ = write!(description, "; use {replacement}");
        } else if let Some(note) = note {
            let _ = write!(description, "; {note}");
        }
    }
    description
}

fn fingerprint(apis: &BTreeSet<&str>) -> String {
    let names = apis.iter().copied().collect::<Vec<_>>().join("\n");
    Sha256::digest(names.as_bytes())
        .iter()
        .take(4)
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Escapes a value of type TEXT (section 3.3.11), which must not contain other control characters, nor what a build log obeys.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    for character in text.replace("\r\n", "\n").chars() {
        match character {
            '\\' | ';' | ',' => escaped.extend(['\\', character]),
            '\n' | '\r' => escaped.push_str("\\n"),
            '\t' => escaped.push('\t'),
            _ if is_unsafe(character) || (before, character) == (Some('#'), '#') => {
                escaped.push('\u{FFFD}');
            }
            _ => escaped.push(character),
        }
        before = Some(character);
    }
    escaped
}

/// Writes a line. A long line is folded between characters, and each continuation begins with a space.
fn line(text: &mut String, line: &str) {
    let mut used = 0;
    for character in line.chars() {
        if used + character.len_utf8() > MAX_LINE_LEN {
            text.push_str("\r\n ");
            used = 1;
        }
        text.push(character);
        used += character.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn folded_lines_are_short_and_unfold_to_the_original(words in "\\PC{0,200}") {
            let mut text = String::new();
            line(&mut text, &words);
            prop_assert!(text.split("\r\n").all(|line| line.len() <= MAX_LINE_LEN));
            let unfolded = text.replace("\r\n ", "");
            prop_assert_eq!(unfolded.strip_suffix("\r\n"), Some(words.as_str()));
        }
    }

    #[test]
    fn delimiters_of_values_are_escaped() {
        assert_eq!(
            escape("a;b,c\\d\r\ne\nf\u{1b}"),
            "a\\;b\\,c\\\\d\\ne\\nf\u{FFFD}"
        );
    }
}
