//! The values of an element that are deprecated: one text, those with a beginning, or old versions.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

use chrono::NaiveDate;

use super::Version;
use super::version::last_day;

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
    pub fn has_rule_for_each(&self) -> bool {
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
