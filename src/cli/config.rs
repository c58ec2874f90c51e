//! `sundown config` and `sundown schema`: the settings in effect, and the schemas of files.

use clap::ValueEnum;

use super::check::CheckArgs;
use super::console::Result;
use super::console::print;
use crate::config::schema;
use crate::files::FileAccess;
use crate::report::REPORT_SCHEMA;
use crate::run::Status;
use crate::usage::USAGE_SCHEMA;

/// The files that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SchemaArg {
    /// The configuration, `sundown.toml`.
    Config,
    /// The JSON report, `sundown check --format json`.
    Report,
    /// The JSON report of `sundown usage --format json`.
    Usage,
}

impl SchemaArg {
    pub(super) fn run(self) -> Result<Status> {
        match self {
            Self::Config => print(&schema()),
            Self::Report => print(REPORT_SCHEMA),
            Self::Usage => print(USAGE_SCHEMA),
        }
    }
}

/// Prints every setting with its value and its source.
pub(super) fn run(args: &CheckArgs, access: &FileAccess) -> Result<Status> {
    let (config, file) = args.resolve_config(access)?;
    print(&config.page(file.as_ref()))
}
