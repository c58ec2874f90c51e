//! The command line: what can be typed, and what it means. The only code that names clap or reads the clock.

mod known;
mod progress;
mod shells;

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::AutoStream;
use chrono::NaiveDate;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sundown::config::{ConfigFile, ConfigSearch, DAYS, FlagValues, ResolvedConfig, schema};
use sundown::findings::Check;
use sundown::findings::suppression::Suppression;
use sundown::formats::{Format, Gauge, PathOrigin, Size};
use sundown::inspect::UserRole;
use sundown::lint::Values;
use sundown::openapi::DateSources;
use sundown::report::{Failure, OutputFormat, OutputTarget, Verbosity};
use sundown::rules::lists::export::{ExportFormat, export};
use sundown::rules::lists::import::{ListFormat, StaleRules};
use sundown::rules::{Lifecycle, RuleTable, Severity, Sides};
use sundown::run::{
    AppliedConfig, BodyOperation, CheckOptions, Gate, ImportFormat, ImportOptions, ImportTarget,
    RenderOptions, RuleSelection, StarterConfig, Status, apply_config, check, check_and_stream,
    explain_check, explain_rule, find_free_config_path, import, list_formats, list_rules,
    load_rules, load_rules_file, propose_config, render, resolve_operation_name,
};
use sundown::text::{ExpansionFactor, escape_unsafe, io_error_text, most_similar};
use sundown::traffic::Side;

use crate::cli::progress::{ProgressDisplay, stop_on_interrupt};
use known::{BaselineArgs, changed, report_places, rules_extent, suppression};

/// What a command comes to, unless something keeps it from its job.
type Result<T, E = Failure> = std::result::Result<T, E>;

/// Finds every use of an API element that is on its way out, graded by the days left.
#[derive(Debug, Parser)]
#[command(name = "sundown", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Check JSON bodies, captured traffic (HAR, NDJSON) and API descriptions (OpenAPI, Swagger).
    #[command(
        after_help = "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not do the job."
    )]
    Check(Box<CheckArgs>),
    /// Write findings into a baseline, so that `sundown check --baseline FILE` counts only new ones.
    ///
    /// Takes what `check` takes; flags about grading and reports change nothing here. Entries that are there stay,
    /// unless --prune takes those out that match nothing any more.
    #[command(
        after_help = "Exit codes: 0 done, 2 could not do the job: then the file is as it was."
    )]
    Baseline(Box<BaselineArgs>),
    /// Show, check, import or export rules.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Show what is in force: every setting with where it came from.
    #[command(after_help = "Takes the same paths and flags as `sundown check`.")]
    Config(Box<CheckArgs>),
    /// Write a commented configuration for what stands in this folder.
    Init(InitArgs),
    /// List the formats that are read, with how each is recognised.
    Formats,
    /// Print the JSON Schema of a file that this program reads.
    Schema {
        /// Of which file.
        #[arg(value_enum)]
        of: SchemaArg,
    },
    /// Explain a rule (what, why, until when, what to use instead), or a check of API descriptions.
    Explain(ShowArgs),
    /// Print a script by which a shell completes commands and flags.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page of the program, or of one of its commands, for `man -l -`.
    Manual {
        /// The command.
        command: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    /// List all rules with their removal dates.
    List(ListArgs),
    /// Explain a rule: the same page as `sundown explain`.
    Show(ShowArgs),
    /// Check a rules file, and tell every mistake in it.
    Check {
        /// The rules file (TOML).
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How many times as much as usual API descriptions may stand for (default: 1).
        #[arg(long, value_name = "TIMES")]
        max_expansion: Option<ExpansionFactor>,
    },
    /// Make rules from a published deprecation list or an OpenAPI description, or bring a rules file up to date with it.
    #[command(
        after_help = "Exit codes: 0 done, 1 with --check where the rules file is out of date, 2 could not do the job."
    )]
    Import(ImportArgs),
    /// Write rules in another format.
    #[command(after_help = "What a format cannot hold is told on standard error.")]
    Export(ExportArgs),
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The list: a table in Markdown, CSV, or JSON (`-` is standard input); or an OpenAPI description.
    file: PathBuf,
    /// Read it as this format, whatever it looks like.
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<ImportFormatArg>,
    /// Put it into this rules file, instead of printing one; what the list does not say stays as it is.
    #[arg(long, value_name = "RULES")]
    into: Option<PathBuf>,
    /// Change nothing: print what differs, and exit with 1 if the rules file is out of date.
    #[arg(long, requires = "into")]
    check: bool,
    /// Take rules out that the list no longer has.
    #[arg(long, requires = "into")]
    prune: bool,
    /// The API's name in a new rules file (default: the description's title, or the list's file name).
    #[arg(long, value_name = "NAME")]
    api: Option<String>,
    /// Where a description has no date, take one from its text.
    #[arg(long)]
    dates_from_text: bool,
    /// How many times as much as usual a description may stand for (default: 1).
    #[arg(long, value_name = "TIMES")]
    max_expansion: Option<ExpansionFactor>,
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// What to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: ExportFormatArg,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImportFormatArg {
    /// A table in a Markdown document.
    Markdown,
    /// Comma-separated values with a header.
    Csv,
    /// `{"endpoints": [{"method", "path", "deprecations": [{"type", "name", ...}]}]}`.
    Json,
    /// An OpenAPI description, in JSON or YAML.
    Openapi,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExportFormatArg {
    /// An OpenAPI overlay that marks deprecated operations and parameters.
    Overlay,
    /// A table for people.
    Markdown,
    /// Comma-separated values, which can be imported again.
    Csv,
    /// A calendar with an event for each removal date.
    Ical,
    /// JSON, which can be imported again.
    Json,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaArg {
    /// The configuration, `sundown.toml`.
    Config,
}

#[derive(Debug, Args)]
struct InitArgs {
    /// Print it instead of writing `sundown.toml`.
    #[arg(long)]
    stdout: bool,
}

#[derive(Debug, Args)]
struct ConfigArgs {
    /// Use this configuration (default: `sundown.toml`, found upward from what is checked).
    #[arg(long = "config", value_name = "FILE", help_heading = "Configuration")]
    file: Option<PathBuf>,
    /// Use no configuration.
    #[arg(long, conflicts_with = "file", help_heading = "Configuration")]
    no_config: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// The rule's id, or the check's, as findings show it.
    id: String,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

#[derive(Debug, Args)]
struct RulesArgs {
    /// A further rules file (TOML), or an OpenAPI description; repeatable.
    #[arg(long = "rules", value_name = "FILE", help_heading = "Rules")]
    files: Vec<PathBuf>,
    /// Use no built-in table.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", help_heading = "Rules")]
    no_builtin_rules: Option<bool>,
    /// Leave out one built-in table (client-api, indexing-api, beyond-reference); repeatable.
    #[arg(long, value_name = "NAME", help_heading = "Rules")]
    without_table: Vec<String>,
    /// How many times as much as usual compressed bodies, YAML aliases and API descriptions may stand for (default: 1).
    #[arg(long, value_name = "TIMES", help_heading = "Input")]
    max_expansion: Option<ExpansionFactor>,
    /// Where an OpenAPI description that is used as rules has no date, take one from its text.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", help_heading = "Rules")]
    dates_from_text: Option<bool>,
}

#[derive(Debug, Args)]
struct DateArgs {
    /// Grade as if it were this day (default: today, in UTC).
    #[arg(long, value_name = "YYYY-MM-DD", help_heading = "Grading")]
    as_of: Option<NaiveDate>,
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
struct CheckArgs {
    /// Files and folders; `-` is standard input (default: the configuration's paths, else `.`).
    paths: Vec<PathBuf>,

    /// What bare bodies are: 'POST /rest/api/v1/chat', or `chat` where that names one operation.
    #[arg(long, value_name = "OP", help_heading = "Input")]
    operation: Option<String>,
    /// Which side bare bodies are (default: checked as both).
    #[arg(long, value_enum, requires = "operation", help_heading = "Input")]
    side: Option<SideArg>,
    /// Read every file as this format, whatever it looks like; `sundown formats` lists them.
    #[arg(long, value_parser = input_format, value_name = "FORMAT", help_heading = "Input")]
    input_format: Option<Format>,
    /// In folders, check only files that match; repeatable.
    #[arg(long, value_name = "GLOB", help_heading = "Input")]
    include: Vec<String>,
    /// In folders, leave out files that match; repeatable.
    #[arg(long, value_name = "GLOB", help_heading = "Input")]
    exclude: Vec<String>,
    /// Let --exclude hold for files named on the command line too.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", help_heading = "Input")]
    force_exclude: Option<bool>,
    /// Pass over named files that --include leaves out or that hold nothing to check, as in folders.
    #[arg(long, help_heading = "Input")]
    skip_unrelated: bool,
    /// What you are to the API whose description is checked (default: what concerns either is reported).
    #[arg(long, value_enum, help_heading = "Input")]
    role: Option<RoleArg>,
    /// How deep bodies may nest (default: 1,000,000).
    #[arg(long, value_parser = levels, value_name = "LEVELS", help_heading = "Input")]
    max_depth: Option<usize>,
    /// How large a record may be: a line, an entry, or a document that is none; with K, M or G (default: 256M).
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    max_record: Option<Size>,
    /// How many threads to work on (default: as many as there are processors).
    #[arg(long, value_name = "N", help_heading = "Input")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    dates: DateArgs,
    /// An error with so many days left or fewer (default: 30).
    #[arg(long, value_parser = clap::value_parser!(i64).range(DAYS), value_name = "DAYS", allow_negative_numbers = true, help_heading = "Grading")]
    error_within: Option<i64>,
    /// Only a note with more days left than this.
    #[arg(long, value_parser = clap::value_parser!(i64).range(DAYS), value_name = "DAYS", allow_negative_numbers = true, help_heading = "Grading")]
    warn_within: Option<i64>,
    /// The worst that a finding in a response can be.
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = "Grading")]
    response_severity: Option<SeverityArg>,
    /// Exit with 1 on findings of this severity or worse (default: error).
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = "Grading")]
    fail_on: Option<FailOnArg>,
    /// Validate everything, even where no rule can match, and exit with 2 if anything could not be checked.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", help_heading = "Grading")]
    strict: Option<bool>,

    /// Count only findings that this file does not name (`sundown baseline` writes it).
    #[arg(long, value_name = "FILE", help_heading = "Known findings")]
    baseline: Option<PathBuf>,
    /// Use no baseline.
    #[arg(long, conflicts_with = "baseline", help_heading = "Known findings")]
    no_baseline: bool,
    /// Check only files that have changed in git since the work on what is checked out parted from this branch, tag or commit.
    #[arg(long, value_name = "REV", help_heading = "Known findings")]
    changed_since: Option<String>,

    /// Output format, into a file if one is given; repeatable: human (default), github (default under GitHub Actions),
    /// json, ndjson, sarif, gitlab, junit, rdjsonl, markdown.
    #[arg(long = "format", value_name = "FORMAT[=FILE]", help_heading = "Output")]
    formats: Vec<OutputTarget>,
    /// Report every use, instead of folding those alike in one file (ndjson only).
    #[arg(long, help_heading = "Output")]
    no_fold: bool,
    /// Show the values of deprecated keys, in reports for people and in JSON: scalars only, and none that looks like a secret.
    #[arg(long, help_heading = "Output")]
    show_values: bool,
    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    color: ColorArg,
    /// Only findings and what could not be checked: no summary, no warnings.
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Name every file that was passed over.
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = "Output")]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SideArg {
    Request,
    Response,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SeverityArg {
    Error,
    Warning,
    Note,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FailOnArg {
    Error,
    Warning,
    Note,
    Never,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleArg {
    /// You describe and serve the API.
    Owner,
    /// You call it.
    Consumer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorArg {
    Auto,
    Always,
    Never,
}

impl Cli {
    /// Does what was asked for.
    pub(crate) fn run(self) -> Result<Status> {
        match self.command {
            CliCommand::Check(args) => args.run(),
            CliCommand::Baseline(args) => args.run(),
            CliCommand::Config(args) => args.show_config(),
            CliCommand::Init(args) => args.run(),
            CliCommand::Formats => print(&list_formats()),
            CliCommand::Schema { of: SchemaArg::Config } => print(&schema()),
            CliCommand::Completions { shell } => shells::completions(shell),
            CliCommand::Manual { command } => shells::manual(command.as_deref()),
            CliCommand::Explain(args) | CliCommand::Rules(RulesCommand::Show(args)) => args.run(),
            CliCommand::Rules(RulesCommand::List(args)) => args.run(),
            CliCommand::Rules(RulesCommand::Check { files, max_expansion }) => {
                check_rules(&files, max_expansion.unwrap_or_default())
            }
            CliCommand::Rules(RulesCommand::Import(args)) => args.run(),
            CliCommand::Rules(RulesCommand::Export(args)) => args.run(),
        }
    }
}

impl CheckArgs {
    fn run(self) -> Result<Status> {
        let file = self.config.find(&self.paths, self.verbosity())?;
        let config = ResolvedConfig::new(self.flags(), file.as_ref());
        let mut table = load_configured_rules(&config, self.verbosity())?;
        let settled = self.settled((&config, file.as_ref()), &mut table)?;
        let gate = Gate { fail_on: config.fail_on.value, strict: config.strict.value };
        let manner = RenderOptions { verbosity: self.verbosity(), fail_on: gate.fail_on };
        let renderings = self.renderings(&config)?;
        let suppression = suppression(&config, file.as_ref())?;
        let options = self.options((&config, file.as_ref()), settled, &table, suppression)?;
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = ProgressDisplay::watch(&gauge, options.size());
        let failed =
            |error: io::Error| Failure::new(format!("the report could not be written: {error}"));
        if let (true, [only]) = (self.no_fold, renderings.as_slice()) {
            let file = only.file.as_deref();
            let outcome = check_and_stream(&options, &mut io::stdin(), &gauge, file);
            return Ok(gate.status(&outcome.map_err(failed)?));
        }
        let outcome = check(&options, &mut io::stdin(), &gauge);
        drop(progress);
        let mut terminal = AutoStream::new(io::stdout(), self.color.choice()).lock();
        render(&outcome.report, &renderings, manner, &mut io::BufWriter::new(&mut terminal))
            .map_err(failed)?;
        Ok(gate.status(&outcome))
    }

    fn show_config(&self) -> Result<Status> {
        let file = self.config.find(&self.paths, self.verbosity())?;
        print(&ResolvedConfig::new(self.flags(), file.as_ref()).page(file.as_ref()))
    }

    /// What was said, and nothing of what was not.
    fn flags(&self) -> FlagValues {
        FlagValues {
            paths: said(&self.paths),
            include: said(&self.include),
            exclude: said(&self.exclude),
            force_exclude: self.force_exclude,
            role: self.role.map(RoleArg::role),
            max_depth: self.max_depth,
            max_record: self.max_record,
            error_within: self.error_within,
            warn_within: self.warn_within,
            response_severity: self.response_severity.map(SeverityArg::severity),
            fail_on: self.fail_on.map(FailOnArg::severity),
            strict: self.strict,
            baseline: self.baseline_flag(),
            format: said(&self.formats),
            usual_format: usual_format(),
            ..self.rules.flags()
        }
    }

    fn options<'t>(
        &self,
        (config, file): (&ResolvedConfig, Option<&ConfigFile>),
        settled: AppliedConfig,
        table: &'t RuleTable,
        suppression: Suppression,
    ) -> Result<CheckOptions<'t>> {
        let globs = config
            .globs()
            .map_err(|error| Failure::with_help(error, "globs look like *.har or captures/**"))?;
        Ok(CheckOptions {
            paths: config.paths.value.clone(),
            given: if self.skip_unrelated { PathOrigin::Offered } else { PathOrigin::Named },
            globs,
            names: config.names(),
            table,
            lifecycle: config.lifecycle(self.dates.day()),
            named: self.named(table)?,
            payloads: settled.payloads,
            logs: settled.logs,
            format: self.input_format,
            limits: config.limits(),
            role: config.role.value,
            grades: settled.grades,
            fold: !self.no_fold,
            validate_all: config.strict.value,
            values: if self.show_values { Values::Shown } else { Values::Hidden },
            suppression,
            scope: self.scope(config, file),
            changed: self
                .changed_since
                .as_deref()
                .map(|since| changed(since, config))
                .transpose()?,
            aside: config.baseline.value.iter().chain(&config.file).cloned().collect(),
            threads: self.threads(),
        })
    }

    /// What the configuration says about inputs and single rules.
    fn settled(
        &self,
        (config, file): (&ResolvedConfig, Option<&ConfigFile>),
        table: &mut RuleTable,
    ) -> Result<AppliedConfig> {
        let rules = rules_extent(config, file);
        let Some(file) = file else { return Ok(AppliedConfig::default()) };
        let settled = apply_config(file, table, rules)?;
        for warning in settled.warnings.iter().filter(|_| !self.quiet) {
            tell(&format!("warning: {warning}"));
        }
        Ok(settled)
    }

    fn named(&self, table: &RuleTable) -> Result<Option<BodyOperation>> {
        let Some(text) = &self.operation else { return Ok(None) };
        let (operation, warning) = resolve_operation_name(text, table).map_err(|error| {
            Failure::with_help(format!("--operation: {}", error.message), error.help)
        })?;
        if let Some(warning) = warning.filter(|_| !self.quiet) {
            tell(&format!("warning: --operation: {warning}"));
        }
        let sides = self.side.map_or(Sides::Both, |side| Sides::Only(side.side()));
        Ok(Some(BodyOperation { operation, sides }))
    }

    fn renderings(&self, config: &ResolvedConfig) -> Result<Vec<OutputTarget>> {
        let renderings = config.format.value.clone();
        if self.no_fold && renderings.iter().any(|r| r.format != OutputFormat::Ndjson) {
            let help = "add --format ndjson";
            let message = "--no-fold reports every single use, which only ndjson can hold";
            return Err(Failure::with_help(message, help));
        }
        if renderings.iter().filter(|rendering| rendering.file.is_none()).count() > 1 {
            let help = "write all but one into files: --format json=report.json";
            return Err(Failure::with_help("only one format can go to standard output", help));
        }
        let own = config.baseline.value.iter().chain(&config.file);
        report_places(&renderings, &config.paths.value, own)?;
        Ok(renderings)
    }

    fn threads(&self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(processors)
    }

    fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

/// A list of the command line, which is empty where nothing was said.
fn said<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    if list.is_empty() { None } else { Some(list.to_vec()) }
}

/// What is written where nobody says: annotations where GitHub Actions would show them.
fn usual_format() -> Option<(OutputFormat, &'static str)> {
    const VARIABLE: &str = "GITHUB_ACTIONS";
    let is_set = std::env::var_os(VARIABLE).is_some_and(|value| value == "true");
    is_set.then_some((OutputFormat::Github, VARIABLE))
}

impl ConfigArgs {
    /// The configuration for what is checked.
    fn find(&self, paths: &[PathBuf], verbosity: Verbosity) -> Result<Option<ConfigFile>> {
        if self.no_config {
            return Ok(None);
        }
        if let Some(path) = &self.file {
            return Ok(Some(ConfigFile::open(path)?));
        }
        let ConfigSearch { file, notes } = ConfigFile::find(paths)?;
        tell_notes(&notes, verbosity);
        Ok(file)
    }
}

impl RulesArgs {
    fn flags(&self) -> FlagValues {
        FlagValues {
            rules: said(&self.files),
            builtin_rules: self.no_builtin_rules.map(|none| !none),
            without_table: said(&self.without_table),
            dates_from_text: self.dates_from_text,
            max_expansion: self.max_expansion,
            ..FlagValues::default()
        }
    }

    /// The rules in force here, for commands that check nothing.
    fn load(&self, config: &ConfigArgs) -> Result<RuleTable> {
        let usual = Verbosity::Normal;
        load_configured_rules(
            &ResolvedConfig::new(self.flags(), config.find(&[], usual)?.as_ref()),
            usual,
        )
    }
}

fn load_configured_rules(config: &ResolvedConfig, verbosity: Verbosity) -> Result<RuleTable> {
    let choice = RuleSelection {
        files: config.rules.value.clone(),
        without: config.without_table.value.clone(),
        no_builtin: !config.builtin_rules.value,
        dates: date_sources(config.dates_from_text.value),
        expansion: config.max_expansion.value,
    };
    let table = load_rules(&choice)?;
    tell_notes(table.notes(), verbosity);
    Ok(table)
}

/// What is worth knowing and no mistake; whoever wants it quiet does not want it.
fn tell_notes(notes: &[String], verbosity: Verbosity) {
    for note in notes.iter().filter(|_| verbosity != Verbosity::Quiet) {
        tell(&format!("note: {}", escape_unsafe(note)));
    }
}

impl DateArgs {
    fn day(&self) -> NaiveDate {
        self.as_of.unwrap_or_else(today)
    }

    fn lifecycle(&self) -> Lifecycle {
        Lifecycle::on(self.day())
    }
}

fn date_sources(from_text: bool) -> DateSources {
    if from_text { DateSources::ExtensionsAndProse } else { DateSources::Extensions }
}

#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
fn today() -> NaiveDate {
    chrono::Utc::now().date_naive()
}

impl ImportArgs {
    fn run(self) -> Result<Status> {
        let gone = if self.prune { StaleRules::Remove } else { StaleRules::Keep };
        let target = match (self.into, self.check) {
            (None, _) => ImportTarget::Print,
            (Some(path), false) => ImportTarget::Into(path, gone),
            (Some(path), true) => ImportTarget::Check(path, gone),
        };
        let format = self.from.map(ImportFormatArg::format);
        let dates = date_sources(self.dates_from_text);
        let options = ImportOptions {
            file: self.file,
            format,
            dates,
            expansion: self.max_expansion.unwrap_or_default(),
            api: self.api,
            target,
        };
        let outcome = import(&options, &mut io::stdin())?;
        for remark in &outcome.remarks {
            tell(remark);
        }
        print(&outcome.output)?;
        Ok(outcome.status)
    }
}

impl InitArgs {
    fn run(&self) -> Result<Status> {
        let folder = Path::new(".");
        if self.stdout {
            return print(&propose_config(folder).text);
        }
        let path = find_free_config_path(folder).map_err(|taken| {
            let help = "edit it, or print a new one with `sundown init --stdout`";
            let message = format!("there is a configuration already: {}", taken.display());
            Failure::with_help(message, help)
        })?;
        let StarterConfig { text, seen } = propose_config(folder);
        let path = path.strip_prefix(folder).unwrap_or(&path);
        std::fs::write(path, text).map_err(|error| {
            Failure::new(format!("{} cannot be written: {}", path.display(), io_error_text(&error)))
        })?;
        print(&format!(
            "{} written; seen here: {seen}\nnext: `sundown check`, and `sundown config` to see what is in force\n",
            path.display()
        ))
    }
}

impl ExportArgs {
    fn run(&self) -> Result<Status> {
        let format = self.format.format();
        let exported = export(format, &self.rules.load(&self.config)?).map_err(|nothing| {
            Failure::with_help(nothing, "add rules with --rules, or choose another format")
        })?;
        for line in &exported.left_out {
            tell(line);
        }
        print(&exported.text)
    }
}

impl ImportFormatArg {
    fn format(self) -> ImportFormat {
        match self {
            Self::Markdown => ImportFormat::List(ListFormat::Markdown),
            Self::Csv => ImportFormat::List(ListFormat::Csv),
            Self::Json => ImportFormat::List(ListFormat::Json),
            Self::Openapi => ImportFormat::Description,
        }
    }
}

impl ExportFormatArg {
    fn format(self) -> ExportFormat {
        match self {
            Self::Overlay => ExportFormat::Overlay,
            Self::Markdown => ExportFormat::Markdown,
            Self::Csv => ExportFormat::Csv,
            Self::Ical => ExportFormat::Ical,
            Self::Json => ExportFormat::Json,
        }
    }
}

impl ListArgs {
    fn run(&self) -> Result<Status> {
        print(&list_rules(&self.rules.load(&self.config)?, &self.dates.lifecycle()))
    }
}

impl ShowArgs {
    fn run(&self) -> Result<Status> {
        let usual = Verbosity::Normal;
        let file = self.config.find(&[], usual)?;
        let config = ResolvedConfig::new(self.rules.flags(), file.as_ref());
        let mut table = load_configured_rules(&config, usual)?;
        if let Some(file) = &file {
            apply_config(file, &mut table, rules_extent(&config, Some(file)))?;
        }
        let Some((index, _)) = table.rule(&self.id) else {
            if let Some(check) = Check::from_id(&self.id) {
                return print(&explain_check(check));
            }
            let nearest = most_similar(&self.id, table.rules().iter().map(|rule| rule.id.as_str()));
            let nearest = nearest.map(|id| format!("the nearest is `{id}`; ")).unwrap_or_default();
            let help = format!("{nearest}`sundown rules list` names them all");
            return Err(Failure::with_help(format!("there is no rule `{}`", self.id), help));
        };
        print(&explain_rule(&table, index, &self.dates.lifecycle()))
    }
}

/// Checks each file by itself and then whether all can stand beside each other; every bad file is told.
fn check_rules(files: &[PathBuf], expansion: ExpansionFactor) -> Result<Status> {
    let mut status = Status::Clean;
    for file in files {
        match load_rules_file(file, DateSources::Extensions, expansion) {
            Ok(rules) => {
                tell_notes(&rules.notes, Verbosity::Normal);
                let count = rules.count();
                let rules = if count == 1 { "rule" } else { "rules" };
                print(&format!("{}: {count} {rules}, no mistakes\n", file.display()))?;
            }
            Err(error) => {
                status = Status::Failed;
                tell(&Failure::from(error).text());
            }
        }
    }
    if status == Status::Clean {
        load_rules(&RuleSelection {
            files: files.to_vec(),
            no_builtin: true,
            expansion,
            ..RuleSelection::default()
        })?;
    }
    Ok(status)
}

/// To standard output; a closed pipe is no error.
fn print(text: &str) -> Result<Status> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}")))
        }
        _ => Ok(Status::Clean),
    }
}

/// To standard error, where there is nobody to tell of a failure.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// How deep bodies may nest.
fn levels(text: &str) -> Result<usize, String> {
    let levels = text.parse().ok().filter(|levels| *levels > 0);
    levels.ok_or_else(|| "it is a number of levels, 1 or more".to_owned())
}

/// A format by its name.
fn input_format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.spec().name).collect();
        format!("formats are {}", names.join(", "))
    })
}

impl SideArg {
    fn side(self) -> Side {
        match self {
            Self::Request => Side::Request,
            Self::Response => Side::Response,
        }
    }
}

impl SeverityArg {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}

impl FailOnArg {
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Never => None,
        }
    }
}

impl RoleArg {
    fn role(self) -> UserRole {
        match self {
            Self::Owner => UserRole::Owner,
            Self::Consumer => UserRole::Consumer,
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
