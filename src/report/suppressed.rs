//! For people: findings that do not count, and what there is to say of allowances and of the baseline.

use std::io::{self, Write};

use super::{LocatedFinding, Report, Verbosity, escape_unsafe, printable};
use crate::findings::suppression::{RemarkKind, SuppressionStatus};

/// All of it: the findings themselves only where the user wants to know.
pub(super) fn suppressed(
    report: &Report,
    verbosity: Verbosity,
    out: &mut dyn Write,
) -> io::Result<()> {
    if verbosity == Verbosity::Verbose {
        let is_allowed =
            |placed: &&LocatedFinding| matches!(placed.status, SuppressionStatus::Allowed(_));
        list("Allowed:", report.suppressed.iter().filter(is_allowed).map(allowed), out)?;
        let known =
            report.suppressed.iter().filter(|placed| placed.status == SuppressionStatus::Baselined);
        list("In the baseline:", known.map(line), out)?;
        let gone = report.gone.iter().map(|entry| escape_unsafe(&entry.title()).into_owned());
        list("In the baseline, and matching nothing any more:", gone, out)?;
    }
    remarks(report, out)
}

/// What there is to say of allowances and of the baseline themselves.
pub(super) fn remarks(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    list(
        "Allowances and baseline:",
        report.remarks.iter().map(|remark| {
            let more = if remark.kind == RemarkKind::GoneEntries { ", -v lists them" } else { "" };
            remark.sentence() + more
        }),
        out,
    )
}

fn list(title: &str, lines: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

/// Where a finding is, and what it is.
fn line(placed: &LocatedFinding) -> String {
    let finding = &placed.finding;
    let at = finding.found.pointer.as_ref();
    let at = at.map(|pointer| format!(" at {}", printable(&pointer.exact))).unwrap_or_default();
    let (file, place) = (escape_unsafe(&placed.file), placed.location);
    let (severity, code) = (finding.severity.name(), finding.code());
    let message = finding.message();
    let message = escape_unsafe(&message);
    format!("{file}:{}:{}: {severity}[{code}]: {message}{at}", place.line, place.column)
}

fn allowed(placed: &LocatedFinding) -> String {
    let grant = placed.status.allowance().map(|grant| format!("; {}", grant.active_text()));
    format!("{}{}", line(placed), escape_unsafe(&grant.unwrap_or_default()))
}

/// What of the run did not count, as the end of a line; nothing where everything did.
pub(super) fn not_counted(report: &Report) -> Vec<String> {
    let summary = &report.summary;
    let mut counts = Vec::new();
    if summary.allowed > 0 {
        counts.push(format!("{} allowed", summary.allowed));
    }
    if summary.baselined > 0 {
        let removed = match summary.baselined_removed {
            0 => String::new(),
            removed => format!(" ({removed} of them removed already)"),
        };
        counts.push(format!("{} in the baseline{removed}", summary.baselined));
    }
    counts
}

/// What was left out since it has not changed, as a sentence.
pub(super) fn unchanged(report: &Report) -> Option<String> {
    let unchanged = report.unchanged.as_ref()?;
    let since = printable(&unchanged.since);
    Some(match (unchanged.files, report.summary.files) {
        (_, 0) => format!("Nothing to check has changed since {since}."),
        (0, _) => format!("All files have changed since {since}."),
        (1, _) => format!("1 file was left out: it has not changed since {since}."),
        (files, _) => format!("{files} files were left out: they have not changed since {since}."),
    })
}
