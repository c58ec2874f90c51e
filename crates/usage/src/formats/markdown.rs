//! The report in GitHub Flavored Markdown: a table of the elements, and a section for each caller, to be sent to its team. The report of
//! one caller is its section alone.

use std::io::{self, Write};

use super::sentences::{
    ELEMENT, describe_calls, describe_exclusions, describe_input, element_cells, inventory_table,
};
use crate::caller_uses::CallerUse;
use crate::history::TimeUnit;
use crate::report::{ElementRow, UsageReport};
use crate::tally::UseCount;
use crate::verdict::counted;
use sundown_report::{Cell, ColumnKind, Table};
use sundown_text_json::text::markdown::{code, plain, prose};

/// Writes the report.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    if report.options.caller.is_some() {
        return write_callers(report, out);
    }
    writeln!(out, "# Usage of deprecated elements\n")?;
    writeln!(
        out,
        "{}, as of {}.\n",
        describe_calls(report),
        report.options.verdicts.as_of
    )?;
    let mut rows: Vec<_> = report.listed().collect();
    rows.sort_by_key(|row| {
        (
            row.judgement.verdict,
            row.facts.removal.is_none(),
            row.facts.removal,
        )
    });
    let table = Table::new(ELEMENT.into_iter().chain([
        (ColumnKind::Text, "verdict"),
        (ColumnKind::Text, "reason"),
        (ColumnKind::Date, "last day"),
    ]));
    let rows = rows.into_iter().map(|row| {
        let [rule, operation, side] = element_cells(row.id);
        let verdict = row.judgement.text().into();
        let reason = row.judgement.reason.as_str().into();
        [rule, operation, side, verdict, reason, last_day(row)]
    });
    table.write_markdown(rows, out)?;
    let unlisted = report.unlisted();
    if unlisted > 0 {
        let elements = counted(unlisted as u64, "element");
        writeln!(
            out,
            "\nNever called, so it cannot be told: {elements}; `--all` lists them."
        )?;
    }
    if !report.inventory.is_empty() {
        writeln!(out, "\n## Values\n")?;
        let (table, rows) = inventory_table(report);
        table.write_markdown(rows, out)?;
    }
    write_callers(report, out)?;
    writeln!(out, "\n## What was read\n")?;
    for sentence in describe_exclusions(report) {
        writeln!(out, "- {}", prose(&sentence))?;
    }
    for (text, help) in describe_input(&report.input) {
        let help = help
            .map(|help| format!(" ({})", prose(&help)))
            .unwrap_or_default();
        writeln!(out, "- {}{help}", plain(&text))?;
    }
    Ok(())
}

fn write_callers(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (name, uses) in report.by_caller() {
        write_caller(&name.to_string(), &uses, report.unit(), out)?;
    }
    Ok(())
}

fn write_caller(
    name: &str,
    uses: &[(&ElementRow<'_>, CallerUse<'_>)],
    unit: TimeUnit,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "\n## {}\n", code(name))?;
    let [rule, operation, side] = ELEMENT;
    let table = Table::new([
        rule,
        (ColumnKind::Name, "element"),
        operation,
        side,
        (ColumnKind::Number, "calls"),
        (ColumnKind::Date, "first"),
        (ColumnKind::Date, "last"),
        (ColumnKind::Date, "last day"),
        (ColumnKind::Prose, "use instead"),
    ]);
    let rows = uses.iter().map(|(row, found)| {
        let UseCount { calls, period, .. } = *found.count;
        let [rule, operation, side] = element_cells(row.id);
        let [first, last] =
            [period.first, period.last].map(|time| time.map(|it| unit.describe(it)));
        let instead = row.facts.replacement.as_deref().into();
        let day = last_day(row);
        let element = &row.facts.element;
        [
            rule,
            element.name().map(|_| element.label()).into(),
            operation,
            side,
            calls.into(),
            first.into(),
            last.into(),
            day,
            instead,
        ]
    });
    table.write_markdown(rows, out)
}

fn last_day(row: &ElementRow<'_>) -> Cell {
    row.facts.removal.map(|day| day.to_string()).into()
}
