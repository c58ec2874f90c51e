//! `sundown config` and `sundown schema`: the settings in effect, and the schemas of files.

use clap::ValueEnum;

use super::Result;
use super::check::CheckArgs;
use super::console::print;
use crate::config::schema;
use crate::report::REPORT_SCHEMA;
use crate::run::Status;

/// The files that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SchemaArg {
    /// The configuration, `sundown.toml`.
    Config,
    /// The JSON report, `sundown check --format json`.
    Report,
}

impl SchemaArg {
    pub(super) fn run(self) -> Result<Status> {
        match self {
            Self::Config => print(&schema()),
            Self::Report => print(REPORT_SCHEMA),
        }
    }
}

/// Prints every setting with its value and its source.
pub(super) fn run(args: &CheckArgs) -> Result<Status> {
    let (config, file) = args.resolve_config()?;
    print(&config.page(file.as_ref()))
}
