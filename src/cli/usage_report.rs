//! How a scan is reported: the arguments and the output that `sundown usage` and `sundown merge` share.

use chrono::NaiveDate;
use clap::{Args, ValueEnum};

use super::console::{Result, print_written, screen_width};
use super::options::first_given;
use super::outputs::PartialArgs;
use sundown_files::FileAccess;
use sundown_report::{Failure, FindingDetail};
use sundown_run::{Gate, Status};
use sundown_usage::{
    GateAnswer, UncalledElements, UsageFormat, UsageReport, UsageReportOptions, UsageScan,
    VerdictOptions,
};

/// What is reported, and where.
#[derive(Debug, Args)]
pub(super) struct UsageReportArgs {
    #[command(flatten)]
    verdicts: VerdictArgs,
    /// Leave out elements whose operations were never called.
    #[arg(long, help_heading = "Selection")]
    called_only: bool,
}

/// What verdicts depend on.
#[derive(Debug, Args)]
struct VerdictArgs {
    /// The days with readable calls that it takes to say that an element is not used (default: 30).
    #[arg(long, value_name = "N", help_heading = "Verdicts")]
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
}

/// Where and how a scan is written.
pub(super) struct UsageOutput<'a> {
    /// The day of the report.
    pub(super) as_of: NaiveDate,
    /// Whether anything that could not be checked fails the run.
    pub(super) strict: bool,
    pub(super) format: UsageFormatArg,
    /// Whether people see which elements were never called.
    pub(super) detail: FindingDetail,
    pub(super) partial: &'a PartialArgs,
    /// The files that the run has read.
    pub(super) inputs: &'a FileAccess,
}

/// How a scan is reported.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum UsageFormatArg {
    #[default]
    Human,
    Json,
    Csv,
    Markdown,
    Html,
}

impl UsageReportArgs {
    /// Returns one of the arguments that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let VerdictArgs {
            quiet_days,
            min_uses,
            min_share,
            gate,
        } = &self.verdicts;
        first_given(&[
            (quiet_days.is_some(), "--quiet-days"),
            (min_uses.is_some(), "--min-uses"),
            (min_share.is_some(), "--min-share"),
            (*gate, "--gate"),
            (self.called_only, "--called-only"),
        ])
    }

    /// Writes the report and the partial result. Returns the status of the scan, or that of the gate if that is worse.
    pub(super) fn write(&self, scan: &UsageScan, to: &UsageOutput<'_>) -> Result<Status> {
        let options = self.options(scan, to)?;
        let report = UsageReport::new(scan, &options);
        let run = Gate {
            fail_on: None,
            strict: to.strict,
        };
        let status = run.status(report.input());
        let written = to.partial.write(to.inputs, &|out| scan.write_partial(out));
        // Without the partial result, there is still the report. It may be longer than the memory.
        if !to.partial.replaces_report() {
            print_written(|out| to.format.format().write(&report, screen_width(), out))?;
        }
        written?;
        Ok(if self.verdicts.gate {
            status.max(gate_status(report.gate()))
        } else {
            status
        })
    }

    fn options(&self, scan: &UsageScan, to: &UsageOutput<'_>) -> Result<UsageReportOptions> {
        let VerdictArgs {
            quiet_days,
            min_uses,
            min_share,
            ..
        } = self.verdicts;
        Ok(UsageReportOptions {
            verdicts: VerdictOptions {
                as_of: to.as_of,
                quiet_days: quiet_days.unwrap_or(30),
                min_uses: min_uses.unwrap_or_default(),
                min_share: min_share.unwrap_or_default(),
            },
            attributes: scan.attributes().map_err(Failure::new)?,
            uncalled: match to.detail {
                _ if self.called_only => UncalledElements::LeftOut,
                FindingDetail::Grouped => UncalledElements::Counted,
                FindingDetail::All => UncalledElements::Listed,
            },
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
