//! The report as a table for people: first what is used, then what cannot be told, then what may go.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::sentences::{
    describe_calls, describe_comparison, describe_exclusions, describe_input, describe_verdicts,
};
use unicode_width::UnicodeWidthStr;

use crate::comparison::{ElementChange, ScanComparison};
use crate::history::TimeUnit;
use crate::report::{ElementRow, UsageReport};
use crate::verdict::{counted, group, percent};
use sundown_report::{escape_unsafe, printable};

/// The callers that are listed for an element.
const MAX_SHOWN: usize = 10;

/// Writes the report.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_head(report, out)?;
    let rules = group_by_rule(report);
    let (called, never): (Vec<_>, Vec<_>) = rules
        .into_iter()
        .partition(|rows| rows.iter().any(|row| !row.tally.is_never_called()));
    if !called.is_empty() {
        let head = ["verdict", "uses", "share", "last use"];
        write_cells("  element", head.map(str::to_owned), out)?;
    }
    for rows in &called {
        write_rule(report, rows, out)?;
    }
    if !called.is_empty() {
        writeln!(out)?;
    }
    if !never.is_empty() {
        let rules = counted(never.len() as u64, "rule");
        let text = format!(
            "Never called: the operations of {rules}. Whether they are used, the traffic does not show."
        );
        write_wrapped(0, &text, out)?;
        let ids: Vec<_> = never
            .iter()
            .filter_map(|rows| rows.first())
            .map(|row| printable(&row.id.rule))
            .collect();
        write_wrapped(2, &ids.join(", "), out)?;
        writeln!(out)?;
    }
    if let Some(comparison) = &report.comparison {
        write_comparison(comparison, out)?;
    }
    for sentence in describe_exclusions(report) {
        write_wrapped(0, &sentence, out)?;
    }
    for (text, help) in describe_input(&report.input) {
        match text.split_once(": `log = ") {
            // A table for the configuration is copied as one line.
            Some((text, table)) => {
                write_wrapped(0, &format!("{text}:"), out)?;
                writeln!(out, "  log = {}", table.trim_end_matches('`'))?;
            }
            None => write_wrapped(0, &text, out)?,
        }
        if let Some(help) = help {
            write_wrapped(2, &help, out)?;
        }
    }
    Ok(())
}

/// Writes the answer: the number of elements with each verdict, and in how many calls on how many days.
fn write_head(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_wrapped(0, &describe_verdicts(report), out)?;
    write_wrapped(0, &describe_calls(report), out)?;
    writeln!(out)
}

/// The elements of each rule, the rules with the worst verdicts and the earliest last days first.
fn group_by_rule<'r, 's>(report: &'r UsageReport<'s>) -> Vec<Vec<&'r ElementRow<'s>>> {
    let mut rules: BTreeMap<&Arc<str>, Vec<&ElementRow<'_>>> = BTreeMap::new();
    for row in &report.rows {
        rules.entry(&row.id.rule).or_default().push(row);
    }
    let mut rules: Vec<_> = rules.into_values().collect();
    rules.sort_by_key(|rows| {
        let worst = rows
            .iter()
            .filter(|row| !row.tally.is_never_called())
            .map(|row| row.judgement.verdict)
            .min();
        let removal = rows.first().and_then(|row| row.facts.removal);
        (worst.is_none(), worst, removal.is_none(), removal)
    });
    rules
}

fn write_rule(
    report: &UsageReport<'_>,
    rows: &[&ElementRow<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let last_day = report
        .last_day(first.facts.removal)
        .map(|text| format!(": {text}"))
        .unwrap_or_default();
    writeln!(out)?;
    write_wrapped(0, &format!("{}{last_day}", printable(&first.id.rule)), out)?;
    let (never, mut called): (Vec<&ElementRow<'_>>, Vec<&ElementRow<'_>>) =
        rows.iter().partition(|row| row.tally.is_never_called());
    called.sort_by_key(|row| row.judgement.verdict);
    for row in called {
        write_row(row, report.unit(), out)?;
    }
    let names: Vec<_> = never
        .iter()
        .map(|row| format!("{} {}", row.side(), escape_unsafe(&row.id.operation)))
        .collect();
    match names.len() {
        0 => Ok(()),
        1..=3 => write_wrapped(2, &format!("never called: {}", names.join(", ")), out),
        all => write_wrapped(
            2,
            &format!("never called: {all} other elements of the rule"),
            out,
        ),
    }
}

fn write_row(row: &ElementRow<'_>, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    let uses = &row.tally.uses.count;
    let share = match uses.calls {
        0 => "-".to_owned(),
        calls => format!("{:.1} %", percent(calls, row.tally.readable())),
    };
    let last = uses.period.last.map(|last| last.date_naive().to_string());
    let columns = [
        row.judgement.verdict.text().to_owned(),
        group(uses.calls),
        share,
        last.unwrap_or_else(|| "-".to_owned()),
    ];
    let place = format!("  {:<9} {}", row.side(), escape_unsafe(&row.id.operation));
    write_cells(&place, columns, out)?;
    write_wrapped(4, &row.judgement.reason, out)?;
    let callers = row.callers();
    for caller in callers.iter().take(MAX_SHOWN) {
        let count = caller.count();
        let period = match (count.period.first, count.period.last) {
            (Some(first), Some(last)) => {
                format!(", {} to {}", unit.describe(first), unit.describe(last))
            }
            _ => String::new(),
        };
        let name = printable(&caller.name().to_string()).into_owned();
        let calls = counted(count.calls, "call");
        write_wrapped(4, &format!("by {name}: {calls}{period}"), out)?;
    }
    let more = callers.len().saturating_sub(MAX_SHOWN);
    let unknown = row.calls_of_other_callers();
    if more > 0 {
        write_wrapped(
            4,
            &format!("and by {}", counted(more as u64, "more caller")),
            out,
        )?;
    }
    if unknown > 0 {
        let calls = counted(unknown, "call");
        write_wrapped(4, &format!("and {calls} by callers beyond the limit"), out)?;
    }
    Ok(())
}

/// Writes what changed since an earlier scan, by element and caller.
fn write_comparison(comparison: &ScanComparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_wrapped(0, &describe_comparison(comparison), out)?;
    if !comparison.elements.is_empty() {
        writeln!(out)?;
        let head = ["change", "before", "now", ""];
        write_cells("  calls with a use", head.map(str::to_owned), out)?;
    }
    let mut rule = None;
    for element in &comparison.elements {
        if rule.replace(&element.id.rule) != Some(&element.id.rule) {
            writeln!(out)?;
            write_wrapped(0, &printable(&element.id.rule), out)?;
        }
        write_change(element, out)?;
    }
    writeln!(out)
}

fn write_change(element: &ElementChange<'_>, out: &mut dyn Write) -> io::Result<()> {
    let ElementChange {
        id, before, now, ..
    } = element;
    let place = format!("  {:<9} {}", id.part.name(), escape_unsafe(&id.operation));
    let cells = [
        element.change.name().to_owned(),
        group(before.uses.calls),
        group(now.uses.calls),
        String::new(),
    ];
    write_cells(&place, cells, out)?;
    let shares = format!(
        "{:.1} % of the readable calls, before {:.1} %",
        percent(now.uses.calls, now.readable),
        percent(before.uses.calls, before.readable)
    );
    write_wrapped(4, &shares, out)?;
    let callers: Vec<_> = element.changed_callers().collect();
    for caller in callers.iter().take(MAX_SHOWN) {
        let name = printable(&caller.name.to_string()).into_owned();
        let before = group(caller.before.calls);
        let now = counted(caller.now.calls, "call");
        let change = caller.change.name();
        write_wrapped(4, &format!("{name} {change}: {now}, before {before}"), out)?;
    }
    match callers.len().saturating_sub(MAX_SHOWN) {
        0 => Ok(()),
        more => write_wrapped(
            4,
            &format!("and {}", counted(more as u64, "more caller")),
            out,
        ),
    }
}

/// Writes a row of the table. A long first cell has a line of its own.
fn write_cells(first: &str, cells: [String; 4], out: &mut dyn Write) -> io::Result<()> {
    let [verdict, uses, share, last] = cells;
    let rest = format!(" {verdict:<12}{uses:>9} {share:>7} {last:>10}");
    let room = WIDTH.saturating_sub(width(&rest));
    let is_long = width(first) > room;
    if is_long {
        writeln!(out, "{first}")?;
    }
    let first = if is_long { "" } else { first };
    let padding = room - width(first);
    writeln!(
        out,
        "{}",
        format!("{first}{:padding$}{rest}", "").trim_end()
    )
}

/// The width of a line, in columns of a terminal.
const WIDTH: usize = 80;

/// The width of a text, in columns of a terminal: Chinese, Japanese and Korean characters take two.
fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Writes a text in lines of at most [`WIDTH`] columns where words allow it, each indented.
fn write_wrapped(indent: usize, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split(' ') {
        let length = width(&line);
        if length > 0 && indent + length + 1 + width(word) > WIDTH {
            writeln!(out, "{:indent$}{line}", "")?;
            line.clear();
        } else if length > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{:indent$}{line}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_only() {
        let long = "x".repeat(90);
        let mut out = Vec::new();
        write_wrapped(
            2,
            &format!("{} {long} end", "word ".repeat(17).trim()),
            &mut out,
        )
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], format!("  {}", "word ".repeat(15).trim()));
        assert_eq!(&lines[1..], ["  word word", &format!("  {long}"), "  end"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let (word, mut out) = ("注文".repeat(5), Vec::new());
        write_wrapped(0, &[word.as_str(); 5].join(" "), &mut out).unwrap();
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

    #[test]
    fn rows_with_large_numbers_and_wide_characters_fit_and_end_in_the_same_column() {
        let cells = |uses: &str| ["cannot tell", uses, "100.0 %", "2026-10-31"].map(str::to_owned);
        for (first, uses) in [
            ("  request   POST /v1/orders", "1"),
            ("  request   POST /v1/orders", "70,368,744,177,664"),
            ("  request   POST /v1/注文の一覧", "1"),
            (
                "  request   POST /v1/注文の一覧/注文の一覧/注文の一覧",
                "12,345,678",
            ),
        ] {
            let mut out = Vec::new();
            write_cells(first, cells(uses), &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.starts_with(first));
            assert_eq!(width(text.lines().last().unwrap()), WIDTH, "{text}");
        }
    }
}
