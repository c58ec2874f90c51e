//! The lines that end a report for people, in a terminal and in the log of a build: the skips, what does not count, the remarks, and the
//! totals.

use std::io::{self, Write};

use super::{LocatedFinding, Report, SkipGroup, Summary, Verbosity, escape_unsafe, printable};
use sundown_exchange::{Reason, SkipKind};
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Certainty, ExchangePart, Finding, Related, RemarkKind};
use sundown_lint::rules::{Severity, UncalledOperation};

/// Writes the failures: each group with its location and its remedy.
pub fn write_failed(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let failed: Vec<_> = report.skips_of(SkipKind::Failed).collect();
    if failed.is_empty() {
        return Ok(());
    }
    writeln!(out, "Could not be checked:")?;
    for group in failed {
        let text = group.reason.text();
        let table = group.proposed_table();
        let detail = if table.is_some() {
            String::new()
        } else {
            group.detail_text()
        };
        let times = group.times();
        writeln!(out, "  {}: {text}{detail}{times}", group.place())?;
        writeln!(out, "    {}", group.reason.help())?;
        for line in table.iter().flat_map(|table| table.lines()) {
            writeln!(out, "    {}", escape_unsafe(line))?;
        }
    }
    writeln!(out)
}

/// Writes the skips that are no failures: a line for each reason, or, if `Verbose`, a line for each file.
pub(super) fn write_unrelated(
    report: &Report,
    verbosity: Verbosity,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut unrelated: Vec<_> = report.skips_of(SkipKind::Unrelated).collect();
    if unrelated.is_empty() {
        return Ok(());
    }
    writeln!(out, "Not checked:")?;
    unrelated.sort_by_key(|group| group.reason);
    for groups in unrelated.chunk_by(|one, other| one.reason == other.reason) {
        write_reason(groups, verbosity, out)?;
    }
    writeln!(out)
}

/// Writes how many operations of the user's rules no call reached, and the first of them. Unless `Verbose`, only if a call had no rule and
/// they are few: a path may be misspelled.
pub(super) fn write_uncalled(
    report: &Report,
    verbosity: Verbosity,
    out: &mut dyn Write,
) -> io::Result<()> {
    const MAX_NAMED: usize = 5;
    let uncalled = &report.uncalled;
    let is_suspicious = report.summary.no_rule > 0 && uncalled.len() <= MAX_NAMED;
    let count = match uncalled.len() {
        0 => return Ok(()),
        _ if !is_suspicious && verbosity != Verbosity::Verbose => return Ok(()),
        1 => "1 operation with your rules was".to_owned(),
        count => format!("{count} operations with your rules were"),
    };
    writeln!(out, "{count} never called:")?;
    for UncalledOperation {
        operation, rules, ..
    } in uncalled.iter().take(MAX_NAMED)
    {
        let first = rules.first().map_or("", |rule| rule);
        let rules = match rules.len() {
            ..=1 => first.to_owned(),
            count => format!("{first} and {} more", count - 1),
        };
        writeln!(
            out,
            "  {} ({})",
            escape_unsafe(operation),
            escape_unsafe(&rules)
        )?;
    }
    if uncalled.len() > MAX_NAMED {
        writeln!(
            out,
            "  and {} more; --format json lists all",
            uncalled.len() - MAX_NAMED
        )?;
    }
    writeln!(out)
}

fn write_reason(
    groups: &[&SkipGroup],
    verbosity: Verbosity,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = SkipGroup::by_reason(groups.iter().copied().cloned().collect());
    let Some(first) = all.first() else {
        return Ok(());
    };
    // The detail of a single file; if `Verbose`, each file has its own line with its detail.
    let is_one = groups.len() == 1 && verbosity != Verbosity::Verbose;
    let detail = if is_one && !first.reason.is_reported_singly() {
        first.detail_text()
    } else {
        String::new()
    };
    writeln!(out, "  {}{detail}", first.phrase())?;
    writeln!(out, "    {}", first.reason.help())?;
    if verbosity == Verbosity::Verbose {
        for group in groups {
            writeln!(
                out,
                "      {} × {}{}",
                group.count,
                group.place(),
                group.detail_text()
            )?;
        }
    }
    Ok(())
}

/// Writes the totals, and what they do not count.
pub(super) fn write_totals(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    if !report.complete {
        writeln!(out, "{INTERRUPTED}")?;
    }
    let counts = Severity::ALL.map(|severity| plural(summary.of(severity), severity.name()));
    let records = plural(summary.records, "record");
    let uncovered = match summary.no_rule {
        0 => String::new(),
        none => format!(", {none} of operations without a rule"),
    };
    let files = plural(summary.files, "file");
    let size = size(summary.bytes);
    writeln!(
        out,
        "{} in {files} ({records}{uncovered}, {size})",
        counts.join(", ")
    )?;
    if is_uncovered(report) {
        let remedy = if report.uncalled.is_empty() {
            "`--rules FILE` adds your own"
        } else {
            "`--verbose` lists the operations of yours"
        };
        writeln!(out, "No rule is about these records: {remedy}")?;
    }
    let covered = summary.records.saturating_sub(summary.no_rule);
    for (pack, &count) in report
        .pack_calls
        .iter()
        .filter(|(_, count)| **count > covered)
    {
        writeln!(
            out,
            "`--pack {}` has rules for {count} of these records",
            escape_unsafe(pack)
        )?;
    }
    if let Some(sentence) = served_late(report) {
        writeln!(out, "{sentence}")?;
    }
    if report.tables.len() > 1 {
        let tables: Vec<_> = report
            .tables
            .iter()
            .map(|(name, count)| format!("{} {count}", escape_unsafe(name)))
            .collect();
        writeln!(out, "Findings by table: {}", tables.join(", "))?;
    }
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        writeln!(out, "Not counted: {}", not_counted.join(", "))?;
    }
    if let Some(unchanged) = unchanged(report) {
        writeln!(out, "{unchanged}")?;
    }
    if let Some(sentence) = unchecked(report) {
        writeln!(out, "{sentence}")?;
    }
    Ok(())
}

/// That something was not checked, and what follows for the exit code, as a sentence.
fn unchecked(report: &Report) -> Option<String> {
    let failed = report.summary.failed;
    if report.unread.is_empty() {
        let pieces = plural(failed, "piece");
        let sentence = format!("{pieces} could not be checked: --strict makes that an error");
        (failed > 0).then_some(sentence)
    } else {
        let unread = unread(report);
        Some(format!(
            "Nothing was checked in {unread}: the exit code is 2"
        ))
    }
}

/// Returns whether the rules are about none of the records, and no other line says why.
fn is_uncovered(report: &Report) -> bool {
    let Summary {
        records, no_rule, ..
    } = report.summary;
    records > 0
        && records == no_rule
        && !report.skipped.iter().any(|group| {
            matches!(
                group.reason,
                Reason::NoKnownAddress | Reason::NearMiss | Reason::OtherAddress
            )
        })
}

/// That elements were still served after their last day, as a sentence.
pub(super) fn served_late(report: &Report) -> Option<String> {
    match report.summary.served_late {
        0 => None,
        1 => Some("1 element was still served after its last day".to_owned()),
        count => Some(format!(
            "{count} elements were still served after their last day"
        )),
    }
}

/// The named paths in which nothing was checked, escaped.
pub fn unread(report: &Report) -> String {
    const MAX_NAMED: usize = 5;
    let names: Vec<_> = report
        .unread
        .iter()
        .take(MAX_NAMED)
        .map(|name| escape_unsafe(name).into_owned())
        .collect();
    let more = match report.unread.len() {
        ..=MAX_NAMED => String::new(),
        all => format!(" and {} more", all - MAX_NAMED),
    };
    format!("{}{more}", names.join(", "))
}

/// The sentence of a report that does not cover all of its input.
pub(super) const INTERRUPTED: &str =
    "The run was interrupted: this report holds only what was found until then.";

/// One line about an element inside a finding: where it is in it, and its rule.
pub(super) fn describe_related(outer: &Finding, related: &Related) -> String {
    let place = match (outer.found.part, related.part.side()) {
        (ExchangePart::Operation, Some(side)) => format!("in its {}", side.name()),
        _ => "inside it".to_owned(),
    };
    let doubt = if related.certainty == Certainty::Possible {
        "possibly "
    } else {
        ""
    };
    let at = related
        .exact_pointer()
        .filter(|pointer| !pointer.is_empty())
        .map(|pointer| format!(" at {}", printable(pointer)));
    format!(
        "{place}: {doubt}{}{}",
        related.rule.id,
        at.unwrap_or_default()
    )
}

/// The number of elements inside a finding that are listed; JSON has all that are kept.
const MAX_RELATED: usize = 10;

/// Lines about the elements inside a finding, each with its location, and about how many are left out.
fn related_lines(located: &LocatedFinding) -> impl Iterator<Item = String> {
    let finding = &located.finding;
    let more = finding.related.len().saturating_sub(MAX_RELATED);
    let at_least = if finding.has_more_related {
        "at least "
    } else {
        ""
    };
    finding
        .related
        .iter()
        .zip(&located.related)
        .take(MAX_RELATED)
        .map(|(related, (at, _))| format!("{} ({at})", describe_related(finding, related)))
        .chain((more > 0).then(|| format!("inside it: {at_least}{more} more")))
}

/// How many places in code are listed for a finding.
const MAX_ORIGINS: usize = 3;

/// What reports for people say about the file of a finding, the elements inside it, the code that used it, and its change. Some texts
/// have several lines.
pub(super) fn details(located: &LocatedFinding) -> Vec<String> {
    let finding = &located.finding;
    let mut lines = Vec::new();
    if let Some(name) = located.compression {
        lines.push(format!("the location is in the decompressed {name} file"));
    }
    lines.extend(related_lines(located));
    let origins = finding.origins.lines(MAX_ORIGINS);
    if !origins.is_empty() {
        lines.push(origins.join("\n"));
    }
    lines.extend(located.suggestion.as_ref().map(|own| {
        let level = if own.is_safe { "" } else { " --fix unsafe" };
        format!("fix: {} (`sundown fix --write{level}`)", own.phrase)
    }));
    lines
}

/// A count with its noun: `1 file`, `2 files`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Bytes in the largest unit that leaves a whole number.
fn size(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

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
