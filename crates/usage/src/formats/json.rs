//! The report as JSON, with everything that was counted; `sundown schema usage` describes it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::caller::{CallerAttribute, CallerName, CallerValue};
use crate::caller_uses::CallerUse;
use crate::history::TimeUnit;
use crate::report::{CalledValue, ElementRow, UsageReport, ValueState};
use crate::tally::{ReadTally, UseCount};
use crate::verdict::UsageVerdict;
use sundown_report::{Report, SkipGroup, Summary, skipped_pieces, tool};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, safe_json};

/// The JSON Schema of the report.
pub const USAGE_SCHEMA: &str = include_str!("usage.schema.json");

/// Writes the report.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::pretty(out, &document(report))?;
    writeln!(out)
}

/// The document.
pub(super) fn document<'r>(report: &'r UsageReport<'_>) -> JsonValue<'r> {
    let scan = report.scan;
    let options = report.options;
    let attributes = options.attributes.iter().map(CallerAttribute::name);
    let verdicts = UsageVerdict::ALL.iter();
    let verdicts = verdicts.map(|it| (it.name().into(), report.count(*it).into()));
    let elements = report.listed().map(|row| element(row, report.unit()));
    let values = report.inventory.iter();
    let values = values.map(|(value, calls)| called_value(value, *calls));
    object! {
        "schema_version": 1_u32,
        "tool": tool(),
        "as_of": options.verdicts.as_of,
        "quiet_days": options.verdicts.quiet_days,
        "by": JsonValue::list(attributes),
        "calls": calls(&scan.calls),
        "verdicts": JsonValue::Object(verdicts.collect()),
        "elements": JsonValue::list(elements),
        "unlisted": JsonValue::unless_default(report.unlisted()),
        "values": JsonValue::list_if_any(values),
        "excluded": object! {
            "outside_period": scan.excluded.outside_period,
            "undated": scan.excluded.undated,
            "by_caller": scan.excluded.by_caller,
            "never_called": report.never_called,
        },
        "input": input(&report.input, scan.excluded.unusable_callers),
    }
}

fn calls(calls: &ReadTally) -> JsonValue<'static> {
    object! {
        "count": calls.calls(),
        "undated": calls.undated,
        "days": calls.history.days(),
        "first": JsonValue::or_null(calls.period.first),
        "last": JsonValue::or_null(calls.period.last),
    }
}

fn element<'r>(row: &'r ElementRow<'_>, unit: TimeUnit) -> JsonValue<'r> {
    let reads = &row.tally.reads;
    let uses = &row.tally.uses;
    let element = &row.facts.element;
    let is_hourly = unit == TimeUnit::Hour;
    object! {
        "rule": &*row.id.rule,
        "api": &*row.facts.api,
        "kind": element.kind(),
        "name": element.name(),
        "value": element.value.as_ref().map(ToString::to_string),
        "operation": &*row.id.operation,
        "side": row.side(),
        "removal": JsonValue::or_null(row.facts.removal),
        "replacement": JsonValue::or_null(row.facts.replacement.as_deref()),
        "verdict": row.judgement.verdict.name(),
        "known": row.judgement.known.as_deref(),
        "reason": &*row.judgement.reason,
        "calls": reads.calls(),
        "readable": row.tally.readable(),
        "without_body": reads.absent,
        "not_json": reads.not_json,
        "unreadable": row.tally.unreadable(),
        "undated": reads.undated,
        "readable_days": row.tally.days(),
        "calls_with_use": uses.count.calls,
        "uses": uses.count.occurrences,
        "possible": uses.count.possible,
        "below_threshold": row.judgement.below_threshold,
        "first_use": JsonValue::or_null(uses.count.period.first),
        "last_use": JsonValue::or_null(uses.count.period.last),
        "days": history(row, TimeUnit::Day),
        "hours": is_hourly.then(|| history(row, unit)),
        "days_are_capped": reads.history.is_capped() || uses.history.is_capped(),
        // One is made after the other: there may be a million of them.
        "callers": JsonValue::list(row.callers.iter().map(caller)),
        "calls_of_other_callers": row.calls_of_other_callers,
    }
}

/// A value of an element with rules about values.
fn called_value<'r>(value: &'r CalledValue<'_>, calls: u64) -> JsonValue<'r> {
    let (removal, rule) = match value.state {
        ValueState::Ends(removal, rule) => (Some(removal), Some(rule)),
        ValueState::Undated(rule) => (None, Some(rule)),
        ValueState::Unknown => (None, None),
    };
    object! {
        "api": value.api,
        "kind": value.kind,
        "name": value.name,
        "side": value.side,
        "value": JsonValue::or_null(value.value.as_deref()),
        "rule": JsonValue::or_null(rule),
        "removal": JsonValue::or_null(removal),
        "calls": calls,
    }
}

/// The hours or days with readable calls or uses, the earliest first.
fn history(row: &ElementRow<'_>, unit: TimeUnit) -> JsonValue<'static> {
    let reads = row.tally.reads.history.counts(unit);
    let uses = row.tally.uses.history.counts(unit);
    let numbers: BTreeSet<_> = reads.keys().chain(uses.keys()).collect();
    let periods = numbers.into_iter().filter_map(|number| {
        let start = unit.start(*number)?;
        let is_day = unit == TimeUnit::Day;
        Some(object! {
            "day": is_day.then(|| start.date_naive()),
            "hour": (!is_day).then_some(start),
            "readable": reads.get(number).copied().unwrap_or_default(),
            "calls_with_use": uses.get(number).copied().unwrap_or_default(),
        })
    });
    JsonValue::list(periods.collect::<Vec<_>>())
}

fn caller<'r>(found: &'r CallerUse<'_>) -> JsonValue<'r> {
    let UseCount {
        calls,
        occurrences,
        period,
        ..
    } = *found.count;
    object! {
        "values": values(found.name),
        "calls_with_use": calls,
        "uses": occurrences,
        "first_use": JsonValue::or_null(period.first),
        "last_use": JsonValue::or_null(period.last),
    }
}

fn values(name: &CallerName) -> JsonValue<'_> {
    JsonValue::list(name.0.iter().map(caller_value))
}

/// The value of an attribute, or its keyed hash; neither of an unidentified caller.
fn caller_value(value: &CallerValue) -> JsonValue<'_> {
    match value {
        CallerValue::Unidentified => object! {},
        CallerValue::Shown(value) => object! { "value": value },
        CallerValue::Hashed(_) => object! { "hash": value.to_string() },
    }
}

fn input(input: &Report, unusable_callers: u64) -> JsonValue<'_> {
    let Summary {
        files,
        records,
        descriptions,
        bytes,
        no_rule,
        ..
    } = input.summary;
    object! {
        "files": files,
        "records": records,
        "descriptions": descriptions,
        "bytes": bytes,
        "no_rule": no_rule,
        "unusable_callers": unusable_callers,
        "skipped": JsonValue::list(input.skipped.iter().map(skipped)),
        "unread": JsonValue::list(input.unread.iter().map(|name| &**name)),
        "incomplete": !input.complete,
    }
}

/// Pieces of several files.
fn skipped(group: &SkipGroup) -> JsonValue<'_> {
    skipped_pieces(group).join(object! { "files": group.files, "first_file": &*group.file })
}
