//! Text about findings that do not count, about allowances, the baseline and the rules, and about files that were left out.

use std::io::{self, Write};

use super::{LocatedFinding, Report, Verbosity, escape_unsafe, printable};
use sundown_lint::findings::RemarkKind;
use sundown_lint::findings::suppression::SuppressionStatus;

/// The lists of remarks: the title of each, and whether it has those about the rules.
pub(super) const REMARK_LISTS: [(&str, bool); 2] =
    [("Rules", true), ("Allowances and baseline", false)];

/// Writes the remarks, and, if `Verbose`, the findings that do not count.
pub(super) fn write_suppressed(
    report: &Report,
    verbosity: Verbosity,
    out: &mut dyn Write,
) -> io::Result<()> {
    if verbosity == Verbosity::Verbose {
        write_list(
            "Allowed:",
            report.suppressed.iter().filter_map(allowed_line),
            out,
        )?;
        let baselined = report
            .suppressed
            .iter()
            .filter(|located| located.status == SuppressionStatus::Baselined);
        write_list("In the baseline:", baselined.map(line), out)?;
        let gone = report
            .gone
            .iter()
            .map(|entry| escape_unsafe(&entry.title()).into_owned());
        write_list("In the baseline, but no longer found:", gone, out)?;
    }
    write_remarks(report, out)
}

/// Writes the remarks on rules, allowances and the baseline.
pub(super) fn write_remarks(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for (title, is_about_rules) in REMARK_LISTS {
        let own = report
            .remarks
            .iter()
            .filter(|one| one.kind.is_about_rules() == is_about_rules);
        let remarks = own.map(|remark| {
            let more = if remark.kind == RemarkKind::GoneEntries {
                ", -v lists them"
            } else {
                ""
            };
            remark.sentence() + more
        });
        write_list(&format!("{title}:"), remarks, out)?;
    }
    Ok(())
}

fn write_list(
    title: &str,
    lines: impl Iterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
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

/// Where a finding is, and its message.
fn line(located: &LocatedFinding) -> String {
    let finding = &located.finding;
    format!(
        "{}: {}[{}]: {}{}",
        located.place(),
        finding.severity.name(),
        finding.code(),
        escape_unsafe(&finding.message()),
        located.pointer_text(" at ")
    )
}

fn allowed_line(located: &LocatedFinding) -> Option<String> {
    let SuppressionStatus::Allowed(allowance) = &located.status else {
        return None;
    };
    Some(format!(
        "{}; {}",
        line(located),
        escape_unsafe(&allowance.active_text())
    ))
}

/// The findings that the totals of the run do not count, as phrases; empty if they count everything.
pub(super) fn not_counted(report: &Report) -> Vec<String> {
    let summary = &report.summary;
    let mut counts = Vec::new();
    if summary.allowed > 0 {
        counts.push(format!("{} allowed", summary.allowed));
    }
    if summary.baselined > 0 {
        let removed = match summary.baselined_removed {
            0 => String::new(),
            removed => format!(" ({removed} of them past their last day)"),
        };
        counts.push(format!("{} in the baseline{removed}", summary.baselined));
    }
    counts
}

/// How many files were left out because they have not changed, as a sentence.
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
