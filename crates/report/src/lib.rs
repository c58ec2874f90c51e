//! Reports: findings in order, folded and located, and a writer for each output format.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod block;
mod check_scan;
mod collect;
mod excerpt;
mod failure;
mod format;
mod formats;
pub mod html;
mod log_text;
mod partial_file;
mod rank;
mod results;
mod skip_groups;
mod suppressed;
mod uri;
mod use_list;

pub use block::{BlockCollector, BlockReport};
pub use check_scan::{CheckIdentity, CheckScan, RunEnd, ScanScope, SeenMaps};
pub use collect::{Collector, EmptyFile, FindingSink};
pub use failure::Failure;
pub use format::{
    FindingDetail, FindingGrouping, MARKED_BYTES, OutputFormat, OutputTarget, RenderOptions,
    ScreenSize, Verbosity,
};
pub use formats::{REPORT_SCHEMA, write_finding};
pub use log_text::plural;
pub use partial_file::{
    IdentityFact, OtherIdentity, PartialError, PartialKind, PartialReader, PartialWriter,
};
pub use results::{FileKind, LocatedFinding, Report, SkipGroup, Summary, UnchangedFiles};
pub use sundown_text_json::text::{escape_unsafe, printable};
pub use use_list::{MAX_USES, UseList, write_uses, write_uses_as_json};
