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
    /// Versions that work for a number of months from their date; all before the newest one.
    Supported {
        /// For how many months a version works.
        months: u32,
        /// The newest known version.
        newest: Version,
    },
}

impl ValueTest {
    /// Returns whether a value is deprecated.
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Self::Exact(text) => text == value,
            Self::StartsWith(beginning) => value.starts_with(beginning.as_str()),
            Self::Before(version) | Self::Supported { newest: version, .. } => {
                version.compare(value) == Some(Ordering::Less)
            }
        }
    }

    /// The text, if only this one is deprecated.
    pub fn exact(&self) -> Option<&str> {
        match self {
            Self::Exact(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether it is about versions, so that each version that it finds may be shown and has its own last day.
    pub fn is_about_versions(&self) -> bool {
        matches!(self, Self::Before(_) | Self::Supported { .. })
    }

    /// The last day of a version that the test itself decides.
    pub(super) fn last_day_of(&self, version: &str) -> Option<NaiveDate> {
        match self {
            Self::Supported { months, .. } => last_day(Version::parse(version)?.date()?, *months),
            _ => None,
        }
    }

    /// The rank of the test: of several that hold, the greatest is the most specific.
    pub fn specificity(&self) -> (u8, usize) {
        match self {
            Self::Exact(_) => (3, 0),
            Self::StartsWith(beginning) => (2, beginning.len()),
            Self::Before(_) | Self::Supported { .. } => (1, 0),
        }
    }

    /// A value for which it holds, for examples.
    pub fn example(&self) -> String {
        match self {
            Self::Exact(text) => text.clone(),
            Self::StartsWith(beginning) => beginning.clone(),
            Self::Before(version) | Self::Supported { newest: version, .. } => version.older(),
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
        }
    }
}
