//! `sundown merge`: partial results of several scans in one report.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgAction, Args};

use super::console::{Result, stop_on_interrupt};
use super::options::DateArgs;
use super::usage_report::UsageReportArgs;
use sundown_files::FileAccess;
use sundown_run::{Status, merge_parts};

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Files that `--partial` wrote, and folders of such files; `-` is standard input.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    #[command(flatten)]
    report: UsageReportArgs,
    /// Exit with 2 if anything could not be checked.
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        default_value = "false",
        hide_default_value = true,
        action = ArgAction::Set
    )]
    strict: bool,
    #[command(flatten)]
    dates: DateArgs,
}

impl MergeArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        self.report.check(&[])?;
        let scan = merge_parts(&self.parts, &mut io::stdin(), access)?;
        // From here on, an interrupt would leave a temporary file.
        stop_on_interrupt(&Arc::default());
        // A partial result may be replaced by its sum with others.
        let replaced = FileAccess::default();
        let status = self
            .report
            .write(&scan, self.dates.day(), self.strict, &replaced)?;
        // This command was not interrupted, but one that wrote a partial result.
        Ok(match status {
            Status::Interrupted => Status::Failed,
            status => status,
        })
    }
}
