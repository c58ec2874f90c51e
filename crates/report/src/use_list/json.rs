//! The list of uses as one JSON document.

use std::io::{self, Write};

use super::UseList;
use super::list::{ListedUse, UseKey, UseMark};
use super::text::checked;
use crate::Report;
use crate::formats::json;
use sundown_exchange::{SkipKind, StatusCode};
use sundown_lint::findings::{Certainty, UseOutcome};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, safe_json};

/// The version of this output; it is raised if a member is removed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// Writes the list as one JSON document, indented.
pub fn write_uses_as_json(list: &UseList, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (earliest, latest) = list.times.unzip();
    let skipped = [SkipKind::Failed, SkipKind::Unrelated];
    let skipped = skipped.into_iter().flat_map(|kind| report.skips_of(kind));
    let document = json::head(SCHEMA_VERSION, report).join(object! {
        "rule": &list.rule,
        "removal": list.removal,
        // How many exchanges of the operations of the rule were checked, how many of them have the element, and how many times.
        "checked": checked(report),
        "exchanges": list.exchanges,
        "uses": list.uses,
        "first_seen": earliest,
        "last_seen": latest,
        "outcomes": JsonValue::list(list.outcomes.iter().map(outcome)),
        "listed": JsonValue::list(list.sorted().into_iter().map(|(key, listed)| listed_use(key, listed))),
        "left_out": list.left_out,
        "skipped": JsonValue::list(skipped.map(json::skipped).collect::<Vec<_>>()),
        "incomplete": JsonValue::unless_default(!report.complete),
    });
    safe_json::pretty(out, &document)?;
    writeln!(out)
}

fn outcome<'l>(
    ((outcome, status), exchanges): (&(UseOutcome, Option<StatusCode>), &usize),
) -> JsonValue<'l> {
    object! {
        "outcome": outcome.name(),
        "status": status.map(StatusCode::code),
        "exchanges": *exchanges,
    }
}

fn listed_use<'l>(key: &'l UseKey, listed: &'l ListedUse) -> JsonValue<'l> {
    object! {
        "started": key.started,
        "status": listed.status.map(StatusCode::code),
        "outcome": listed.outcome.name(),
        "file": &*key.file,
        "line": listed.location.line,
        "column": listed.location.column,
        "exchange": key.exchange,
        "operation": &*key.operation,
        "side": key.part.name(),
        // Of the first of those that differ only in array indices.
        "pointer": listed.pointer.as_deref(),
        "count": listed.count,
        "possible": JsonValue::unless_default(listed.certainty == Certainty::Possible),
        "origin": listed.origin.as_deref().map(json::origin),
        "suppressed_by": match listed.mark {
            UseMark::Counted => None,
            UseMark::Allowed(_) => Some("allowance"),
            UseMark::Baselined => Some("baseline"),
        },
    }
}
