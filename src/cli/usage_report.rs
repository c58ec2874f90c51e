//! How a scan is reported: the arguments and the output that `sundown usage` and `sundown merge` share, and `sundown merge`, which reports
//! partial results of several scans.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::NaiveDate;
use clap::{ArgAction, Args, ValueEnum};

use super::console::{Result, print, print_written, screen_width, stop_on_interrupt};
use super::options::DateArgs;
use super::outputs::PartialArgs;
use sundown_files::FileAccess;
use sundown_report::Failure;
use sundown_run::{Gate, Status, merge_parts};
use sundown_text_json::text::escape_unsafe;
use sundown_usage::{
    GateAnswer, UncalledElements, UsageFormat, UsageReport, UsageReportOptions, UsageScan,
    VerdictOptions,
};

/// What is reported, and where.
#[derive(Debug, Args)]
pub(super) struct UsageReportArgs {
    /// How the report is written (default: human).
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<UsageFormatArg>,
    /// Report only what this caller uses, ready to send (default format: markdown).
    #[arg(long, value_name = "NAME", help_heading = "Callers")]
    caller: Option<String>,
    /// List what was never called, and values that were not seen.
    ///
    /// By default, they are counted; formats other than human list values that were not seen, and elements of your own rules.
    #[arg(long)]
    all: bool,
    /// The days with readable calls that *not seen* takes (default: 30).
    #[arg(long, value_name = "N")]
    quiet_days: Option<u64>,
    /// Do not count fewer calls than this as use of an element (default: 0).
    #[arg(long, value_name = "N", help_heading = "Verdicts")]
    min_uses: Option<u64>,
    /// Do not count a smaller share of the readable calls as use of an element, in percent (default: 0).
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, help_heading = "Verdicts")]
    min_share: Option<f64>,
    /// Exit with 1 if an element is used, and with 2 if an element has the verdict *cannot tell*.
    #[arg(long)]
    gate: bool,
    /// Leave out elements whose operations were never called.
    #[arg(long, help_heading = "Selection")]
    called_only: bool,
    #[command(flatten)]
    pub partial: PartialArgs,
}

/// How a scan is reported.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum UsageFormatArg {
    Human,
    Json,
    Csv,
    Markdown,
    Html,
}

impl UsageReportArgs {
    /// Refuses a partial result in the place of the report that the user wants, or of one of the files that are `used`.
    pub(super) fn check(&self, used: &[PathBuf]) -> Result<()> {
        if self.format.is_some() && self.partial.replaces_report() {
            return Err(Failure::with_help(
                "`--partial -` leaves no report for --format",
                "write the partial result to a file, or leave --format out",
            ));
        }
        self.partial.check_target(used)
    }

    /// Writes the report as of a day, and the partial result to no file of those that the run has read. Returns the status of the
    /// scan, or that of the gate if that is worse.
    pub(super) fn write(
        &self,
        scan: &UsageScan,
        as_of: NaiveDate,
        strict: bool,
        read: &FileAccess,
    ) -> Result<Status> {
        let options = self.options(scan, as_of)?;
        let report = UsageReport::new(scan, &options);
        if let Some(name) = self.caller.as_ref().filter(|_| report.is_empty()) {
            return Err(Failure::with_help(
                format!("no caller `{name}` uses a deprecated element"),
                "--by says what identifies callers; a report without --caller names them",
            ));
        }
        let run = Gate {
            fail_on: None,
            strict,
        };
        let status = run.status(report.input());
        let written = self.partial.write(read, &|out| scan.write_partial(out));
        // Without the partial result, there is still the report. It may be longer than the memory.
        if !self.partial.replaces_report() {
            let format = self.format.unwrap_or(match self.caller {
                Some(_) => UsageFormatArg::Markdown,
                None => UsageFormatArg::Human,
            });
            let is_text = matches!(format, UsageFormatArg::Human);
            let format = format.format();
            print_written(|out| format.write(&report, screen_width(), out))?;
            if self.gate && is_text {
                print(&gate_line(&report.closed_by()))?;
            }
        }
        written?;
        Ok(if self.gate {
            status.max(gate_status(report.gate()))
        } else {
            status
        })
    }

    fn options(&self, scan: &UsageScan, as_of: NaiveDate) -> Result<UsageReportOptions> {
        Ok(UsageReportOptions {
            verdicts: VerdictOptions {
                as_of,
                quiet_days: self.quiet_days.unwrap_or(30),
                min_uses: self.min_uses.unwrap_or_default(),
                min_share: self.min_share.unwrap_or_default(),
            },
            attributes: scan.attributes().map_err(Failure::new)?,
            uncalled: if self.called_only {
                UncalledElements::LeftOut
            } else if self.all {
                UncalledElements::Listed
            } else {
                UncalledElements::Counted
            },
            caller: self.caller.clone(),
        })
    }
}

impl UsageFormatArg {
    fn format(self) -> UsageFormat {
        match self {
            Self::Human => UsageFormat::Human,
            Self::Json => UsageFormat::Json,
            Self::Csv => UsageFormat::Csv,
            Self::Markdown => UsageFormat::Markdown,
            Self::Html => UsageFormat::Html,
        }
    }
}

/// What closed the gate, in a line; empty if it is open.
fn gate_line(closed_by: &[String]) -> String {
    let mut shown = closed_by
        .iter()
        .take(MAX_CLOSING)
        .cloned()
        .collect::<Vec<_>>();
    match closed_by.len().saturating_sub(MAX_CLOSING) {
        0 if shown.is_empty() => return String::new(),
        0 => {}
        more => shown.push(format!("and {more} more")),
    }
    let shown = escape_unsafe(&shown.join(", ")).into_owned();
    format!("\ngate: closed by {shown}\n")
}

/// How many rules are named that closed the gate.
const MAX_CLOSING: usize = 5;

fn gate_status(answer: GateAnswer) -> Status {
    match answer {
        GateAnswer::Unused => Status::Clean,
        GateAnswer::Used => Status::Findings,
        GateAnswer::Unknown => Status::Failed,
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').trim().parse().ok();
    percent
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "a share is a percentage, from 0 to 100".to_owned())
}

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
