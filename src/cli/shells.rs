//! What shells and `man` know of the command line, made of the command line itself.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use sundown::report::Failure;
use sundown::run::Status;

use super::{Cli, Result, print};

/// Prints a script by which a shell completes commands, flags and their values.
pub(super) fn completions(shell: Shell) -> Result<Status> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "sundown", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program, or of one of its commands.
pub(super) fn manual(of: Option<&str>) -> Result<Status> {
    let mut program = Cli::command();
    program.build();
    let command = match of {
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
