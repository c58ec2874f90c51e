//! `sundown manual`: manual pages, generated from the command line.

use clap::CommandFactory as _;
use clap_mangen::Man;

use super::console::print;
use super::{Cli, Result};
use crate::report::Failure;
use crate::run::Status;

/// Prints the manual page of the program or of one of its commands.
pub(super) fn run(command: Option<&str>) -> Result<Status> {
    let mut program = Cli::command();
    program.build();
    let command = match command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let help = "`sundown --help` lists the commands";
            Failure::with_help(format!("there is no command `{name}`"), help)
        })?,
    };
    let mut page = Vec::new();
    let written = Man::new(command.clone()).render(&mut page);
    written.map_err(|error| Failure::new(format!("the manual page: {error}")))?;
    print(&String::from_utf8_lossy(&page))
}
