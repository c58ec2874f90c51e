//! The main job: discover, hand out, check side by side, put together.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::body_operation::{BodyFiles, BodyOperation};
use super::changed_files::ChangedFiles;
use super::merger::ResultMerger;
use super::worker::Worker;
use crate::findings::CheckGrades;
use crate::findings::suppression::{Completeness, RunScope, Suppression, Suppressor};
use crate::formats::{
    Buffer, Discovery, Feed, FileName, Format, Gauge, Globs, InputFile, Limits, LogMapping, Names,
    PathOrigin, SkippedPath, discover,
};
use crate::inspect::UserRole;
use crate::lint::Values;
use crate::report::{Collector, FindingSink, Report, UnchangedFiles};
use crate::rules::{Lifecycle, RuleTable};
use crate::traffic::Reason;

/// Everything a run depends on.
#[derive(Debug)]
pub struct CheckOptions<'t> {
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Whether the files among them were named by somebody who expects something in them.
    pub given: PathOrigin,
    /// Which files of folders to look at.
    pub globs: Globs,
    /// What files are called.
    pub names: Names,
    /// The rules.
    pub table: &'t RuleTable,
    /// Today and the thresholds.
    pub lifecycle: Lifecycle,
    /// What bare bodies are, where the user says so.
    pub named: Option<BodyOperation>,
    /// What the bare bodies in some files are; the first that has a file holds.
    pub payloads: Vec<BodyFiles>,
    /// Where logs in other shapes than those that are known keep their pieces; of those that have a file, the first that
    /// fits a record holds.
    pub logs: Vec<LogMapping>,
    /// What all files are, where the user overrules recognition.
    pub format: Option<Format>,
    /// How large and how deep things may be.
    pub limits: Limits,
    /// What the user is to the API, where descriptions are checked.
    pub role: UserRole,
    /// How findings in descriptions are graded, where the user says so.
    pub grades: CheckGrades,
    /// Whether repeats in one file become one finding.
    pub fold: bool,
    /// Whether everything is validated, rather than only what may hold a use.
    pub validate_all: bool,
    /// Whether reports for people and in JSON show values of deprecated keys, as far as they may be shown.
    pub values: Values,
    /// Which findings do not count.
    pub suppression: Suppression,
    /// Whether all of the project is looked at, which says what allowances and baseline can be told.
    pub scope: RunScope,
    /// Which files have changed, where no others are to be checked.
    pub changed: Option<ChangedFiles>,
    /// Files in folders that are the program's own and no input.
    pub aside: Vec<PathBuf>,
    /// How many workers there are; the report is the same for any number.
    pub threads: NonZeroUsize,
}

impl CheckOptions<'_> {
    /// How many bytes the files that are named have on disk; 0 where that cannot be told, as of folders and pipes.
    pub fn size(&self) -> u64 {
        let size = |path: &PathBuf| path.metadata().ok().filter(std::fs::Metadata::is_file);
        let sizes: Option<Vec<_>> = self.paths.iter().map(size).collect();
        sizes.unwrap_or_default().iter().map(std::fs::Metadata::len).sum()
    }

    fn suppressor(&self) -> Suppressor<'_> {
        let files = if self.changed.is_some() { Completeness::Partial } else { self.scope.files };
        let scope = RunScope { files, ..self.scope };
        Suppressor::new(&self.suppression, self.table, &self.grades, self.lifecycle, scope)
    }

    /// Whether a file of this name may be there, from wherever names can begin: one that lies outside of the root is called
    /// after the place at which a run started, and a baseline may have been moved.
    fn may_exist(&self, name: &str) -> bool {
        let beside = self.aside.iter().filter_map(|aside| aside.parent());
        let bases = beside.chain(self.paths.iter().map(PathBuf::as_path));
        let mut places =
            self.names.places(name).into_iter().chain(bases.map(|base| base.join(name)));
        places.any(|place| match place.try_exists() {
            // What is a file cannot have anything in it.
            Err(error) => error.kind() != std::io::ErrorKind::NotADirectory,
            Ok(exists) => exists,
        })
    }

    /// Whether a file is the program's own, and was only met on the way.
    fn sets_aside(&self, found: &InputFile) -> bool {
        let real = |path: &PathBuf| std::fs::canonicalize(path).ok();
        let own = |aside: &PathBuf| {
            aside.file_name() == found.path.as_ref().and_then(|path| path.file_name())
                && real(aside)
                    .is_some_and(|aside| Some(aside) == found.path.as_ref().and_then(real))
        };
        !found.origin.is_expected() && self.aside.iter().any(own)
    }

    /// Leaves files out that have not changed, where no others are wanted.
    fn keep_changed(&self, files: &mut Vec<InputFile>) -> Option<UnchangedFiles> {
        let changed = self.changed.as_ref()?;
        let all = files.len();
        files.retain(|found| changed.has(found));
        Some(UnchangedFiles { since: changed.since.clone(), files: all - files.len() })
    }
}

/// A report, and what it cannot say.
#[derive(Debug)]
pub struct CheckOutcome {
    /// What was found.
    pub report: Report,
    /// Whether a path that the user named could not be read.
    pub missing_path: bool,
}

/// Checks everything that the options name; `stdin` is read where they name it. `gauge` is moved on meanwhile, and asked
/// whether to go on.
pub fn check(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
) -> CheckOutcome {
    collect(options, stdin, gauge, Collector::new(options.lifecycle.as_of, options.fold))
}

/// The same, with every single use given to `each` as soon as its place is known, and none kept: in the order of the files
/// as they were named.
pub fn check_each<'e>(
    options: &'e CheckOptions<'e>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    each: &'e mut FindingSink<'e>,
) -> CheckOutcome {
    let collector = Collector::new(options.lifecycle.as_of, false).with_sink(each);
    collect(options, stdin, gauge, collector)
}

fn collect<'c>(
    options: &'c CheckOptions<'c>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    mut collector: Collector<'c>,
) -> CheckOutcome {
    let Discovery { mut files, passed_over, folders, .. } =
        discover(&options.paths, options.given, &options.globs, options.names.clone());
    collector = collector.with_suppressor(options.suppressor());
    files.retain(|found| !options.sets_aside(found));
    if let Some(unchanged) = options.keep_changed(&mut files) {
        collector.set_unchanged(unchanged);
    }
    let mut missing_path = false;
    for SkippedPath { name, named, reason, detail } in &passed_over {
        missing_path |= *named && *reason == Reason::Unreadable;
        collector.skip_path(name, *reason, 0, detail.clone());
    }
    let merge = ResultMerger::new(&files, collector, options.format.is_some());
    work_off(options, &files, stdin, gauge, &merge);
    let complete = !gauge.is_stopped();
    let (mut collector, missing_file) = merge.finish(complete);
    let only_folders = files.iter().all(|found| !found.origin.is_given());
    if complete && only_folders && options.changed.is_none() {
        empty_folders(&folders, &mut collector);
    }
    let report = collector.finish(complete, &|name| options.may_exist(name));
    CheckOutcome { report, missing_path: missing_path || missing_file }
}

/// Lets as many workers as the options say, this thread among them, do all there is to do.
fn work_off(
    options: &CheckOptions<'_>,
    files: &[InputFile],
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    merge: &ResultMerger<'_, '_>,
) {
    let decide = |found: &InputFile, head: crate::text::Block<'_>| options.decide(found, head);
    let feed = Mutex::new(Feed::new(files, stdin, &decide, options.limits, gauge));
    let run = || {
        let _guard = merge.guard();
        let mut worker = Worker::new(options, gauge);
        let mut spare = Buffer::default();
        loop {
            let next = feed.lock().unwrap_or_else(PoisonError::into_inner).next(spare);
            let Some(work) = next else { break };
            let Some(found) = files.get(work.file) else { break };
            let number = work.number;
            let (done, buffer) = worker.work(work, found);
            spare = buffer;
            merge.take(number, done);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.threads.get() {
            scope.spawn(run);
        }
        run();
    });
}

/// A folder in which there was nothing to check is most likely the wrong one.
fn empty_folders(folders: &[FileName], collector: &mut Collector<'_>) {
    if collector.summary().records == 0 && !collector.has_failures() {
        for folder in folders {
            collector.skip_path(folder, Reason::NothingToCheck, 0, None);
        }
    }
}
