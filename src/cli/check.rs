//! `sundown check`: its arguments, and the run that they describe.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anstream::AutoStream;
use clap::{ArgAction, Args, ValueEnum};

use super::Result;
use super::console::print_error;
use super::flags::{CheckScope, SettingFlags};
use super::options::{ConfigArgs, DateArgs};
use super::outputs::{check_targets, default_format};
use super::progress::{ProgressDisplay, stop_on_interrupt};
use super::scope::{find_changes, load_suppression, partial_if, rules_completeness, run_scope};
use crate::config::{ConfigFile, ResolvedConfig};
use crate::findings::suppression::{RunScope, Suppression};
use crate::formats::{Format, Gauge, PathOrigin};
use crate::lint::Values;
use crate::report::{Failure, FindingDetail, RenderOptions, Verbosity};
use crate::rules::{RuleTable, Sides};
use crate::run::{
    AppliedConfig, BodyOperation, CheckOptions, Gate, OperationNameError, Status, apply_config,
    check, check_and_stream, render, resolve_operation_name,
};
use crate::traffic::Side;

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(super) struct CheckArgs {
    /// Files and folders; `-` is standard input (default: `paths` of the configuration, or `.`).
    pub(super) paths: Vec<PathBuf>,

    /// The operation of bare bodies: 'POST /rest/api/v1/chat', or `chat` if that identifies one operation.
    #[arg(long, value_name = "OP", help_heading = "Input")]
    pub(super) operation: Option<String>,
    /// Accept an operation that no rule covers.
    #[arg(long, requires = "operation", help_heading = "Input")]
    allow_unknown_operation: bool,
    /// The side of bare bodies (default: both).
    #[arg(long, value_enum, requires = "operation", help_heading = "Input")]
    side: Option<SideArg>,
    /// Read every file in this format, instead of recognising it; `sundown formats` lists them.
    #[arg(long, value_parser = parse_input_format, value_name = "FORMAT", help_heading = "Input")]
    pub(super) input_format: Option<Format>,
    /// Silently skip named files that --include does not match or that hold nothing to check, as in folders.
    #[arg(long, help_heading = "Input")]
    skip_unrelated: bool,
    /// The number of threads (default: the number of processors).
    #[arg(long, value_name = "N", help_heading = "Input")]
    threads: Option<NonZeroUsize>,

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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SideArg {
    Request,
    Response,
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
        let render_options = RenderOptions { verbosity, detail, fail_on: gate.fail_on };
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
        Ok(gate.status(&report))
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
        let globs = config
            .globs()
            .map_err(|error| Failure::with_help(error, "globs look like *.har or captures/**"))?;
        let since = self.changed_since.as_deref();
        Ok(CheckOptions {
            paths: config.paths.value.clone(),
            given: if self.skip_unrelated { PathOrigin::Offered } else { PathOrigin::Named },
            globs,
            names: config.names(),
            table,
            lifecycle: config.lifecycle(self.dates.day()),
            named: self.body_operation(table)?,
            payloads: applied.payloads,
            logs: applied.logs,
            format: self.input_format,
            limits: config.limits(),
            role: config.role.value,
            grades: applied.grades,
            fold: !self.no_fold,
            validate_all: config.strict.value,
            values: if self.show_values { Values::Shown } else { Values::Hidden },
            suppression,
            scope: self.scope(config, file),
            changed: since.map(|since| find_changes(since, config)).transpose()?,
            aside: config.baseline.value.iter().chain(&config.file).cloned().collect(),
            threads: self.threads(),
        })
    }

    /// Returns what of the project the run covers.
    fn scope(&self, config: &ResolvedConfig, file: Option<&ConfigFile>) -> RunScope {
        // Such a run reads bodies in another way than most.
        let is_partial = self.operation.is_some() || self.input_format.is_some();
        RunScope { bodies: partial_if(is_partial), ..run_scope(config, file) }
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

    /// Returns the operation of bare bodies, if the user names one.
    fn body_operation(&self, table: &RuleTable) -> Result<Option<BodyOperation>> {
        let Some(text) = &self.operation else { return Ok(None) };
        let operation = resolve_operation_name(text, table).or_else(|error| {
            let OperationNameError { message, help, operation } = error;
            let help = match &operation {
                Some(_) => format!("{help}; --allow-unknown-operation accepts it"),
                None => help,
            };
            let failure = Failure::with_help(format!("--operation: {message}"), help);
            operation.filter(|_| self.allow_unknown_operation).ok_or(failure)
        })?;
        let sides = self.side.map_or(Sides::Both, |side| Sides::Only(side.side()));
        Ok(Some(BodyOperation { operation, sides }))
    }

    fn threads(&self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(processors)
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

impl SideArg {
    fn side(self) -> Side {
        match self {
            Self::Request => Side::Request,
            Self::Response => Side::Response,
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

/// Parses the name of an input format.
fn parse_input_format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Format::by_family().iter().map(|format| format.spec().name).collect();
        format!("formats are {}", names.join(", "))
    })
}
