//! Merges the results of all workers in the order of the work, regardless of the order in which they arrive.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::check_options::CheckOptions;
use super::description_check::InspectedFile;
use super::worker::{Done, Outcome, Worker};
use sundown_captures::{Format, FormatFamily, InputFile, WorkOrder};
use sundown_exchange::Reason;
use sundown_report::{Collector, FileKind, Summary};

/// With so many results waiting, a worker waits before it adds another.
const MAX_WAITING: usize = 64;

/// Merges results into the collector; shared by all workers.
pub(super) struct ResultMerger<'f, 'e> {
    state: Mutex<MergeState<'f, 'e>>,
    advanced: Condvar,
}

struct MergeState<'f, 'e> {
    options: &'f CheckOptions<'f>,
    files: &'f [InputFile],
    /// The work whose results come next.
    next: WorkOrder,
    /// Results, each with the work that follows.
    waiting: BTreeMap<WorkOrder, (Vec<Done>, WorkOrder)>,
    collector: Collector<'e>,
    /// The file whose results are being merged.
    file: Option<usize>,
    /// The format in which that file was read, if it is known.
    format: Option<Format>,
    /// The counts before that file.
    before: Summary,
    /// The number of workers that wait.
    blocked: usize,
    /// Whether a worker has panicked, so that its results never arrive.
    abandoned: bool,
}

impl<'f, 'e> ResultMerger<'f, 'e> {
    pub(super) fn new(
        options: &'f CheckOptions<'f>,
        files: &'f [InputFile],
        collector: Collector<'e>,
    ) -> Self {
        let state = MergeState {
            options,
            files,
            next: (0, 0),
            waiting: BTreeMap::new(),
            collector,
            file: None,
            format: None,
            before: Summary::default(),
            blocked: 0,
            abandoned: false,
        };
        Self {
            state: Mutex::new(state),
            advanced: Condvar::new(),
        }
    }

    /// Takes the results of some work, which another work follows, and returns the number of findings so far that count. Blocks while
    /// too many results wait for earlier ones.
    pub(super) fn take(&self, work: WorkOrder, done: Vec<Done>, following: WorkOrder) -> usize {
        let mut state = self.lock();
        // The file that this work began with was left to all workers, and its first result may have come already.
        let is_left = following == work;
        while !is_left
            && work > state.next
            && state.waiting.len() >= MAX_WAITING
            && !state.abandoned
        {
            state.blocked += 1;
            state = self
                .advanced
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.blocked -= 1;
        }
        if !is_left {
            state.waiting.insert(work, (done, following));
        }
        while let Some((done, following)) = {
            let next = state.next;
            state.waiting.remove(&next)
        } {
            state.next = following;
            for done in done {
                state.put(done);
            }
        }
        // Each notification is a system call.
        if state.blocked > 0 {
            self.advanced.notify_all();
        }
        let summary = &state.collector.report.summary;
        summary.errors + summary.warnings + summary.notes
    }

    /// Adds what a worker has counted in all files.
    pub(super) fn end_worker(&self, worker: &Worker<'_, '_>) {
        worker.add_calls(&mut self.lock().collector);
    }

    /// Returns the collector. `complete` says that all was read.
    pub(super) fn finish(self, complete: bool) -> Collector<'e> {
        let mut state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if complete {
            state.end_file();
            // A result that is never merged is a use that is not reported.
            assert!(
                state.waiting.is_empty() || state.abandoned,
                "all results were merged"
            );
        }
        state.collector
    }

    fn lock(&self) -> MutexGuard<'_, MergeState<'f, 'e>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The guard of a worker: if the worker panics, the others stop waiting for its results.
pub(super) struct MergeGuard<'m, 'f, 'e>(pub &'m ResultMerger<'f, 'e>);

impl Drop for MergeGuard<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().abandoned = true;
            self.0.advanced.notify_all();
        }
    }
}

impl MergeState<'_, '_> {
    /// Completes the file whose results were merged last. If nothing in it was checked and the user expects that something is,
    /// the file is reported; if it was named, it fails the run.
    fn end_file(&mut self) {
        let format = self.format.take();
        let Some(found) = self.file.take().and_then(|index| self.files.get(index)) else {
            return;
        };
        let (before, summary) = (self.before, self.collector.report.summary);
        let is_expected = found.origin.is_expected();
        let records = summary.records - before.records;
        if records > 0 {
            if is_expected && records == summary.no_rule - before.no_rule {
                self.collector.end_uncovered_file(&found.name);
            }
            return;
        }
        if summary.searched > before.searched {
            return;
        }
        if is_expected || self.options.logs_of(found).declares_file() {
            let detail = format.map(|format| self.options.describe_empty(found, format));
            let bytes = summary.bytes - before.bytes;
            self.collector.skip_empty_file(detail, bytes);
        }
        if is_expected {
            self.collector.add_unread(&found.name);
        }
    }

    fn put(&mut self, done: Done) {
        let Some(found) = self.files.get(done.file) else {
            return;
        };
        if self.file != Some(done.file) {
            self.end_file();
            self.file = Some(done.file);
            self.before = self.collector.report.summary;
            let kind = match done.format {
                Some(format) if format.spec().family == FormatFamily::Cassettes => {
                    FileKind::TestRecording
                }
                _ => FileKind::Other,
            };
            self.collector
                .begin_file(&found.name, kind, done.compression);
            self.collector.report.summary.files += 1;
        }
        self.collector.report.summary.bytes += done.bytes;
        self.format = self.format.or(done.format);
        match done.outcome {
            Outcome::Collected(block) => self.collector.add_block(*block),
            Outcome::Described(files) => {
                for InspectedFile { name, report } in files {
                    if let Some(name) = name {
                        self.collector.begin_reached_file(&name);
                    }
                    self.collector.add_block(*report);
                }
            }
            Outcome::SkippedPart(skip, end, numbered) => {
                self.collector.skip_record(skip, end, numbered);
            }
            Outcome::Skipped(skip) => {
                // What the system refuses is no choice of the user, in a folder or by name. A file of a folder may be gone by now,
                // or have been when it was opened.
                let was_gone = skip.detail.as_deref() == Some("no such file or directory");
                let path = found.path.as_ref().filter(|_| !found.origin.is_given());
                if skip.reason == Reason::Unreadable
                    && !path.is_some_and(|path| was_gone || matches!(path.try_exists(), Ok(false)))
                {
                    self.collector.add_unread(&found.name);
                }
                self.collector.skip_file(skip);
            }
        }
    }
}
