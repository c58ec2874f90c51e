//! The options that several commands share: the configuration, the rules with its tables, the date, and how much of a project a run
//! covers, which decides what it can say about allowances and the baseline.

use std::env::var_os;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::{ArgMatches, Args};

use super::console::{Result, print_notes, print_warning};
use super::flags::apply_flags;
use crate::builtin::LIBRARY;
use sundown_files::{FileAccess, ReferenceScope, full_path};
use sundown_lint::findings::suppression::{Baseline, Completeness, RunScope, Suppression};
use sundown_lint::rules::{Lifecycle, RuleOptions, RuleSet, TargetError, TargetVersion};
use sundown_report::{Failure, FindingDetail, Verbosity};
use sundown_run::config::{Config, SettingSource};
use sundown_run::{ChangedFiles, find_changed_files, load_rules, read_baseline, resolve_config};
use sundown_text_json::text::{StatedDate, parse_date};

/// Which configuration to use.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Use this configuration (default: the nearest `sundown.toml`).
    ///
    /// The nearest is in the folder that is checked, or in one above it. The environment variable `SUNDOWN_CONFIG` names another default.
    #[arg(long = "config", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Do not use a configuration.
    #[arg(long, conflicts_with = "file", help_heading = "Configuration")]
    no_config: bool,
    #[command(flatten)]
    references: ReferenceArgs,
}

/// Where the files may be that other files name.
#[derive(Debug, Args)]
pub(super) struct ReferenceArgs {
    /// Accept paths in the configuration, and references in descriptions and rules, that lead out of their repository (the folder
    /// with `.git`), or without one, out of their folder.
    #[arg(long, help_heading = "Configuration")]
    allow_outside: bool,
}

/// The date by which findings are graded.
#[derive(Debug, Args)]
pub(super) struct DateArgs {
    /// Grade as of this date (default: today, in UTC).
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    as_of: Option<NaiveDate>,
}

impl ConfigArgs {
    /// Finds the configuration for these paths, and lets the command line replace its settings.
    pub(super) fn resolve(
        &self,
        flags: &ArgMatches,
        paths: &[PathBuf],
        verbosity: Verbosity,
        access: &FileAccess,
    ) -> Result<Config> {
        let mut config = self.find(paths, verbosity, access)?;
        if !paths.is_empty() {
            config.settings.name_paths(paths);
        }
        self.with_flags(config, flags)
    }

    /// Finds the configuration for these paths.
    fn find(&self, paths: &[PathBuf], verbosity: Verbosity, access: &FileAccess) -> Result<Config> {
        if self.no_config {
            return Ok(Config::default());
        }
        let named = var_os("SUNDOWN_CONFIG").filter(|path| !path.is_empty());
        if let Some(path) = self.file.clone().or(named.map(PathBuf::from)) {
            return Config::open(&path, access);
        }
        let (config, notes) = Config::find(paths, access)?;
        print_notes(&notes, verbosity);
        Ok(config)
    }

    /// Lets the command line replace settings, and refuses paths of the configuration that lead out of its repository.
    pub(super) fn with_flags(&self, mut config: Config, flags: &ArgMatches) -> Result<Config> {
        apply_flags(flags, &mut config.settings)?;
        config.settings.references = self.references.scope();
        config.settings.prefer_named_rules();
        config.check_paths()?;
        Ok(config)
    }
}

impl ReferenceArgs {
    /// Returns where the files may be.
    pub(super) fn scope(&self) -> ReferenceScope {
        if self.allow_outside {
            ReferenceScope::Anywhere
        } else {
            ReferenceScope::Inside
        }
    }
}

/// Returns how much `--all` shows.
pub(super) fn finding_detail(all: bool) -> FindingDetail {
    if all {
        FindingDetail::All
    } else {
        FindingDetail::Grouped
    }
}

/// Parses a day, in any form in which dates are read.
pub(super) fn parse_day(text: &str) -> Result<NaiveDate, &'static str> {
    let day = parse_date(text).and_then(StatedDate::day);
    day.ok_or("dates look like 2026-11-20")
}

impl DateArgs {
    /// Returns the date.
    pub(super) fn day(&self) -> NaiveDate {
        self.as_of.unwrap_or_else(today)
    }

    /// Returns the default thresholds on that date.
    pub(super) fn lifecycle(&self) -> Lifecycle {
        Lifecycle::on(self.day())
    }
}

/// Loads the rules that a configuration selects, with these options, and prints notes about them.
pub(super) fn load_configured_rules(
    options: RuleOptions,
    config: &Config,
    verbosity: Verbosity,
    access: &FileAccess,
) -> Result<RuleSet> {
    let set = load_rules(options, LIBRARY, config, access)?;
    print_notes(set.notes(), verbosity);
    Ok(set)
}

#[allow(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the clock"
)]
pub(super) fn today() -> NaiveDate {
    chrono::Utc::now().date_naive()
}

/// Loads the rules that a configuration selects, with its options or more, and compares its tables with them. Also returns warnings
/// about these.
pub(super) fn load_and_apply(
    options: RuleOptions,
    config: &mut Config,
    verbosity: Verbosity,
    access: &FileAccess,
) -> Result<(RuleSet, Vec<String>)> {
    let set = load_configured_rules(options, config, verbosity, access)?;
    let rules = rules_completeness(config);
    let warnings = resolve_config(config, &set, rules, LIBRARY)?;
    for target in &config.settings.target_version {
        match set.files_of_target(target) {
            Ok(_) => {}
            // It may be about rules that flags have replaced.
            Err(TargetError::NoVersions(_)) if is_of_other_rules(config) => {}
            Err(error) => return Err(target_failure(target, &error)),
        }
    }
    Ok((set, warnings))
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
