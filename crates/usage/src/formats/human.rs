//! The report as a table for people: first what is used, then what is unknown, then what may go.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use super::sentences::{
    ELEMENT, describe_calls, describe_exclusions, describe_input, describe_verdicts, element_cells,
    inventory_table,
};
use crate::history::TimeUnit;
use crate::report::{ElementRow, UncalledElements, UsageReport};
use crate::verdict::{counted, percent};
use sundown_report::{Cell, ColumnKind, Table, printable, wrap};

/// The callers that are listed for an element.
const MAX_SHOWN: usize = 10;

/// How many values are listed that no call had. Rules about models or versions know hundreds.
const MAX_UNSEEN: usize = 10;

/// Writes the report.
pub(super) fn write(
    report: &UsageReport<'_>,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let out = &mut Page { width, out };
    out.text(0, &describe_verdicts(report))?;
    out.text(0, &describe_calls(report))?;
    out.line("")?;
    write_inventory(report, out)?;
    write_elements(report, out)?;
    for sentence in describe_exclusions(report) {
        out.text(0, &sentence)?;
    }
    for (text, help) in describe_input(&report.input) {
        match text.split_once(": `log = ") {
            // A table for the configuration is copied as one line.
            Some((text, table)) => {
                out.text(0, &format!("{text}:"))?;
                out.line(&format!("  log = {}", table.trim_end_matches('`')))?;
            }
            None => out.text(0, &text)?,
        }
        if let Some(help) = help {
            out.text(2, &help)?;
        }
    }
    Ok(())
}

/// Writes the elements that were called by rule, each with its reason and callers below, and how many were not.
fn write_elements(report: &UsageReport<'_>, out: &mut Page<'_>) -> io::Result<()> {
    let rules = group_by_rule(report);
    let table = Table::new([
        (ColumnKind::Text, "element"),
        (ColumnKind::Name, ""),
        (ColumnKind::Text, "verdict"),
        (ColumnKind::Number, "uses"),
        (ColumnKind::Number, "share"),
        (ColumnKind::Date, "last use"),
    ]);
    let rows = rules.iter().flatten().map(|row| cells(row));
    let mut lines = table.lines(rows, out.width).into_iter();
    if !rules.is_empty() {
        out.line(&lines.next().unwrap_or_default())?;
    }
    for rows in &rules {
        out.line("")?;
        write_rule(report, rows, out)?;
        for (row, line) in rows.iter().zip(lines.by_ref()) {
            out.line(&line)?;
            write_details(row, report.unit(), out)?;
        }
    }
    if !rules.is_empty() {
        out.line("")?;
    }
    write_unseen(report, out)?;
    write_uncalled(report, out)
}

/// Writes how many values no call had, if they are not listed.
fn write_unseen(report: &UsageReport<'_>, out: &mut Page<'_>) -> io::Result<()> {
    let unseen = unseen_values(report).count();
    if lists_unseen(report) || unseen == 0 {
        return Ok(());
    }
    let values = counted(unseen as u64, "value");
    out.text(
        0,
        &format!("Not seen in the calls: {values}; --all lists them."),
    )?;
    out.line("")
}

/// The elements that are values which no call had, although their operations were called.
fn unseen_values<'r, 's>(report: &'r UsageReport<'s>) -> impl Iterator<Item = &'r ElementRow<'s>> {
    report.rows.iter().filter(|row| is_unseen_value(row))
}

fn is_unseen_value(row: &ElementRow<'_>) -> bool {
    let is_value = row.facts.element.value.is_some();
    is_value && row.tally.uses.count.calls == 0 && !row.tally.is_never_called()
}

fn lists_unseen(report: &UsageReport<'_>) -> bool {
    report.options.uncalled == UncalledElements::Listed
        || unseen_values(report).nth(MAX_UNSEEN).is_none()
}

/// Writes the values that were called, if they were counted.
fn write_inventory(report: &UsageReport<'_>, out: &mut Page<'_>) -> io::Result<()> {
    if report.inventory.is_empty() {
        return Ok(());
    }
    let (table, rows) = inventory_table(report);
    for line in table.lines(rows, out.width) {
        out.line(&line)?;
    }
    out.line("")
}

/// Writes how many elements no call reached, or which they are.
fn write_uncalled(report: &UsageReport<'_>, out: &mut Page<'_>) -> io::Result<()> {
    let never = report.rows.iter();
    let never = never.filter(|row| row.is_uncalled());
    let never: Vec<_> = never.map(|row| row.id).collect();
    if never.is_empty() {
        return Ok(());
    }
    let is_listed = report.options.uncalled == UncalledElements::Listed;
    let rules: BTreeSet<_> = never.iter().map(|id| &id.rule).collect();
    let elements = counted(never.len() as u64, "element");
    let rules = counted(rules.len() as u64, "rule");
    let more = if is_listed {
        ":"
    } else {
        "; --all lists them."
    };
    let text = format!(
        "Never called: {elements} of {rules}. Whether they are used, the traffic does not show{more}"
    );
    out.text(0, &text)?;
    if is_listed {
        let table = Table::new(ELEMENT.map(|(kind, _)| (kind, "")));
        let rows = never.into_iter().map(element_cells);
        for line in table.lines(rows, out.width) {
            out.line(&line)?;
        }
    }
    out.line("")
}

/// The elements of each rule that were called and are listed, the rules with the worst verdicts and the earliest last days first.
fn group_by_rule<'r, 's>(report: &'r UsageReport<'s>) -> Vec<Vec<&'r ElementRow<'s>>> {
    let mut rules: BTreeMap<&Arc<str>, Vec<&ElementRow<'_>>> = BTreeMap::new();
    let lists_unseen = lists_unseen(report);
    let called = report.rows.iter();
    let called = called.filter(|row| !row.is_uncalled());
    for row in called.filter(|row| lists_unseen || !is_unseen_value(row)) {
        rules.entry(&row.id.rule).or_default().push(row);
    }
    let mut rules: Vec<_> = rules.into_values().collect();
    for rows in &mut rules {
        rows.sort_by_key(|row| row.judgement.verdict);
    }
    rules.sort_by_key(|rows| {
        let worst = rows.first().map(|row| row.judgement.verdict);
        let removal = rows.first().and_then(|row| row.facts.removal);
        (worst, removal.is_none(), removal)
    });
    rules
}

fn write_rule(
    report: &UsageReport<'_>,
    rows: &[&ElementRow<'_>],
    out: &mut Page<'_>,
) -> io::Result<()> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let last_day = report
        .last_day(first.facts.removal)
        .map(|text| format!(": {text}"))
        .unwrap_or_default();
    let name = first.facts.element.name();
    let element = name.map_or_else(String::new, |name| format!(" (`{}`)", printable(name)));
    out.text(
        0,
        &format!("{}{element}{last_day}", printable(&first.id.rule)),
    )
}

fn cells(row: &ElementRow<'_>) -> [Cell; 6] {
    let uses = &row.tally.uses.count;
    let share = match uses.calls {
        0 => "-".to_owned(),
        calls => format!("{:.1} %", percent(calls, row.tally.readable())),
    };
    let last = uses.period.last.map(|last| last.date_naive().to_string());
    [
        row.side().into(),
        (&*row.id.operation).into(),
        row.judgement.text().into(),
        uses.calls.into(),
        share.into(),
        last.unwrap_or_else(|| "-".to_owned()).into(),
    ]
}

/// Writes why an element has its verdict, and who uses it.
fn write_details(row: &ElementRow<'_>, unit: TimeUnit, out: &mut Page<'_>) -> io::Result<()> {
    out.text(4, &row.judgement.reason)?;
    let callers = &row.callers;
    for caller in callers.iter().take(MAX_SHOWN) {
        let count = caller.count;
        let period = match (count.period.first, count.period.last) {
            (Some(first), Some(last)) => {
                format!(", {} to {}", unit.describe(first), unit.describe(last))
            }
            _ => String::new(),
        };
        let name = printable(&caller.name.to_string()).into_owned();
        let calls = counted(count.calls, "call");
        out.text(4, &format!("by {name}: {calls}{period}"))?;
    }
    let more = callers.len().saturating_sub(MAX_SHOWN);
    let unknown = row.calls_of_other_callers;
    if more > 0 {
        out.text(
            4,
            &format!("and by {}", counted(more as u64, "more caller")),
        )?;
    }
    if unknown > 0 {
        let calls = counted(unknown, "call");
        out.text(4, &format!("and {calls} by callers beyond the limit"))?;
    }
    Ok(())
}

/// The width of the text, in columns of a terminal, unless the terminal has fewer.
const WIDTH: usize = 80;

/// A text whose lines fit the terminal.
struct Page<'o> {
    /// The width of the terminal, if there is one.
    width: Option<usize>,
    out: &'o mut dyn Write,
}

impl Page<'_> {
    /// Writes a line as it is.
    fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// Writes a text in lines that break between words, each indented.
    fn text(&mut self, indent: usize, text: &str) -> io::Result<()> {
        let width = self.width.unwrap_or(WIDTH).min(WIDTH);
        let mut lines = wrap(text, width.saturating_sub(indent)).into_iter();
        lines.try_for_each(|line| writeln!(self.out, "{:indent$}{line}", ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(out: &mut Vec<u8>) -> Page<'_> {
        Page { width: None, out }
    }

    #[test]
    fn lines_break_between_words_only() {
        let long = "x".repeat(90);
        let mut out = Vec::new();
        page(&mut out)
            .text(2, &format!("{} {long} end", "word ".repeat(17).trim()))
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], format!("  {}", "word ".repeat(15).trim()));
        assert_eq!(&lines[1..], ["  word word", &format!("  {long}"), "  end"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let (word, mut out) = ("注文".repeat(5), Vec::new());
        page(&mut out)
            .text(0, &[word.as_str(); 5].join(" "))
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            format!(
                "{}\n{}\n",
                [word.as_str(); 3].join(" "),
                [word.as_str(); 2].join(" ")
            )
        );
    }
}
