//! Machine output, version 2: one JSON document. The other JSON formats use its objects.

use std::io::{self, Write};

use chrono::NaiveDate;

use crate::format::TOOL_NAME;
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup, Summary};
use sundown_exchange::{CodeLocation, CodeOrigin, StatusCode};
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{
    Announced, Certainty, Check, Declared, Finding, FindingKind, Related, RequirementViolation,
    RunRemark, Tally,
};
use sundown_lint::rules::{Rule, RuleFix, UncalledOperation};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, Location, safe_json};

/// Writes one JSON document, indented.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "json",
    about: "one JSON document, version 2",
    skips: "everything",
    has_remarks: true,
    mark: r#"^\{\n  "schema_version": \d+,\n  "tool": \{\n    "name": "sundown""#,
    write,
};

/// The version of this output; it is raised if a member is removed or changes its meaning.
const SCHEMA_VERSION: u32 = 2;

/// The JSON Schema of the document. The test `report_schema` holds it to the members below.
pub const REPORT_SCHEMA: &str = include_str!("../report.schema.json");

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    safe_json::pretty(out, &document(report))?;
    writeln!(out)
}

/// The document.
pub(super) fn document(report: &Report) -> JsonValue<'_> {
    let tables = report.tables.iter();
    let tables = tables.map(|(name, count)| (name.as_str().into(), (*count).into()));
    let tables = JsonValue::Object(tables.collect());
    head(report).join(object! {
        "findings": JsonValue::list(report.findings.iter().map(finding)),
        "suppressed": JsonValue::list_if_any(report.suppressed.iter().map(finding)),
        "skipped": JsonValue::list(report.skipped.iter().map(skipped)),
        "remarks": JsonValue::list_if_any(report.remarks.iter().map(remark)),
        "tables": Some(tables).filter(|_| !report.tables.is_empty()),
        "summary": summary(report),
    })
}

/// The first members of a document: its version, the program, and the day.
pub(super) fn head(report: &Report) -> JsonValue<'static> {
    object! {
        "schema_version": SCHEMA_VERSION,
        "tool": tool(),
        "as_of": report.as_of,
    }
}

pub(super) fn finding(located: &LocatedFinding) -> JsonValue<'_> {
    let finding = &located.finding;
    let found = &finding.found;
    let exchange = found.exchange.as_ref();
    let (announced, violated) = match &finding.kind {
        FindingKind::Announced(own) => (Some(announced(own)), None),
        FindingKind::Violated(own) => (None, Some(requirement(own, &finding.rule))),
        FindingKind::Use | FindingKind::Declared(_) => (None, None),
    };
    let origins = finding.origins.by_count().into_iter();
    object! {
        "rule": &finding.rule.id,
        // Only for findings in API descriptions, announced deprecations, and violated requirements.
        "check": finding.check().map(Check::id),
        "severity": finding.severity.name(),
        "message": finding.message(),
        "operation": JsonValue::unless_default(&*found.operation),
        "announced_for": finding.announced_for().map(ToString::to_string),
        "side": found.part.name(),
        // Of a finding that is no use.
        "operations": finding.declared().map(affected),
        "announced": announced,
        "requirement": violated,
        "field": finding.rule.element.name(),
        "element": element(finding),
        "pointer": found.exact_pointer(),
        // As the body writes it; only if the user asked for values and this one may be shown.
        "value": found.shown.text.as_deref(),
        "replacement": finding.rule.replacement.as_deref(),
        "replacement_present": JsonValue::unless_default(finding.has_replacement()),
        "edit": finding.edit().map(|fix| edit(&fix)),
        "note": finding.note(),
        "docs": finding.rule.docs.as_deref(),
        "removal": finding.rule.removal,
        "days_left": finding.days_left,
        "file": &*located.file,
        "line": located.location.line,
        "column": located.location.column,
        "span": object! { "start": found.span.start, "end": found.span.end },
        "decompressed_from": located.compression,
        "exchange": exchange.map(|own| object! { "index": own.index, "started": own.started }),
        "related": JsonValue::list_if_any(finding.related.iter().zip(&located.related).map(related)),
        // Only if there are more related elements than a report keeps.
        "related_incomplete": JsonValue::unless_default(finding.has_more_related),
        // Only if another alternative of the schema is not deprecated.
        "possible": JsonValue::unless_default(found.certainty == Certainty::Possible),
        "seen": finding.sightings.count,
        "first_seen": finding.sightings.first,
        "last_seen": finding.sightings.last,
        "evidence": evidence(located),
        // The place with the most uses first.
        "origins": JsonValue::list_if_any(origins.map(|(own, count)| counted_origin(own, count))),
        "origins_left_out": JsonValue::unless_default(finding.origins.left_out()),
        "recorded_test": located.recorded_test(),
        "fingerprint": located.fingerprint(),
        "suppressed_by": match located.status {
            SuppressionStatus::Allowed(_) => Some("allowance"),
            SuppressionStatus::Baselined => Some("baseline"),
            _ => None,
        },
        "allowance": allowance(located),
    }
}

/// The edit that replaces the element.
fn edit<'r>(fix: &RuleFix) -> JsonValue<'r> {
    object! {
        "kind": fix.edit.kind(),
        "to": fix.edit.to().map(str::to_owned),
        "safe": fix.safe,
    }
}

/// The deprecated element; none of a violated requirement.
fn element(finding: &Finding) -> Option<JsonValue<'_>> {
    let element = &finding.rule.element;
    let kind = if element.is_endpoint() {
        "operation"
    } else {
        element.kind()
    };
    let value = element.value.as_ref().map(ToString::to_string);
    (!finding.is_violation())
        .then(|| object! { "kind": kind, "name": element.name(), "value": value })
}

/// What exchanges prove about a use, and the other outcomes of folded uses. Only if a time or a status is recorded.
pub(super) fn evidence(located: &LocatedFinding) -> Option<JsonValue<'_>> {
    let finding = &located.finding;
    let last_day = finding.rule.removal;
    let evidence = finding.use_evidence()?;
    let others = evidence.tallies.iter().skip(1);
    let others = others.map(move |other| tally(other, last_day));
    let also = object! { "also": JsonValue::list_if_any(others) };
    Some(tally(evidence.headline()?, last_day).join(also))
}

fn tally(tally: &Tally, last_day: Option<NaiveDate>) -> JsonValue<'static> {
    let (first, last) = tally.days().unzip();
    let late = last.zip(last_day);
    let late = late.map(|(last, last_day)| (last - last_day).num_days());
    object! {
        "outcome": tally.outcome.name(),
        // Only if all have the same.
        "status": tally.status().map(StatusCode::code),
        "count": tally.uses.count,
        "since": first.filter(|_| first != last),
        "on": last,
        "days_after_last_day": late.filter(|days| *days > 0),
    }
}

fn counted_origin(own: &CodeOrigin, count: usize) -> JsonValue<'_> {
    origin(own).join(object! { "seen": count })
}

/// Code that used the element, with the functions that called it, innermost first.
fn origin(origin: &CodeOrigin) -> JsonValue<'_> {
    let mut frames = origin.frames.iter();
    let first = frames.next().map_or(object! {}, code_location);
    first.join(object! {
        // Only if the whole call stack is in libraries.
        "library": JsonValue::unless_default(origin.is_library),
        "callers": JsonValue::list_if_any(frames.map(code_location)),
        // The consumer whose contract expects the element.
        "consumer": origin.consumer.as_deref(),
    })
}

fn code_location(place: &CodeLocation) -> JsonValue<'_> {
    object! {
        "file": &*place.file,
        "line": place.line,
        "column": place.column,
        "function": place.function.as_deref(),
    }
}

/// The allowance that covers the finding, or did.
pub(super) fn allowance(located: &LocatedFinding) -> Option<JsonValue<'_>> {
    let allowance = located.status.allowance()?;
    Some(object! {
        "file": &*allowance.terms.file,
        "line": allowance.terms.line,
        "reason": &*allowance.terms.reason,
        // Absent if the date is invalid.
        "until": allowance.last_day(),
        "ended": located.status.is_counted(),
    })
}

pub(super) fn remark(remark: &RunRemark) -> JsonValue<'_> {
    object! {
        "kind": remark.kind.name(),
        "file": &*remark.file,
        "line": remark.line,
        "message": &*remark.message,
        "help": remark.kind.help(),
    }
}

/// All operations that reach the element.
fn affected(declared: &Declared) -> JsonValue<'_> {
    let operations = declared.operations.iter();
    JsonValue::list(operations.map(|own| {
        object! { "operation": &*own.operation, "side": own.part.name() }
    }))
}

fn announced(announced: &Announced) -> JsonValue<'_> {
    let agreement = &announced.standing;
    object! {
        "by": JsonValue::list(announced.by.iter().map(|field| field.name())),
        "since": announced.since,
        "release": announced.release.as_deref(),
        "standing": agreement.name(),
        "rule": agreement.rule(),
        "rule_removal": agreement.date(),
        "schema": announced.schema.as_deref(),
    }
}

fn requirement<'r>(violated: &'r RequirementViolation, rule: &'r Rule) -> JsonValue<'r> {
    let requirement = &violated.requirement;
    object! {
        "message": &*requirement.message,
        "remedy": &*requirement.remedy,
        "section": requirement.section.as_deref(),
        "docs": rule.docs.as_deref(),
        // The header field that violates it, if one does.
        "header": JsonValue::unless_default(violated.header.as_str()),
        // What is there instead; never a value.
        "found": JsonValue::list_if_any(violated.observed.iter().map(ToString::to_string)),
    }
}

fn related<'r>((related, (at, _)): (&'r Related, &(Location, Location))) -> JsonValue<'r> {
    object! {
        "rule": &related.rule.id,
        "side": related.part.name(),
        "pointer": related.exact_pointer(),
        "line": at.line,
        "column": at.column,
        "possible": JsonValue::unless_default(related.certainty == Certainty::Possible),
    }
}

/// The program that writes a report.
pub fn tool() -> JsonValue<'static> {
    object! { "name": TOOL_NAME, "version": env!("CARGO_PKG_VERSION") }
}

pub(crate) fn skipped(group: &SkipGroup) -> JsonValue<'_> {
    object! { "file": &*group.file }.join(skipped_pieces(group))
}

/// Pieces that were not checked, without their file.
pub fn skipped_pieces(group: &SkipGroup) -> JsonValue<'_> {
    object! {
        "kind": group.reason.kind().name(),
        "reason": group.reason.name(),
        "count": group.count,
        "bytes": group.bytes,
        "line": group.location.map(|location| location.line),
        "column": group.location.map(|location| location.column),
        "detail": group.detail.as_deref(),
        "message": group.reason.text(),
        "help": group.reason.help(),
    }
}

pub(super) fn summary(report: &Report) -> JsonValue<'_> {
    let summary: &Summary = &report.summary;
    object! {
        "files": summary.files,
        "records": summary.records,
        "bytes": summary.bytes,
        "errors": summary.errors,
        "warnings": summary.warnings,
        "notes": summary.notes,
        // How many elements were still served after their last day.
        "served_late": JsonValue::unless_default(summary.served_late),
        "unrelated": summary.unrelated,
        "failed": summary.failed,
        // How many named paths there are in which nothing was checked.
        "unread": JsonValue::unless_default(report.unread.len()),
        "no_rule": summary.no_rule,
        "allowed": summary.allowed,
        "baselined": summary.baselined,
        "baselined_removed": summary.baselined_removed,
        "baseline_gone": report.gone.len(),
        // Only with `--changed-since`: how many files were left out.
        "unchanged": report.unchanged.as_ref().map(|unchanged| unchanged.files),
        "incomplete": JsonValue::unless_default(!report.complete),
        "never_called": JsonValue::list_if_any(report.uncalled.iter().map(uncalled)),
    }
}

/// An operation of the user's rules that no call reached.
fn uncalled(own: &UncalledOperation) -> JsonValue<'_> {
    object! { "operation": &*own.operation, "rules": JsonValue::list(&own.rules) }
}
