//! `sundown merge`: partial results of several runs in one report.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::Result;
use super::options::DateArgs;
use super::usage_report::UsageReportArgs;
use crate::report::Failure;
use crate::run::{Status, merge_usage, usage_status};

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Files that `--partial` wrote, and folders of such files; `-` is standard input.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Fail if anything in one of the parts could not be checked.
    #[arg(long, help_heading = "Output")]
    strict: bool,
    #[command(flatten)]
    report: UsageReportArgs,
    #[command(flatten)]
    dates: DateArgs,
}

impl MergeArgs {
    pub(super) fn run(&self) -> Result<Status> {
        // A partial result may be replaced by its sum with others.
        self.report.check_target(&[])?;
        let scan = merge_usage(&self.parts, &mut io::stdin())
            .map_err(|error| Failure::with_help(&error, error.help()))?;
        // This command was not interrupted, but one that wrote a part.
        let status = match usage_status(&scan, self.strict) {
            Status::Interrupted => Status::Failed,
            status => status,
        };
        self.report.write(&scan, self.dates.day(), status)
    }
}
