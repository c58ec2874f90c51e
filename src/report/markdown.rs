//! Markdown, for the summary of a step in a build.
//!
//! GitHub refuses a summary of more than 1 MiB. So the worst come first, and what finds no room is counted.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::rank::worst_first;
use super::suppressed::{not_counted, unchanged};
use super::{LocatedFinding, Report, Reporter, SkipGroup, printable};
use crate::findings::Check;
use crate::rules::Severity;
use crate::text::markdown::{code, code_cell, plain, prose};
use crate::traffic::SkipKind;

/// Writes a table of the findings, and lists of what was not checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Markdown;

/// How long the table may get, in bytes, and the whole with each of the lists behind it: the limit of the service is
/// 1,048,576, and other tools may have written to the same summary.
const TABLE_END: usize = 700_000;
const FAILED_END: usize = 850_000;
const UNRELATED_END: usize = 950_000;
const REMARKS_END: usize = 980_000;

impl Reporter for Markdown {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut text = heading(report);
        findings(report, &mut text);
        let lists = [
            (SkipKind::Failed, "Could not be checked", FAILED_END),
            (SkipKind::Unrelated, "Not checked", UNRELATED_END),
        ];
        for (kind, title, end) in lists {
            skipped(report, kind, title, end, &mut text);
        }
        remarks(report, &mut text);
        out.write_all(text.as_bytes())
    }
}

/// What there is to say of allowances and of the baseline.
fn remarks(report: &Report, text: &mut String) {
    if report.remarks.is_empty() {
        return;
    }
    text.push_str("### Allowances and baseline\n\n");
    let mut items =
        report.remarks.iter().map(|remark| format!("- {}\n", prose(&remark.sentence())));
    let left_out = append(&mut items, REMARKS_END, text);
    if left_out > 0 {
        let _ = writeln!(text, "- {left_out} more");
    }
    text.push('\n');
}

fn heading(report: &Report) -> String {
    let summary = &report.summary;
    let counts = Severity::ALL.map(|severity| count(summary.of(severity), severity.name()));
    let mut text = format!(
        "## sundown: {}\n\nAs of {}, in {} and {}.\n\n",
        counts.join(", "),
        report.as_of,
        count(summary.files, "file"),
        count(summary.records, "record")
    );
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        let _ = write!(text, "Not counted: {}.\n\n", not_counted.join(", "));
    }
    if let Some(unchanged) = unchanged(report) {
        let _ = write!(text, "{}\n\n", plain(&unchanged));
    }
    if !report.complete {
        text.push_str(
            "**The run was broken off: this is what was found so far, not all there is.**\n\n",
        );
    }
    text
}

fn findings(report: &Report, text: &mut String) {
    let ranked = worst_first(report);
    if ranked.is_empty() {
        return;
    }
    text.push_str("| | Left | Use | Place | Instead |\n|---|---|---|---|---|\n");
    let mut rows = ranked.iter().map(|ranked| row(ranked.placed));
    let left_out = append(&mut rows, TABLE_END, text);
    if left_out > 0 {
        let _ = write!(text, "\n{left_out} more findings are left out here, none of them worse.\n");
    }
    text.push('\n');
}

/// Appends what stays before `end`; gives how many did not.
fn append(pieces: &mut dyn Iterator<Item = String>, end: usize, text: &mut String) -> usize {
    while let Some(piece) = pieces.next() {
        if text.len() + piece.len() > end {
            return 1 + pieces.count();
        }
        text.push_str(&piece);
    }
    0
}

fn row(placed: &LocatedFinding) -> String {
    let finding = &placed.finding;
    let found = &finding.found;
    let element = match finding.rule.element.name() {
        Some(name) => format!("{} {}", finding.rule.element.kind(), code_cell(&printable(name))),
        None => "whole endpoint".to_owned(),
    };
    let side = found.part.side().map(|side| format!(" {}", side.name())).unwrap_or_default();
    let place = format!("{}:{}:{}", placed.file, placed.location.line, placed.location.column);
    let pointer =
        found.pointer.as_ref().map(|pointer| format!(" {}", code_cell(&printable(&pointer.exact))));
    let by = match &finding.announced {
        Some(_) => format!(" ({})", Check::AnnouncedInTraffic.id()),
        None => String::new(),
    };
    let seen = match finding.sightings.count {
        1 => String::new(),
        more => format!(" (×{more})"),
    };
    let ended = placed.status.expiry_note().map(|ended| format!("; {}", plain(&ended)));
    format!(
        "| {} | {} | {element} of {}{side}{by} | {}{}{seen} | {}{} |\n",
        finding.severity.name(),
        finding.time_left(),
        code_cell(&found.operation),
        code_cell(&place),
        pointer.unwrap_or_default(),
        prose(&finding.advice()).replace('\n', " "),
        ended.unwrap_or_default()
    )
}

/// A list of what was not checked for reasons of this kind.
fn skipped(report: &Report, kind: SkipKind, title: &str, end: usize, text: &mut String) {
    let mut of_kind =
        report.skipped.iter().filter(|skipped| skipped.reason.kind() == kind).map(item).peekable();
    if of_kind.peek().is_none() {
        return;
    }
    let _ = write!(text, "### {title}\n\n");
    let left_out = append(&mut of_kind, end, text);
    if left_out > 0 {
        let _ = writeln!(text, "- {left_out} more");
    }
    text.push('\n');
}

fn item(skipped: &SkipGroup) -> String {
    let place = match skipped.location {
        Some(at) => format!("{}:{}:{}", skipped.file, at.line, at.column),
        None => skipped.file.to_string(),
    };
    format!("- {}: {}\n", code(&place), prose(&skipped.sentence()))
}

fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
