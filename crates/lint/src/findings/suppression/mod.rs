//! Findings that do not count: allowed for a reason until a day ([`Allowance`]), or known from before ([`Baseline`]).
//!
//! Neither hides more than it names, and both are reported when they no longer match a finding. Allowances take precedence:
//! if one covers a finding, active or expired, the baseline is not consulted, because the day of the allowance decides. What a [`RuleFilter`] does not select is left out after that.

mod allowance;
mod baseline;
mod checked_files;
mod pointer;
mod rule_filter;
mod scope;
mod suppressor;

pub use allowance::{Allowance, ExpiryDate, OperationScope, RemovalEffect};
pub use baseline::{Baseline, BaselineEntry};
pub use checked_files::CheckedFiles;
pub use pointer::PointerPattern;
pub use rule_filter::{RuleFilter, known_ids};
pub use scope::{Completeness, RunScope, Suppression};
pub use suppressor::{SuppressionStatus, Suppressor};
