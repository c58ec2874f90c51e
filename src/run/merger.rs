//! Merges the results of all workers in the order of the work, regardless of the order in which they arrive.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::description_check::InspectedFile;
use super::worker::{Done, Outcome};
use crate::formats::InputFile;
use crate::report::Collector;
use crate::traffic::{Reason, Skip};

/// The maximum number of results that wait for an earlier one.
const MAX_WAITING: usize = 64;

/// Merges results into the collector; shared by all workers.
pub(super) struct ResultMerger<'f, 'e> {
    state: Mutex<MergeState<'f, 'e>>,
    advanced: Condvar,
}

struct MergeState<'f, 'e> {
    files: &'f [InputFile],
    /// The number of the work whose result comes next.
    next: usize,
    waiting: BTreeMap<usize, Done>,
    collector: Collector<'e>,
    /// The file whose results are being merged.
    file: Option<usize>,
    /// The number of bytes of that file that were read without a record. `None` if there was one, or if the format of the file was
    /// recognised, not named.
    without_records: Option<usize>,
    /// Whether the user named the format of all files.
    names_format: bool,
    missing_path: bool,
    /// Whether a worker has panicked, so that its results never arrive.
    abandoned: bool,
}

impl<'f, 'e> ResultMerger<'f, 'e> {
    pub(super) fn new(
        files: &'f [InputFile],
        collector: Collector<'e>,
        names_format: bool,
    ) -> Self {
        let state = MergeState {
            files,
            next: 0,
            waiting: BTreeMap::new(),
            collector,
            file: None,
            without_records: None,
            names_format,
            missing_path: false,
            abandoned: false,
        };
        Self { state: Mutex::new(state), advanced: Condvar::new() }
    }

    /// Takes a result. Blocks while too many results wait for an earlier one.
    pub(super) fn take(&self, number: usize, done: Done) {
        let mut state = self.lock();
        while number > state.next + MAX_WAITING && !state.abandoned {
            state = self.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.insert(number, done);
        while let Some(done) = {
            let next = state.next;
            state.waiting.remove(&next)
        } {
            state.next += 1;
            state.put(done);
        }
        self.advanced.notify_all();
    }

    /// Returns a guard for a worker: if the worker panics, the others stop waiting for its results.
    pub(super) fn guard(&self) -> MergeGuard<'_, 'f, 'e> {
        MergeGuard(self)
    }

    /// Returns the collector, and whether a path that the user named could not be read. `complete` says that all was read.
    pub(super) fn finish(self, complete: bool) -> (Collector<'e>, bool) {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if complete {
            state.end_file();
        }
        (state.collector, state.missing_path)
    }

    fn lock(&self) -> MutexGuard<'_, MergeState<'f, 'e>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`ResultMerger::guard`].
pub(super) struct MergeGuard<'m, 'f, 'e>(&'m ResultMerger<'f, 'e>);

impl Drop for MergeGuard<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().abandoned = true;
            self.0.advanced.notify_all();
        }
    }
}

impl MergeState<'_, '_> {
    /// Reports a file whose format the user named and that has no record of it.
    fn end_file(&mut self) {
        if let Some(bytes) = self.without_records.take() {
            let skip = Skip::file(Reason::Empty, bytes);
            self.collector.skip_file(skip.because("no record of the format that is named"));
        }
    }

    fn put(&mut self, done: Done) {
        let Some(found) = self.files.get(done.file) else { return };
        if self.file != Some(done.file) {
            self.end_file();
            self.file = Some(done.file);
            self.without_records = (self.names_format && found.origin.is_expected()).then_some(0);
            self.collector.begin_file(&found.name, done.compression);
            self.collector.summary().files += 1;
        }
        self.collector.summary().bytes += done.bytes;
        let has_nothing = matches!(&done.outcome, Outcome::Gathered(block) if block.has_nothing());
        self.without_records =
            self.without_records.filter(|_| has_nothing).map(|bytes| bytes + done.bytes);
        match done.outcome {
            Outcome::Gathered(block) => self.collector.add_block(*block),
            Outcome::Described(files) => {
                for InspectedFile { name, gathered } in files {
                    if let Some(name) = name {
                        self.collector.begin_reached_file(&name);
                    }
                    self.collector.add_block(*gathered);
                }
            }
            Outcome::TooLarge { bytes, end, numbered, detail } => {
                let skip = Skip { detail, ..Skip::file(Reason::TooLarge, bytes) };
                self.collector.skip_record(skip, end, numbered);
            }
            Outcome::Skip(reason, bytes, detail) => {
                self.missing_path |= found.origin.is_given() && reason == Reason::Unreadable;
                self.collector.skip_file(Skip { detail, ..Skip::file(reason, bytes) });
            }
        }
    }
}
