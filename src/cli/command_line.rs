//! Parses the command line, and runs the command that it names.

use super::command::{Cli, CliCommand};
use super::console::Result;
use super::console::{print_error, print_written};
use crate::files::FileAccess;
use crate::run::{Status, start_page};
use clap::Parser;
use std::path::Path;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    // A script that forgets the command fails, as clap has it for a missing command.
    if std::env::args_os().len() <= 1 {
        print_error(start_page(Path::new(".")).trim_end());
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
pub(super) fn print_answer(answer: &clap::Error) -> Result<Status> {
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
            Self::Usage(args) => args.run(access),
            Self::Merge(args) => args.run(access),
            Self::Rules(command) => command.run(access),
            Self::Config(args) => super::config::run(&args, access),
            Self::Init(args) => args.run(),
            Self::Formats(args) => args.run(access),
            Self::Schema { of } => of.run(),
            Self::Explain(args) => args.run(access),
            Self::Completions { shell } => super::completions::run(shell),
            Self::Manual { command } => super::manual::run(&command),
        }
    }
}
