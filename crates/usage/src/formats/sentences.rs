//! The tables and sentences that the formats for people share: what was counted, what was left out, and what was read.

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::NaiveDate;

use crate::capped::sum_counts;
use crate::history::TimeUnit;
use crate::report::{UsageReport, ValueState};
use crate::tally::ElementId;
use crate::verdict::{UsageVerdict, counted, group};
use sundown_exchange::SkipKind;
use sundown_report::{Cell, ColumnKind, Report, Table, printable, unread};
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
    let rows = report.rows.iter();
    let rare = sum_counts(rows.clone().map(|row| row.judgement.below_threshold));
    let others = sum_counts(rows.map(|row| row.calls_of_other_callers));
    let uncalled = report.never_called as u64;
    let sentences = [
        (
            "Left out: ",
            excluded.outside_period,
            "call",
            " outside of --since and --until.",
        ),
        (
            "Left out: ",
            excluded.undated,
            "call",
            " without a time, because --since or --until is given.",
        ),
        (
            "Left out: ",
            excluded.by_caller,
            "call",
            " of callers that --exclude-caller names.",
        ),
        (
            "In ",
            excluded.unusable_callers,
            "call",
            ", a caller attribute is not text, not a product, or too long: unidentified.",
        ),
        (
            "Below --min-uses or --min-share: ",
            rare,
            "call",
            " with a use.",
        ),
        (
            "Too many callers for the memory: ",
            others,
            "call",
            " with a use are counted, but their callers are not listed.",
        ),
        (
            "Left out by --called-only: ",
            uncalled,
            "element",
            " never called.",
        ),
    ];
    let sentences = sentences.into_iter().filter(|(_, count, ..)| *count > 0);
    let sentences = sentences
        .map(|(before, count, noun, after)| format!("{before}{}{after}", counted(count, noun)));
    describe_future(report)
        .into_iter()
        .chain(sentences)
        .collect()
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

/// The columns about an element.
pub(super) const ELEMENT: [(ColumnKind, &str); 3] = [
    (ColumnKind::Name, "rule"),
    (ColumnKind::Name, "operation"),
    (ColumnKind::Text, "side"),
];

/// The cells of [`ELEMENT`].
pub(super) fn element_cells(id: &ElementId) -> [Cell; 3] {
    [
        (&*id.rule).into(),
        (&*id.operation).into(),
        id.part.name().into(),
    ]
}

/// The values that were called, with what rules say about them.
pub(super) fn inventory_table<'r>(
    report: &'r UsageReport<'_>,
) -> (Table, impl Iterator<Item = [Cell; 6]> + 'r) {
    let table = Table::new([
        (ColumnKind::Text, "api"),
        (ColumnKind::Name, "element"),
        (ColumnKind::Text, "side"),
        (ColumnKind::Name, "value"),
        (ColumnKind::Number, "calls"),
        (ColumnKind::Text, "state"),
    ]);
    let rows = report.inventory.iter().map(|(value, calls)| {
        let state = match value.state {
            ValueState::Ends(day, _) => report.last_day(Some(day)).unwrap_or_default(),
            ValueState::Undated(_) => "deprecated, without a last day".to_owned(),
            ValueState::Unknown if value.value.is_none() => "no rule; not shown".to_owned(),
            ValueState::Unknown => "no rule".to_owned(),
        };
        let name = value.value.as_deref().map(printable);
        [
            (&*printable(value.api)).into(),
            (&*printable(value.name)).into(),
            value.side.into(),
            name.map(Cow::into_owned).into(),
            (*calls).into(),
            state.into(),
        ]
    });
    (table, rows)
}
