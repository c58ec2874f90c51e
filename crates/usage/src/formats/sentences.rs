//! Sentences that the formats for people share: what was counted, what was left out, and what was read.

use std::fmt::Write as _;

use chrono::NaiveDate;

use crate::capped::sum_counts;
use crate::history::TimeUnit;
use crate::report::UsageReport;
use crate::verdict::{UsageVerdict, counted, group};
use sundown_exchange::SkipKind;
use sundown_report::{Report, unread};
use sundown_text_json::text::group_digits;

/// Says how many elements have each verdict.
pub(super) fn describe_verdicts(report: &UsageReport<'_>) -> String {
    let counts = UsageVerdict::ALL.map(|verdict| (report.count(verdict), verdict.text()));
    let counts: Vec<_> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{} {name}", group(count as u64)))
        .collect();
    let elements = counted(report.rows.len() as u64, "element");
    if counts.is_empty() {
        elements
    } else {
        format!("{elements}: {}", counts.join(", "))
    }
}

/// Says how many calls were counted, in which period.
pub(super) fn describe_calls(report: &UsageReport<'_>) -> String {
    let calls = &report.scan.calls;
    let mut text = counted(calls.calls(), "call");
    let first = calls.period.first;
    let last = calls.period.last;
    if let (Some(first), Some(last)) = (first, last) {
        let unit = calls.history.unit();
        let first = unit.describe(first);
        let last = unit.describe(last);
        let _ = match unit {
            TimeUnit::Hour => {
                let hours = counted(calls.history.counts(unit).len() as u64, "hour");
                write!(text, " in {hours}, from {first} to {last} UTC")
            }
            TimeUnit::Day => {
                let days = counted(calls.history.days(), "day");
                write!(text, " on {days}, from {first} to {last}")
            }
        };
    }
    if calls.undated > 0 {
        let _ = write!(text, "; {} without a time", group(calls.undated));
    }
    text
}

/// Says that calls were made after the day of the report, which a wrong clock may have written.
fn describe_future(report: &UsageReport<'_>) -> Option<String> {
    let as_of = report.options.verdicts.as_of;
    let later: Vec<NaiveDate> = report
        .scan
        .calls
        .history
        .counts(TimeUnit::Day)
        .keys()
        .filter_map(|day| Some(TimeUnit::Day.start(*day)?.date_naive()))
        .filter(|day| *day > as_of)
        .collect();
    let latest = later.last()?;
    let count = counted(later.len() as u64, "day");
    Some(format!(
        "Times after {as_of}: {count}, the last of them {latest}. The clock of the log may be wrong."
    ))
}

/// Says what was left out, a sentence each.
pub(super) fn describe_exclusions(report: &UsageReport<'_>) -> Vec<String> {
    let excluded = &report.scan.excluded;
    let mut sentences: Vec<String> = describe_future(report).into_iter().collect();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            sentences.push(format!("Left out: {} {what}.", counted(count, "call")));
        }
    };
    add(excluded.outside_period, "outside of --since and --until");
    add(
        excluded.undated,
        "without a time, because --since or --until is given",
    );
    add(excluded.by_caller, "of callers that --exclude-caller names");
    if report.scan.excluded.unusable_callers > 0 {
        let calls = counted(report.scan.excluded.unusable_callers, "call");
        sentences.push(format!(
            "In {calls}, a caller attribute is not text, not a product, or too long: unidentified."
        ));
    }
    let rare = report.rows.iter().map(|row| row.judgement.below_threshold);
    let rare = sum_counts(rare);
    if rare > 0 {
        let calls = counted(rare, "call");
        sentences.push(format!(
            "Below --min-uses or --min-share: {calls} with a use."
        ));
    }
    let others = sum_counts(report.rows.iter().map(|row| row.calls_of_other_callers));
    if others > 0 {
        let calls = counted(others, "call");
        sentences.push(format!(
            "Too many callers for the memory: {calls} with a use are counted, but their callers are not listed."
        ));
    }
    if report.never_called > 0 {
        let elements = counted(
            u64::try_from(report.never_called).unwrap_or(u64::MAX),
            "element",
        );
        sentences.push(format!(
            "Left out by --called-only: {elements} never called."
        ));
    }
    sentences
}

/// Says what was read, and what could not be, a sentence each; the second of a pair is the remedy.
pub(super) fn describe_input(input: &Report) -> Vec<(String, Option<String>)> {
    let mut lines = Vec::new();
    let summary = &input.summary;
    let without = match summary.no_rule {
        0 => String::new(),
        none => format!(", {} of operations without a rule", group_digits(none)),
    };
    let records = counted(summary.records as u64, "record");
    let files = counted(summary.files as u64, "file");
    lines.push((format!("Read: {records} in {files}{without}."), None));
    if summary.descriptions > 0 {
        let descriptions = counted(summary.descriptions as u64, "API description");
        lines.push((
            format!("{descriptions} among them: they have no calls."),
            None,
        ));
    }
    for pieces in &input.skipped {
        let head = if pieces.reason.kind() == SkipKind::Failed {
            "Could not be checked"
        } else {
            "Not checked"
        };
        let text = format!("{head}: {}{}", pieces.phrase(), pieces.detail_text());
        lines.push((text, Some(pieces.reason.help().to_owned())));
    }
    if !input.unread.is_empty() {
        let unread = unread(input);
        lines.push((
            format!("Nothing was checked in {unread}: the exit code is 2."),
            None,
        ));
    }
    if !input.complete {
        let text = "The run was interrupted: this report holds only what was counted until then.";
        lines.push((text.to_owned(), None));
    }
    lines
}
