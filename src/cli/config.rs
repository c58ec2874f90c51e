//! `sundown init` and `sundown schema`: a first configuration, and the schemas of files.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::console::{Result, print, stop_on_interrupt};
use super::options::today;
use crate::builtin::LIBRARY;
use sundown_lint::rules::RULES_SCHEMA;
use sundown_report::{Failure, REPORT_SCHEMA};
use sundown_run::config::{CONFIG_NAME, schema};
use sundown_run::{OutputRights, Replaceable, StarterConfig, Status, write_output};
use sundown_usage::USAGE_SCHEMA;

/// The files that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SchemaArg {
    /// The configuration, `sundown.toml`.
    Config,
    /// A rules file.
    Rules,
    /// The JSON report, `sundown check --format json`.
    Report,
    /// The JSON report of `sundown usage --format json`.
    Usage,
}

impl SchemaArg {
    pub(super) fn run(self) -> Result<Status> {
        match self {
            Self::Config => print(&schema()),
            Self::Rules => print(RULES_SCHEMA),
            Self::Report => print(REPORT_SCHEMA),
            Self::Usage => print(USAGE_SCHEMA),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Print the configuration instead of writing `sundown.toml`.
    #[arg(long)]
    stdout: bool,
}

impl InitArgs {
    pub(super) fn run(&self) -> Result<Status> {
        let path = Path::new(CONFIG_NAME);
        if path.exists() && !self.stdout {
            let help = "edit it, or print a new one with `sundown init --stdout`";
            let message = format!("there is already a configuration: ./{CONFIG_NAME}");
            return Err(Failure::with_help(message, help));
        }
        let config = StarterConfig::propose(LIBRARY, today());
        let text = config.text();
        if self.stdout {
            return print(&text);
        }
        // An interrupt would leave a temporary file.
        stop_on_interrupt(&Arc::default());
        let rights = OutputRights::default();
        write_output(path, &rights, Replaceable::Anything, &mut |out| {
            out.write_all(text.as_bytes())
        })
        .map_err(|error| error.of(path))?;
        print(&format!(
            "{}next: `sundown check`, and `sundown config` to see the settings in effect\n",
            config.summary()
        ))
    }
}
