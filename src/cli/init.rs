//! `sundown init`: writes a first configuration.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::console::Result;
use super::console::print;
use super::progress::stop_on_interrupt;
use crate::report::Failure;
use crate::run::{StarterConfig, Status, find_free_config_path, propose_config, write_config};

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Print the configuration instead of writing `sundown.toml`.
    #[arg(long)]
    stdout: bool,
}

impl InitArgs {
    pub(super) fn run(&self) -> Result<Status> {
        let folder = Path::new(".");
        if self.stdout {
            return print(&propose_config(folder).text);
        }
        let path = find_free_config_path(folder).map_err(|existing| {
            let help = "edit it, or print a new one with `sundown init --stdout`";
            let message = format!("there is already a configuration: {}", existing.display());
            Failure::with_help(message, help)
        })?;
        let StarterConfig { text, summary } = propose_config(folder);
        let path = path.strip_prefix(folder).unwrap_or(&path);
        // An interrupt would leave a temporary file.
        stop_on_interrupt(&Arc::default());
        write_config(path, &text).map_err(|error| error.of(path))?;
        print(&format!(
            "{} written; found here: {summary}\nnext: `sundown check`, and `sundown config` to see the settings in effect\n",
            path.display()
        ))
    }
}
