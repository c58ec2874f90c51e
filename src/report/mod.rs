//! Reports: findings in order, folded and located, and a writer for each output format.

mod block;
mod check_scan;
mod collect;
mod failure;
mod format;
mod formats;
mod host_count;
mod log_text;
mod options;
mod partial_file;
mod rank;
mod recording;
mod results;
mod skip_groups;
mod suppressed;
mod text;
mod uri;
mod use_list;

pub use crate::text::escape_unsafe;
pub use block::{BlockCollector, BlockReport};
pub use check_scan::{CheckIdentity, CheckScan, RunEnd, ScanScope, SeenMaps};
pub use collect::{Collector, EmptyFile, FindingSink};
pub use failure::Failure;
pub use format::{MARKED_BYTES, OutputFormat, OutputTarget};
#[cfg(feature = "internals")]
pub use formats::{MAX_ANNOTATIONS, MAX_RESULTS};
pub use formats::{REPORT_SCHEMA, write_finding};
pub use options::{FindingDetail, FindingGrouping, RenderOptions, ScreenSize, Verbosity};
pub use partial_file::{
    IdentityFact, OtherIdentity, PartialError, PartialKind, PartialReader, PartialWriter,
};
pub use results::{FileKind, LocatedFinding, Report, SkipGroup, Summary, UnchangedFiles};
pub use text::printable;
pub use use_list::{MAX_USES, UseList, write_json as write_uses_as_json, write_text as write_uses};
