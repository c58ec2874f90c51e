//! The options that several commands share: the configuration, the rules, the date.

use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::Args;

use super::console::{Result, print_notes};
use super::flags::{RulesScope, SettingFlags};
use crate::builtin::LIBRARY;
use sundown_files::{FileAccess, ReferenceScope};
use sundown_lint::rules::{Lifecycle, RuleTable};
use sundown_openapi::{DateSources, DeprecationSources, MarkerOptions};
use sundown_report::{Failure, FindingDetail, Verbosity};
use sundown_run::config::{ConfigFile, ConfigSearch, GivenSettings, ResolvedConfig};
use sundown_run::{RuleSelection, load_rules};
use sundown_text_json::text::{StatedDate, parse_date};

/// Which configuration to use.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Use this configuration (default: the nearest `sundown.toml`).
    ///
    /// The nearest is in the folder that is checked, or in one above it.
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

/// Which rules to use, for commands that check nothing.
#[derive(Debug, Args)]
pub(super) struct RuleArgs {
    #[command(flatten)]
    flags: SettingFlags<RulesScope>,
}

/// The date by which findings are graded.
#[derive(Debug, Args)]
pub(super) struct DateArgs {
    /// Grade as of this date (default: today, in UTC).
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    as_of: Option<NaiveDate>,
}

impl ConfigArgs {
    /// Merges the configuration for these paths, which `flag` names, with the flags.
    pub(super) fn resolve(
        &self,
        flags: &GivenSettings,
        paths: &[PathBuf],
        flag: &'static str,
        verbosity: Verbosity,
        access: &FileAccess,
    ) -> Result<ResolvedConfig> {
        let file = self.find(paths, verbosity, access)?;
        let mut flags = flags.clone();
        if !paths.is_empty() {
            let paths: Vec<_> = paths.iter().map(Into::into).collect();
            flags.set("paths", flag, &paths).map_err(Failure::new)?;
        }
        self.merge(flags, file)
    }

    /// Finds the configuration for these paths.
    fn find(
        &self,
        paths: &[PathBuf],
        verbosity: Verbosity,
        access: &FileAccess,
    ) -> Result<Option<ConfigFile>> {
        if self.no_config {
            return Ok(None);
        }
        if let Some(path) = &self.file {
            return Ok(Some(ConfigFile::open(path, access)?));
        }
        let ConfigSearch { file, notes } = ConfigFile::find(paths, access)?;
        print_notes(&notes, verbosity);
        Ok(file)
    }

    /// Merges the configuration with the command line, and refuses paths that lead out of its repository.
    pub(super) fn merge(
        &self,
        flags: GivenSettings,
        file: Option<ConfigFile>,
    ) -> Result<ResolvedConfig> {
        let mut config = ResolvedConfig::new(flags, file);
        config.references = self.references.scope();
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

impl RuleArgs {
    /// Merges the flags with the configuration of the working directory.
    pub(super) fn resolve_config(
        &self,
        config: &ConfigArgs,
        access: &FileAccess,
    ) -> Result<ResolvedConfig> {
        let file = config.find(&[], Verbosity::Normal, access)?;
        config.merge(self.flags.values.clone(), file)
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

/// Loads the rules that a configuration selects, and prints notes about them.
pub(super) fn load_configured_rules(
    config: &ResolvedConfig,
    verbosity: Verbosity,
    access: &FileAccess,
) -> Result<RuleTable> {
    let mut table = load_rules(&rule_selection(config, access))?;
    if config.unknown_host.value {
        table.allow_unknown_hosts();
    }
    if config.any_host.value {
        table.allow_any_address();
    }
    print_notes(table.notes(), verbosity);
    Ok(table)
}

/// Returns the rules that a configuration selects.
pub(super) fn rule_selection(config: &ResolvedConfig, access: &FileAccess) -> RuleSelection {
    RuleSelection {
        library: LIBRARY,
        access: access.clone(),
        files: config.rules.value.clone(),
        references: config.references,
        folder: config.rules_folder().map(Path::to_owned),
        without: config.without_table.value.clone(),
        no_builtin: !config.builtin_rules.value,
        contract: config.contract.value,
        packs: config.packs.value.clone(),
        markers: marker_options(
            config.deprecations_from_text.value,
            config.dates_from_text.value,
        ),
        expansion: config.max_expansion.value,
    }
}

/// Returns what marks elements of descriptions, and where removal dates are searched.
pub(super) fn marker_options(deprecations_from_text: bool, dates_from_text: bool) -> MarkerOptions {
    MarkerOptions {
        deprecations: if deprecations_from_text {
            DeprecationSources::KeysAndProse
        } else {
            DeprecationSources::Keys
        },
        dates: if dates_from_text {
            DateSources::ExtensionsAndProse
        } else {
            DateSources::Extensions
        },
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the clock"
)]
fn today() -> NaiveDate {
    chrono::Utc::now().date_naive()
}
