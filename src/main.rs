//! The command line program: parse, run, map the result to an exit code.

mod cli;

use std::process::ExitCode;

use clap::Parser;
use sundown::run::Status;

fn main() -> ExitCode {
    let status = cli::Cli::parse().run().unwrap_or_else(|failure| {
        cli::tell(&failure.text());
        Status::Failed
    });
    ExitCode::from(status.code())
}
