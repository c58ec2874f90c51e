//! The report in GitHub Flavored Markdown: a table of the elements, and a section for each caller, to be sent to its team.

use std::io::{self, Write};

use super::sentences::{describe_calls, describe_comparison, describe_exclusions, describe_input};
use crate::caller_uses::CallerUse;
use crate::comparison::{ElementChange, ScanComparison};
use crate::history::TimeUnit;
use crate::report::{ElementRow, UsageReport};
use crate::tally::SeenPeriod;
use crate::verdict::{counted, group};
use sundown_text_json::text::markdown::{code, code_cell, plain, prose};

/// Writes the report.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Usage of deprecated elements\n")?;
    writeln!(
        out,
        "{}, as of {}.\n",
        describe_calls(report),
        report.options.verdicts.as_of
    )?;
    writeln!(
        out,
        "| rule | operation | side | verdict | reason | last day |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    let mut rows: Vec<_> = report
        .rows
        .iter()
        .filter(|row| !row.tally.is_never_called())
        .collect();
    rows.sort_by_key(|row| {
        (
            row.judgement.verdict,
            row.facts.removal.is_none(),
            row.facts.removal,
        )
    });
    for row in rows {
        let verdict = row.judgement.verdict.text();
        let reason = plain(&row.judgement.reason);
        let last_day = last_day(row);
        let rule = code_cell(&row.id.rule);
        let operation = code_cell(&row.id.operation);
        let side = row.side();
        writeln!(
            out,
            "| {rule} | {operation} | {side} | {verdict} | {reason} | {last_day} |"
        )?;
    }
    let never = report
        .rows
        .iter()
        .filter(|row| row.tally.is_never_called())
        .count();
    if never > 0 {
        let elements = counted(never as u64, "element");
        writeln!(out, "\nNever called, so it cannot be told: {elements}.")?;
    }
    if let Some(comparison) = &report.comparison {
        write_comparison(comparison, out)?;
    }
    for (name, uses) in report.by_caller() {
        write_caller(&name.to_string(), &uses, report.unit(), out)?;
    }
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

/// Writes what changed since an earlier scan: a row for each element, and one for each of its callers with a change.
fn write_comparison(comparison: &ScanComparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n## Changes\n\n{}",
        plain(&describe_comparison(comparison))
    )?;
    if comparison.elements.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n| rule | operation | side | caller | change | calls before | calls now |"
    )?;
    writeln!(out, "|---|---|---|---|---|---:|---:|")?;
    for element in &comparison.elements {
        let ElementChange {
            id, before, now, ..
        } = element;
        let all = (
            String::new(),
            element.change,
            before.uses.calls,
            now.uses.calls,
        );
        let callers = element.changed_callers().map(|caller| {
            let name = code_cell(&caller.name.to_string());
            (name, caller.change, caller.before.calls, caller.now.calls)
        });
        for (name, change, before, now) in std::iter::once(all).chain(callers) {
            let rule = code_cell(&id.rule);
            let operation = code_cell(&id.operation);
            let side = id.part.name();
            let change = change.name();
            let before = group(before);
            let now = group(now);
            writeln!(
                out,
                "| {rule} | {operation} | {side} | {name} | {change} | {before} | {now} |"
            )?;
        }
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
    writeln!(
        out,
        "| rule | operation | side | calls | first | last | last day | use instead |"
    )?;
    writeln!(out, "|---|---|---|---:|---|---|---|---|")?;
    for (row, found) in uses {
        let count = found.count();
        let SeenPeriod { first, last } = count.period;
        let day = |time: Option<chrono::DateTime<chrono::Utc>>| {
            time.map(|time| unit.describe(time)).unwrap_or_default()
        };
        let instead = row
            .facts
            .replacement
            .as_deref()
            .map(prose)
            .unwrap_or_default();
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {instead} |",
            code_cell(&row.id.rule),
            code_cell(&row.id.operation),
            row.side(),
            group(count.calls),
            day(first),
            day(last),
            last_day(row),
        )?;
    }
    Ok(())
}

fn last_day(row: &ElementRow<'_>) -> String {
    row.facts
        .removal
        .map(|day| day.to_string())
        .unwrap_or_default()
}
