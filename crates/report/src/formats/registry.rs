//! The list of report formats.

use crate::OutputFormat;
use std::str::FromStr;

impl OutputFormat {
    /// All formats, in the order in which the documentation lists them.
    pub const ALL: &[Self] = &[
        super::human::FORMAT,
        super::concise::FORMAT,
        super::json::FORMAT,
        super::ndjson::FORMAT,
        super::sarif::FORMAT,
        super::github::FORMAT,
        super::gitlab::FORMAT,
        super::junit::FORMAT,
        super::checkstyle::FORMAT,
        super::rdjsonl::FORMAT,
        super::markdown::FORMAT,
        super::html::FORMAT,
    ];
    /// The default.
    pub const HUMAN: Self = super::human::FORMAT;
    /// The default under GitHub Actions.
    pub const GITHUB: Self = super::github::FORMAT;
    /// The one format that can hold every occurrence, because it is written line by line.
    pub const NDJSON: Self = super::ndjson::FORMAT;

    /// Only the names of the files with findings. It is not in the list, because it does not say what was found.
    pub const FILES: Self = super::concise::FILES;

    /// The names of all formats, separated by commas.
    pub fn names() -> String {
        Self::ALL
            .iter()
            .map(|format| format.name)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .iter()
            .find(|format| format.name == name)
            .copied()
            .ok_or_else(|| format!("formats are {}", Self::names()))
    }
}
