//! The command line program: parse, run, map the result to an exit code.

mod cli;
mod progress;

use std::process::ExitCode;

use clap::Parser;
use miette::MietteHandlerOpts;
use sundown::run::Status;

fn main() -> ExitCode {
    // A line that is broken could begin with what a build service obeys. Only a hook that is there already refuses another.
    drop(miette::set_hook(Box::new(|_| {
        Box::new(MietteHandlerOpts::new().wrap_lines(false).break_words(false).build())
    })));
    let status = cli::Cli::parse().run().unwrap_or_else(|error| {
        cli::tell(&format!("{error:?}"));
        Status::Failed
    });
    ExitCode::from(status.code())
}
