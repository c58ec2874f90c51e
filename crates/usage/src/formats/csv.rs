//! The report as comma-separated values (RFC 4180): a row for each element, and one for each of its callers.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::caller::{CallerName, CallerValue};
use crate::report::{ElementRow, UsageReport};
use crate::tally::UseCount;
use crate::verdict::counted;
use sundown_report::{Cell, ColumnKind, Table};
use sundown_text_json::text::timestamp;

/// The columns before those of the attributes of callers.
const COLUMNS: [&str; 12] = [
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
    "row",
];

/// The columns after those of the attributes of callers.
const COUNT_COLUMNS: [&str; 6] = [
    "calls_with_use",
    "uses",
    "first_use",
    "last_use",
    "unreadable",
    "undated",
];

/// Writes the report. The column `row` says whether a row is about an element or about one of its callers, which has a column for
/// each attribute; the last row may be about what is not listed.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let attributes = &report.options.attributes;
    let heads = (COLUMNS.into_iter().map(Cow::Borrowed))
        .chain(
            attributes
                .iter()
                .map(|attribute| Cow::Owned(attribute.name())),
        )
        .chain(COUNT_COLUMNS.into_iter().map(Cow::Borrowed));
    let heads: Vec<_> = heads.collect();
    let unlisted = unlisted_row(report, &heads);
    let table = Table::new(heads.into_iter().map(|head| (ColumnKind::Text, head)));
    let rows = report.listed().flat_map(|row| {
        let none = attributes.iter().map(|_| Cell::from("")).collect();
        let element = cells(row, "element", none, row.tally.uses.count);
        // The totals are of all callers: they are not for the one that gets the report.
        let element = report.options.caller.is_none().then_some(element);
        let callers = row.callers.iter().map(|caller| {
            let values = caller_cells(caller.name);
            cells(row, "caller", values, *caller.count)
        });
        element.into_iter().chain(callers)
    });
    table.write_csv(rows.chain(unlisted), out)
}

/// The row that says how many elements are not listed.
fn unlisted_row(report: &UsageReport<'_>, heads: &[Cow<'_, str>]) -> Option<Vec<Cell>> {
    let unlisted = report.unlisted();
    let cells = heads.iter().map(|head| match &**head {
        "reason" => {
            let elements = counted(unlisted as u64, "element");
            Cell::from(format!("{elements} never called; --all lists them"))
        }
        "row" => "unlisted".into(),
        _ => "".into(),
    });
    (unlisted > 0).then(|| cells.collect())
}

/// A row about an element, or about one of its callers with these attributes.
fn cells(row: &ElementRow<'_>, kind: &str, values: Vec<Cell>, uses: UseCount) -> Vec<Cell> {
    let ElementRow {
        id,
        facts,
        tally,
        judgement,
        ..
    } = row;
    let element = &facts.element;
    let mut cells: Vec<Cell> = vec![
        (&*id.rule).into(),
        facts.api.as_str().into(),
        element.kind().into(),
        element.name().into(),
        (&*id.operation).into(),
        row.side().into(),
        facts.removal.map(|removal| removal.to_string()).into(),
        judgement.verdict.name().into(),
        judgement.reason.as_str().into(),
        tally.reads.calls().into(),
        tally.readable().into(),
        kind.into(),
    ];
    cells.extend(values);
    cells.extend([
        uses.calls.into(),
        uses.occurrences.into(),
        uses.period.first.map(timestamp).into(),
        uses.period.last.map(timestamp).into(),
        tally.unreadable().into(),
        tally.reads.undated.into(),
    ]);
    cells
}

/// The value of each attribute, empty where the caller has none.
fn caller_cells(name: &CallerName) -> Vec<Cell> {
    let values = name.0.iter().map(|value| match value {
        CallerValue::Unidentified => None,
        CallerValue::Shown(_) | CallerValue::Hashed(_) => Some(value.to_string()),
    });
    values.map(Cell::from).collect()
}
