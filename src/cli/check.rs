//! `sundown check`: its arguments, and the run that they describe.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::console::Result;
use super::console::print_error;
use super::flags::{CheckScope, SettingFlags};
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, load_configured_rules, output_rights};
use super::outputs::{
    check_targets, default_format, earlier_reports, printed_format, target_files, used_files,
};
use super::partial::PartialArgs;
use super::progress::{ProgressDisplay, stop_on_interrupt};
use super::report::ReportArgs;
use super::scope::{find_changes, load_suppression, rules_completeness};
use crate::config::{ConfigFile, ResolvedConfig};
use crate::files::FileAccess;
use crate::findings::suppression::Suppression;
use crate::formats::Gauge;
use crate::lint::Values;
use crate::report::{CheckScan, Failure, OutputTarget, Verbosity};
use crate::rules::RuleTable;
use crate::run::{
    AppliedConfig, CheckOptions, Gate, OutputRights, Status, apply_config, check, check_and_stream,
    report_scan, scan_check,
};

#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(super) struct CheckArgs {
    /// Files and folders; `-` is standard input (default: `paths` of the configuration, or `.`).
    pub(super) paths: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    flags: SettingFlags<CheckScope>,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,

    /// Check only files that changed in git since the current branch diverged from this branch, tag or commit.
    #[arg(long, value_name = "REV", help_heading = "Known findings")]
    changed_since: Option<String>,

    /// Report every use, instead of one finding for equal uses in a file (ndjson only).
    #[arg(long, conflicts_with = "partial", help_heading = "Output")]
    no_fold: bool,
    /// Show the values of deprecated keys in text reports and in JSON if they are true, false, null, or named by the rule.
    #[arg(long, help_heading = "Output")]
    show_values: bool,
    #[command(flatten)]
    partial: PartialArgs,
    #[command(flatten)]
    pub(super) report: ReportArgs,
}

impl CheckArgs {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        let (config, file) = self.resolve_config(access)?;
        let mut table = load_configured_rules(&config, self.verbosity(), access)?;
        let applied = self.apply_config(&config, file.as_ref(), &mut table)?;
        let gate = Gate {
            fail_on: config.fail_on.value.0,
            strict: config.strict.value,
        };
        let rights = output_rights(&config, &config.format.source, access)?;
        check_targets(&config, self.no_fold, &rights)?;
        self.partial.refuse_report(printed_format(&config))?;
        self.partial
            .check_target(&[used_files(&config), target_files(&config)].concat())?;
        let suppression = load_suppression(&config, file.as_ref(), access)?;
        let mut options = self.options(
            (&config, file.as_ref()),
            applied,
            &table,
            suppression,
            access,
        )?;
        options.own_files.extend(earlier_reports(&config));
        options.own_files.extend(self.partial.earlier());
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = ProgressDisplay::start(&gauge, options.size());
        let targets = &config.format.value;
        if let (true, [only]) = (self.no_fold, targets.as_slice()) {
            let report = check_and_stream(&options, &mut io::stdin(), &gauge, only, &rights)?;
            return Ok(gate.status(&report));
        }
        if !self.partial.is_given() {
            let report = check(&options, &mut io::stdin(), &gauge);
            drop(progress);
            self.report.write(&report, targets, gate.fail_on, &rights)?;
            return Ok(gate.status(&report));
        }
        let scan = scan_check(&options, &self.paths, &mut io::stdin(), &gauge);
        drop(progress);
        let (partial, report) = (&self.partial, &self.report);
        let to = ScanOutputs {
            targets,
            rights: &rights,
            partial,
            inputs: access,
            report,
        };
        write_scan(&options, scan, gate, &to)
    }

    /// Merges the flags, the environment and the configuration.
    pub(super) fn resolve_config(
        &self,
        access: &FileAccess,
    ) -> Result<(ResolvedConfig, Option<ConfigFile>)> {
        let file = self.config.find(&self.paths, self.verbosity(), access)?;
        let mut flags = self.flags.values.clone();
        if !self.paths.is_empty() {
            let paths: Vec<_> = self.paths.iter().map(|path| path.clone().into()).collect();
            flags.set("paths", "PATH", &paths).map_err(Failure::new)?;
        }
        let mut config = self.config.merge(flags, file.as_ref())?;
        if let Some((format, variable)) = default_format() {
            config = config.with_default_format(format, variable);
        }
        Ok((config, file))
    }

    pub(super) fn options<'t>(
        &self,
        (config, file): (&ResolvedConfig, Option<&ConfigFile>),
        applied: AppliedConfig,
        table: &'t RuleTable,
        suppression: Suppression,
        access: &FileAccess,
    ) -> Result<CheckOptions<'t>> {
        let since = self.changed_since.as_deref();
        let lifecycle = config.lifecycle(self.dates.day());
        let options = self.input.options(
            (config, file),
            applied,
            (table, lifecycle),
            suppression,
            access,
        )?;
        Ok(CheckOptions {
            fold: !self.no_fold,
            values: if self.show_values {
                Values::Shown
            } else {
                Values::Hidden
            },
            changed: since.map(|since| find_changes(since, config)).transpose()?,
            ..options
        })
    }

    /// Applies the tables of the configuration to the rules, and prints warnings about them.
    pub(super) fn apply_config(
        &self,
        config: &ResolvedConfig,
        file: Option<&ConfigFile>,
        table: &mut RuleTable,
    ) -> Result<AppliedConfig> {
        apply_with_warnings((config, file), table, self.verbosity())
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        self.report.verbosity()
    }
}

/// Applies the tables of the configuration to the rules, and prints warnings about them.
pub(super) fn apply_with_warnings(
    (config, file): (&ResolvedConfig, Option<&ConfigFile>),
    table: &mut RuleTable,
    verbosity: Verbosity,
) -> Result<AppliedConfig> {
    let Some(file) = file else {
        return Ok(AppliedConfig::default());
    };
    let applied = apply_config(file, table, rules_completeness(config, Some(file)))?;
    for warning in applied
        .warnings
        .iter()
        .filter(|_| verbosity != Verbosity::Quiet)
    {
        print_error(&format!("warning: {warning}"));
    }
    Ok(applied)
}

/// Where the results of a run are written, or those of several that were merged.
pub(super) struct ScanOutputs<'a> {
    pub(super) targets: &'a [OutputTarget],
    /// Where the reports may be.
    pub(super) rights: &'a OutputRights,
    pub(super) partial: &'a PartialArgs,
    /// The files that the partial result must not replace.
    pub(super) inputs: &'a FileAccess,
    pub(super) report: &'a ReportArgs,
}

/// Writes the partial result and the report of a run, or of several that were merged.
pub(super) fn write_scan(
    options: &CheckOptions<'_>,
    scan: CheckScan,
    gate: Gate,
    to: &ScanOutputs<'_>,
) -> Result<Status> {
    let written = to.partial.write(to.inputs, &|out| scan.write_partial(out));
    let report = report_scan(options, scan)?;
    let is_wanted = |target: &&OutputTarget| target.file.is_some() || !to.partial.replaces_report();
    let targets: Vec<_> = to.targets.iter().filter(is_wanted).cloned().collect();
    // Without the partial result, there is still the report.
    to.report
        .write(&report, &targets, gate.fail_on, to.rights)?;
    written.map(|()| gate.status(&report))
}
