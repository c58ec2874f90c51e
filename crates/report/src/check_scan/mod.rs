//! The result of a run of `sundown check` before allowances and a baseline are applied. Results of several runs are added, written
//! as partial results, and turned into the report that one run over all their files has.

mod counts;
mod finding_line;
mod identity;
mod lines;
mod rule_ref;
mod run_end;
mod scan;

pub use identity::CheckIdentity;
pub use run_end::{RunEnd, ScanScope, SeenMaps};
pub use scan::CheckScan;
