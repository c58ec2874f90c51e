//! The status with which a run ends, and the gate that decides it.

use sundown_lint::rules::Severity;
use sundown_report::Report;

/// How a run ended; becomes the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nothing at or above the threshold: 0.
    Clean = 0,
    /// Findings at or above the threshold, or a rules file that is out of date: 1.
    Findings = 1,
    /// The job could not be done: 2.
    Failed = 2,
    /// The user interrupted the run: 130, as a shell reports for a program that an interrupt ended.
    Interrupted = 130,
}

impl Status {
    /// Returns the exit code of the process.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The conditions under which a run fails.
#[derive(Debug)]
pub struct Gate {
    /// The least severity of a finding that makes it fail; `None` if no finding does.
    pub fail_on: Option<Severity>,
    /// Whether anything that could not be checked makes it fail.
    pub strict: bool,
}

impl Gate {
    /// Returns the status of a run with this report.
    pub fn status(self, report: &Report) -> Status {
        if !report.complete {
            return Status::Interrupted;
        }
        if !report.unread.is_empty() || self.strict && report.summary.failed > 0 {
            return Status::Failed;
        }
        if self.fail_on.is_some_and(|least| {
            Severity::ALL
                .iter()
                .any(|severity| *severity >= least && report.summary.of(*severity) > 0)
        }) {
            Status::Findings
        } else {
            Status::Clean
        }
    }
}
