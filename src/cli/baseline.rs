//! `sundown baseline`: writes findings to a baseline.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::check::CheckArgs;
use super::console::Result;
use super::console::print;
use super::options::{load_configured_rules, output_rights};
use super::progress::{ProgressDisplay, stop_on_interrupt};
use super::scope::load_allowances;
use crate::config::{ResolvedConfig, SettingSource};
use crate::files::FileAccess;
use crate::findings::suppression::Baseline;
use crate::formats::Gauge;
use crate::report::Failure;
use crate::run::{
    BaselineError, Gate, Replaceable, StaleEntries, Status, check, check_output, read_baseline,
    update_baseline,
};

/// The file name of a baseline if none is given.
const DEFAULT_FILE: &str = "sundown-baseline.json";

#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    /// Remove entries that no longer match anything.
    #[arg(long, help_heading = "Known findings")]
    prune: bool,
    #[command(flatten)]
    check: CheckArgs,
}

impl BaselineArgs {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        let (config, file) = self.check.resolve_config(access)?;
        let path = baseline_path(&config)?;
        let rights = output_rights(&config, &config.baseline.source, access)?;
        check_output(&path, &rights, Replaceable::Anything).map_err(|error| error.of(&path))?;
        // The run replaces the baseline, so it does not count as a file that it reads.
        let known = match read_baseline(&path, &FileAccess::default()) {
            Err(BaselineError::Missing(name)) => Baseline::empty(&name),
            read => read?,
        };
        let verbosity = self.check.verbosity();
        let mut table = load_configured_rules(&config, verbosity, access)?;
        let applied = self
            .check
            .apply_config(&config, file.as_ref(), &mut table)?;
        let suppression = load_allowances(file.as_ref()).with_baseline(known);
        let mut options = self.check.options(
            (&config, file.as_ref()),
            applied,
            &table,
            suppression,
            access,
        )?;
        options.own_files.push(path.clone());
        options.fold = true;
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = ProgressDisplay::start(&gauge, options.size());
        let report = check(&options, &mut io::stdin(), &gauge);
        drop(progress);
        let gate = Gate {
            fail_on: None,
            strict: config.strict.value,
        };
        match gate.status(&report) {
            Status::Clean | Status::Findings => {}
            // An incomplete run does not know all findings: nothing is written.
            Status::Interrupted => return Ok(Status::Interrupted),
            Status::Failed => {
                let help = "`sundown check` with the same arguments says what";
                let message = "something could not be checked; the baseline is unchanged";
                return Err(Failure::with_help(message, help));
            }
        }
        let stale = if self.prune {
            StaleEntries::Prune
        } else {
            StaleEntries::Keep
        };
        let update = update_baseline(&path, &rights, &report, stale, verbosity)?;
        if self.check.report.quiet {
            Ok(Status::Clean)
        } else {
            print(&update.output)
        }
    }
}

/// Returns the path of the baseline: by default in the folder of the configuration, or in the working directory.
fn baseline_path(config: &ResolvedConfig) -> Result<PathBuf> {
    if let Some(path) = &config.baseline.value {
        return Ok(path.clone());
    }
    if config.baseline.source == SettingSource::CommandLine("--no-baseline") {
        let help = "name the file to write with --baseline";
        return Err(Failure::with_help(
            "--no-baseline leaves nothing to write",
            help,
        ));
    }
    let root = config
        .root
        .as_deref()
        .filter(|root| *root != Path::new("."));
    Ok(root.map_or_else(
        || PathBuf::from(DEFAULT_FILE),
        |root| root.join(DEFAULT_FILE),
    ))
}
