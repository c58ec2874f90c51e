//! `sundown rules export`: writes rules in another format.

use clap::{Args, ValueEnum};

use super::console::Result;
use super::console::{print, print_error};
use super::options::{ConfigArgs, RuleArgs};
use crate::files::FileAccess;
use crate::report::Failure;
use crate::rules::lists::export::{ExportFormat, export};
use crate::run::Status;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The output format.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: ExportFormatArg,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExportFormatArg {
    /// A Markdown table.
    Markdown,
    /// Comma-separated values, which can be imported again.
    Csv,
    /// A calendar with an event for each removal date.
    Ical,
    /// JSON, which can be imported again.
    Json,
}

impl ExportArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        let rules = self.rules.load(&self.config, access)?;
        let exported = export(self.format.format(), &rules).map_err(|nothing| {
            Failure::with_help(nothing, "add rules with --rules, or choose another format")
        })?;
        for line in &exported.left_out {
            print_error(line);
        }
        print(&exported.text)
    }
}

impl ExportFormatArg {
    fn format(self) -> ExportFormat {
        match self {
            Self::Markdown => ExportFormat::Markdown,
            Self::Csv => ExportFormat::Csv,
            Self::Ical => ExportFormat::Ical,
            Self::Json => ExportFormat::Json,
        }
    }
}
