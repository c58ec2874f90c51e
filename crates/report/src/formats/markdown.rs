//! Markdown for the summary of a build step.
//!
//! GitHub rejects a summary of more than 1 MiB. So the worst findings come first, and those beyond the limit are counted.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, SentenceRole, worst_first};
use crate::log_text::{INTERRUPTED, REMARK_LISTS, not_counted, plural, served_late, unchanged};
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup, printable};
use sundown_exchange::SkipKind;
use sundown_lint::findings::Check;
use sundown_lint::rules::Severity;
use sundown_text_json::text::markdown::{code, code_cell, plain, prose};

/// Writes a table of the findings, and lists of what was not checked.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "markdown",
    about: "a page for the summary of a build",
    skips: "everything",
    has_remarks: true,
    mark: r"^## sundown: ",
    write,
};

/// The text's length, in bytes, after the table and after each list. GitHub's limit is 1,048,576, and other tools may have
/// written to the same summary.
const TABLE_END: usize = 700_000;
const FAILED_END: usize = 850_000;
const UNRELATED_END: usize = 950_000;
const REMARKS_END: usize = 980_000;

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut text = heading(report);
    push_findings(report, &mut text);
    let failed = report.skips_of(SkipKind::Failed).map(skip_item);
    push_list("Could not be checked", failed, FAILED_END, &mut text);
    let unrelated = report.skips_of(SkipKind::Unrelated).map(skip_item);
    push_list("Not checked", unrelated, UNRELATED_END, &mut text);
    for (title, is_about_rules) in REMARK_LISTS {
        let remarks = report
            .remarks
            .iter()
            .filter(|one| one.kind.is_about_rules() == is_about_rules)
            .map(|remark| format!("- {}\n", prose(&remark.sentence())));
        push_list(title, remarks, REMARKS_END, &mut text);
    }
    out.write_all(text.as_bytes())
}

fn heading(report: &Report) -> String {
    let summary = &report.summary;
    let counts = Severity::ALL.map(|severity| plural(summary.of(severity), severity.name()));
    let mut text = format!(
        "## sundown: {}\n\nAs of {}, in {} and {}.\n\n",
        counts.join(", "),
        report.as_of,
        plural(summary.files, "file"),
        plural(summary.records, "record")
    );
    if let Some(sentence) = served_late(report) {
        let _ = write!(text, "{sentence}.\n\n");
    }
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        let _ = write!(text, "Not counted: {}.\n\n", not_counted.join(", "));
    }
    if let Some(unchanged) = unchanged(report) {
        let _ = write!(text, "{}\n\n", plain(&unchanged));
    }
    if !report.complete {
        let _ = write!(text, "**{INTERRUPTED}**\n\n");
    }
    text
}

fn push_findings(report: &Report, text: &mut String) {
    let mut rows = worst_first(report)
        .filter_map(|problem| row(&problem))
        .peekable();
    if rows.peek().is_none() {
        return;
    }
    text.push_str("| | Left | Use | Place | Instead |\n|---|---|---|---|---|\n");
    let left_out = push_until(rows, TABLE_END, text);
    if left_out > 0 {
        let _ = write!(
            text,
            "\n{left_out} more findings are left out here, none of them worse.\n"
        );
    }
    text.push('\n');
}

/// Appends a list under its title; nothing if there are no items.
fn push_list(title: &str, items: impl Iterator<Item = String>, end: usize, text: &mut String) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    let _ = write!(text, "### {title}\n\n");
    let left_out = push_until(items, end, text);
    if left_out > 0 {
        let _ = writeln!(text, "- {left_out} more");
    }
    text.push('\n');
}

/// Appends pieces as long as the text stays shorter than `end`; returns how many were left out.
fn push_until(mut pieces: impl Iterator<Item = String>, end: usize, text: &mut String) -> usize {
    while let Some(piece) = pieces.next() {
        if text.len() + piece.len() > end {
            return 1 + pieces.count();
        }
        text.push_str(&piece);
    }
    0
}

fn row(problem: &Diagnostic<'_>) -> Option<String> {
    let located = problem.finding()?;
    let finding = &located.finding;
    let place = code_cell(&format!("{}:{}", located.file, located.location));
    let pointer = located.pointer();
    let pointer = pointer.map(|pointer| format!(" {}", code_cell(&pointer)));
    let seen = match finding.sightings.count {
        1 => String::new(),
        more => format!(" (×{more})"),
    };
    let left = if finding.is_violation() {
        String::new()
    } else {
        finding.time_left()
    };
    Some(format!(
        "| {} | {left} | {} | {place}{}{seen} | {} |\n",
        finding.severity.name(),
        subject(located),
        pointer.unwrap_or_default(),
        problem.text(sentence).replace('\n', " "),
    ))
}

fn sentence(role: SentenceRole, text: &str) -> String {
    match role {
        SentenceRole::Replacement => prose(text),
        SentenceRole::Note | SentenceRole::Related | SentenceRole::Evidence => {
            format!("; {}", prose(text))
        }
        SentenceRole::Announcement | SentenceRole::Origin | SentenceRole::Expiry => {
            format!("; {}", plain(text))
        }
        // The other cells have these, or what follows from the rule.
        _ => String::new(),
    }
}

/// The element, the operation and its side.
fn subject(located: &LocatedFinding) -> String {
    let finding = &located.finding;
    let element = match finding.rule.element.name() {
        _ if finding.is_violation() => format!("requirement {}", code_cell(&finding.rule.id)),
        // Other values of the element are in order.
        Some(_) if finding.rule.element.value.is_some() => {
            let phrase = finding.rule.element.phrase(|name| format!("`{name}`"));
            prose(&phrase.unwrap_or_default())
        }
        Some(name) => format!(
            "{} {}",
            finding.rule.element.kind(),
            code_cell(&printable(name))
        ),
        None if finding.is_about_unnamed_part() => "part of the call".to_owned(),
        None => "whole endpoint".to_owned(),
    };
    let operation = code_cell(&finding.found.operation);
    let side = finding
        .found
        .part
        .side()
        .map(|side| format!(" {}", side.name()));
    let check = match finding.check() {
        Some(Check::AnnouncedInTraffic) => " (announced-in-traffic)",
        Some(Check::Mentioned) => return format!("{element} (mentioned)"),
        _ => "",
    };
    format!(
        "{element} of {operation}{}{check}",
        side.unwrap_or_default()
    )
}

fn skip_item(group: &SkipGroup) -> String {
    let place = match group.location {
        Some(at) => format!("{}:{at}", group.file),
        None => group.file.to_string(),
    };
    format!("- {}: {}\n", code(&place), prose(&group.sentence()))
}
