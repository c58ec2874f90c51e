//! The values of an element that are deprecated: one text, those with a beginning, or old versions. A version is a date such as
//! `2024-10-01`, or numbers such as `v19.0`.

use std::cmp::Ordering;
use std::fmt;

use chrono::{Datelike, Days, Months, NaiveDate};
use serde::{Deserialize, Serialize};

use super::reference::TextError;
use sundown_text_json::text::{StatedDate, join, parse_date};

/// A version as a rule writes it. It can be compared with texts of the same shape: the same characters, with other numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    text: String,
    numbers: Vec<u32>,
    date: Option<NaiveDate>,
}

/// The number of digits in a number, at most.
const MAX_DIGITS: usize = 8;

/// The number of years between the version of a rule and one that its findings name.
const MAX_YEARS_BETWEEN_VERSIONS: u32 = 10;

/// The number of numbers in a version, at most.
const MAX_NUMBERS: usize = 8;

impl Version {
    /// Parses a version; `None` if the text has no number, or too many or too long ones.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<u32>> = numbers(text)
            .map(|digits| digits.parse().ok().filter(|_| digits.len() <= MAX_DIGITS))
            .collect();
        let numbers = numbers.filter(|numbers| (1..=MAX_NUMBERS).contains(&numbers.len()))?;
        Some(Self {
            text: text.to_owned(),
            numbers,
            date: date_of(text),
        })
    }

    /// Parses a version with which others can be compared.
    pub(super) fn read(text: &str) -> Result<Self, TextError> {
        let version = Self::parse(text).ok_or(TextError {
            message: "is not a version",
            help: "write a date or numbers: 2024-10-01, 2024-10 or v19.0",
        })?;
        if version.date.is_some() {
            return Ok(version);
        }
        if iso_date(text).is_some_and(|(year, _)| YEARS.contains(&year)) {
            return Err(TextError {
                message: "is written like a date, but there is no such day",
                help: "write a day that exists",
            });
        }
        // Other numbers, such as those of accounts, look like versions of it.
        let is_bare = pieces(text).all(is_number) && text.len() > MAX_NUMBER_DIGITS;
        if is_bare {
            Err(TextError {
                message: "is a bare number, which may as well be that of an account",
                help: "a version is a date, has a character that is no digit (v1000), or has up to three digits; list other values in `values`",
            })
        } else {
            Ok(version)
        }
    }

    /// The first day of the version, if it is a date: `2024-10-01`, `2024-10`, `202410` or `20241001`, with or without other
    /// characters around the numbers.
    pub fn date(&self) -> Option<NaiveDate> {
        self.date
    }

    /// Whether a text that has its shape is a calendar date at most ten years before or after its own. Such a text is
    /// hardly anything but a version.
    pub(super) fn is_near_date(&self, text: &str) -> bool {
        self.near_date(text)
            .is_some_and(|near| date_of(text) == Some(near))
    }

    /// The date of a text that has its shape, or if that is further away than ten years, the date in ten years.
    fn near_date(&self, text: &str) -> Option<NaiveDate> {
        let (own, found) = self.date.zip(date_of(text))?;
        let years = Months::new(12 * MAX_YEARS_BETWEEN_VERSIONS);
        let first = own.checked_sub_months(years).unwrap_or(own);
        let last = own.checked_add_months(years).unwrap_or(own);
        Some(found.clamp(first, last))
    }

    /// An older version of the same shape, for examples: one year or one number before. The version itself if there is none.
    pub fn older(&self) -> String {
        match self.date {
            Some(date) => self.with_date(date.checked_sub_months(Months::new(12)).unwrap_or(date)),
            None => self.with_lower_number(),
        }
    }

    /// Whether there is an older version of the same shape.
    pub(super) fn has_older(&self) -> bool {
        self.compare(&self.older()) == Some(Ordering::Less)
    }

    /// The version of the same shape with another date.
    fn with_date(&self, date: NaiveDate) -> String {
        let is_one_number = self.numbers.len() == 1;
        let mut parts = ["%Y", "%m", "%d"].into_iter();
        self.with_numbers(|digits| match digits.len() {
            8 if is_one_number => date.format("%Y%m%d").to_string(),
            6 if is_one_number => date.format("%Y%m").to_string(),
            _ => date.format(parts.next().unwrap_or_default()).to_string(),
        })
    }

    /// The version whose first number that is not 0 is one less.
    fn with_lower_number(&self) -> String {
        let mut is_lower = false;
        self.with_numbers(|digits| {
            let number: u32 = digits.parse().unwrap_or_default();
            let lower = number.checked_sub(1).filter(|_| !is_lower);
            is_lower |= lower.is_some();
            lower.unwrap_or(number).to_string()
        })
    }

    /// The text with other numbers.
    fn with_numbers(&self, mut other: impl FnMut(&str) -> String) -> String {
        let mut text = String::with_capacity(self.text.len());
        for piece in pieces(&self.text) {
            if is_number(piece) {
                text.push_str(&other(piece));
            } else {
                text.push_str(piece);
            }
        }
        text
    }

    /// The version of the same shape whose numbers are those of an id: `2024-01` or `v19-0`. `None` if the id is no such version.
    fn with_numbers_of_id(&self, words: &str) -> Option<String> {
        let mut numbers = numbers(words);
        let text = self.with_numbers(|_| numbers.next().unwrap_or_default().to_owned());
        (id_words(&text) == words && self.compare(&text).is_some()).then_some(text)
    }

    /// Compares a text with this version; `None` if the text has another shape. If the version is a date, so is the text.
    pub fn compare(&self, text: &str) -> Option<Ordering> {
        let is_date = self.date.is_some();
        // Most texts differ in their first character.
        let are_alike = pieces(&self.text).zip(pieces(text)).all(|(own, other)| {
            if is_number(own) && is_number(other) {
                !is_date || own.len() == other.len()
            } else {
                own == other
            }
        });
        if !are_alike {
            return None;
        }
        let version = Self::parse(text)?;
        let is_same_shape = pieces(text).count() == pieces(&self.text).count();
        (is_same_shape && version.date.is_some() == is_date)
            .then(|| version.numbers.cmp(&self.numbers))
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.text
    }
}

impl TryFrom<String> for Version {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("this is not a version")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The last day of a version that works for a number of months from its date.
fn last_day(from: NaiveDate, months: u32) -> Option<NaiveDate> {
    let end = from.checked_add_months(Months::new(months))?;
    // A month that is too short for the day is over on its own last day.
    let is_short = end.day() < from.day();
    if is_short {
        Some(end)
    } else {
        end.checked_sub_days(Days::new(1))
    }
}

/// The number of digits of a version that has nothing else, at most.
const MAX_NUMBER_DIGITS: usize = 3;

/// The years of versions that are dates.
const YEARS: std::ops::Range<i32> = 1990..2200;

/// The numbers in a text, by their digits.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).filter(|piece| is_number(piece))
}

/// Whether a piece of a text is a number.
fn is_number(piece: &str) -> bool {
    piece.starts_with(|first: char| first.is_ascii_digit())
}

/// Splits a text into numbers and the characters between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_number = rest.bytes().next()?.is_ascii_digit();
        let end = rest
            .bytes()
            .position(|byte| byte.is_ascii_digit() != is_number);
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(piece)
    })
}

/// The first day of a version whose numbers are a year, a month and perhaps a day.
fn date_of(text: &str) -> Option<NaiveDate> {
    let (_, date) = iso_date(text).filter(|(year, _)| YEARS.contains(year))?;
    match parse_date(&date)? {
        StatedDate::Period(last) => last.with_day(1),
        stated => stated.day(),
    }
}

/// The year of a text that is written like a date, and the date as ISO 8601 writes it.
fn iso_date(text: &str) -> Option<(i32, String)> {
    let mut numbers = numbers(text);
    let (year, month, day) = match (
        numbers.next()?,
        numbers.next(),
        numbers.next(),
        numbers.next(),
    ) {
        (whole, None, ..) if matches!(whole.len(), 6 | 8) => (
            whole.get(..4)?,
            whole.get(4..6)?,
            whole.get(6..).filter(|day| !day.is_empty()),
        ),
        (year, Some(month), day, None) if year.len() == 4 && month.len() == 2 => (year, month, day),
        _ => return None,
    };
    if day.is_some_and(|day| day.len() != 2) {
        return None;
    }
    let date = [year, month].into_iter().chain(day);
    Some((year.parse().ok()?, join(date, "-")))
}

/// Decides which values of a field, parameter, header field or path segment are deprecated.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ValueTest {
    /// This text.
    Exact(String),
    /// Texts that begin with this one.
    StartsWith(String),
    /// Versions before this one.
    Before(Version),
    /// Versions that work for a number of months from their date.
    Supported {
        /// For how many months a version works.
        months: u32,
        /// The newest known version.
        newest: Version,
    },
    /// All values that no other rule is about. No rules file states it.
    Other,
}

/// The number of days left from which on a version is reported that is not older than the newest known one.
const NEAR_DAYS: i64 = 90;

impl ValueTest {
    /// Whether a value is deprecated on some day.
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Self::Exact(text) => text == value,
            Self::StartsWith(beginning) => value.starts_with(beginning.as_str()),
            Self::Before(version) => version.compare(value) == Some(Ordering::Less),
            Self::Supported { newest, .. } => newest.compare(value).is_some(),
            Self::Other => true,
        }
    }

    /// Whether a value for which it holds is deprecated on this day. Of versions that work for some months, those before
    /// the newest known one always are. A later one, which the rule does not know, is only if it ends soon or has ended.
    pub(super) fn holds_on(&self, as_of: NaiveDate, value: &str) -> bool {
        let Self::Supported { newest, .. } = self else {
            return true;
        };
        newest.compare(value) == Some(Ordering::Less)
            || self
                .last_day_of(value)
                .is_some_and(|last| last.signed_duration_since(as_of).num_days() <= NEAR_DAYS)
    }

    /// The version of this id, if the test is about versions and holds for it.
    pub(super) fn version_of_id(&self, words: &str) -> Option<String> {
        self.version()?
            .with_numbers_of_id(words)
            .filter(|version| self.holds(version))
    }

    /// Whether a text is the newest version that it knows.
    pub(super) fn is_newest(&self, version: &str) -> bool {
        matches!(self, Self::Supported { newest, .. } if newest.to_string() == version)
    }

    /// Whether there is a newer version than this one that it knows.
    pub(super) fn knows_newer_than(&self, version: &str) -> bool {
        self.version()
            .is_some_and(|known| known.compare(version) == Some(Ordering::Less))
    }

    /// The text, if only this one is deprecated.
    pub fn exact(&self) -> Option<&str> {
        match self {
            Self::Exact(text) => Some(text),
            _ => None,
        }
    }

    /// The version with which values are compared, if it is about versions, each of which has its own last day.
    pub(super) fn version(&self) -> Option<&Version> {
        match self {
            Self::Before(version)
            | Self::Supported {
                newest: version, ..
            } => Some(version),
            Self::Exact(_) | Self::StartsWith(_) | Self::Other => None,
        }
    }

    /// Whether each value for which it holds has a rule of its own, about this value.
    pub(crate) fn has_rule_for_each(&self) -> bool {
        self.version().is_some() || *self == Self::Other
    }

    /// The last day of a version that the test itself decides.
    pub(super) fn last_day_of(&self, version: &str) -> Option<NaiveDate> {
        self.last_day_since(Version::parse(version)?.date()?)
    }

    /// The last day of support of a version that findings do not name. It reveals no date further away than those that they name.
    pub(super) fn last_day_of_hidden(&self, version: &str) -> Option<NaiveDate> {
        self.last_day_since(self.version()?.near_date(version)?)
    }

    fn last_day_since(&self, first: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Supported { months, .. } => last_day(first, *months),
            _ => None,
        }
    }

    /// The rank of the test: of several that hold, the greatest is the most specific.
    pub fn specificity(&self) -> (u8, usize) {
        match self {
            Self::Exact(_) => (3, 0),
            Self::StartsWith(beginning) => (2, beginning.len()),
            Self::Before(_) | Self::Supported { .. } => (1, 0),
            Self::Other => (0, 0),
        }
    }

    /// A value for which it holds, for examples.
    pub fn example(&self) -> String {
        match self {
            Self::Exact(text) | Self::StartsWith(text) => text.clone(),
            _ => self.version().map(Version::older).unwrap_or_default(),
        }
    }

    /// A phrase for sentences, with the part of a call as it is named: ``the value `open` of `status` ``.
    pub fn phrase(&self, part: &str) -> String {
        match self {
            Self::Exact(text) => format!("the value `{text}` of {part}"),
            Self::StartsWith(beginning) => {
                format!("a value of {part} that begins with `{beginning}`")
            }
            Self::Before(version) => format!("a version of {part} before `{version}`"),
            Self::Supported { months, .. } => {
                format!("a version of {part} that is supported for {months} months")
            }
            Self::Other => format!("another value of {part}"),
        }
    }
}

impl fmt::Display for ValueTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(text) => f.write_str(text),
            Self::StartsWith(beginning) => write!(f, "{beginning}…"),
            Self::Before(version) => write!(f, "before {version}"),
            Self::Supported { months, .. } => write!(f, "supported for {months} months"),
            Self::Other => f.write_str("other values"),
        }
    }
}

/// A text as part of an id: its letters and digits in lower case, separated by `-`.
pub(super) fn id_words(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    join(words.filter(|word| !word.is_empty()), "-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compare(version: &str, text: &str) -> Option<Ordering> {
        Version::parse(version).unwrap().compare(text)
    }

    #[test]
    fn dates_are_compared_with_dates_of_the_same_form() {
        for (version, less, greater) in [
            ("2024-10-01", "2024-09-30", "2025-01-01"),
            ("2024-10", "2024-07", "2025-01"),
            ("202410", "202409", "202501"),
            ("20241001", "20240930", "20241101"),
            (
                "2024-10-01-preview",
                "2024-09-15-preview",
                "2024-10-02-preview",
            ),
        ] {
            assert!(
                Version::parse(version).unwrap().date().is_some(),
                "{version}"
            );
            assert_eq!(compare(version, less), Some(Ordering::Less), "{version}");
            assert_eq!(
                compare(version, version),
                Some(Ordering::Equal),
                "{version}"
            );
            assert_eq!(
                compare(version, greater),
                Some(Ordering::Greater),
                "{version}"
            );
        }
        for other in [
            "",
            "2024-10",
            "2024-9-30",
            "2024-13-01",
            "2024-02-30",
            "2024-09-30x",
            "x2024-09-30",
            "2024/09/30",
            "2024-09-30-preview",
            "0001-01-01",
            "2024-09-30-01",
            "unstable",
            "２０２４-09-30",
        ] {
            assert_eq!(compare("2024-10-01", other), None, "{other}");
        }
    }

    #[test]
    fn numbers_are_compared_one_by_one() {
        for (text, order) in [
            ("v9.0", Some(Ordering::Less)),
            ("v18.5", Some(Ordering::Less)),
            ("v19.0", Some(Ordering::Equal)),
            ("v19.1", Some(Ordering::Greater)),
            ("v100.0", Some(Ordering::Greater)),
            ("v19", None),
            ("19.0", None),
            ("v19.0.1", None),
            ("V19.0", None),
            ("v19.", None),
            ("v999999999.0", None),
        ] {
            assert_eq!(compare("v19.0", text), order, "{text}");
        }
    }

    #[test]
    fn a_text_without_a_number_is_no_version() {
        for text in ["", "stable", "999999999", "1.2.3.4.5.6.7.8.9"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        for (version, older) in [
            ("2024-10-01", "2023-10-01"),
            ("202410", "202310"),
            ("20240229", "20230228"),
            ("v2024-02-29.x", "v2023-02-28.x"),
            ("v19.0", "v18.0"),
            ("v0.10", "v0.9"),
        ] {
            let version = Version::parse(version).unwrap();
            assert_eq!(version.older(), older, "{version}");
            assert_eq!(
                version.compare(&version.older()),
                Some(Ordering::Less),
                "{version}"
            );
        }
        assert_eq!(Version::parse("2024-13").unwrap().date(), None);
        for oldest in ["v0.0", "0", "1990-01-01"] {
            assert!(!Version::parse(oldest).unwrap().has_older(), "{oldest}");
        }
    }

    #[test]
    fn a_version_that_cannot_be_compared_well_has_a_fault() {
        let not_a_version = Some("is not a version");
        let no_such_day = Some("is written like a date, but there is no such day");
        let bare_number = Some("is a bare number, which may as well be that of an account");
        for (text, fault) in [
            ("2024-02-29", None),
            ("2024-02-30", no_such_day),
            ("2024-13", no_such_day),
            ("20240230", no_such_day),
            ("202413-preview", no_such_day),
            ("99999999", bare_number),
            ("1000", bare_number),
            ("999", None),
            ("3", None),
            ("stable", not_a_version),
            ("v9999", None),
            ("9999-99", None),
        ] {
            let error = Version::read(text).err();
            assert_eq!(error.map(|error| error.message), fault, "{text}");
        }
    }

    #[test]
    fn a_version_is_found_again_in_an_id() {
        for (version, words, found) in [
            ("2026-10", "2024-01", Some("2024-01")),
            ("2026-10", "2024-13", None),
            ("2026-10", "2024-01-01", None),
            ("2026-10", "foo", None),
            ("2026-10", "", None),
            ("v19.0", "v3-0", Some("v3.0")),
            ("v19.0", "3-0", None),
            ("v19.0", "v3-0-1", None),
            (
                "2024-10-01-Preview",
                "2024-09-30-preview",
                Some("2024-09-30-Preview"),
            ),
        ] {
            let version = Version::parse(version).unwrap();
            assert_eq!(
                version.with_numbers_of_id(words).as_deref(),
                found,
                "{version} {words}"
            );
        }
    }

    #[test]
    fn a_version_works_through_the_months_from_its_day() {
        for (from, months, last) in [
            ("2024-01-01", 12, "2024-12-31"),
            ("2024-08-28", 6, "2025-02-27"),
            ("2024-08-29", 6, "2025-02-28"),
            ("2024-08-31", 6, "2025-02-28"),
            ("2024-09-01", 6, "2025-02-28"),
            ("2024-02-29", 12, "2025-02-28"),
            ("2023-08-31", 6, "2024-02-29"),
        ] {
            let from = from.parse().unwrap();
            assert_eq!(last_day(from, months).unwrap().to_string(), last, "{from}");
        }
    }

    proptest! {
        #[test]
        fn no_earlier_version_ends_later(days in 0u64..5_000, months in 1u32..40) {
            let date = |days| NaiveDate::from_ymd_opt(2020, 1, 1).unwrap() + Days::new(days);
            prop_assert!(last_day(date(days), months) <= last_day(date(days + 1), months));
        }

        #[test]
        fn the_order_is_that_of_the_dates(days in 0u64..70_000, other in 0u64..70_000, months in any::<bool>()) {
            let date = |days| NaiveDate::from_ymd_opt(1990, 1, 1).unwrap() + Days::new(days);
            let format = if months { "v%Y-%m" } else { "%Y%m%d" };
            let [one, two] = [days, other].map(|days| date(days).format(format).to_string());
            let version = Version::parse(&one).unwrap();
            prop_assert_eq!(version.compare(&two), Some(two.cmp(&one)));
        }

        #[test]
        fn no_text_is_like_a_version_but_by_its_numbers(version in "[a-c.]{0,2}[0-9]{1,4}[-.a]?[0-9]{0,3}", text in "[a-c.]{0,2}[0-9]{0,4}[-.a]?[0-9]{0,3}") {
            let literals = |text: &str| text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("#");
            if let Some(version) = Version::parse(&version)
                && version.compare(&text).is_some() {
                prop_assert_eq!(literals(&version.to_string()), literals(&text));
            }
        }
    }
}
