//! For people at a terminal: each finding with its place, then a summary to act on.

use std::io::{self, Write};

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::term::{self, Config};

use super::excerpt::FindingExcerpt;
use super::summary::SummaryTable;
use super::suppressed::{not_counted, suppressed, unchanged};
use super::{LocatedFinding, Report, Reporter, SkipGroup, escape_unsafe, printable};
use crate::findings::Finding;
use crate::rules::Severity;
use crate::traffic::SkipKind;

/// Writes for people, in colour; whoever passes the output on takes the colour out where it does not belong.
#[derive(Debug, Clone, Copy, Default)]
pub struct Human {
    /// How much.
    pub verbosity: Verbosity,
}

/// How much is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Findings, and what could not be checked.
    Quiet,
    /// Findings, the summary, and what was skipped, in groups.
    #[default]
    Normal,
    /// The same, with every skipped file by name.
    Verbose,
}

impl Reporter for Human {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for placed in &report.findings {
            finding(placed, out)?;
        }
        if self.verbosity == Verbosity::Quiet {
            return failed(report, out);
        }
        SummaryTable::of(&report.findings).write(report.as_of, out)?;
        failed(report, out)?;
        unrelated(report, self.verbosity, out)?;
        suppressed(report, self.verbosity, out)?;
        totals(report, out)
    }
}

fn finding(placed: &LocatedFinding, out: &mut dyn Write) -> io::Result<()> {
    let finding = &placed.finding;
    let excerpt = FindingExcerpt::new(placed);
    let diagnostic = match finding.severity {
        Severity::Error => Diagnostic::error(),
        Severity::Warning => Diagnostic::warning(),
        Severity::Note => Diagnostic::note(),
    };
    let label =
        Label::primary((), excerpt.key.clone()).with_message(escape_unsafe(&finding.advice()));
    let diagnostic = diagnostic
        .with_code(finding.code())
        .with_message(escape_unsafe(&finding.message()))
        .with_label(label)
        .with_notes(notes(placed));
    let mut buffer = codespan_reporting::term::termcolor::Ansi::new(Vec::new());
    term::emit_to_write_style(&mut buffer, &Config::default(), &excerpt, &diagnostic)
        .map_err(io::Error::other)?;
    out.write_all(&buffer.into_inner())
}

fn notes(placed: &LocatedFinding) -> Vec<String> {
    let finding = &placed.finding;
    let mut notes: Vec<String> = place(finding).into_iter().collect();
    if finding.found.shown.encoded {
        notes.push("the body stands encoded in the file: the place is the whole of it".to_owned());
    }
    notes.extend(
        placed.compression.map(|name| format!("the place is in the text inside the {name} file")),
    );
    for (related, location) in finding.related.iter().zip(&placed.related) {
        let pointer = printable(&related.pointer.exact);
        notes.push(format!(
            "inside it: {} at {pointer} ({}:{})",
            related.rule, location.line, location.column
        ));
    }
    if finding.related_left_out > 0 {
        notes.push(format!("inside it: {} more", finding.related_left_out));
    }
    notes.push(finding.consequence());
    notes.extend(placed.status.expiry_note().map(|ended| escape_unsafe(&ended).into_owned()));
    notes
}

/// Where in the traffic: pointer, exchange, time, repeats.
fn place(finding: &Finding) -> Option<String> {
    let mut words = Vec::new();
    if let Some(pointer) = &finding.found.pointer {
        words.push(format!("at {}", printable(&pointer.exact)));
    }
    if let Some(exchange) = &finding.found.exchange {
        words.push(format!("in exchange {}", exchange.index));
        words.extend(
            exchange.started.map(|started| format!("({})", started.format("%Y-%m-%d %H:%M:%SZ"))),
        );
    }
    if finding.sightings.count > 1 {
        words.push(format!("and {} more like it in this file", finding.sightings.count - 1));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// What could not be checked: each with its place, and what to do.
fn failed(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let failed: Vec<_> = of_kind(report, SkipKind::Failed).collect();
    if failed.is_empty() {
        return Ok(());
    }
    writeln!(out, "Could not be checked:")?;
    for skipped in failed {
        let detail = detail(skipped);
        let times =
            if skipped.count > 1 { format!(" ({} times)", skipped.count) } else { String::new() };
        writeln!(out, "  {}: {}{detail}{times}", site(skipped), skipped.reason.text())?;
        writeln!(out, "    {}", skipped.reason.help())?;
    }
    writeln!(out)
}

fn detail(skipped: &SkipGroup) -> String {
    let detail = skipped.detail.as_deref();
    detail.map(|detail| format!(": {}", escape_unsafe(detail))).unwrap_or_default()
}

fn site(skipped: &SkipGroup) -> String {
    let file = escape_unsafe(&skipped.file);
    skipped
        .location
        .map_or_else(|| file.to_string(), |at| format!("{file}:{}:{}", at.line, at.column))
}

/// What was passed over, one line a reason, or one a file where the user wants to know.
pub(super) fn unrelated(
    report: &Report,
    verbosity: Verbosity,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut groups: Vec<Vec<&SkipGroup>> = Vec::new();
    for skipped in of_kind(report, SkipKind::Unrelated) {
        match groups
            .iter_mut()
            .find(|group| group.iter().any(|known| known.reason == skipped.reason))
        {
            Some(group) => group.push(skipped),
            None => groups.push(vec![skipped]),
        }
    }
    groups.sort_by_key(|group| group.first().map(|skipped| skipped.reason));
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "Not checked:")?;
    for group in groups {
        let Some(first) = group.first() else { continue };
        let count: usize = group.iter().map(|skipped| skipped.count).sum();
        let more = if group.len() > 1 {
            format!(" and {}", plural(group.len() - 1, "more file"))
        } else {
            String::new()
        };
        // What is said of one file alone; with `-v`, it is said of each.
        let is_one = group.len() == 1 && verbosity != Verbosity::Verbose;
        let alone =
            if is_one && !first.reason.is_told_apart() { detail(first) } else { String::new() };
        writeln!(out, "  {count} × {} ({}{more}){alone}", first.reason.text(), site(first))?;
        writeln!(out, "    {}", first.reason.help())?;
        if verbosity == Verbosity::Verbose {
            for skipped in group {
                let detail = detail(skipped);
                writeln!(out, "      {} × {}{detail}", skipped.count, site(skipped))?;
            }
        }
    }
    writeln!(out)
}

fn of_kind(report: &Report, kind: SkipKind) -> impl Iterator<Item = &SkipGroup> {
    report.skipped.iter().filter(move |skipped| skipped.reason.kind() == kind)
}

pub(super) fn totals(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    if !report.complete {
        writeln!(out, "The run was broken off: this is what was found so far, not all there is.")?;
    }
    let counts = Severity::ALL.map(|severity| plural(summary.of(severity), severity.name()));
    let records = plural(summary.records, "record");
    let uncovered = match summary.no_rule {
        0 => String::new(),
        none => format!(", {none} of operations without a rule"),
    };
    writeln!(
        out,
        "{} in {} ({records}{uncovered}, {})",
        counts.join(", "),
        plural(summary.files, "file"),
        size(summary.bytes)
    )?;
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        writeln!(out, "Not counted: {}", not_counted.join(", "))?;
    }
    if let Some(unchanged) = unchanged(report) {
        writeln!(out, "{unchanged}")?;
    }
    if summary.failed > 0 {
        writeln!(
            out,
            "{} could not be checked: --strict makes that an error",
            plural(summary.failed, "piece")
        )?;
    }
    Ok(())
}

fn plural(count: usize, noun: &str) -> String {
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
