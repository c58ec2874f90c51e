//! What a configuration says about the files of a folder, loaded as `sundown check FILE` loads it, and again when its files change.

use std::collections::HashMap;
use std::env::{current_dir, set_current_dir};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use chrono::NaiveDate;
use clap::Args;

use crate::cli::console::Result;
use crate::cli::flags::CheckFlags;
use crate::cli::input::InputArgs;
use crate::cli::options::{ConfigArgs, DateArgs, load_and_apply, load_suppression};
use crate::cli::outputs::used_files;
use sundown_captures::PathOrigin;
use sundown_files::{FileAccess, full_path};
use sundown_lint::findings::suppression::Suppression;
use sundown_lint::rules::RuleSet;
use sundown_report::{Failure, Verbosity};
use sundown_run::config::{CONFIG_NAME, Config, Settings};
use sundown_run::{CheckOptions, rule_options};
use sundown_text_json::Limits;

/// About how many bytes the findings of a document may take: the editor shows some hundreds, and a session is long.
const MAX_FINDINGS: usize = 16 << 20;

/// How deep an open document may nest: each finding inside of another waits for its end.
const MAX_DEPTH: usize = 10_000;

/// The arguments, which hold for all projects. Paths are relative to the workspace folder.
#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Has no effect: many editors name the way of communication.
    #[arg(long, hide = true)]
    stdio: bool,
    #[command(flatten)]
    flags: CheckFlags,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

/// The configuration and the rules for the files of one folder, on one day.
pub(super) struct Project {
    pub config: Config,
    pub set: RuleSet,
    pub day: NaiveDate,
    suppression: Suppression,
}

/// A project, or why there is none, and what it depends on: the day, and files, each with the time when it was written.
pub(super) struct LoadedProject {
    project: Result<Rc<Project>, Rc<Failure>>,
    day: NaiveDate,
    files: Vec<(PathBuf, Option<SystemTime>)>,
}

/// The folders that are open in the editor, and the projects of their files.
pub(super) struct Workspace<'a> {
    args: &'a LspArgs,
    pub access: &'a FileAccess,
    pub folders: Vec<PathBuf>,
    /// The working folder for files in no workspace folder.
    start: PathBuf,
    /// By the folders of the files. Those that are removed are loaded again when they are needed.
    pub projects: HashMap<PathBuf, LoadedProject>,
}

impl<'a> Workspace<'a> {
    pub(super) fn new(args: &'a LspArgs, access: &'a FileAccess) -> Self {
        Self {
            args,
            access,
            folders: Vec::new(),
            start: current_dir().unwrap_or_default(),
            projects: HashMap::new(),
        }
    }

    /// Returns the project of a file.
    pub(super) fn project(&mut self, path: &Path) -> Result<Rc<Project>, Rc<Failure>> {
        // Paths of a project are relative to the working folder in which it was loaded.
        self.enter(path);
        let day = self.args.dates.day();
        let folder = path.parent().unwrap_or(path).to_owned();
        let known = self.projects.get(&folder);
        if let Some(known) = known.filter(|known| known.is_current(day)) {
            return known.project.clone();
        }
        let config = self.resolve(path);
        // Before they are read: a later change is not missed.
        let files = files_of_project(path, config.as_ref().ok());
        let project = config.and_then(|config| Project::load(config, day, self.access));
        let project = project.map(Rc::new).map_err(Rc::new);
        let loaded = LoadedProject {
            project: project.clone(),
            day,
            files,
        };
        self.projects.insert(folder, loaded);
        project
    }

    /// Resolves the configuration for a file.
    pub(super) fn resolve(&self, path: &Path) -> Result<Config> {
        self.enter(path);
        let (flags, paths) = (&self.args.flags.given, [path.to_owned()]);
        let config = &self.args.config;
        config.resolve(flags, &paths, Verbosity::Quiet, self.access)
    }

    /// Finds the mistakes in a configuration that is being written.
    pub(super) fn try_config(&self, path: &Path, text: &str) -> Result<()> {
        self.enter(path);
        let config = Config::parse(path, text)?;
        let LspArgs {
            flags,
            config: args,
            ..
        } = self.args;
        let config = args.with_flags(config, &flags.given)?;
        Project::load(config, self.args.dates.day(), self.access).map(|_| ())
    }

    /// Whether a file of a project has changed, or the day.
    pub(super) fn is_outdated(&self) -> bool {
        let day = self.args.dates.day();
        !self
            .projects
            .values()
            .all(|project| project.is_current(day))
    }

    /// Makes the workspace folder of a file the working folder, as if the file were checked there.
    fn enter(&self, path: &Path) {
        let nearest = self
            .folders
            .iter()
            .filter(|folder| path.starts_with(folder))
            .max_by_key(|folder| folder.components().count());
        // A folder that is gone has no files to check.
        let _ = set_current_dir(nearest.unwrap_or(&self.start));
    }
}

impl LoadedProject {
    fn is_current(&self, day: NaiveDate) -> bool {
        let mut files = self.files.iter();
        self.day == day && files.all(|(file, written)| time_of(file) == *written)
    }
}

impl Project {
    fn load(mut config: Config, day: NaiveDate, access: &FileAccess) -> Result<Self> {
        let (set, _) =
            load_and_apply(rule_options(&config), &mut config, Verbosity::Quiet, access)?;
        Ok(Self {
            suppression: load_suppression(&config, access)?,
            config,
            set,
            day,
        })
    }

    /// Describes the check of a file that may have nothing to check.
    pub(super) fn options(&self, path: &Path, access: &FileAccess) -> Result<CheckOptions<'_>> {
        let input = InputArgs::default();
        let options = input.options(&self.config, &self.set, self.day, access)?;
        let limits = options.settings.limits;
        Ok(CheckOptions {
            settings: Settings {
                paths: vec![path.to_owned()],
                limits: Limits {
                    findings: MAX_FINDINGS,
                    depth: limits.depth.min(MAX_DEPTH),
                    ..limits
                },
                ..options.settings
            },
            given: PathOrigin::Offered,
            suppression: self.suppression.clone(),
            threads: NonZeroUsize::MIN,
            ..options
        })
    }
}

/// The files that the project of a file depends on: its own, and configurations that would be nearer.
fn files_of_project(path: &Path, config: Option<&Config>) -> Vec<(PathBuf, Option<SystemTime>)> {
    let used = config.into_iter().flat_map(used_files);
    let used = used.filter_map(|used| full_path(&used));
    path.ancestors()
        .skip(1)
        .map(|folder| folder.join(CONFIG_NAME))
        .chain(used.filter(|used| used != path))
        .map(|file| (file.clone(), time_of(&file)))
        .collect()
}

/// When a file was written; `None` if there is none.
fn time_of(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}
