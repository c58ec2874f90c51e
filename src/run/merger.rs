//! Puts the results of all workers together in the order of the work, whatever the order in which they come.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::description_check::InspectedFile;
use super::worker::{Done, Outcome};
use crate::formats::InputFile;
use crate::report::Collector;
use crate::traffic::{Reason, Skip};

/// How many results may wait for one that takes long.
const AHEAD: usize = 64;

/// Shared by all workers.
pub(super) struct ResultMerger<'f, 'e> {
    state: Mutex<MergeState<'f, 'e>>,
    moved_on: Condvar,
}

struct MergeState<'f, 'e> {
    files: &'f [InputFile],
    /// Number of the work whose result comes next.
    next: usize,
    waiting: BTreeMap<usize, Done>,
    collector: Collector<'e>,
    /// The file whose results come in.
    file: Option<usize>,
    /// How many bytes of it have been read, as long as there was nothing in them, where whoever names the file says what it is.
    nothing: Option<usize>,
    /// Whether the format of all files has been named.
    names_format: bool,
    missing_path: bool,
    /// A worker has died: what waits for its results would wait for ever.
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
            nothing: None,
            names_format,
            missing_path: false,
            abandoned: false,
        };
        Self { state: Mutex::new(state), moved_on: Condvar::new() }
    }

    /// Takes a result; waits where too many are ahead of one that is still missing.
    pub(super) fn take(&self, number: usize, done: Done) {
        let mut state = self.lock();
        while number > state.next + AHEAD && !state.abandoned {
            state = self.moved_on.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.insert(number, done);
        while let Some(done) = {
            let next = state.next;
            state.waiting.remove(&next)
        } {
            state.next += 1;
            state.put(done);
        }
        self.moved_on.notify_all();
    }

    /// Lets nobody wait any more for results of the worker that dies while it holds this.
    pub(super) fn guard(&self) -> MergeGuard<'_, 'f, 'e> {
        MergeGuard(self)
    }

    /// What has been collected, and whether a path that the user named could not be read; `complete` where all was read.
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
            self.0.moved_on.notify_all();
        }
    }
}

impl MergeState<'_, '_> {
    /// Whoever says what a file is means that there is something of that kind in it.
    fn end_file(&mut self) {
        if let Some(bytes) = self.nothing.take() {
            let skip = Skip::file(Reason::Empty, bytes);
            self.collector.skip_file(skip.because("no record of the format that is named"));
        }
    }

    fn put(&mut self, done: Done) {
        let Some(found) = self.files.get(done.file) else { return };
        if self.file != Some(done.file) {
            self.end_file();
            self.file = Some(done.file);
            self.nothing = (self.names_format && found.origin.is_expected()).then_some(0);
            self.collector.begin_file(&found.name, done.compression);
            self.collector.summary().files += 1;
        }
        self.collector.summary().bytes += done.bytes;
        let has_nothing = matches!(&done.outcome, Outcome::Gathered(block) if block.has_nothing());
        self.nothing = self.nothing.filter(|_| has_nothing).map(|bytes| bytes + done.bytes);
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
