//! Machine output, version 1: one JSON document. The other JSON formats use its objects.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use chrono::NaiveDate;
use serde::Serialize;

use crate::format::TOOL_NAME;
use crate::{
    LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup, Summary, UnchangedFiles,
};
use sundown_exchange::{CodeOrigin, CodePlace, StatusCode};
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{
    AffectedOperation, Announced, Certainty, Check, Declared, FindingKind, OriginCount,
    RequirementViolation, RunRemark, Tally,
};
use sundown_lint::rules::{Requirement, UncalledOperation};
use sundown_text_json::text::{safe_json, timestamp};

/// Writes one JSON document, indented.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "json",
    about: "one JSON document, version 1",
    skips: "everything",
    has_remarks: true,
    mark: r#"^\{\n  "schema_version": \d+,\n  "tool": \{\n    "name": "sundown""#,
    write,
};

/// The version of this output; it is raised if a member is removed or changes its meaning.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema of the document. The test `report_schema` holds it to the structures below.
pub const REPORT_SCHEMA: &str = include_str!("../report.schema.json");

#[derive(Serialize)]
struct JsonReport<'r> {
    schema_version: u32,
    tool: JsonTool,
    as_of: String,
    findings: Vec<JsonFinding<'r>>,
    /// Findings that do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<JsonFinding<'r>>,
    skipped: Vec<JsonSkipped<'r>>,
    /// Remarks on rules, allowances and the baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<JsonRemark<'r>>,
    /// The number of findings of each table that found something.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tables: BTreeMap<&'r str, usize>,
    summary: JsonSummary<'r>,
}

#[derive(Serialize)]
pub(crate) struct JsonTool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
pub(super) struct JsonFinding<'r> {
    rule: &'r str,
    /// Only for findings in API descriptions, announced deprecations, and violated requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<&'static str>,
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    operation: &'r str,
    /// Only if the deprecation was announced for another operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    announced_for: Option<String>,
    side: &'static str,
    /// All operations that reach the element; only in API descriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<Vec<JsonAffected<'r>>>,
    /// Only for announced deprecations.
    #[serde(skip_serializing_if = "Option::is_none")]
    announced: Option<JsonAnnounced<'r>>,
    /// Only for violated requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    requirement: Option<JsonRequirement<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'r str>,
    /// As the body writes it; only if the user asked for values and this one may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'r str>,
    /// Only if the object with the element has the replacement, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replacement_present: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    days_left: Option<i64>,
    file: &'r str,
    line: usize,
    column: usize,
    span: JsonSpan,
    #[serde(skip_serializing_if = "Option::is_none")]
    decompressed_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<JsonExchange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<JsonRelated<'r>>,
    /// Only if there are more related elements than a report keeps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    related_incomplete: bool,
    /// Only if another alternative of the schema is not deprecated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    possible: bool,
    seen: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_seen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen: Option<String>,
    /// Only for uses in traffic and violated requirements whose time or status is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<JsonEvidence>,
    /// Where in code the uses were made, as far as the capture says; the place with the most uses first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    origins: Vec<JsonOrigin<'r>>,
    /// The number of uses from places that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    origins_left_out: usize,
    /// Only for recordings of tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_test: Option<&'r str>,
    fingerprint: String,
    /// Only for findings that do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed_by: Option<&'static str>,
    /// Only if an allowance covers the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowance: Option<JsonAllowance<'r>>,
}

/// What exchanges prove about a use.
#[derive(Serialize)]
pub(super) struct JsonEvidence {
    #[serde(flatten)]
    headline: JsonTally,
    /// The other outcomes of folded uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<JsonTally>,
}

#[derive(Serialize)]
struct JsonTally {
    outcome: &'static str,
    /// Only if all have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    count: usize,
    /// The day of the earliest, if it differs from that of the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The day of the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<String>,
    /// Only if it was after the last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    days_after_last_day: Option<i64>,
}

/// Code that used the element.
#[derive(Serialize)]
pub(crate) struct JsonOrigin<'r> {
    #[serde(flatten)]
    frame: Option<JsonCodeFrame<'r>>,
    /// Only if the whole call stack is in libraries.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    library: bool,
    /// The functions that called it, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<JsonCodeFrame<'r>>,
    /// The consumer whose contract expects the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    consumer: Option<&'r str>,
    /// How many uses come from it, unless the origin is that of one exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<usize>,
}

#[derive(Serialize)]
struct JsonCodeFrame<'r> {
    #[serde(flatten)]
    place: JsonCodePlace<'r>,
    /// The place in the source code, by a source map.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<JsonCodePlace<'r>>,
}

#[derive(Serialize)]
struct JsonCodePlace<'r> {
    file: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'r str>,
}

#[derive(Serialize)]
pub(super) struct JsonAllowance<'r> {
    file: &'r str,
    line: usize,
    reason: &'r str,
    /// The last day on which it applies to this finding; absent if the date is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    ended: bool,
}

#[derive(Serialize)]
pub(super) struct JsonRemark<'r> {
    kind: &'static str,
    file: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    message: &'r str,
    help: &'static str,
}

#[derive(Serialize)]
struct JsonAffected<'r> {
    operation: &'r str,
    side: &'static str,
}

#[derive(Serialize)]
struct JsonAnnounced<'r> {
    by: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<&'r str>,
    standing: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_removal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'r str>,
}

#[derive(Serialize)]
struct JsonRequirement<'r> {
    message: &'r str,
    remedy: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs: Option<&'r str>,
    /// The header field that violates it, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'r str>,
    /// What is there instead; never a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<String>,
}

#[derive(Serialize)]
struct JsonSpan {
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct JsonExchange {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<String>,
}

#[derive(Serialize)]
struct JsonRelated<'r> {
    rule: &'r str,
    side: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'r str>,
    line: usize,
    column: usize,
    /// Only if another alternative of the schema is not deprecated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    possible: bool,
}

#[derive(Serialize)]
pub(crate) struct JsonSkipped<'r> {
    file: &'r str,
    kind: &'static str,
    reason: &'static str,
    count: usize,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'r str>,
    help: &'static str,
}

#[derive(Serialize)]
pub(super) struct JsonSummary<'r> {
    files: usize,
    records: usize,
    bytes: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    /// How many elements were still served after their last day.
    #[serde(skip_serializing_if = "is_zero")]
    served_late: usize,
    unrelated: usize,
    failed: usize,
    /// Only if there are named paths in which nothing was checked: how many.
    #[serde(skip_serializing_if = "is_zero")]
    unread: usize,
    no_rule: usize,
    allowed: usize,
    baselined: usize,
    /// Findings in the baseline whose element has been removed.
    baselined_removed: usize,
    /// How many entries of the baseline no longer match a finding.
    baseline_gone: usize,
    /// Only with `--changed-since`: how many files were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchanged: Option<usize>,
    /// Only if the run was interrupted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    /// The operations of the user's rules that no call reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    never_called: Vec<JsonUncalled<'r>>,
}

/// An operation of the user's rules that no call reached.
#[derive(Serialize)]
struct JsonUncalled<'r> {
    operation: &'r str,
    rules: &'r BTreeSet<String>,
}

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let document = JsonReport {
        schema_version: SCHEMA_VERSION,
        tool: tool(),
        as_of: report.as_of.to_string(),
        findings: report.findings.iter().map(finding).collect(),
        suppressed: report.suppressed.iter().map(finding).collect(),
        skipped: report.skipped.iter().map(skipped).collect(),
        remarks: report.remarks.iter().map(remark).collect(),
        tables: report
            .tables
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect(),
        summary: summary(report),
    };
    safe_json::pretty(out, &document)?;
    writeln!(out)
}

pub(crate) fn tool() -> JsonTool {
    JsonTool {
        name: TOOL_NAME,
        version: env!("CARGO_PKG_VERSION"),
    }
}

pub(super) fn finding(located: &LocatedFinding) -> JsonFinding<'_> {
    let finding = &located.finding;
    JsonFinding {
        rule: &finding.rule.id,
        check: finding.check().map(Check::id),
        severity: finding.severity.name(),
        message: finding.message(),
        operation: &finding.found.operation,
        announced_for: finding.announced_for().map(ToString::to_string),
        side: finding.found.part.name(),
        operations: finding.declared().map(affected),
        announced: match &finding.kind {
            FindingKind::Announced(own) => Some(announced(own)),
            _ => None,
        },
        requirement: match &finding.kind {
            FindingKind::Violated(own) => Some(requirement(own)),
            _ => None,
        },
        field: finding.rule.element.name(),
        pointer: finding.found.exact_pointer(),
        value: finding.found.shown.text.as_deref(),
        replacement: finding.rule.replacement.as_deref(),
        replacement_present: finding.has_replacement,
        note: finding.note(),
        removal: finding.rule.removal.map(|removal| removal.to_string()),
        days_left: finding.days_left,
        file: &located.file,
        line: located.location.line,
        column: located.location.column,
        span: JsonSpan {
            start: finding.found.span.start,
            end: finding.found.span.end,
        },
        decompressed_from: located.compression,
        exchange: finding
            .found
            .exchange
            .as_ref()
            .map(|exchange| JsonExchange {
                index: exchange.index,
                started: exchange.started.map(timestamp),
            }),
        possible: finding.found.certainty == Certainty::Possible,
        related: related(located),
        related_incomplete: finding.has_more_related,
        seen: finding.sightings.count,
        first_seen: finding.sightings.first.map(timestamp),
        last_seen: finding.sightings.last.map(timestamp),
        evidence: evidence(located),
        origins: finding
            .origins
            .by_count()
            .into_iter()
            .map(counted_origin)
            .collect(),
        origins_left_out: finding.origins.left_out(),
        recorded_test: located.recorded_test(),
        fingerprint: located.fingerprint(),
        suppressed_by: match located.status {
            SuppressionStatus::Open | SuppressionStatus::Expired(_) => None,
            SuppressionStatus::Allowed(_) => Some("allowance"),
            SuppressionStatus::Baselined => Some("baseline"),
        },
        allowance: allowance(located),
    }
}

pub(super) fn evidence(located: &LocatedFinding) -> Option<JsonEvidence> {
    let finding = &located.finding;
    let last_day = finding.rule.removal;
    let evidence = finding.use_evidence()?;
    let others = evidence.others();
    Some(JsonEvidence {
        headline: tally(evidence.headline()?, last_day),
        also: others.map(|other| tally(other, last_day)).collect(),
    })
}

fn tally(tally: &Tally, last_day: Option<NaiveDate>) -> JsonTally {
    let days = tally.days();
    let late = days
        .zip(last_day)
        .map(|((_, last), last_day)| (last - last_day).num_days());
    JsonTally {
        outcome: tally.outcome.name(),
        status: tally.status().map(StatusCode::code),
        count: tally.count,
        since: days
            .filter(|(first, last)| first != last)
            .map(|(first, _)| first.to_string()),
        on: days.map(|(_, last)| last.to_string()),
        days_after_last_day: late.filter(|days| *days > 0),
    }
}

fn counted_origin(counted: &OriginCount) -> JsonOrigin<'_> {
    JsonOrigin {
        seen: Some(counted.count),
        ..origin(&counted.origin)
    }
}

pub(crate) fn origin(origin: &CodeOrigin) -> JsonOrigin<'_> {
    let mut frames = origin.frames.iter().map(|frame| JsonCodeFrame {
        place: code_place(&frame.place),
        source: frame.source.as_ref().map(code_place),
    });
    JsonOrigin {
        frame: frames.next(),
        library: origin.is_library,
        callers: frames.collect(),
        consumer: origin.consumer.as_deref(),
        seen: None,
    }
}

fn code_place(place: &CodePlace) -> JsonCodePlace<'_> {
    let CodePlace {
        file,
        line,
        column,
        function,
    } = place;
    JsonCodePlace {
        file,
        line: *line,
        column: *column,
        function: function.as_deref(),
    }
}

pub(super) fn allowance(located: &LocatedFinding) -> Option<JsonAllowance<'_>> {
    let allowance = located.status.allowance()?;
    Some(JsonAllowance {
        file: &allowance.file,
        line: allowance.line,
        reason: &allowance.reason,
        until: allowance.end.day().map(|day| day.to_string()),
        ended: located.status.is_counted(),
    })
}

pub(super) fn remark(remark: &RunRemark) -> JsonRemark<'_> {
    JsonRemark {
        kind: remark.kind.name(),
        file: &remark.file,
        line: remark.line,
        message: &remark.message,
        help: remark.kind.help(),
    }
}

fn affected(declared: &Declared) -> Vec<JsonAffected<'_>> {
    declared
        .operations
        .iter()
        .map(|AffectedOperation { part, operation }| JsonAffected {
            operation,
            side: part.name(),
        })
        .collect()
}

fn announced(announced: &Announced) -> JsonAnnounced<'_> {
    let agreement = &announced.standing;
    JsonAnnounced {
        by: announced.by.iter().map(|field| field.name()).collect(),
        since: announced.since.map(|since| since.to_string()),
        release: announced.release.as_deref(),
        standing: agreement.name(),
        rule: agreement.rule(),
        rule_removal: agreement.date().map(|date| date.to_string()),
        schema: announced.schema.as_deref(),
    }
}

fn requirement(violated: &RequirementViolation) -> JsonRequirement<'_> {
    let Requirement {
        rule,
        message,
        remedy,
        section,
        ..
    } = &*violated.requirement;
    JsonRequirement {
        message,
        remedy,
        section: section.as_deref(),
        docs: rule.docs.as_deref(),
        header: Some(violated.header.as_str()).filter(|header| !header.is_empty()),
        found: violated.observed.iter().map(ToString::to_string).collect(),
    }
}

fn related(located: &LocatedFinding) -> Vec<JsonRelated<'_>> {
    let related = located.finding.related.iter().zip(&located.related);
    related
        .map(|(related, (at, _))| JsonRelated {
            rule: &related.rule,
            side: related.part.name(),
            pointer: related.exact_pointer(),
            line: at.line,
            column: at.column,
            possible: related.certainty == Certainty::Possible,
        })
        .collect()
}

pub(crate) fn skipped(skipped: &SkipGroup) -> JsonSkipped<'_> {
    JsonSkipped {
        file: &skipped.file,
        kind: skipped.reason.kind().name(),
        reason: skipped.reason.name(),
        count: skipped.count,
        bytes: skipped.bytes,
        line: skipped.location.map(|location| location.line),
        column: skipped.location.map(|location| location.column),
        detail: skipped.detail.as_deref(),
        help: skipped.reason.help(),
    }
}

pub(super) fn summary(report: &Report) -> JsonSummary<'_> {
    let &Summary {
        files,
        records,
        descriptions: _,
        bytes,
        errors,
        warnings,
        notes,
        served_late,
        unrelated,
        failed,
        no_rule,
        allowed,
        baselined,
        baselined_removed,
    } = &report.summary;
    let incomplete = !report.complete;
    JsonSummary {
        files,
        records,
        bytes,
        errors,
        warnings,
        notes,
        served_late,
        unrelated,
        failed,
        unread: report.unread.len(),
        no_rule,
        allowed,
        baselined,
        baselined_removed,
        baseline_gone: report.gone.len(),
        unchanged: report
            .unchanged
            .as_ref()
            .map(|UnchangedFiles { files, .. }| *files),
        incomplete,
        never_called: report
            .uncalled
            .iter()
            .map(
                |UncalledOperation {
                     operation, rules, ..
                 }| JsonUncalled { operation, rules },
            )
            .collect(),
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
