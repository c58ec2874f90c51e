//! The main job: finds the files, distributes the work, and merges the results.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use chrono::{Days, NaiveDate};

use super::check_options::CheckOptions;
use super::description_check::InspectedFile;
use super::worker::{Done, FileRole, Outcome, Worker};
use sundown_captures::{
    BlockReader, Buffer, Discovery, Format, FormatFamily, Gauge, InputFile, LargeFiles,
    SkippedPath, Task, Work, WorkOrder,
};
use sundown_exchange::Reason;
use sundown_lint::findings::{RemarkKind, RunRemark};
use sundown_lint::rules::{RuleFile, RuleSet};
use sundown_report::{
    Collector, FileKind, FindingSink, InputTally, Repeats, Report, RunEnd, Summary,
};
use sundown_usage::{UsageOptions, UsageScan};

/// Checks everything that the options name. `stdin` is read if they name it. `gauge` shows the progress, and can stop the run.
pub fn check(options: &CheckOptions<'_>, stdin: &mut (dyn Read + Send), gauge: &Gauge) -> Report {
    let (collector, end) = collect(
        options,
        stdin,
        gauge,
        options.collector(options.repeats()),
        None,
    );
    finish(options, collector, end)
}

/// Checks a text in place of the content of the only file that the options name, as an editor has it. Like a check of the file, it
/// finds nothing if globs leave the file out.
pub fn check_text(options: &CheckOptions<'_>, text: &[u8]) -> Report {
    let files: Vec<_> = options.only_file().into_iter().collect();
    let merge = ResultMerger::new(options, &files, options.collector(options.repeats()));
    for found in &files {
        let mut worker = Worker::new(options);
        merge.take((0, 0), vec![worker.check_text(found, text)], (1, 0));
        merge.end_worker(&worker);
    }
    let end = RunEnd {
        has_given_files: true,
        ..RunEnd::default()
    };
    finish(options, merge.finish(true), end)
}

/// Counts the calls and uses in everything that the options name.
pub fn scan_usage(
    options: &CheckOptions<'_>,
    usage: &UsageOptions,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
) -> UsageScan {
    let counted = Mutex::new(usage.empty_scan(options.set));
    let collector = Collector::new(options.settings.lifecycle.as_of, options.repeats());
    let counting = Some((usage, &counted));
    let (mut collector, end) = collect(options, stdin, gauge, collector, counting);
    collector.leave_out_named_bodies();
    let mut scan = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    scan.input = InputTally::of(collector, end);
    scan
}

/// Checks everything that the options name, as [`check`] does, but passes each use to `each` as soon as its location is known,
/// instead of keeping it in the report. The order is that of the files.
pub fn check_each<'e>(
    options: &'e CheckOptions<'e>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    each: &'e mut FindingSink<'e>,
) -> Report {
    let mut collector = options.collector(Repeats::Kept);
    collector.sink = Some(each);
    let (collector, end) = collect(options, stdin, gauge, collector, None);
    finish(options, collector, end)
}

/// What workers that count calls and uses, in place of collecting findings, are to count, and where they add their counts.
type Counting<'w> = Option<(&'w UsageOptions, &'w Mutex<UsageScan>)>;

/// Passes everything that the options name to the collector. Also returns what is needed to complete the report.
fn collect<'c>(
    options: &'c CheckOptions<'c>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    mut collector: Collector<'c>,
    counting: Counting<'_>,
) -> (Collector<'c>, RunEnd) {
    let Discovery {
        mut files,
        passed_over,
        folders,
        ..
    } = options.discover();
    files.retain(|found| !options.is_own_file(found));
    collector.report.unchanged = options.keep_changed(&mut files);
    for SkippedPath { name, skip } in passed_over {
        if skip.reason == Reason::Unreadable {
            collector.add_unread(&name);
        }
        collector.skip_path(&name, skip);
    }
    let merge = ResultMerger::new(options, &files, collector);
    let large = LargeFiles {
        decide: &|found, head| options.decide(found, head),
        is_searched: &|found| FileRole::of(found).may_hold_calls(),
    };
    let feed = BlockReader::new(
        &files,
        &options.access,
        stdin,
        large,
        &options.logs,
        options.settings.limits,
        gauge,
    );
    // One of the workers is this thread.
    let work = || run_worker(options, &files, &feed, &merge, counting);
    std::thread::scope(|scope| {
        for _ in 1..options.threads.get() {
            scope.spawn(work);
        }
        work();
    });
    let is_complete = !gauge.is_stopped();
    let end = RunEnd {
        is_complete,
        folders: folders.into_iter().collect(),
        has_given_files: files.iter().any(|found| found.origin.is_given()),
    };
    (merge.finish(is_complete), end)
}

/// Completes the report of a run.
fn finish(options: &CheckOptions<'_>, mut collector: Collector<'_>, end: RunEnd) -> Report {
    let is_changed_only = collector.report.unchanged.is_some();
    let is_complete = end.is_complete;
    end.conclude(&mut collector);
    let set = options.set;
    if is_complete && !is_changed_only {
        collector.report_uncalled(set.own_operations());
    }
    let mut report = collector.finish(is_complete, &|id| set.file_name_of(id), &|name| {
        options.may_exist(name)
    });
    report.remarks.splice(
        0..0,
        remarks_on_rules(set, options.settings.lifecycle.as_of),
    );
    report
}

/// The number of days after which facts are old.
const FRESH_DAYS: Days = Days::new(90);

/// Returns remarks on the files and packs with rules whose facts are old on this day. Those about an element that had ended do not
/// age.
pub fn remarks_on_rules(set: &RuleSet, as_of: NaiveDate) -> Vec<RunRemark> {
    // By the name of a file or pack, in their order: the days of the facts of its rules that age.
    let mut named: Vec<(&RuleFile, Vec<Option<NaiveDate>>)> = Vec::new();
    for rule in set.rules() {
        let file = set.file(rule.file);
        let from = rule.facts_day().or(file.facts_read);
        let from = from.filter(|from| rule.removal.is_none_or(|removal| removal > *from));
        match named.iter_mut().find(|(known, _)| known.name == file.name) {
            Some((_, days)) => days.push(from),
            None => named.push((file, vec![from])),
        }
    }
    let fresh = as_of.checked_sub_days(FRESH_DAYS).unwrap_or(as_of);
    let remarks = named.into_iter().filter_map(|(file, all)| {
        let old = all.iter().flatten().filter(|from| **from < fresh);
        let (rules, from) = (old.clone().count(), *old.min()?);
        let days = as_of.signed_duration_since(from).num_days();
        let is_pack = file.origin.pack().is_some();
        Some(RunRemark {
            kind: if is_pack { RemarkKind::OldPack } else { RemarkKind::OldRules },
            file: file.name.as_str().into(),
            line: None,
            message: if rules == all.len() {
                format!("its facts are from {from}, {days} days ago")
            } else {
                let have = if rules == 1 { "has" } else { "have" };
                let count = all.len();
                format!(
                    "{rules} of its {count} rules {have} old facts, the oldest from {from}, {days} days ago"
                )
            },
        })
    });
    remarks.collect()
}

/// Works until nothing is left, and hands over the results.
fn run_worker(
    options: &CheckOptions<'_>,
    files: &[InputFile],
    feed: &BlockReader<'_>,
    merge: &ResultMerger<'_, '_>,
    counting: Counting<'_>,
) {
    let _guard = MergeGuard(merge);
    let gauge = feed.gauge();
    let mut worker = Worker::new(options);
    if let Some((usage, _)) = counting {
        worker = worker.counting(usage);
    }
    let mut spare = Buffer::default();
    let mut work = |work: Work, spare: &mut Buffer| {
        let found = files.get(work.order.0)?;
        let taken = gauge.taken.load(Ordering::Relaxed);
        let (done, buffer) = worker.work(work, found);
        // Before the merger may wait: others may wait for the memory.
        *spare = buffer.into_buffer();
        if let Some((_, counted)) = counting {
            worker.flush_callers(counted);
        }
        gauge.checked.fetch_max(taken, Ordering::Relaxed);
        Some(done)
    };
    while let Some(task) = feed.next(&mut spare) {
        let (order, done, following) = match task {
            Task::End(order) => (order, Vec::new(), (order.0 + 1, 0)),
            Task::Chunk(chunk) => {
                let (file, number) = chunk.order;
                let done = work(chunk, &mut spare).into_iter().collect();
                ((file, number), done, (file, number + 1))
            }
            Task::Files(mut batch, order) => {
                let mut done = Vec::new();
                while let Some(first) = batch.open(std::mem::take(&mut spare)) {
                    done.extend(work(first, &mut spare));
                }
                (order, done, batch.following)
            }
        };
        let findings = merge.take(order, done, following);
        gauge.findings.store(findings, Ordering::Relaxed);
    }
    merge.end_worker(&worker);
    if let (Some((_, counted)), Some(scan)) = (counting, worker.into_usage()) {
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.add_counts(scan);
    }
}

/// With so many results waiting, a worker waits before it adds another.
const MAX_WAITING: usize = 64;

/// Merges results into the collector; shared by all workers.
struct ResultMerger<'f, 'e> {
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
    fn new(
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
    fn take(&self, work: WorkOrder, done: Vec<Done>, following: WorkOrder) -> usize {
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
    fn end_worker(&self, worker: &Worker<'_, '_>) {
        worker.add_calls(&mut self.lock().collector);
    }

    /// Returns the collector. `complete` says that all was read.
    fn finish(self, complete: bool) -> Collector<'e> {
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
struct MergeGuard<'m, 'f, 'e>(pub &'m ResultMerger<'f, 'e>);

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
