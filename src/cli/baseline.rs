//! `sundown baseline`: writes findings to a baseline.

use std::path::{Path, PathBuf};

use clap::Args;

use super::check::CheckArgs;
use super::console::{Result, print, with_progress};
use super::options::{counted, load_allowances, load_and_apply, print_warnings};
use super::outputs::output_rights;
use sundown_files::FileAccess;
use sundown_report::Failure;
use sundown_run::config::{Config, SettingSource};
use sundown_run::{
    Gate, Replaceable, StaleEntries, Status, check, check_output, read_old_baseline, rule_options,
    update_baseline,
};

/// The file name of a baseline if none is given.
const DEFAULT_FILE: &str = "sundown-baseline.json";

#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    /// Remove entries that no longer match anything.
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    check: CheckArgs,
}

impl BaselineArgs {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        let mut config = self.check.resolve_config(access)?;
        let path = baseline_path(&config)?;
        let rights = output_rights(&config, "baseline", access);
        check_output(&path, &rights, Replaceable::Anything).map_err(|error| error.of(&path))?;
        // The run replaces the baseline, so it does not count as a file that it reads.
        let known = read_old_baseline(&path)?;
        let verbosity = self.check.verbosity();
        let (set, warnings) =
            load_and_apply(rule_options(&config), &mut config, verbosity, access)?;
        print_warnings(&warnings, verbosity);
        let mut options = self.check.options(&config, &set, access)?;
        options.suppression = load_allowances(&config);
        options.suppression.baseline = Some(counted(&config, known));
        options.suppression.filter = self.check.filter(&set)?;
        options.own_files.push(path.clone());
        options.fold = true;
        let report = with_progress(options.size(), |stdin, gauge| check(&options, stdin, gauge));
        let gate = Gate {
            fail_on: None,
            strict: config.settings.strict,
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
        let changes = update_baseline(&path, &rights, &report, stale, verbosity)?;
        if self.check.quiet {
            Ok(Status::Clean)
        } else {
            print(&changes)
        }
    }
}

/// Returns the path of the baseline: by default in the folder of the configuration, or in the working directory.
fn baseline_path(config: &Config) -> Result<PathBuf> {
    if let Some(path) = &config.settings.baseline {
        return Ok(path.clone());
    }
    if *config.settings.source("baseline") == SettingSource::CommandLine("no-baseline") {
        return Err(Failure::with_help(
            "--no-baseline leaves nothing to write",
            "name the file to write with --baseline",
        ));
    }
    Ok(config
        .root()
        .filter(|root| *root != Path::new("."))
        .unwrap_or(Path::new(""))
        .join(DEFAULT_FILE))
}
