//! The rules of a run with the tables of its configuration, and how much of a project it covers, which decides what it can say about
//! allowances and the baseline.

use std::path::{Path, PathBuf};

use super::console::{Result, print_warning};
use super::options::load_configured_rules;
use crate::builtin::LIBRARY;
use sundown_files::{FileAccess, full_path};
use sundown_lint::findings::suppression::{Baseline, Completeness, RunScope, Suppression};
use sundown_lint::rules::RuleTable;
use sundown_report::{Failure, Verbosity};
use sundown_run::config::{ConfigFile, ResolvedConfig, SettingSource};
use sundown_run::{AppliedConfig, ChangedFiles, apply_config, find_changed_files, read_baseline};

/// Loads the rules that a configuration selects, and applies its tables to them.
pub(super) fn load_and_apply(
    config: &ResolvedConfig,
    verbosity: Verbosity,
    access: &FileAccess,
) -> Result<(RuleTable, AppliedConfig)> {
    let mut table = load_configured_rules(config, verbosity, access)?;
    let applied = match &config.file {
        Some(file) => apply_config(file, &mut table, rules_completeness(config), LIBRARY)?,
        None => AppliedConfig::default(),
    };
    Ok((table, applied))
}

/// Prints the warnings about the tables of a configuration, unless the user asked for quiet.
pub(super) fn print_warnings(applied: &AppliedConfig, verbosity: Verbosity) {
    applied
        .warnings
        .iter()
        .filter(|_| verbosity != Verbosity::Quiet)
        .for_each(print_warning);
}

/// Returns what of the project a run covers. Flags of settings that exclude something, and paths below the root, make it
/// partial.
pub(super) fn run_scope(config: &ResolvedConfig) -> RunScope {
    let root = config.names_root().unwrap_or_else(|| PathBuf::from("."));
    let paths = &config.paths;
    let covers = |folder: &Path| paths.value.iter().any(|path| contains(path, folder));
    // The paths of the configuration are all that the project checks.
    let is_below = !matches!(paths.source, SettingSource::File(_)) && !covers(&root);
    let baseline = config.baseline.value.as_deref().and_then(full_path);
    let baseline_folder = baseline.as_deref().and_then(Path::parent);
    let is_elsewhere =
        baseline_folder.is_some_and(|folder| !contains(&root, folder) && !covers(folder));
    let is_filtered =
        config.include.source.is_command_line() || config.exclude.source.is_command_line();
    RunScope {
        files: partial_if(is_below || is_filtered),
        rules: rules_completeness(config),
        checks: partial_if(config.role.source.is_command_line()),
        bodies: Completeness::Complete,
        known: partial_if(is_elsewhere),
    }
}

/// Whether a run has all rules that the configuration refers to: flags may have replaced or disabled some.
fn rules_completeness(config: &ResolvedConfig) -> Completeness {
    let file = config.file.as_ref();
    let has_own = file.is_some_and(|file| file.config.values.rules.is_some());
    partial_if(
        config.builtin_rules.source.is_command_line()
            || config.without_table.source.is_command_line()
            || config.contract.source.is_command_line()
            || config.packs.source.is_command_line()
            || has_own && config.rules.source.is_command_line(),
    )
}

/// Returns the completeness of something.
pub(super) fn partial_if(is_partial: bool) -> Completeness {
    if is_partial {
        Completeness::Partial
    } else {
        Completeness::Complete
    }
}

/// Returns the allowances of the configuration, and the baseline if there is one.
pub(super) fn load_suppression(
    config: &ResolvedConfig,
    access: &FileAccess,
) -> Result<Suppression> {
    let suppression = load_allowances(config);
    match &config.baseline.value {
        Some(path) => {
            let baseline = read_baseline(path, access)?;
            Ok(suppression.with_baseline(counted(config, baseline)))
        }
        None => Ok(suppression),
    }
}

/// The baseline, with the numbers of uses unless the configuration ignores them.
pub(super) fn counted(config: &ResolvedConfig, baseline: Baseline) -> Baseline {
    if config.baseline_ignores_counts.value {
        baseline.without_counts()
    } else {
        baseline
    }
}

/// Returns the allowances of the configuration.
pub(super) fn load_allowances(config: &ResolvedConfig) -> Suppression {
    let Some(ConfigFile { path, text, config }) = &config.file else {
        return Suppression::default();
    };
    Suppression::default().with_allowances(&path.display().to_string(), text, &config.allows)
}

/// Finds the files that changed since a revision.
pub(super) fn find_changes(since: &str, config: &ResolvedConfig) -> Result<ChangedFiles> {
    let changed = find_changed_files(since)?;
    if let Some(path) = changed.outside(&config.paths.value) {
        let help = "run sundown in the repository that the files belong to";
        let message = format!(
            "{} is outside of the repository of --changed-since",
            path.display()
        );
        return Err(Failure::with_help(message, help));
    }
    Ok(changed)
}

/// Whether `folder` is the folder at `path`, or in it.
fn contains(path: &Path, folder: &Path) -> bool {
    std::fs::canonicalize(folder)
        .is_ok_and(|folder| std::fs::canonicalize(path).is_ok_and(|path| folder.starts_with(path)))
}
