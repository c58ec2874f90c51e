//! The report as JSON, with everything that was counted; `sundown schema usage` describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::caller::{CallerAttribute, CallerName, CallerValue};
use crate::caller_uses::CallerUse;
use crate::comparison::{ElementChange, ScanComparison};
use crate::history::TimeUnit;
use crate::inventory::{CalledValue, ValueState};
use crate::report::{ElementRow, UsageReport};
use crate::tally::{ReadTally, SeenPeriod, UseCount};
use crate::verdict::UsageVerdict;
use sundown_report::{Report, Summary};
use sundown_text_json::text::{safe_json, timestamp};

/// The JSON Schema of the report.
pub const USAGE_SCHEMA: &str = include_str!("usage.schema.json");

#[derive(Serialize)]
struct JsonUsage<'r> {
    schema_version: u32,
    as_of: String,
    quiet_days: u64,
    by: Vec<String>,
    calls: JsonCalls,
    verdicts: BTreeMap<&'static str, usize>,
    elements: Vec<JsonElement<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<JsonCalledValue<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonComparison<'r>>,
    excluded: JsonExcluded,
    input: JsonInput<'r>,
}

#[derive(Serialize)]
struct JsonCalls {
    count: u64,
    undated: u64,
    days: u64,
    first: Option<String>,
    last: Option<String>,
}

#[derive(Serialize)]
struct JsonElement<'r> {
    rule: &'r str,
    api: &'r str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    operation: &'r str,
    side: &'static str,
    removal: Option<String>,
    replacement: Option<&'r str>,
    verdict: &'static str,
    reason: &'r str,
    calls: u64,
    readable: u64,
    without_body: u64,
    not_json: u64,
    unreadable: u64,
    undated: u64,
    readable_days: u64,
    calls_with_use: u64,
    uses: u64,
    possible: u64,
    below_threshold: u64,
    first_use: Option<String>,
    last_use: Option<String>,
    days: Vec<JsonPeriod>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<Vec<JsonPeriod>>,
    days_are_capped: bool,
    #[serde(serialize_with = "write_callers")]
    callers: &'r [CallerUse<'r>],
    calls_of_other_callers: u64,
}

/// A value of an element with rules about values.
#[derive(Serialize)]
struct JsonCalledValue<'r> {
    api: &'r str,
    kind: &'static str,
    name: &'r str,
    side: &'static str,
    value: Option<&'r str>,
    rule: Option<&'r str>,
    removal: Option<String>,
    calls: u64,
}

/// The calls of a day or an hour.
#[derive(Serialize)]
struct JsonPeriod {
    #[serde(skip_serializing_if = "Option::is_none")]
    day: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hour: Option<String>,
    readable: u64,
    calls_with_use: u64,
}

#[derive(Serialize)]
struct JsonCaller {
    values: Vec<JsonCallerValue>,
    calls_with_use: u64,
    uses: u64,
    first_use: Option<String>,
    last_use: Option<String>,
}

/// The value of an attribute, or its keyed hash; neither of an unidentified caller.
#[derive(Serialize)]
struct JsonCallerValue {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

/// What changed since an earlier scan.
#[derive(Serialize)]
struct JsonComparison<'r> {
    calls: JsonCalls,
    elements: Vec<JsonElementChange<'r>>,
    all_callers: bool,
}

#[derive(Serialize)]
struct JsonElementChange<'r> {
    rule: &'r str,
    operation: &'r str,
    side: &'static str,
    change: &'static str,
    calls_with_use_before: u64,
    calls_with_use: u64,
    readable_before: u64,
    readable: u64,
    callers: Vec<JsonCallerChange>,
}

#[derive(Serialize)]
struct JsonCallerChange {
    values: Vec<JsonCallerValue>,
    change: &'static str,
    calls_with_use_before: u64,
    calls_with_use: u64,
}

#[derive(Serialize)]
struct JsonExcluded {
    outside_period: u64,
    undated: u64,
    by_caller: u64,
    never_called: usize,
}

#[derive(Serialize)]
struct JsonInput<'r> {
    files: usize,
    records: usize,
    descriptions: usize,
    bytes: usize,
    no_rule: usize,
    unusable_callers: u64,
    skipped: Vec<JsonPieces<'r>>,
    unread: Vec<&'r str>,
    incomplete: bool,
}

#[derive(Serialize)]
struct JsonPieces<'r> {
    kind: &'static str,
    reason: &'static str,
    count: usize,
    bytes: usize,
    files: usize,
    first_file: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'r str>,
    help: &'static str,
}

/// Writes the report.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scan = report.scan;
    let options = report.options;
    let document = JsonUsage {
        schema_version: 1,
        as_of: options.verdicts.as_of.to_string(),
        quiet_days: options.verdicts.quiet_days,
        by: options
            .attributes
            .iter()
            .map(CallerAttribute::name)
            .collect(),
        calls: calls(&scan.calls),
        verdicts: UsageVerdict::ALL
            .iter()
            .map(|verdict| (verdict.name(), report.count(*verdict)))
            .collect(),
        elements: report
            .rows
            .iter()
            .map(|row| element(row, report.unit()))
            .collect(),
        values: report.inventory.iter().map(called_value).collect(),
        comparison: report.comparison.as_ref().map(comparison),
        excluded: JsonExcluded {
            outside_period: scan.excluded.outside_period,
            undated: scan.excluded.undated,
            by_caller: scan.excluded.by_caller,
            never_called: report.never_called,
        },
        input: input(&report.input, scan.excluded.unusable_callers),
    };
    safe_json::pretty(out, &document)?;
    writeln!(out)
}

fn calls(calls: &ReadTally) -> JsonCalls {
    let (first, last) = times(calls.period);
    JsonCalls {
        count: calls.calls(),
        undated: calls.undated,
        days: calls.history.days(),
        first,
        last,
    }
}

fn comparison<'r>(comparison: &'r ScanComparison<'_>) -> JsonComparison<'r> {
    JsonComparison {
        calls: calls(&comparison.before.calls),
        elements: comparison.elements.iter().map(element_change).collect(),
        all_callers: comparison.has_all_callers,
    }
}

fn element_change<'r>(element: &'r ElementChange<'_>) -> JsonElementChange<'r> {
    JsonElementChange {
        rule: &element.id.rule,
        operation: &element.id.operation,
        side: element.id.part.name(),
        change: element.change.name(),
        calls_with_use_before: element.before.uses.calls,
        calls_with_use: element.now.uses.calls,
        readable_before: element.before.readable,
        readable: element.now.readable,
        callers: element
            .callers
            .iter()
            .map(|caller| JsonCallerChange {
                values: values(caller.name),
                change: caller.change.name(),
                calls_with_use_before: caller.before.calls,
                calls_with_use: caller.now.calls,
            })
            .collect(),
    }
}

fn element<'r>(row: &'r ElementRow<'_>, unit: TimeUnit) -> JsonElement<'r> {
    let reads = &row.tally.reads;
    let uses = &row.tally.uses;
    let (first_use, last_use) = times(uses.count.period);
    let value = row.facts.element.value.as_ref().map(ToString::to_string);
    JsonElement {
        rule: &row.id.rule,
        api: &row.facts.api,
        kind: row.facts.element.kind(),
        name: row.facts.element.name(),
        value,
        operation: &row.id.operation,
        side: row.side(),
        removal: row.facts.removal.map(|day| day.to_string()),
        replacement: row.facts.replacement.as_deref(),
        verdict: row.judgement.verdict.name(),
        reason: &row.judgement.reason,
        calls: reads.calls(),
        readable: row.tally.readable(),
        without_body: reads.absent,
        not_json: reads.not_json,
        unreadable: row.tally.unreadable(),
        undated: reads.undated,
        readable_days: row.tally.days(),
        calls_with_use: uses.count.calls,
        uses: uses.count.occurrences,
        possible: uses.count.possible,
        below_threshold: row.judgement.below_threshold,
        first_use,
        last_use,
        days: history(row, TimeUnit::Day),
        hours: (unit == TimeUnit::Hour).then(|| history(row, unit)),
        days_are_capped: reads.history.is_capped() || uses.history.is_capped(),
        callers: row.callers(),
        calls_of_other_callers: row.calls_of_other_callers(),
    }
}

fn called_value<'r>((value, calls): (&'r CalledValue<'_>, &u64)) -> JsonCalledValue<'r> {
    let (removal, rule) = match value.state {
        ValueState::Ends(removal, rule) => (Some(removal), Some(rule)),
        ValueState::Undated(rule) => (None, Some(rule)),
        ValueState::Unknown => (None, None),
    };
    JsonCalledValue {
        api: value.api,
        kind: value.kind,
        name: value.name,
        side: value.side,
        value: value.value.as_deref(),
        rule,
        removal: removal.map(|day| day.to_string()),
        calls: *calls,
    }
}

/// The hours or days with readable calls or uses, the earliest first.
fn history(row: &ElementRow<'_>, unit: TimeUnit) -> Vec<JsonPeriod> {
    let reads = row.tally.reads.history.counts(unit);
    let uses = row.tally.uses.history.counts(unit);
    let numbers: BTreeSet<_> = reads.keys().chain(uses.keys()).collect();
    let periods = numbers.into_iter().filter_map(|number| {
        let start = unit.start(*number)?;
        let is_day = unit == TimeUnit::Day;
        Some(JsonPeriod {
            day: is_day.then(|| start.date_naive().to_string()),
            hour: (!is_day).then(|| timestamp(start)),
            readable: reads.get(number).copied().unwrap_or_default(),
            calls_with_use: uses.get(number).copied().unwrap_or_default(),
        })
    });
    periods.collect()
}

/// Writes one caller after the other: there may be a million of them.
fn write_callers<S: Serializer>(callers: &[CallerUse<'_>], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(callers.iter().map(caller))
}

fn caller(found: &CallerUse<'_>) -> JsonCaller {
    let UseCount {
        calls,
        occurrences,
        period,
        ..
    } = found.count();
    let (first_use, last_use) = times(period);
    JsonCaller {
        values: values(found.name()),
        calls_with_use: calls,
        uses: occurrences,
        first_use,
        last_use,
    }
}

fn values(name: &CallerName) -> Vec<JsonCallerValue> {
    name.values().iter().map(caller_value).collect()
}

fn caller_value(value: &CallerValue) -> JsonCallerValue {
    let (value, hash) = match value {
        CallerValue::Unidentified => (None, None),
        CallerValue::Shown(value) => (Some(value.clone()), None),
        CallerValue::Hashed(_) => (None, Some(value.to_string())),
    };
    JsonCallerValue { value, hash }
}

fn input(input: &Report, unusable_callers: u64) -> JsonInput<'_> {
    let skipped = input.skipped.iter().map(|pieces| JsonPieces {
        kind: pieces.reason.kind().name(),
        reason: pieces.reason.name(),
        count: pieces.count,
        bytes: pieces.bytes,
        files: pieces.files,
        first_file: &pieces.file,
        line: pieces.location.map(|at| at.line),
        column: pieces.location.map(|at| at.column),
        detail: pieces.detail.as_deref(),
        help: pieces.reason.help(),
    });
    let Summary {
        files,
        records,
        descriptions,
        bytes,
        no_rule,
        ..
    } = input.summary;
    JsonInput {
        files,
        records,
        descriptions,
        bytes,
        no_rule,
        unusable_callers,
        skipped: skipped.collect(),
        unread: input.unread.iter().map(|name| &**name).collect(),
        incomplete: !input.complete,
    }
}

/// The first and last time, in RFC 3339.
fn times(period: SeenPeriod) -> (Option<String>, Option<String>) {
    (period.first.map(timestamp), period.last.map(timestamp))
}
