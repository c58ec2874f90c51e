//! Where reports are written, and what they must not overwrite.

use std::path::{Path, PathBuf};

use super::console::Result;
use crate::config::{ResolvedConfig, SettingSource};
use crate::files::Names;
use crate::report::{Failure, OutputFormat};
use crate::run::{OutputRights, Replaceable, check_output, holds_traffic, is_own_output};

/// The environment variable that GitHub Actions sets to `true`.
const GITHUB_ACTIONS: &str = "GITHUB_ACTIONS";

/// Returns the output format that replaces the default in this environment, and the variable that causes it.
pub(super) fn default_format() -> Option<(OutputFormat, &'static str)> {
    let is_set = std::env::var_os(GITHUB_ACTIONS).is_some_and(|value| value == "true");
    is_set.then_some((OutputFormat::GITHUB, GITHUB_ACTIONS))
}

/// Refuses outputs that exclude each other, or that would overwrite another file.
pub(super) fn check_targets(
    config: &ResolvedConfig,
    no_fold: bool,
    rights: &OutputRights,
) -> Result<()> {
    let targets = &config.format.value;
    if no_fold
        && targets
            .iter()
            .any(|target| target.format != OutputFormat::NDJSON)
    {
        let help = "add --format ndjson";
        let message = "--no-fold reports every use, which only ndjson supports";
        return Err(Failure::with_help(message, help));
    }
    if targets
        .iter()
        .filter(|target| target.file.is_none())
        .count()
        > 1
    {
        let help = "write all others to files: --format json=report.json";
        return Err(Failure::with_help(
            "only one format can go to standard output",
            help,
        ));
    }
    let mut used = used_files(config);
    for target in targets {
        let Some(file) = &target.file else { continue };
        refuse_used(file, &used)?;
        refuse_traffic(file)?;
        check_output(file, rights, rights.of_report(target.format))
            .map_err(|error| error.of(file))?;
        used.push(file.clone());
    }
    Ok(())
}

/// The files that a run reads: inputs, the baseline, the configuration and the rules.
pub(super) fn used_files(config: &ResolvedConfig) -> Vec<PathBuf> {
    let own = config
        .baseline
        .value
        .iter()
        .chain(&config.file)
        .chain(&config.rules.value);
    config.paths.value.iter().chain(own).cloned().collect()
}

/// The flag by which the user wants a report on standard output, if there is one.
pub(super) fn printed_format(config: &ResolvedConfig) -> Option<&'static str> {
    let format = &config.format;
    let is_printed = format.value.iter().any(|target| target.file.is_none());
    match format.source {
        SettingSource::CommandLine(flag) => Some(flag).filter(|_| is_printed),
        _ => None,
    }
}

/// The files to which a run writes reports.
pub(super) fn target_files(config: &ResolvedConfig) -> Vec<PathBuf> {
    config
        .format
        .value
        .iter()
        .filter_map(|target| target.file.clone())
        .collect()
}

/// The reports of earlier runs that this run replaces: they are nothing to check.
pub(super) fn earlier_reports(config: &ResolvedConfig) -> Vec<PathBuf> {
    let targets = config.format.value.iter();
    let is_report = |file: &&PathBuf| {
        OutputFormat::ALL
            .iter()
            .any(|format| is_own_output(file, Replaceable::Report(*format)))
    };
    targets
        .filter_map(|target| target.file.as_ref())
        .filter(is_report)
        .cloned()
        .collect()
}

/// Refuses an output that would overwrite one of these files.
pub(super) fn refuse_used(file: &Path, used: &[PathBuf]) -> Result<()> {
    // Devices and pipes can be written any number of times.
    let Some(path) = real(file).filter(|path| path.is_file() || !path.exists()) else {
        return Ok(());
    };
    if used.iter().any(|used| real(used).as_ref() == Some(&path)) {
        let message = format!(
            "{} is already used: by another report, as an input, as rules, as a secret, as the baseline or as the configuration",
            file.display()
        );
        return Err(Failure::with_help(message, "give the report its own file"));
    }
    Ok(())
}

/// Refuses a report that would overwrite a file with exchanges, which the run need not read.
fn refuse_traffic(file: &Path) -> Result<()> {
    if file.is_file() && holds_traffic(file, &Names::default()) {
        let message = format!(
            "{} contains exchanges or an API description: a report must not overwrite it",
            file.display()
        );
        let help = "give the report its own file, or delete this one first";
        return Err(Failure::with_help(message, help));
    }
    Ok(())
}

/// Returns the path that a file has, or would have, without symbolic links.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = std::fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
    Some(parent.join(path.file_name()?))
}
