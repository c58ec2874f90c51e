//! `sundown completions`: scripts by which shells complete commands, flags and their values.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use super::command::Cli;
use super::console::Result;
use super::console::print;
use crate::run::Status;

/// Prints the script for a shell.
pub(super) fn run(shell: Shell) -> Result<Status> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "sundown", &mut script);
    print(&String::from_utf8_lossy(&script))
}
