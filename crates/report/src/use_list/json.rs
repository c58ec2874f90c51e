//! The list of uses as one JSON document.

use std::io::{self, Write};

use serde::Serialize;

use super::UseList;
use super::list::{ListedUse, UseMark};
use super::text::checked;
use crate::Report;
use crate::formats::json::{self, JsonOrigin, JsonSkipped, JsonTool};
use sundown_exchange::{SkipKind, StatusCode};
use sundown_lint::findings::Certainty;
use sundown_text_json::text::{safe_json, timestamp};

#[derive(Serialize)]
struct JsonUseList<'l> {
    schema_version: u32,
    tool: JsonTool,
    as_of: String,
    rule: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    removal: Option<String>,
    /// How many exchanges of the operations of the rule were checked.
    checked: usize,
    /// How many of them have the element.
    exchanges: usize,
    /// How many times they have it.
    uses: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_seen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen: Option<String>,
    outcomes: Vec<JsonOutcome>,
    listed: Vec<JsonUse<'l>>,
    /// How many uses are not listed.
    left_out: usize,
    skipped: Vec<JsonSkipped<'l>>,
    /// Only if the run was interrupted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

#[derive(Serialize)]
struct JsonOutcome {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    exchanges: usize,
}

#[derive(Serialize)]
struct JsonUse<'l> {
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    outcome: &'static str,
    file: &'l str,
    line: usize,
    column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<usize>,
    operation: &'l str,
    side: &'static str,
    /// Of the first of those that differ only in array indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'l str>,
    count: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    possible: bool,
    /// The code that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<JsonOrigin<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed_by: Option<&'static str>,
}

/// Writes the list as one JSON document, indented.
pub fn write_uses_as_json(list: &UseList, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let outcomes = list
        .outcomes
        .iter()
        .map(|((outcome, status), exchanges)| JsonOutcome {
            outcome: outcome.name(),
            status: status.map(StatusCode::code),
            exchanges: *exchanges,
        });
    let skipped = [SkipKind::Failed, SkipKind::Unrelated];
    let skipped = skipped
        .into_iter()
        .flat_map(|kind| report.skips_of(kind))
        .map(json::skipped);
    let document = JsonUseList {
        schema_version: json::SCHEMA_VERSION,
        tool: json::tool(),
        as_of: report.as_of.to_string(),
        rule: &list.rule,
        removal: list.removal.map(|removal| removal.to_string()),
        checked: checked(report),
        exchanges: list.exchanges,
        uses: list.uses,
        first_seen: list.times.map(|(first, _)| timestamp(first)),
        last_seen: list.times.map(|(_, last)| timestamp(last)),
        outcomes: outcomes.collect(),
        listed: list.sorted().into_iter().map(json_use).collect(),
        left_out: list.left_out,
        skipped: skipped.collect(),
        incomplete: !report.complete,
    };
    safe_json::pretty(out, &document)?;
    writeln!(out)
}

fn json_use(listed: &ListedUse) -> JsonUse<'_> {
    let (_, started) = listed.order;
    JsonUse {
        started: started.map(timestamp),
        status: listed.status.map(StatusCode::code),
        outcome: listed.outcome.name(),
        file: &listed.file,
        line: listed.location.line,
        column: listed.location.column,
        exchange: listed.exchange,
        operation: &listed.operation,
        side: listed.part.name(),
        pointer: listed.pointer.as_deref(),
        count: listed.count,
        possible: listed.certainty == Certainty::Possible,
        origin: listed.origin.as_deref().map(json::origin),
        suppressed_by: match listed.mark {
            UseMark::Counted => None,
            UseMark::Allowed(_) => Some("allowance"),
            UseMark::Baselined => Some("baseline"),
        },
    }
}
