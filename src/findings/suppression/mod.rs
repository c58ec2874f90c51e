//! Findings that people have decided to live with: for a reason and until a day ([`Allowance`]), or because they were there
//! before ([`Baseline`]). Neither hides what it does not name, and what no longer has a use is told.
//!
//! An allowance is asked first. Where one speaks of a finding, in force or ended, the baseline is not asked: the day that
//! somebody has set holds.

mod allowance;
mod baseline;
mod judge;
mod pointer;
mod remark;

pub use allowance::{Allowance, End, Grant, OperationScope, Removal, Until};
pub use baseline::{Baseline, Entry};
pub use judge::{Account, Judge, Standing};
pub use pointer::{PointerError, PointerPattern};
pub use remark::{Remark, RemarkKind};

use std::sync::Arc;

use crate::text::{Block, Locations};

/// All that findings of a run are held against.
#[derive(Debug, Clone, Default)]
pub struct Suppression {
    /// The file in which the allowances stand.
    file: Arc<str>,
    allowances: Vec<Listed>,
    baseline: Option<Baseline>,
}

/// An allowance with what messages say of it.
#[derive(Debug, Clone)]
struct Listed {
    allowance: Allowance,
    /// The line on which it begins.
    line: usize,
    /// What stands for its day where that is none.
    written: String,
}

/// Whether all that there is was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// All.
    #[default]
    Whole,
    /// Some, or nobody knows.
    Part,
}

/// What a run looks at: what could not be found tells nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scope {
    /// The project's files, less those that its configuration leaves out.
    pub files: Extent,
    /// The project's rules.
    pub rules: Extent,
    /// The checks of descriptions.
    pub checks: Extent,
    /// What files can hold, read as the project reads them.
    pub bodies: Extent,
    /// The files that the baseline may name: others may share it.
    pub known: Extent,
}

impl Suppression {
    /// With the allowances of a file of this name and text.
    #[must_use]
    pub fn with_allowances(self, name: &str, text: &str, allowances: &[Allowance]) -> Self {
        let starts = allowances.iter().map(|allowance| allowance.span.start).collect();
        let places = Locations::of(Block::whole(text.as_bytes()), starts);
        let listed = |allowance: &Allowance| Listed {
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
