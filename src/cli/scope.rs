//! The rules of a run with the tables of its configuration, and how much of a project it covers, which decides what it can say about
//! allowances and the baseline.

use std::path::{Path, PathBuf};

use super::console::{Result, print_warning};
use super::options::load_configured_rules;
use crate::builtin::LIBRARY;
use sundown_files::{FileAccess, full_path};
use sundown_lint::findings::suppression::{Baseline, Completeness, RunScope, Suppression};
use sundown_lint::rules::{RuleTable, TargetError, TargetVersion};
use sundown_report::{Failure, Verbosity};
use sundown_run::config::{Config, SettingSource};
use sundown_run::{ChangedFiles, apply_config, find_changed_files, read_baseline};

/// Loads the rules that a configuration selects, and applies its tables to them. Also returns warnings about these.
pub(super) fn load_and_apply(
    config: &mut Config,
    verbosity: Verbosity,
    access: &FileAccess,
) -> Result<(RuleTable, Vec<String>)> {
    let mut table = load_configured_rules(config, verbosity, access)?;
    let rules = rules_completeness(config);
    let warnings = apply_config(config, &mut table, rules, LIBRARY)?;
    for target in &config.settings.target_version {
        match table.set_target(target) {
            Ok(()) => {}
            // It may be about rules that flags have replaced.
            Err(TargetError::NoVersions(_)) if is_of_other_rules(config) => {}
            Err(error) => return Err(target_failure(target, &error)),
        }
    }
    Ok((table, warnings))
}

/// Whether the targets of the configuration may be about rules that this run does not have.
fn is_of_other_rules(config: &Config) -> bool {
    matches!(
        config.settings.source("target-version"),
        SettingSource::File(_)
    ) && rules_completeness(config) == Completeness::Partial
}

/// The failure of a target that does not fit the rules.
fn target_failure(target: &TargetVersion, error: &TargetError) -> Failure {
    let version = target.version;
    let (TargetError::NoVersions(apis) | TargetError::SeveralApis(apis)) = error;
    let apis: Vec<_> = apis.iter().map(|api| format!("`{api}`")).collect();
    let known = apis.join(", ");
    let (message, help) = match error {
        TargetError::NoVersions(_) if apis.is_empty() => (
            format!("no rule states versions of a server that {version} could be compared with"),
            "add such rules, for example with --pack kubernetes".to_owned(),
        ),
        TargetError::NoVersions(_) => (
            format!("no rule of this API states versions of its server: {target}"),
            format!("write API={version}; the APIs are: {known}"),
        ),
        TargetError::SeveralApis(_) => (
            format!("the rules of several APIs state versions, and {version} names none of them"),
            format!("write API={version}; the APIs are: {known}"),
        ),
    };
    Failure::with_help(message, help)
}

/// Prints the warnings about the tables of a configuration, unless the user asked for quiet.
pub(super) fn print_warnings(warnings: &[String], verbosity: Verbosity) {
    warnings
        .iter()
        .filter(|_| verbosity != Verbosity::Quiet)
        .for_each(print_warning);
}

/// Returns what of the project a run covers. Flags of settings that exclude something, and paths below the root, make it
/// partial.
pub(super) fn run_scope(config: &Config) -> RunScope {
    let root = config.names_root().unwrap_or_else(|| PathBuf::from("."));
    let settings = &config.settings;
    let covers = |folder: &Path| settings.paths.iter().any(|path| contains(path, folder));
    // The paths of the configuration are all that the project checks.
    let is_below = !matches!(settings.source("paths"), SettingSource::File(_)) && !covers(&root);
    let baseline = settings.baseline.as_deref().and_then(full_path);
    let baseline_folder = baseline.as_deref().and_then(Path::parent);
    let is_elsewhere =
        baseline_folder.is_some_and(|folder| !contains(&root, folder) && !covers(folder));
    let is_filtered = settings.is_typed("include") || settings.is_typed("exclude");
    RunScope {
        files: partial_if(is_below || is_filtered),
        rules: rules_completeness(config),
        checks: partial_if(settings.is_typed("role")),
        bodies: Completeness::Complete,
        known: partial_if(is_elsewhere),
    }
}

/// Whether a run has all rules that the configuration refers to: flags may have replaced or disabled some.
fn rules_completeness(config: &Config) -> Completeness {
    let settings = &config.settings;
    let keys = ["builtin-rules", "without-table", "contract", "packs"];
    // Rules that are typed also replace the built-in tables.
    let is_replaced = config.names_rules
        || config.path.is_some()
            && *settings.source("builtin-rules") == SettingSource::Other("rules");
    partial_if(
        keys.iter().any(|key| settings.is_typed(key)) || is_replaced && settings.is_typed("rules"),
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
pub(super) fn load_suppression(config: &Config, access: &FileAccess) -> Result<Suppression> {
    let mut suppression = load_allowances(config);
    if let Some(path) = &config.settings.baseline {
        suppression.baseline = Some(counted(config, read_baseline(path, access)?));
    }
    Ok(suppression)
}

/// The baseline, with the numbers of uses unless the configuration ignores them.
pub(super) fn counted(config: &Config, mut baseline: Baseline) -> Baseline {
    if config.settings.baseline_ignores_counts {
        for uses in baseline.entries.values_mut() {
            *uses = None;
        }
    }
    baseline
}

/// Returns the allowances of the configuration.
pub(super) fn load_allowances(config: &Config) -> Suppression {
    Suppression {
        allowances: config.allows.clone(),
        ..Suppression::default()
    }
}

/// Finds the files that changed since a revision.
pub(super) fn find_changes(since: &str, config: &Config) -> Result<ChangedFiles> {
    let changed = find_changed_files(since)?;
    if let Some(path) = changed.outside(&config.settings.paths) {
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
