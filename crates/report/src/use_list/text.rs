//! The list of uses as text for people.

use std::io::{self, Write};

use chrono::{DateTime, Utc};

use super::UseList;
use super::list::{ListedUse, UseKey, UseMark};
use crate::log_text::{INTERRUPTED, plural, size, unread, write_failed, write_unrelated};
use crate::{Cell, ColumnKind, Report, Summary, Table, Verbosity, escape_unsafe, printable};
use sundown_exchange::StatusCode;
use sundown_lint::findings::{Certainty, ExchangePart, describe_origin};

/// Writes the totals, a line for each use, and what was not checked.
pub fn write_uses(list: &UseList, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    write_head(list, report, out)?;
    let rows = list
        .sorted()
        .into_iter()
        .map(|(key, listed)| cells(key, listed));
    let lines =
        Table::new([(ColumnKind::Text, ""); 5]).lines(rows.map(|row| row.map(Cell::from)), None);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    if list.left_out > 0 {
        writeln!(
            out,
            "  and {}; --all lists them",
            plural(list.left_out, "more use")
        )?;
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    write_failed(report, out)?;
    write_unrelated(report, Verbosity::Normal, out)?;
    write_totals(list, report, out)
}

fn write_head(list: &UseList, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rule = escape_unsafe(&list.rule);
    let checked = checked(report);
    if list.exchanges == 0 {
        return match checked {
            0 => writeln!(out, "{rule}: no exchange of its operations was found\n"),
            1 => writeln!(out, "{rule}: not in the 1 exchange of its operations\n"),
            _ => writeln!(
                out,
                "{rule}: in none of the {checked} exchanges of its operations\n"
            ),
        };
    }
    let uses = plural(list.uses, "use");
    let when = match list.times {
        None => String::new(),
        Some((earliest, latest)) if earliest == latest => format!(", on {}", time(earliest)),
        Some((earliest, latest)) => format!(", from {} to {}", time(earliest), time(latest)),
    };
    let exchanges = format!("{} of {}", list.exchanges, plural(checked, "exchange"));
    writeln!(out, "{rule}: {uses} in {exchanges} of its operations{when}")?;
    if let Some(removal) = list.removal {
        let tense = if removal < report.as_of { "was" } else { "is" };
        writeln!(out, "  the last day of the element {tense} {removal}")?;
    }
    let mut outcomes = list.outcomes.iter().peekable();
    while let Some(((outcome, status), count)) = outcomes.next() {
        let mut answers = vec![answer(*status, *count)];
        while let Some(((_, status), count)) = outcomes.next_if(|((next, _), _)| next == outcome) {
            answers.push(answer(*status, *count));
        }
        writeln!(out, "  {}: {}", outcome.name(), answers.join(", "))?;
    }
    writeln!(out)
}

/// How many exchanges of the operations of the rule were checked. Rules about other operations are off.
pub(super) fn checked(report: &Report) -> usize {
    let Summary {
        records,
        descriptions,
        no_rule,
        ..
    } = report.summary;
    records.saturating_sub(descriptions + no_rule)
}

fn answer(status: Option<StatusCode>, count: usize) -> String {
    match status {
        Some(status) => format!("{count} × {status}"),
        None => format!("{count} without a status"),
    }
}

fn time(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%SZ").to_string()
}

fn cells(key: &UseKey, listed: &ListedUse) -> [String; 5] {
    let ListedUse {
        location,
        pointer,
        count,
        ..
    } = listed;
    let mut at = match key.part {
        ExchangePart::Operation => "the call".to_owned(),
        ExchangePart::Message(side) => format!("in the {}", side.name()),
    };
    if let Some(pointer) = pointer {
        at = format!("{at} at {}", printable(pointer));
    }
    if *count > 1 {
        at = format!("{at} ({count} times)");
    }
    if listed.certainty == Certainty::Possible {
        at.push_str(", possibly");
    }
    if let Some(origin) = listed.origin.as_deref().and_then(describe_origin) {
        at = format!("{at}, {}", escape_unsafe(&origin));
    }
    match &listed.mark {
        UseMark::Counted => {}
        UseMark::Allowed(reason) => at = format!("{at}, allowed: {}", escape_unsafe(reason)),
        UseMark::Baselined => at.push_str(", in the baseline"),
    }
    [
        key.started.map_or_else(|| "no time".to_owned(), time),
        listed
            .status
            .map_or_else(|| "-".to_owned(), |status| status.to_string()),
        format!("{}:{location}", escape_unsafe(&key.file)),
        printable(&key.operation).into_owned(),
        at,
    ]
}

fn write_totals(list: &UseList, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if !report.complete {
        writeln!(out, "{INTERRUPTED}")?;
    }
    let summary = &report.summary;
    let files = plural(summary.files, "file");
    let records = plural(summary.records, "record");
    writeln!(out, "{files} read ({records}, {})", size(summary.bytes))?;
    if list.in_descriptions > 0 {
        let count = plural(list.in_descriptions, "finding");
        writeln!(
            out,
            "{count} in API descriptions, which have no exchanges: see `sundown check`"
        )?;
    }
    if !report.unread.is_empty() {
        writeln!(
            out,
            "Nothing was checked in {}: the exit code is 2",
            unread(report)
        )?;
    } else if summary.failed > 0 {
        let pieces = plural(summary.failed, "piece");
        writeln!(out, "{pieces} could not be checked: the exit code is 2")?;
    }
    Ok(())
}
