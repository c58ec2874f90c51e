//! Reports of findings, and of what was not checked.
//!
//! Threads put what they find in the chunks of a file into [`BlockCollector`]s, which fold repeated findings and turn byte offsets
//! into lines and columns. A [`Collector`] merges their [`BlockReport`]s in the order of the input, and applies allowances and the
//! baseline. The result is a [`Report`], which an [`OutputFormat`] writes; every format is one file in `formats`.
//!
//! ```
//! use sundown_report::OutputFormat;
//!
//! let format: OutputFormat = "sarif".parse()?;
//! assert_eq!(format.name, "sarif");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod block;
mod collect;
mod diagnostic;
mod failure;
mod format;
mod formats;
mod input_tally;
mod log_text;
mod page;
mod results;
mod table;
pub mod uri;

pub use block::{BlockCollector, BlockReport, MAX_WEIGHT, Repeats};
pub use collect::{Collector, FindingSink};
pub use diagnostic::{Diagnostic, SentenceRole, all_problems};
pub use failure::Failure;
pub use format::{
    FindingDetail, FindingGrouping, MARKED_BYTES, OutputFormat, OutputTarget, RenderOptions,
    ScreenSize, Verbosity,
};
pub use formats::{REPORT_SCHEMA, skipped_pieces, tool, write_finding};
pub use input_tally::{InputTally, RunEnd};
pub use log_text::{plural, unread, write_failed};
pub use page::write_page;
pub use results::{
    FileKind, LocatedFinding, Report, SkipGroup, Suggestion, Summary, UnchangedFiles,
};
pub use sundown_text_json::text::{escape_unsafe, printable};
pub use table::{Cell, ColumnKind, Table, wrap};
