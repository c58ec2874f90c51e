//! The commands of the program, from resolved options to a report and a status.

mod applied_config;
mod baseline;
mod body_operation;
mod changed_files;
mod check;
mod check_options;
mod description_check;
mod description_rules;
mod file_kind;
mod import;
mod init;
mod local_files;
mod merger;
mod output;
mod output_file;
mod pages;
mod partials;
mod project_survey;
mod recognition;
mod requirement_page;
mod rule_list;
mod rule_locations;
mod rule_search;
mod rules;
mod start_page;
mod worker;

pub use applied_config::{AppliedConfig, apply_config};
pub use baseline::{BaselineError, StaleEntries, read_baseline, update_baseline};
pub use body_operation::{BodyOperation, OperationNameError, resolve_operation_name};
pub use changed_files::{ChangedFiles, find_changed_files};
pub use check::{
    check, check_each, list_uses, remarks_on_rules, report_scan, scan_check, scan_usage,
};
pub use check_options::CheckOptions;
pub use file_kind::holds_traffic;
pub use import::{ImportFormat, ImportOptions, ImportTarget, import, read_import};
pub use init::{StarterConfig, find_free_config_path, propose_config, write_config};
pub use output::{check_and_stream, render};
pub use output_file::{OutputRights, Replaceable, check_output, is_own_output, write_output};
#[cfg(feature = "internals")]
pub use pages::RulePage;
pub use pages::{explain_check, explain_rule, list_formats};
pub use partials::{MergedParts, merge_parts, read_comparable, usage_status};
pub use recognition::{RecognisedFile, recognise_files};
pub use requirement_page::explain_requirement;
#[cfg(feature = "internals")]
pub use requirement_page::{RequirementExample, RequirementPage};
pub use rule_list::{RuleListOptions, list_packs, list_rules};
#[cfg(feature = "internals")]
pub use rule_locations::{MessagePlaces, RuleLocations};
pub use rule_search::{find_rules, list_matches, nearest_rule_name};
pub use rules::{RuleSelection, RulesError, load_rules, load_rules_file};
pub use start_page::start_page;

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
    /// The user interrupted the run: 130, as a shell reports for a program that an interrupt ended.
    Interrupted,
}

impl Status {
    /// Returns the exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Failed => 2,
            Self::Interrupted => 130,
        }
    }
}

/// The conditions under which a run fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let failed = !report.unread.is_empty() || self.strict && report.summary.failed > 0;
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
