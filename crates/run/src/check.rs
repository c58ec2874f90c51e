//! The main job: finds the files, distributes the work, and merges the results.

use std::io::Read;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use chrono::{Days, NaiveDate};

use super::check_options::CheckOptions;
use super::merger::{MergeGuard, ResultMerger};
use super::worker::{FileRole, Worker};
use sundown_captures::{
    BlockReader, Buffer, Discovery, Gauge, InputFile, LargeFiles, SkippedPath, Task, Work,
};
use sundown_exchange::Reason;
use sundown_lint::findings::{RemarkKind, RunRemark};
use sundown_lint::rules::{RuleFile, RuleSet};
use sundown_report::{Collector, FindingSink, InputTally, Repeats, Report, RunEnd};
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
    let counted = Mutex::new(usage.empty_scan(options.table));
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
    let table = options.table;
    if is_complete && !is_changed_only {
        collector.report_uncalled(table.own_operations());
    }
    let mut report = collector.finish(is_complete, &|id| table.file_name_of(id), &|name| {
        options.may_exist(name)
    });
    report.remarks.splice(
        0..0,
        remarks_on_rules(table, options.settings.lifecycle.as_of),
    );
    report
}

/// The number of days after which facts are old.
const FRESH_DAYS: Days = Days::new(90);

/// Returns remarks on the files and packs with rules whose facts are old on this day. Those about an element that had ended do not
/// age.
pub fn remarks_on_rules(table: &RuleSet, as_of: NaiveDate) -> Vec<RunRemark> {
    // By the name of a file or pack, in their order: the days of the facts of its rules that age.
    let mut named: Vec<(&RuleFile, Vec<Option<NaiveDate>>)> = Vec::new();
    for rule in table.rules() {
        let file = table.file(rule.file);
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
