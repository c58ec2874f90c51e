//! Usage: who calls which deprecated element, and whether it may be removed.
//!
//! A [`UsageCounter`] counts what one worker sees, a [`UsageScan`] is the sum of such counts, and a [`UsageReport`] is a function
//! of the scan and of options. Scans are added in any order.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod caller;
mod caller_uses;
mod capped;
mod counter;
mod formats;
mod history;
mod identity;
mod own_outputs;
mod partial;
mod record_values;
mod report;
mod scan;
mod tally;
mod verdict;

pub use caller::{CallerAttribute, CallerKey, CallerOptions, CallerValues};
pub use counter::{UsageCounter, UsageOptions};
pub use formats::{USAGE_SCHEMA, UsageFormat};
pub use own_outputs::is_own_output;
pub use partial::PartialError;
pub use report::{GateAnswer, UncalledElements, UsageReport, UsageReportOptions};
pub use scan::UsageScan;
pub use verdict::VerdictOptions;
