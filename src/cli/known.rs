//! The part of the command line about findings that people live with: the baseline, and what has changed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sundown::config::{BaselineFlag, ConfigFile, ResolvedConfig, SettingSource};
use sundown::findings::suppression::{Baseline, Completeness, RunScope, Suppression};
use sundown::formats::{Gauge, Names, full_path};
use sundown::report::{Failure, OutputTarget};
use sundown::run::{
    BaselineError, ChangedFiles, Gate, StaleEntries, Status, check, find_changed_files,
    holds_traffic, read_baseline, update_baseline,
};

use super::{CheckArgs, Result, load_configured_rules, print};
use crate::cli::progress::{ProgressDisplay, stop_on_interrupt};

/// Where the baseline is written where nobody says.
const DEFAULT_FILE: &str = "sundown-baseline.json";

#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    /// Take entries out that match nothing any more.
    #[arg(long, help_heading = "Known findings")]
    prune: bool,
    #[command(flatten)]
    check: CheckArgs,
}

impl BaselineArgs {
    pub(super) fn run(self) -> Result<Status> {
        if self.check.no_baseline {
            let help = "name the file that is to be written with --baseline";
            return Err(Failure::with_help("--no-baseline leaves nothing to write", help));
        }
        let file = self.check.config.find(&self.check.paths, self.check.verbosity())?;
        let config = ResolvedConfig::new(self.check.flags(), file.as_ref());
        let path = config.baseline.value.clone().unwrap_or_else(|| default_path(&config));
        let known = match read_baseline(&path) {
            Err(BaselineError::Missing(name)) => Baseline::empty(&name),
            read => read?,
        };
        let mut table = load_configured_rules(&config, self.check.verbosity())?;
        let settled = self.check.settled((&config, file.as_ref()), &mut table)?;
        let suppression = allowances(file.as_ref()).with_baseline(known.clone());
        let mut options =
            self.check.options((&config, file.as_ref()), settled, &table, suppression)?;
        options.aside.push(path.clone());
        options.fold = true;
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = ProgressDisplay::watch(&gauge, options.size());
        let outcome = check(&options, &mut io::stdin(), &gauge);
        drop(progress);
        let gate = Gate { fail_on: None, strict: config.strict.value };
        match gate.status(&outcome) {
            Status::Clean | Status::Findings => {}
            // What was not read to its end says too little: nothing is written.
            Status::Interrupted => return Ok(Status::Interrupted),
            Status::Failed => {
                let help = "`sundown check` with the same arguments tells what";
                let message = "something could not be read; the baseline is as it was";
                return Err(Failure::with_help(message, help));
            }
        }
        let gone = if self.prune { StaleEntries::Prune } else { StaleEntries::Keep };
        let verbosity = self.check.verbosity();
        let update = update_baseline(&path, &known, &outcome.report, gone, verbosity)?;
        if self.check.quiet { Ok(Status::Clean) } else { print(&update.output) }
    }
}

/// In the folder of the configuration, or where the run starts.
fn default_path(config: &ResolvedConfig) -> PathBuf {
    let root = config.root.as_deref().filter(|root| *root != Path::new("."));
    root.map_or_else(|| PathBuf::from(DEFAULT_FILE), |root| root.join(DEFAULT_FILE))
}

impl CheckArgs {
    /// What of the project is looked at: what the command line leaves out or has read otherwise, and paths below the root,
    /// make it a part.
    pub(super) fn scope(&self, config: &ResolvedConfig, file: Option<&ConfigFile>) -> RunScope {
        let said = |origin: &SettingSource| matches!(origin, SettingSource::CommandLine(_));
        let root = config.names_root().unwrap_or_else(|| PathBuf::from("."));
        let paths = &config.paths;
        let holds_all = |folder: &Path| paths.value.iter().any(|path| holds(path, folder));
        // The configuration's own paths are all that the project wants checked.
        let below = !matches!(paths.origin, SettingSource::File(_)) && !holds_all(&root);
        let baseline = config.baseline.value.as_deref().and_then(full_path);
        let beside = baseline.as_deref().and_then(Path::parent);
        let elsewhere = beside.is_some_and(|folder| !holds(&root, folder) && !holds_all(folder));
        RunScope {
            files: extent(below || said(&config.include.origin) || said(&config.exclude.origin)),
            rules: rules_extent(config, file),
            checks: extent(said(&config.role.origin)),
            bodies: extent(self.operation.is_some() || self.input_format.is_some()),
            known: extent(elsewhere),
        }
    }

    /// What the command line says of a baseline.
    pub(super) fn baseline_flag(&self) -> BaselineFlag {
        match &self.baseline {
            _ if self.no_baseline => BaselineFlag::Without,
            Some(path) => BaselineFlag::File(path.clone()),
            None => BaselineFlag::Unsaid,
        }
    }
}

/// What findings are held against: the allowances, and the baseline if there is one.
pub(super) fn suppression(
    config: &ResolvedConfig,
    file: Option<&ConfigFile>,
) -> Result<Suppression> {
    let suppression = allowances(file);
    match &config.baseline.value {
        Some(path) => Ok(suppression.with_baseline(read_baseline(path)?)),
        None => Ok(suppression),
    }
}

/// The configuration's allowances.
fn allowances(file: Option<&ConfigFile>) -> Suppression {
    let Some(ConfigFile { path, text, config }) = file else { return Suppression::default() };
    let name = path.display().to_string();
    Suppression::default().with_allowances(&name, text, &config.allows)
}

/// Whether all rules are there that the configuration is about: those that it names are not where flags name others.
pub(super) fn rules_extent(config: &ResolvedConfig, file: Option<&ConfigFile>) -> Completeness {
    let said = |origin: &SettingSource| matches!(origin, SettingSource::CommandLine(_));
    let has_own = file.is_some_and(|file| file.config.rules.is_some());
    extent(
        said(&config.builtin_rules.origin)
            || said(&config.without_table.origin)
            || has_own && said(&config.rules.origin),
    )
}

fn extent(part: bool) -> Completeness {
    if part { Completeness::Partial } else { Completeness::Complete }
}

/// Which files have changed since a revision.
pub(super) fn changed(since: &str, config: &ResolvedConfig) -> Result<ChangedFiles> {
    let changed = find_changed_files(since)?;
    if let Some(path) = changed.outside(&config.paths.value) {
        let path = path.display().to_string();
        let help = "run sundown in the repository to which the files belong";
        let message =
            format!("{path} is outside of the repository in which changes are looked for");
        return Err(Failure::with_help(message, help));
    }
    Ok(changed)
}

/// Whether `root` is the folder at `path`, or in it.
fn holds(path: &Path, root: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(root).zip(real(path)).is_some_and(|(root, path)| root.starts_with(path))
}

/// Refuses reports that would be written over each other, over a file that is to be checked, or over one of `own`.
pub(super) fn report_places<'p>(
    renderings: &[OutputTarget],
    inputs: &'p [PathBuf],
    own: impl Iterator<Item = &'p PathBuf>,
) -> Result<()> {
    let mut taken: Vec<PathBuf> = inputs.iter().chain(own).filter_map(|p| real(p)).collect();
    for file in renderings.iter().filter_map(|rendering| rendering.file.as_deref()) {
        // A device or pipe takes whatever comes.
        let Some(place) = real(file).filter(|place| place.is_file() || !place.exists()) else {
            continue;
        };
        if taken.contains(&place) {
            let name = file.display().to_string();
            let help = "give the report a file of its own";
            let message = format!(
                "{name} is used already: by another report, as an input, as the baseline or as the configuration"
            );
            return Err(Failure::with_help(message, help));
        }
        if place.is_file() && holds_traffic(file, &Names::default()) {
            let name = file.display().to_string();
            let help = "give the report a file of its own, or take that one away first";
            let message = format!(
                "{name} holds exchanges or an API description: no report is written over it"
            );
            return Err(Failure::with_help(message, help));
        }
        taken.push(place);
    }
    Ok(())
}

/// Where a file is or would be, behind all links.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = std::fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
    Some(parent.join(path.file_name()?))
}
