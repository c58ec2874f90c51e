//! How a scan is reported: the arguments and the output that `sundown usage` and `sundown merge` share.

use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::{Args, ValueEnum};

use super::Result;
use super::console::{print, print_bytes};
use super::outputs::refuse_overwrite;
use crate::report::Failure;
use crate::run::{Status, read_comparable, write_usage_partial};
use crate::text::io_error_text;
use crate::usage::{
    GateAnswer, UsageFormat, UsageReport, UsageReportOptions, UsageScan, VerdictOptions,
};

/// What is reported, and where.
#[derive(Debug, Args)]
pub(super) struct UsageReportArgs {
    #[command(flatten)]
    verdicts: VerdictArgs,
    /// Leave out elements whose operations were never called.
    #[arg(long, help_heading = "Selection")]
    called_only: bool,
    /// How the report is written.
    #[arg(
        long,
        value_enum,
        default_value = "human",
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    format: UsageFormatArg,
    /// Also write the counts to this file, for `sundown merge`; with `-`, write them to standard output instead of the report.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    partial: Option<PathBuf>,
    /// Also report what changed since this partial result: elements and callers that appeared, grew, fell or disappeared.
    #[arg(long, value_name = "PARTIAL", help_heading = "Output")]
    compare: Option<PathBuf>,
}

/// What verdicts depend on.
#[derive(Debug, Args)]
struct VerdictArgs {
    /// The days with readable calls that it takes to say that an element is not used.
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Verdicts")]
    quiet_days: u64,
    /// Do not count fewer calls than this as use of an element.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Verdicts")]
    min_uses: u64,
    /// Do not count a smaller share of the readable calls as use of an element, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = parse_percent, help_heading = "Verdicts")]
    min_share: f64,
    /// Exit with 1 if an element is used, and with 2 if that cannot be told of one.
    #[arg(long, help_heading = "Verdicts")]
    gate: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UsageFormatArg {
    Human,
    Json,
    Csv,
    Markdown,
    Html,
}

impl UsageReportArgs {
    /// Refuses a file for the partial result that has traffic, or is one of `used`.
    pub(super) fn check_target(&self, used: &[PathBuf]) -> Result<()> {
        self.partial_file().map_or(Ok(()), |file| refuse_overwrite(file, used))
    }

    /// Writes the report and the partial result. `status` is that of the scan; returns it, or that of the gate if that is worse.
    pub(super) fn write(
        &self,
        scan: &UsageScan,
        as_of: NaiveDate,
        status: Status,
    ) -> Result<Status> {
        let options = self.options(scan, as_of)?;
        let before = self.read_earlier(scan)?;
        let report = UsageReport::new(scan, &options);
        let report = before.iter().fold(report, UsageReport::compared_with);
        // Without the file, there is still the report.
        let partial = self.partial_file().map_or(Ok(()), |file| write_partial_file(scan, file));
        let failed = |error| Failure::new(format!("the report could not be written: {error}"));
        let mut text = Vec::new();
        if self.partial.is_some() && self.partial_file().is_none() {
            scan.write_partial(&mut text).map_err(failed)?;
            print_bytes(&text)?;
        } else {
            self.format.format().write(&report, &mut text).map_err(failed)?;
            print(&String::from_utf8_lossy(&text))?;
        }
        partial?;
        Ok(if self.verdicts.gate { status.max(gate_status(report.gate())) } else { status })
    }

    /// The report of a scan that goes on, for people.
    pub(super) fn text_so_far(&self, scan: &UsageScan, as_of: NaiveDate) -> Result<String> {
        let options = self.options(scan, as_of)?;
        let mut text = Vec::new();
        let written = UsageFormat::Human.write(&UsageReport::new(scan, &options), &mut text);
        written
            .map_err(|error| Failure::new(format!("the report could not be written: {error}")))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns whether a partial result is written to a file.
    pub(super) fn has_partial_file(&self) -> bool {
        self.partial_file().is_some()
    }

    /// Writes the partial result of a scan that goes on, if it is wanted.
    pub(super) fn write_partial_so_far(&self, scan: &UsageScan) -> Result<()> {
        self.partial_file().map_or(Ok(()), |file| write_partial_file(scan, file))
    }

    /// Reads the scan to compare with.
    fn read_earlier(&self, scan: &UsageScan) -> Result<Option<UsageScan>> {
        let Some(file) = &self.compare else { return Ok(None) };
        let earlier = read_comparable(scan, file);
        earlier
            .map(Some)
            .map_err(|error| Failure::with_help(format!("--compare: {error}"), error.help()))
    }

    /// The file of the partial result; `None` if it is not wanted, or written to standard output.
    fn partial_file(&self) -> Option<&Path> {
        self.partial.as_deref().filter(|path| *path != Path::new("-"))
    }

    fn options(&self, scan: &UsageScan, as_of: NaiveDate) -> Result<UsageReportOptions> {
        let VerdictArgs { quiet_days, min_uses, min_share, .. } = self.verdicts;
        Ok(UsageReportOptions {
            verdicts: VerdictOptions { as_of, quiet_days, min_uses, min_share },
            attributes: scan.identity.attributes().map_err(Failure::new)?,
            called_only: self.called_only,
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

fn write_partial_file(scan: &UsageScan, file: &Path) -> Result<()> {
    write_usage_partial(scan, file).map_err(|error| {
        let message = format!("--partial: {}: {}", file.display(), io_error_text(&error));
        Failure::with_help(message, "a file that was there before is unchanged")
    })
}

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
