//! `sundown manual`: manual pages, generated from the command line.

use clap::CommandFactory as _;
use clap_mangen::Man;

use super::command::Cli;
use super::console::Result;
use super::console::print;
use crate::report::Failure;
use crate::run::Status;

/// Prints the manual page of the program or of one of its commands, whose words are `path`.
pub(super) fn run(path: &[String]) -> Result<Status> {
    // There is no page of clap's own `help`, so no page may refer to it.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let command = path
        .iter()
        .try_fold(&program, |command, name| command.find_subcommand(name));
    let command = command.ok_or_else(|| {
        let help = "`sundown --help` lists the commands";
        Failure::with_help(format!("there is no command `{}`", path.join(" ")), help)
    })?;
    let mut page = Vec::new();
    let written = Man::new(command.clone()).render(&mut page);
    written.map_err(|error| Failure::new(format!("the manual page: {error}")))?;
    print(&String::from_utf8_lossy(&page))
}
