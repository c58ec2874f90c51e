//! The main job: discover, hand out, check side by side, put together.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::merge::Merge;
use super::naming::NamedOperation;
use super::worker::Worker;
use crate::exchange::Reason;
use crate::input::{
    Buffer, Discovery, Feed, FileName, Format, Found, Gauge, Globs, Limits, Names, Origin,
    PassedOver, discover,
};
use crate::lint::declared::Role;
use crate::report::{Collector, Each, Report};
use crate::rule::{Lifecycle, RuleTable};

/// Everything a run depends on.
#[derive(Debug)]
pub struct CheckOptions<'t> {
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Whether the files among them were named by somebody who expects something in them.
    pub given: Origin,
    /// Which files of folders to look at.
    pub globs: Globs,
    /// What files are called.
    pub names: Names,
    /// The rules.
    pub table: &'t RuleTable,
    /// Today and the thresholds.
    pub lifecycle: Lifecycle,
    /// What bare bodies are, where the user says so.
    pub named: Option<NamedOperation>,
    /// What all files are, where the user overrules recognition.
    pub format: Option<Format>,
    /// How large and how deep things may be.
    pub limits: Limits,
    /// What the user is to the API, where descriptions are checked.
    pub role: Role,
    /// Whether repeats in one file become one finding.
    pub fold: bool,
    /// Whether records of large files in which nothing can match are counted without being parsed.
    pub sift: bool,
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
}

/// A report, and what it cannot say.
#[derive(Debug)]
pub struct Outcome {
    /// What was found.
    pub report: Report,
    /// Whether a path that the user named could not be read.
    pub missing_path: bool,
}

/// Checks everything that the options name; `stdin` is read where they name it. `gauge` is moved on meanwhile, and asked
/// whether to go on.
pub fn check(options: &CheckOptions<'_>, stdin: &mut (dyn Read + Send), gauge: &Gauge) -> Outcome {
    collect(options, stdin, gauge, Collector::new(options.lifecycle.as_of, options.fold))
}

/// The same, with every single use given to `each` as soon as its place is known, and none kept: in the order of the files
/// as they were named.
pub fn check_each<'e>(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    each: &'e mut Each<'e>,
) -> Outcome {
    let collector = Collector::new(options.lifecycle.as_of, false).handing_to(each);
    collect(options, stdin, gauge, collector)
}

fn collect(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    mut collector: Collector<'_>,
) -> Outcome {
    let Discovery { files, passed_over, folders, .. } =
        discover(&options.paths, options.given, &options.globs, options.names.clone());
    let mut missing_path = false;
    for PassedOver { name, named, reason, detail } in &passed_over {
        missing_path |= *named && *reason == Reason::Unreadable;
        collector.skip_path(name, *reason, 0, detail.clone());
    }
    let merge = Merge::new(&files, collector);
    work_off(options, &files, stdin, gauge, &merge);
    let (mut collector, missing_file) = merge.finish();
    let complete = !gauge.is_stopped();
    let only_folders = files.iter().all(|found| !found.origin.is_given());
    if complete && only_folders {
        empty_folders(&folders, &mut collector);
    }
    Outcome { report: collector.finish(complete), missing_path: missing_path || missing_file }
}

/// Lets as many workers as the options say, this thread among them, do all there is to do.
fn work_off(
    options: &CheckOptions<'_>,
    files: &[Found],
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    merge: &Merge<'_, '_>,
) {
    let decide = |found: &Found, head: crate::source::Block<'_>| options.decide(found, head);
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
