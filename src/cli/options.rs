//! The options that several commands share: the configuration, the rules, the date.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::Args;

use super::Result;
use super::console::print_notes;
use super::flags::{RulesScope, SettingFlags};
use crate::config::{ConfigFile, ConfigSearch, ResolvedConfig};
use crate::openapi::DateSources;
use crate::report::Verbosity;
use crate::rules::{Lifecycle, RuleTable};
use crate::run::{RuleSelection, load_rules};

/// Which configuration to use.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Use this configuration (default: the nearest `sundown.toml` in or above the folder that is checked).
    #[arg(long = "config", value_name = "FILE", help_heading = "Configuration")]
    file: Option<PathBuf>,
    /// Do not use a configuration.
    #[arg(long, conflicts_with = "file", help_heading = "Configuration")]
    no_config: bool,
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
    #[arg(long, value_name = "YYYY-MM-DD", help_heading = "Grading")]
    as_of: Option<NaiveDate>,
}

impl ConfigArgs {
    /// Finds the configuration for these paths.
    pub(super) fn find(
        &self,
        paths: &[PathBuf],
        verbosity: Verbosity,
    ) -> Result<Option<ConfigFile>> {
        if self.no_config {
            return Ok(None);
        }
        if let Some(path) = &self.file {
            return Ok(Some(ConfigFile::open(path)?));
        }
        let ConfigSearch { file, notes } = ConfigFile::find(paths)?;
        print_notes(&notes, verbosity);
        Ok(file)
    }
}

impl RuleArgs {
    /// Merges the flags with the configuration of the working directory.
    pub(super) fn resolve_config(
        &self,
        config: &ConfigArgs,
    ) -> Result<(ResolvedConfig, Option<ConfigFile>)> {
        let file = config.find(&[], Verbosity::Normal)?;
        Ok((ResolvedConfig::new(self.flags.values.clone(), file.as_ref()), file))
    }

    /// Loads the rules.
    pub(super) fn load(&self, config: &ConfigArgs) -> Result<RuleTable> {
        let (config, _) = self.resolve_config(config)?;
        load_configured_rules(&config, Verbosity::Normal)
    }
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
) -> Result<RuleTable> {
    let mut table = load_rules(&RuleSelection {
        files: config.rules.value.clone(),
        without: config.without_table.value.clone(),
        no_builtin: !config.builtin_rules.value,
        dates: date_sources(config.dates_from_text.value),
        expansion: config.max_expansion.value,
    })?;
    if config.any_host.value {
        table.allow_any_address();
    }
    print_notes(table.notes(), verbosity);
    Ok(table)
}

/// Returns where descriptions are searched for removal dates.
pub(super) fn date_sources(from_text: bool) -> DateSources {
    if from_text { DateSources::ExtensionsAndProse } else { DateSources::Extensions }
}

#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
fn today() -> NaiveDate {
    chrono::Utc::now().date_naive()
}
