//! `sundown config` and `sundown schema`: the settings in effect, and the schema of the configuration.

use clap::ValueEnum;

use super::Result;
use super::check::CheckArgs;
use super::console::print;
use crate::config::schema;
use crate::run::Status;

/// The files that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SchemaArg {
    /// The configuration, `sundown.toml`.
    Config,
}

impl SchemaArg {
    pub(super) fn run(self) -> Result<Status> {
        match self {
            Self::Config => print(&schema()),
        }
    }
}

/// Prints every setting with its value and its source.
pub(super) fn run(args: &CheckArgs) -> Result<Status> {
    let (config, file) = args.resolve_config()?;
    print(&config.page(file.as_ref()))
}
