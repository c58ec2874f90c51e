//! The result of a run before allowances and a baseline are applied. Results of several runs are added, written as partial results,
//! and turned into the report that one run over all their files has.

mod file;
mod identity;
mod run_end;
mod scan;

pub use file::{PartialError, PartialKind, PartialReader, PartialWriter};
pub use identity::{IdentityDifference, IdentityFact, OtherIdentity, RunIdentity};
pub use run_end::{RunEnd, ScanScope};
pub use scan::CheckScan;
