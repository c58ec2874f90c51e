//! One run from resolved options to a report and a status. The only module that knows all others.

mod baseline;
mod changed;
mod check;
mod describe;
mod described;
mod glance;
mod import;
mod local_files;
mod merge;
mod naming;
mod output;
mod pages;
mod rules;
mod settle;
mod starter;
mod whole_file;
mod worker;

pub use baseline::{BaselineError, BaselineUpdate, Gone, Written, read_baseline, update_baseline};
pub use changed::{Changed, ChangedError, changed_since};
pub use check::{CheckOptions, Outcome, check, check_each};
pub use glance::holds_traffic;
pub use import::{ImportError, ImportFormat, ImportOptions, ImportOutcome, ImportTarget, import};
pub use naming::{NamedFiles, NamedOperation, NamingError, name_operation};
pub use output::{Manner, check_and_stream, render};
pub use pages::{PlaceGroup, RulePage, explain, explain_check, formats, list};
pub use rules::{RulesError, TableChoice, load_file, load_table};
pub use settle::{Settled, settle};
pub use starter::{Starter, free_config_path, starter};

use crate::report::Report;
use crate::rules::Severity;

/// How a run ended; becomes the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nothing at or above the threshold: 0.
    Clean,
    /// Findings at or above the threshold, or a rules file that is out of date: 1.
    Findings,
    /// The job could not be done: 2.
    Failed,
    /// The user broke the run off: 130, as a shell says of a program that an interrupt ended.
    Interrupted,
}

impl Status {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Failed => 2,
            Self::Interrupted => 130,
        }
    }
}

/// What makes a run fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    /// The mildest severity that does; `None`: no finding does.
    pub fail_on: Option<Severity>,
    /// Whether anything that could not be checked does.
    pub strict: bool,
}

impl Gate {
    /// The status of a run with this outcome.
    pub fn status(self, outcome: &Outcome) -> Status {
        let report = &outcome.report;
        if !report.complete {
            return Status::Interrupted;
        }
        let failed = outcome.missing_path || self.strict && report.summary.failed > 0;
        if failed { Status::Failed } else { self.findings_status(report) }
    }

    fn findings_status(self, report: &Report) -> Status {
        let counts = |severity: &Severity| report.summary.of(*severity) > 0;
        let fails = |least: Severity| {
            Severity::ALL.iter().filter(|severity| **severity >= least).any(counts)
        };
        if self.fail_on.is_some_and(fails) { Status::Findings } else { Status::Clean }
    }
}
