//! The list of report formats: each is one module of this folder and one line of [`OutputFormat::ALL`].
//!
//! `--help`, the parsing of `--format`, the table in docs/reports.md and the tests of all formats follow from the list.
//! `scripts/new report NAME` adds a format to it.

mod checkstyle;
mod github;
mod gitlab;
mod html;
mod human;
pub(super) mod json;
mod junit;
mod markdown;
mod ndjson;
mod rdjsonl;
mod sarif;

#[cfg(feature = "internals")]
pub use github::MOST_ANNOTATIONS;
pub use json::REPORT_SCHEMA;
pub use ndjson::write_finding;
#[cfg(feature = "internals")]
pub use sarif::MOST_RESULTS;

use std::str::FromStr;

use super::OutputFormat;

impl OutputFormat {
    /// All formats, in the order in which the documentation lists them.
    pub const ALL: &[Self] = &[
        human::FORMAT,
        json::FORMAT,
        ndjson::FORMAT,
        sarif::FORMAT,
        github::FORMAT,
        gitlab::FORMAT,
        junit::FORMAT,
        checkstyle::FORMAT,
        rdjsonl::FORMAT,
        markdown::FORMAT,
        html::FORMAT,
    ];
    /// The default.
    pub const HUMAN: Self = human::FORMAT;
    /// The default under GitHub Actions.
    pub const GITHUB: Self = github::FORMAT;
    /// The one format that can hold every occurrence, because it is written line by line.
    pub const NDJSON: Self = ndjson::FORMAT;

    /// The names of all formats, separated by commas.
    pub fn names() -> String {
        Self::ALL.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
    }
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let format = Self::ALL.iter().find(|format| format.name == name).copied();
        format.ok_or_else(|| format!("formats are {}", Self::names()))
    }
}
