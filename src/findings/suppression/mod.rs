//! Findings that people have decided to live with: for a reason and until a day ([`Allowance`]), or because they were there
//! before ([`Baseline`]). Neither hides what it does not name, and what no longer has a use is told.
//!
//! An allowance is asked first. Where one speaks of a finding, in force or ended, the baseline is not asked: the day that
//! somebody has set holds.

mod allowance;
mod baseline;
mod pointer;
mod remark;
mod suppressor;

pub use allowance::{
    Allowance, AppliedAllowance, Expiry, ExpiryDate, OperationScope, RemovalEffect,
};
pub use baseline::{Baseline, BaselineEntry};
pub use pointer::{PointerPattern, PointerPatternError};
pub use remark::{RemarkKind, SuppressionRemark};
pub use suppressor::{SuppressionStatus, SuppressionSummary, Suppressor};

use std::sync::Arc;

use crate::text::{Block, Locations};

/// All that findings of a run are held against.
#[derive(Debug, Clone, Default)]
pub struct Suppression {
    /// The file in which the allowances stand.
    file: Arc<str>,
    allowances: Vec<ListedAllowance>,
    baseline: Option<Baseline>,
}

/// An allowance with what messages say of it.
#[derive(Debug, Clone)]
struct ListedAllowance {
    allowance: Allowance,
    /// The line on which it begins.
    line: usize,
    /// What stands for its day where that is none.
    written: String,
}

/// Whether all that there is was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Completeness {
    /// All.
    #[default]
    Complete,
    /// Some, or it is not known.
    Partial,
}

/// What a run looks at: what could not be found tells nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunScope {
    /// The project's files, less those that its configuration leaves out.
    pub files: Completeness,
    /// The project's rules.
    pub rules: Completeness,
    /// The checks of descriptions.
    pub checks: Completeness,
    /// What files can hold, read as the project reads them.
    pub bodies: Completeness,
    /// The files that the baseline may name: others may share it.
    pub known: Completeness,
}

impl Suppression {
    /// With the allowances of a file of this name and text.
    #[must_use]
    pub fn with_allowances(self, name: &str, text: &str, allowances: &[Allowance]) -> Self {
        let starts = allowances.iter().map(|allowance| allowance.span.start).collect();
        let places = Locations::of(Block::whole(text.as_bytes()), starts);
        let listed = |allowance: &Allowance| ListedAllowance {
            line: places.get(allowance.span.start).line,
            written: allowance.until.written(text),
            allowance: allowance.clone(),
        };
        let allowances = allowances.iter().map(listed).collect();
        Self { file: name.into(), allowances, ..self }
    }

    /// With a baseline.
    #[must_use]
    pub fn with_baseline(self, baseline: Baseline) -> Self {
        Self { baseline: Some(baseline), ..self }
    }

    /// The baseline, if there is one.
    pub fn baseline(&self) -> Option<&Baseline> {
        self.baseline.as_ref()
    }
}
