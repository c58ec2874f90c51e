//! The list of report formats: each is one module of this folder and one line of `OutputFormat::ALL` in
//! `registry.rs`.
//!
//! `--help`, the parsing of `--format`, the table in docs/reports.md and the tests of all formats follow from the list.
//! `scripts/new report NAME` adds a format to it.

mod checkstyle;
mod concise;
mod github;
mod gitlab;
mod html;
mod human;
pub(super) mod json;
mod junit;
mod markdown;
mod ndjson;
mod rdjsonl;
mod registry;
mod sarif;

pub use json::{REPORT_SCHEMA, skipped_pieces, tool};
pub use ndjson::write_finding;
