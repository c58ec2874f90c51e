//! `sundown check`: its arguments, and the run that they describe.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use anstream::AutoStream;
use clap::{ArgAction, Args, ValueEnum};

use super::Result;
use super::console::{print_error, screen_size};
use super::flags::{CheckScope, SettingFlags};
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs};
use super::outputs::{check_targets, default_format};
use super::progress::{ProgressDisplay, stop_on_interrupt};
use super::scope::{find_changes, load_suppression, rules_completeness};
use crate::config::{ConfigFile, ResolvedConfig};
use crate::findings::suppression::Suppression;
use crate::formats::Gauge;
use crate::lint::Values;
use crate::report::{
    Failure, FindingDetail, FindingGrouping, OutputTarget, RenderOptions, Report, Verbosity,
};
use crate::rules::RuleTable;
use crate::run::{
    AppliedConfig, CheckOptions, Gate, Status, apply_config, check, check_and_stream, render,
};

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
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
    #[arg(long, help_heading = "Output")]
    no_fold: bool,
    /// Show the values of deprecated keys in text reports and in JSON if they are true, false, null, or named by the rule.
    #[arg(long, help_heading = "Output")]
    show_values: bool,
    /// Show every finding in full (human only). Of many findings about one element, one is shown in full by default.
    #[arg(long, help_heading = "Output")]
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
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    color: ColorArg,
    /// Report only findings and what could not be checked: no summary, no warnings.
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(super) quiet: bool,
    /// Name every skipped file.
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = "Output")]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GroupByArg {
    Element,
    Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorArg {
    Auto,
    Always,
    Never,
}

impl CheckArgs {
    pub(super) fn run(self) -> Result<Status> {
        let (config, file) = self.resolve_config()?;
        let mut table = self.config.load_rules(&config, self.verbosity())?;
        let applied = self.apply_config(&config, file.as_ref(), &mut table)?;
        let gate = Gate { fail_on: config.fail_on.value.0, strict: config.strict.value };
        let detail = if self.all { FindingDetail::All } else { FindingDetail::Grouped };
        let verbosity = self.verbosity();
        let screen = screen_size();
        let grouping = match self.group_by {
            GroupByArg::Element => FindingGrouping::Element,
            GroupByArg::Origin => FindingGrouping::Origin,
        };
        let fail_on = gate.fail_on;
        let render_options = RenderOptions { verbosity, detail, grouping, fail_on, screen };
        check_targets(&config, self.no_fold)?;
        let suppression = load_suppression(&config, file.as_ref())?;
        let options = self.options((&config, file.as_ref()), applied, &table, suppression)?;
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = ProgressDisplay::start(&gauge, options.size());
        let failed =
            |error: io::Error| Failure::new(format!("the report could not be written: {error}"));
        let targets = &config.format.value;
        if let (true, [only]) = (self.no_fold, targets.as_slice()) {
            let file = only.file.as_deref();
            let report = check_and_stream(&options, &mut io::stdin(), &gauge, file);
            return Ok(gate.status(&report.map_err(failed)?));
        }
        let report = check(&options, &mut io::stdin(), &gauge);
        drop(progress);
        let mut terminal = AutoStream::new(io::stdout(), self.color.choice()).lock();
        let mut out = io::BufWriter::new(&mut terminal);
        render(&report, targets, render_options, &mut out).map_err(failed)?;
        self.print_remarks(&report, targets);
        Ok(gate.status(&report))
    }

    /// Prints the remarks on standard error if the formats have no place for them, such as lists of findings.
    fn print_remarks(&self, report: &Report, targets: &[OutputTarget]) {
        if self.quiet || targets.iter().any(|target| target.format.has_remarks()) {
            return;
        }
        for remark in &report.remarks {
            print_error(&format!("warning: {}", remark.sentence()));
        }
    }

    /// Merges the flags, the environment and the configuration.
    pub(super) fn resolve_config(&self) -> Result<(ResolvedConfig, Option<ConfigFile>)> {
        let file = self.config.find(&self.paths, self.verbosity())?;
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
    ) -> Result<CheckOptions<'t>> {
        let since = self.changed_since.as_deref();
        let lifecycle = config.lifecycle(self.dates.day());
        let options =
            self.input.options((config, file), applied, (table, lifecycle), suppression)?;
        Ok(CheckOptions {
            fold: !self.no_fold,
            values: if self.show_values { Values::Shown } else { Values::Hidden },
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
        let Some(file) = file else { return Ok(AppliedConfig::default()) };
        let applied = apply_config(file, table, rules_completeness(config, Some(file)))?;
        for warning in applied.warnings.iter().filter(|_| !self.quiet) {
            print_error(&format!("warning: {warning}"));
        }
        Ok(applied)
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

impl ColorArg {
    fn choice(self) -> anstream::ColorChoice {
        match self {
            Self::Auto if io::stdout().is_terminal() => anstream::ColorChoice::Auto,
            Self::Auto | Self::Never => anstream::ColorChoice::Never,
            Self::Always => anstream::ColorChoice::Always,
        }
    }
}
