//! The report as comma-separated values (RFC 4180): a row for each element, and one for each of its callers.

use std::io::{self, Write};

use chrono::{DateTime, Utc};

use crate::text::escape_unsafe;
use crate::usage::comparison::{ElementChange, UseChange};
use crate::usage::report::{ElementRow, UsageReport};
use crate::usage::tally::UseCount;

const COLUMNS: [&str; 18] = [
    "rule",
    "api",
    "kind",
    "name",
    "operation",
    "side",
    "removal",
    "verdict",
    "reason",
    "calls",
    "readable",
    "caller",
    "calls_with_use",
    "uses",
    "first_use",
    "last_use",
    "unreadable",
    "undated",
];

/// The columns of a comparison with an earlier scan.
const CHANGE_COLUMNS: [&str; 2] = ["change", "calls_with_use_before"];

/// Writes the report. The column `caller` is empty in the row about all callers.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    match &report.comparison {
        None => write!(out, "{}\r\n", COLUMNS.join(","))?,
        Some(_) => write!(out, "{},{}\r\n", COLUMNS.join(","), CHANGE_COLUMNS.join(","))?,
    }
    for row in &report.rows {
        let element = report.comparison.as_ref().map(|comparison| comparison.element(row.id));
        let element_change =
            element.map(|element| element.map(|element| (element.change, element.before.uses)));
        write_row(row, "", row.tally.uses.count, element_change, out)?;
        for caller in row.callers() {
            let change = element.map(|element| element?.caller(caller.name));
            let change = change.map(|caller| caller.map(|caller| (caller.change, caller.before)));
            write_row(row, &caller.name.to_string(), caller.count, change, out)?;
        }
        for caller in element.flatten().into_iter().flat_map(ElementChange::lost_callers) {
            let change = Some(Some((caller.change, caller.before)));
            write_row(row, &caller.name.to_string(), caller.now, change, out)?;
        }
    }
    Ok(())
}

/// How a number of calls changed, and the uses before; `None` if it is not known, or was and is 0.
type CsvChange = Option<(UseChange, UseCount)>;

fn write_row(
    row: &ElementRow<'_>,
    caller: &str,
    uses: UseCount,
    change: Option<CsvChange>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let time = |time: Option<DateTime<Utc>>| {
        time.map(|time| time.format("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
    };
    let cells = [
        row.id.rule.to_string(),
        row.facts.api.clone(),
        row.facts.element.kind().to_owned(),
        row.facts.element.name().unwrap_or_default().to_owned(),
        row.id.operation.to_string(),
        row.side().to_owned(),
        row.facts.removal.map(|day| day.to_string()).unwrap_or_default(),
        row.judgement.verdict.name().to_owned(),
        row.judgement.reason.clone(),
        row.tally.reads.calls().to_string(),
        row.tally.readable().to_string(),
        caller.to_owned(),
        uses.calls.to_string(),
        uses.occurrences.to_string(),
        time(uses.period.first),
        time(uses.period.last),
        row.tally.unreadable().to_string(),
        row.tally.reads.undated.to_string(),
    ];
    let change = change.map(|change| {
        let name = change.map_or("", |(change, _)| change.name());
        let before = change.map(|(_, before)| before.calls.to_string());
        [name.to_owned(), before.unwrap_or_default()]
    });
    let cells = cells.iter().chain(change.iter().flatten());
    let cells: Vec<_> = cells.map(|text| cell(text)).collect();
    write!(out, "{}\r\n", cells.join(","))
}

/// Writes a cell. A spreadsheet would run a text that begins like a formula.
fn cell(text: &str) -> String {
    let text = escape_unsafe(text);
    let formula = if text.trim_start().starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    if formula.is_empty() && !text.contains(['"', ',', ';', '\t', '\r', '\n']) {
        return text.into_owned();
    }
    format!("\"{formula}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(cell("=1+1"), "\"'=1+1\"");
        assert_eq!(cell(" @SUM(A1)"), "\"' @SUM(A1)\"");
        assert_eq!(cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(cell("\u{1b}[31m\n"), "\\u{1b}[31m\\u{a}");
        assert_eq!(cell("POST /v1/orders"), "POST /v1/orders");
    }
}
