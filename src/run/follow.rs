//! Counts the calls and uses in a log while it grows.

use super::check::{finish, seen_maps};
use super::check_options::CheckOptions;
use super::merger::ResultMerger;
use super::worker::Worker;
use crate::formats::{FollowError, FollowStep, Gauge, InputFile, LogFollower, Work};
use crate::report::{Collector, Failure, RunEnd};
use crate::text::escape_unsafe;
use crate::usage::{ScannedPaths, UsageOptions, UsageScan};

/// What is counted in a log that grows.
#[derive(Debug, Clone, Copy)]
pub struct FollowedUsage<'f> {
    /// How records are checked.
    pub options: &'f CheckOptions<'f>,
    /// The calls and elements that count.
    pub usage: &'f UsageOptions,
    /// The log, which need not exist yet.
    pub log: &'f InputFile,
}

/// Takes the counts of a log while it grows.
pub trait FollowObserver {
    /// Takes note that the counts have changed.
    fn has_grown(&mut self);

    /// Returns whether it wants the counts now.
    fn is_due(&self) -> bool;

    /// Takes the counts so far. An error ends the run.
    fn update(&mut self, scan: &UsageScan) -> Result<(), Failure>;

    /// Takes note that the log does not exist yet.
    fn is_missing(&mut self);
}

/// Counts the calls and uses in a log until it ends or `gauge` stops the run; then, in what has been written until then.
pub fn follow_usage(
    followed: &FollowedUsage<'_>,
    gauge: &Gauge,
    observer: &mut dyn FollowObserver,
) -> Result<UsageScan, Failure> {
    let FollowedUsage { options, usage, log } = *followed;
    let choose = |lines: crate::text::Block<'_>| options.decide_by_lines(log, lines);
    let refuse = |error| describe(error, log);
    let named = || ScannedPaths { has_files: true, ..ScannedPaths::default() };
    let mut lines = LogFollower::open(log, &choose, options.limits).map_err(refuse)?;
    let files = std::slice::from_ref(log);
    let collector = Collector::new(options.lifecycle.as_of, options.fold);
    let merge = ResultMerger::new(
        options,
        files,
        collector.with_suppressor(options.suppressor_for(options.run_scope())),
    );
    let mut worker = Worker::counting(options, usage);
    let mut scan = usage.empty_scan(options.table);
    let mut number = 0;
    if lines.is_missing() {
        observer.is_missing();
    }
    loop {
        if observer.is_due() {
            scan.merge(worker.take_usage(usage));
            merge.look(|report| scan.set_input(report, named()));
            observer.update(&scan)?;
        }
        match lines.next(gauge.is_stopped()).map_err(refuse)? {
            FollowStep::Part(part) => {
                let work = Work { number, file: 0, part, compression: None, taken: 0 };
                merge.take(number, worker.work(work, log).0);
                number += 1;
                observer.has_grown();
            }
            FollowStep::NewFile => merge.begin_successor(),
            FollowStep::Nothing => lines.wait().map_err(refuse)?,
            FollowStep::End => break,
        }
    }
    scan.merge(worker.take_usage(usage));
    let maps = options.source_maps.iter().map(seen_maps).collect();
    let report = finish(options, merge.finish(true), RunEnd { maps, ..RunEnd::default() });
    scan.set_input(&report, named());
    Ok(scan)
}

/// Says why an input cannot be followed.
fn describe(error: FollowError, log: &InputFile) -> Failure {
    let name = escape_unsafe(&log.name.shown);
    let whole = "without --follow, every format is read";
    match error {
        FollowError::Unreadable(detail) => Failure::new(format!("{name}: {detail}")),
        FollowError::NoLines(format) => Failure::with_help(
            format!(
                "{name} cannot be followed: it is read as `{}`, as a whole",
                format.spec().name
            ),
            format!("follow a log with a record per line; {whole}"),
        ),
        FollowError::Compressed(compression) => Failure::with_help(
            format!("{name} cannot be followed: it is compressed with {compression}"),
            format!("follow the log before it is compressed; {whole}"),
        ),
        FollowError::NoLog(reason, detail) => Failure::with_help(
            format!(
                "{name} cannot be followed: {}{}",
                reason.text(),
                detail.map(|detail| format!(": {}", escape_unsafe(&detail))).unwrap_or_default()
            ),
            reason.help(),
        ),
    }
}
