//! How `sundown check` reports findings to people: its arguments and output.

use std::io;

use anstream::AutoStream;
use clap::{ArgAction, Args, ColorChoice, ValueEnum};

use super::console::{Result, print_warning, screen_size};
use super::options::finding_detail;
use sundown_exchange::SkipKind;
use sundown_lint::rules::Severity;
use sundown_report::{
    FindingGrouping, OutputFormat, OutputTarget, RenderOptions, Report, Verbosity,
};
use sundown_run::{OutputRights, render};
use sundown_text_json::text::escape_unsafe;

/// How findings are reported to people.
#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(super) struct ReportArgs {
    /// Show every finding in full (human only).
    ///
    /// Of many findings about one element, one is shown in full by default.
    #[arg(long)]
    all: bool,
    /// What brings findings together (human only): their element, or the place in code that made the call, for a list of work.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        default_value = "element",
        conflicts_with = "all",
        help_heading = "Output"
    )]
    group_by: GroupByArg,
    /// When to use colour.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    color: ColorChoice,
    /// Report only findings and what could not be checked.
    ///
    /// Leaves out the summary, the notes on the rules, and hints.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Name every skipped file.
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = "Output")]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GroupByArg {
    Element,
    Origin,
}

impl ReportArgs {
    pub(super) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }

    /// Writes a report to all targets.
    pub(super) fn write(
        &self,
        report: &Report,
        targets: &[OutputTarget],
        fail_on: Option<Severity>,
        rights: &OutputRights,
    ) -> Result<()> {
        let options = RenderOptions {
            verbosity: self.verbosity(),
            detail: finding_detail(self.all),
            grouping: match self.group_by {
                GroupByArg::Element => FindingGrouping::Element,
                GroupByArg::Origin => FindingGrouping::Origin,
            },
            fail_on,
            screen: screen_size(),
        };
        let mut terminal = AutoStream::new(io::stdout(), stream_colors(self.color)).lock();
        let mut out = io::BufWriter::new(&mut terminal);
        render(report, targets, options, rights, &mut out)?;
        // Lists of findings have no place for the remarks.
        let has_place = targets.iter().any(|target| target.format.has_remarks);
        if !self.quiet && !targets.is_empty() && !has_place {
            for remark in &report.remarks {
                print_warning(remark.sentence());
            }
        }
        let mut formats = targets.iter().map(|target| target.format);
        if formats.any(|format| format == OutputFormat::FILES) {
            for group in report.skips_of(SkipKind::Failed) {
                let name = escape_unsafe(&group.file);
                print_warning(format!("{name}: {}", group.sentence()));
            }
        }
        Ok(())
    }
}

fn stream_colors(choice: ColorChoice) -> anstream::ColorChoice {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Never => anstream::ColorChoice::Never,
        ColorChoice::Always => anstream::ColorChoice::Always,
    }
}
