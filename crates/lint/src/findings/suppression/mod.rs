//! Findings that do not count: allowed for a reason until a day ([`Allowance`]), or known from before ([`Baseline`]).
//!
//! Neither hides more than it names, and both are reported when they no longer match a finding. Allowances take precedence:
//! if one covers a finding, active or expired, the baseline is not consulted, because the day of the allowance decides. What a [`RuleFilter`] does not select is left out after that.

mod allowance;
mod baseline;
mod pointer;
mod rule_filter;
mod scope;
mod suppressor;

pub use allowance::{Allowance, AllowanceTerms, OperationScope};
pub use baseline::{Baseline, KnownFindings, add_uses, entries_of};
pub use pointer::PointerPattern;
pub use rule_filter::{RuleFilter, known_ids};
pub use scope::{CheckedFiles, Completeness, RunScope, Suppression};
pub use suppressor::{SuppressionStatus, Suppressor};
