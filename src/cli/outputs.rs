//! Where reports and partial results are written, and what they must not overwrite.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::console::{Result, print_written};
use sundown_files::FileAccess;
use sundown_report::{Failure, OutputFormat};
use sundown_run::config::{Config, SettingSource, Settings};
use sundown_run::{
    OutputRights, Replaceable, check_output, folder_of, holds_traffic, is_own_output, write_output,
};

/// The environment variable that GitHub Actions sets to `true`.
const GITHUB_ACTIONS: &str = "GITHUB_ACTIONS";

/// Replaces the default output format by that of this environment.
pub(super) fn set_default_format(settings: &mut Settings) {
    if std::env::var_os(GITHUB_ACTIONS).is_some_and(|value| value == "true") {
        settings.set_default_format(OutputFormat::GITHUB, GITHUB_ACTIONS);
    }
}

/// Returns where the outputs under the key of a setting may be.
pub(super) fn output_rights(config: &Config, key: &str, access: &FileAccess) -> OutputRights {
    OutputRights {
        boundary: config.output_boundary(key),
        files: access.clone(),
    }
}

/// Refuses outputs that exclude each other, or that would overwrite another file.
pub(super) fn check_targets(config: &Config, no_fold: bool, rights: &OutputRights) -> Result<()> {
    let targets = &config.settings.format;
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

/// The files of a run that are nothing to check: the baseline, the configuration and the rules. A description may be both.
pub(super) fn own_files(config: &Config) -> Vec<PathBuf> {
    let rules = config.settings.rules.iter();
    let rules = rules.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let own = config.settings.baseline.iter().chain(rules);
    own.chain(&config.path).cloned().collect()
}

/// The files that a run reads: inputs, the baseline, the configuration and the rules.
pub(super) fn used_files(config: &Config) -> Vec<PathBuf> {
    let mut used = own_files(config);
    used.extend_from_slice(&config.settings.paths);
    used.extend_from_slice(&config.settings.rules);
    used
}

/// The flag by which the user wants a report on standard output, if there is one.
pub(super) fn printed_format(config: &Config) -> Option<&'static str> {
    let mut targets = config.settings.format.iter();
    let is_printed = targets.any(|target| target.file.is_none());
    match config.settings.source("format") {
        SettingSource::CommandLine(flag) => Some(*flag).filter(|_| is_printed),
        _ => None,
    }
}

/// The reports of earlier runs that this run replaces: they are nothing to check.
pub(super) fn earlier_reports(config: &Config) -> Vec<PathBuf> {
    let files = config.settings.format.iter();
    let files = files.filter_map(|target| target.file.clone());
    files
        .filter(|file| {
            let mut formats = OutputFormat::ALL.iter();
            formats.any(|format| is_own_output(file, Replaceable::Report(*format)))
        })
        .collect()
}

/// Refuses an output that would overwrite one of these files.
fn refuse_used(file: &Path, used: &[PathBuf]) -> Result<()> {
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
    if file.is_file() && holds_traffic(file) {
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
    let folder = std::fs::canonicalize(folder_of(path)).ok()?;
    Some(folder.join(path.file_name()?))
}

/// Where a partial result is written.
#[derive(Debug, Args)]
pub(super) struct PartialArgs {
    /// Also write the counts to this file, for `sundown merge`; with `-`, write them to standard output instead of the report.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    partial: Option<PathBuf>,
}

impl PartialArgs {
    /// Whether it is written to standard output, instead of the report.
    pub(super) fn replaces_report(&self) -> bool {
        self.partial.is_some() && self.file().is_none()
    }

    /// Returns the file that is written.
    fn file(&self) -> Option<&Path> {
        self.partial
            .as_deref()
            .filter(|path| *path != Path::new("-"))
    }

    /// Returns the partial result of an earlier run that this run replaces: it is nothing to check.
    pub(super) fn earlier(&self) -> Option<PathBuf> {
        let file = self.file().map(Path::to_owned);
        file.filter(|file| is_own_output(file, Replaceable::PartialResult))
    }

    /// Refuses a file that is one of `used`, or something else than a partial result.
    pub(super) fn check_target(&self, used: &[PathBuf]) -> Result<()> {
        let Some(file) = self.file() else {
            return Ok(());
        };
        refuse_used(file, used)?;
        check_output(file, &OutputRights::default(), Replaceable::PartialResult)
            .map_err(|error| error.of(file))
    }

    /// Writes the partial result, if it is wanted, to no file that the run has read.
    pub(super) fn write(
        &self,
        files: &FileAccess,
        write: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        if let Some(file) = self.file() {
            let rights = OutputRights {
                boundary: None,
                files: files.clone(),
            };
            return write_output(file, &rights, Replaceable::PartialResult, &mut |out| {
                let mut out = BufWriter::new(out);
                write(&mut out).and_then(|()| out.flush())
            })
            .map_err(|error| error.of(file));
        }
        if self.replaces_report() {
            print_written(|out| write(out))?;
        }
        Ok(())
    }
}
