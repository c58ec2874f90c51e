//! `sundown merge`: partial results of several runs in one report.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::check::{ScanOutputs, write_scan};
use super::console::{Result, stop_on_interrupt};
use super::flags::{MergeScope, SettingFlags};
use super::input::base_options;
use super::options::{ConfigArgs, DateArgs, set_paths};
use super::outputs::{
    PartialArgs, check_targets, output_rights, printed_format, target_files, used_files,
    with_default_format,
};
use super::report::ReportArgs;
use super::scope::{load_and_apply, load_suppression, print_warnings};
use super::usage_report::{UsageFormatArg, UsageOutput, UsageReportArgs};
use sundown_files::FileAccess;
use sundown_report::{CheckScan, Failure, IdentityFact, OtherIdentity};
use sundown_run::config::ResolvedConfig;
use sundown_run::{Gate, MergedParts, Status, merge_parts};
use sundown_usage::UsageScan;

/// Partial results of `sundown check` are merged with the rules, the configuration and the grading of their runs.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Files that `--partial` wrote, and folders of such files; `-` is standard input.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Output formats: those of the command that wrote the partial results.
    ///
    /// For results of `sundown check` repeatable, each to standard output or to a file.
    #[arg(long, value_name = "FORMAT[=FILE]")]
    format: Vec<String>,
    #[command(flatten)]
    partial: PartialArgs,
    #[command(flatten)]
    usage: UsageReportArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    flags: SettingFlags<MergeScope>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

impl MergeArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        // A partial result may be replaced by its sum with others.
        self.partial.check_target(&[])?;
        let merged = merge_parts(&self.parts, &mut io::stdin(), access)
            .map_err(|error| Failure::with_help(&error, error.help()))?;
        // From here on, an interrupt would leave a temporary file.
        stop_on_interrupt(&Arc::default());
        // This command was not interrupted, but one that wrote a partial result.
        Ok(match self.write(merged, access)? {
            Status::Interrupted => Status::Failed,
            status => status,
        })
    }

    fn write(&self, merged: MergedParts, access: &FileAccess) -> Result<Status> {
        match merged {
            MergedParts::Usage(scan) => self.write_usage(&scan),
            // Parts are only added, for another merge. This takes neither rules nor a configuration.
            MergedParts::Check(scan)
                if self.partial.replaces_report() && self.format.is_empty() =>
            {
                self.partial
                    .write(&FileAccess::default(), &|out| scan.write_partial(out))
                    .map(|()| Status::Clean)
            }
            MergedParts::Check(scan) => self.write_findings(*scan, access),
        }
    }

    fn write_usage(&self, scan: &UsageScan) -> Result<Status> {
        let given = self
            .flags
            .values
            .given()
            .into_iter()
            .find(|flag| *flag != "--strict")
            .or(self.report.given())
            .or(self.config.given());
        refuse(given, "check", "usage")?;
        let format = match self.format.as_slice() {
            [] => UsageFormatArg::default(),
            [name] => UsageFormatArg::from_str(name, false).map_err(|_| {
                Failure::with_help(
                    format!("--format: `{name}` is no format of these partial results"),
                    "formats of `sundown usage` are human, json, csv, markdown and html",
                )
            })?,
            _ => {
                return Err(Failure::with_help(
                    "--format: these partial results have one report",
                    "merge them once for each format",
                ));
            }
        };
        let format_flag = (!self.format.is_empty()).then_some("--format");
        self.partial.refuse_report(format_flag)?;
        let config = ResolvedConfig::new(self.flags.values.clone(), None);
        let to = UsageOutput {
            as_of: self.dates.day(),
            strict: config.strict.value,
            format,
            detail: self.report.detail(),
            partial: &self.partial,
            // A partial result may be replaced by its sum with others.
            inputs: &FileAccess::default(),
        };
        self.usage.write(scan, &to)
    }

    /// Reports the findings, with the rules and the configuration that the command line names or that are those of the paths of the
    /// runs.
    fn write_findings(&self, scan: CheckScan, access: &FileAccess) -> Result<Status> {
        refuse(self.usage.given(), "usage", "check")?;
        let config = self.resolve_config(&scan, access)?;
        let rights = output_rights(&config, &config.format.source, access)?;
        check_targets(&config, false, &rights)?;
        self.partial.refuse_report(printed_format(&config))?;
        self.partial
            .check_target(&[used_files(&config), target_files(&config)].concat())?;
        let verbosity = self.report.verbosity();
        let (table, applied) = load_and_apply(&config, verbosity, access)?;
        print_warnings(&applied, verbosity);
        let day = self.dates.named_day().unwrap_or(scan.identity.day());
        let mut options = base_options(&config, applied.grades, &table, day, access);
        options.suppression = load_suppression(&config, access)?;
        options
            .identity()
            .check(&scan.identity, OtherIdentity::ThisMerge)
            .map_err(|error| Failure::with_help(&error, error.help()))?;
        let strict = scan.identity.has(IdentityFact::Strict);
        if config.strict.value && !strict {
            return Err(Failure::with_help(
                "--strict: the partial results were written without it",
                "use --strict in all runs",
            ));
        }
        let gate = Gate {
            fail_on: config.fail_on.value.0,
            strict,
        };
        let to = ScanOutputs {
            targets: &config.format.value,
            rights: &rights,
            partial: &self.partial,
            // A partial result may be replaced by its sum with others.
            inputs: &FileAccess::default(),
            report: &self.report,
        };
        write_scan(&options, scan, gate, &to)
    }

    /// Merges the flags, the environment and the configuration of the runs.
    fn resolve_config(&self, scan: &CheckScan, access: &FileAccess) -> Result<ResolvedConfig> {
        let scope = &scan.scope;
        let paths: Vec<PathBuf> = scope
            .paths
            .iter()
            .filter(|_| !scope.has_configured_paths)
            .map(PathBuf::from)
            .collect();
        let file = self.config.find(&paths, self.report.verbosity(), access)?;
        let mut flags = self.flags.values.clone();
        set_paths(&mut flags, &paths, "PATH")?;
        if !self.format.is_empty() {
            let formats: Vec<_> = self.format.iter().map(Into::into).collect();
            flags
                .set("format", "--format", &formats)
                .map_err(|error| Failure::new(format!("--format: {error}")))?;
        }
        Ok(with_default_format(self.config.merge(flags, file)?))
    }
}

/// Refuses an argument about results of another command than the one that wrote the partial results.
fn refuse(flag: Option<&str>, of: &str, parts: &str) -> Result<()> {
    let Some(flag) = flag else { return Ok(()) };
    let message = format!("{flag} is about partial results of `sundown {of}`");
    Err(Failure::with_help(
        message,
        format!("these are of `sundown {parts}`: leave it out"),
    ))
}
