//! The commands, with their arguments and help texts: parses the command line, and runs the command that it names.

use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::baseline::BaselineArgs;
use super::check::CheckArgs;
use super::config::{InitArgs, SchemaArg};
use super::console::{Result, print, print_error, print_written};
use super::explain::ExplainArgs;
use super::fix::FixArgs;
use super::formats::FormatsArgs;
use super::merge::MergeArgs;
use super::rules::RulesCommand;
use super::usage::UsageArgs;
use crate::builtin::LIBRARY;
use sundown_files::FileAccess;
use sundown_report::Failure;
use sundown_run::{Status, start_page};

/// Finds every use of deprecated API elements, graded by the days left until their removal.
#[derive(Debug, Parser)]
#[command(
    name = "sundown",
    version,
    propagate_version = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Check JSON bodies, captured traffic (HAR, NDJSON) and API descriptions (OpenAPI, Swagger).
    #[command(
        alias = "lint",
        after_help = "Exit codes: 0 no finding at or above --fail-on, 1 findings, 2 the check could not be completed."
    )]
    Check(Box<CheckArgs>),
    /// Write findings to a baseline, so that `sundown check --baseline FILE` counts only new ones.
    ///
    /// Takes the arguments of `check`; flags for grading and reports have no effect. Existing entries are kept, unless
    /// --prune removes those that no longer match.
    #[command(after_help = "Exit codes: 0 done, 2 not done: the file is unchanged.")]
    Baseline(Box<BaselineArgs>),
    /// Replace deprecated elements in files that people write, where the rule states how.
    ///
    /// Without --write, it only prints what it would change. Recorded traffic is never changed.
    #[command(
        after_help = "Exit codes: 0 done, 1 with --check, if something would change, 2 something could not be checked or written."
    )]
    Fix(Box<FixArgs>),
    /// Count who uses which deprecated elements in captured traffic, and say which may be removed.
    #[command(
        after_help = "Exit codes: 0 done, 2 something could not be read or nothing was checked. With --gate: 0 no element is used, 1 an element is used, 2 the verdict on an element is *cannot tell*."
    )]
    Usage(Box<UsageArgs>),
    /// Merge partial results of `sundown check` or `sundown usage` into one report.
    #[command(
        after_help = "Exit codes: those of the command that wrote the partial results; also 2 if one cannot be used."
    )]
    Merge(Box<MergeArgs>),
    /// List, explain, check, import or export rules.
    #[command(subcommand)]
    Rules(Box<RulesCommand>),
    /// Show every setting with its value and its source.
    #[command(after_help = "Takes the same paths and flags as `sundown check`.")]
    Config(Box<CheckArgs>),
    /// Write a commented configuration that fits the files in this folder.
    Init(InitArgs),
    /// List the input formats, and how each is recognised; or recognise the formats of files.
    #[command(after_help = "Exit codes: 0 done, 2 a file is in no known format.")]
    Formats(Box<FormatsArgs>),
    /// Print the JSON Schema of a file that sundown reads or writes.
    Schema {
        /// The file.
        #[arg(value_enum)]
        of: SchemaArg,
    },
    /// Explain a rule (what is deprecated, why, until when, and what to use instead), or a check of API descriptions; with
    /// --in, list the exchanges that have its element.
    #[command(
        after_help = "Exit codes: 0 done; 2 not done, or with --in, something could not be checked."
    )]
    Explain(Box<ExplainArgs>),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page of the program or of one of its commands, for `man -l -`.
    Manual {
        /// The command, with the words after it if it has commands of its own: `sundown manual rules list`.
        command: Vec<String>,
    },
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    // A script that forgets the command fails, as clap has it for a missing command.
    if std::env::args_os().len() <= 1 {
        print_error(start_page(Path::new("."), LIBRARY).trim_end());
        return ExitCode::from(Status::Failed.code());
    }
    let run = match Cli::try_parse() {
        Ok(cli) => cli.command.run(&FileAccess::of_process()),
        Err(answer) => print_answer(&answer),
    };
    let status = run.unwrap_or_else(|failure| {
        print_error(&failure.text());
        Status::Failed
    });
    ExitCode::from(status.code())
}

/// Prints what clap answers instead of a command: help and versions on standard output, mistakes on standard error.
fn print_answer(answer: &clap::Error) -> Result<Status> {
    let written = print_written(|_| answer.print());
    if answer.use_stderr() {
        Ok(Status::Failed)
    } else {
        written
    }
}

impl CliCommand {
    /// Runs the command. All files are opened through `access`.
    fn run(self, access: &FileAccess) -> Result<Status> {
        match self {
            Self::Check(args) => args.run(access),
            Self::Baseline(args) => args.run(access),
            Self::Fix(args) => args.run(access),
            Self::Usage(args) => args.run(access),
            Self::Merge(args) => args.run(access),
            Self::Rules(command) => command.run(access),
            Self::Config(args) => print(&args.resolve_config(access)?.page()),
            Self::Init(args) => args.run(),
            Self::Formats(args) => args.run(access),
            Self::Schema { of } => of.run(),
            Self::Explain(args) => args.run(access),
            Self::Completions { shell } => print_completions(shell),
            Self::Manual { command } => print_manual(&command),
        }
    }
}

/// Prints the script by which a shell completes commands, flags and their values.
fn print_completions(shell: Shell) -> Result<Status> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "sundown", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program or of one of its commands, whose words are `path`.
fn print_manual(path: &[String]) -> Result<Status> {
    // There is no page of clap's own `help`, so no page may refer to it.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let command = path
        .iter()
        .try_fold(&program, |command, name| command.find_subcommand(name))
        .ok_or_else(|| {
            let help = "`sundown --help` lists the commands";
            Failure::with_help(format!("there is no command `{}`", path.join(" ")), help)
        })?;
    let mut page = Vec::new();
    Man::new(command.clone())
        .render(&mut page)
        .map_err(|error| Failure::new(format!("the manual page: {error}")))?;
    print(&String::from_utf8_lossy(&page))
}
