//! The options that several commands share: the configuration, the rules, the date.

use std::env::var_os;
use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{ArgMatches, Args};

use super::console::{Result, print_notes};
use super::flags::apply_flags;
use crate::builtin::LIBRARY;
use sundown_files::{FileAccess, ReferenceScope};
use sundown_lint::rules::{Lifecycle, RuleTable};
use sundown_report::{FindingDetail, Verbosity};
use sundown_run::config::Config;
use sundown_run::load_rules;
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

/// Loads the rules that a configuration selects, and prints notes about them.
pub(super) fn load_configured_rules(
    config: &Config,
    verbosity: Verbosity,
    access: &FileAccess,
) -> Result<RuleTable> {
    let mut table = load_rules(LIBRARY, config, access)?;
    if config.settings.unknown_host {
        table.allow_unknown_hosts();
    }
    if config.settings.any_host {
        table.allow_any_address();
    }
    print_notes(table.notes(), verbosity);
    Ok(table)
}

#[allow(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the clock"
)]
pub(super) fn today() -> NaiveDate {
    chrono::Utc::now().date_naive()
}
