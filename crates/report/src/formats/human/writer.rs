//! Writes the report for people.

use super::by_origin::write_by_origin;
use super::groups::{FindingGroup, are_grouped, group_findings, write_head};
use super::refusals::write_refusals;
use super::summary::{RowScope, SummaryTable};
use crate::excerpt::finding_excerpt;
use crate::log_text::{related_lines, write_failed, write_totals, write_uncalled, write_unrelated};
use crate::suppressed::write_suppressed;
use crate::{
    FindingGrouping, LocatedFinding, OutputFormat, RenderOptions, Report, Verbosity, escape_unsafe,
};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::term::{self, Config, termcolor::Ansi};
use std::io::{self, Write};
use sundown_lint::findings::Finding;
use sundown_lint::rules::Severity;

/// Writes in colour; the caller removes the colour where it does not belong.
pub(crate) const FORMAT: OutputFormat = OutputFormat {
    name: "human",
    about: "text with excerpts and a summary",
    skips: "everything",
    has_remarks: true,
    mark: r"(?m)^\d+ errors?, \d+ warnings?, \d+ notes? in \d+ files? \(",
    write,
};

/// Where the summary is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SummaryPlace {
    /// Before the findings, because they do not fit on the screen with it.
    First,
    /// After the findings.
    Last,
}

/// How many places in code are shown for a finding.
pub(super) const MAX_ORIGINS: usize = 3;

fn write(report: &Report, options: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let is_longer = options.screen.is_some_and(|screen| {
        super::screen::is_longer(screen, |out| {
            write_parts(report, options, SummaryPlace::Last, out)
        })
    });
    let place = if is_longer {
        SummaryPlace::First
    } else {
        SummaryPlace::Last
    };
    write_parts(report, options, place, out)
}

fn write_parts(
    report: &Report,
    options: RenderOptions,
    place: SummaryPlace,
    out: &mut dyn Write,
) -> io::Result<()> {
    let scope = if are_grouped(&report.findings, options.detail) {
        RowScope::Element
    } else {
        RowScope::Operation
    };
    let table = SummaryTable::of(&report.findings, scope);
    let is_quiet = options.verbosity == Verbosity::Quiet;
    if place == SummaryPlace::First && !is_quiet {
        table.write(report.as_of, options.screen, out)?;
    }
    match options.grouping {
        FindingGrouping::Element => write_by_element(report, options, out)?,
        FindingGrouping::Origin => write_by_origin(&report.findings, out)?,
    }
    if is_quiet {
        return write_failed(report, out);
    }
    if place == SummaryPlace::Last {
        table.write(report.as_of, options.screen, out)?;
    }
    write_refusals(&report.findings, out)?;
    write_failed(report, out)?;
    write_unrelated(report, options.verbosity, out)?;
    if options.verbosity == Verbosity::Verbose {
        write_uncalled(report, out)?;
    }
    write_suppressed(report, options.verbosity, out)?;
    write_totals(report, out)
}

fn write_by_element(
    report: &Report,
    options: RenderOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let groups = group_findings(&report.findings, options.detail);
    write_head(report.findings.len(), &groups, out)?;
    groups.iter().try_for_each(|group| write_group(group, out))
}

fn write_group(group: &FindingGroup<'_>, out: &mut dyn Write) -> io::Result<()> {
    let located = group.first;
    let finding = &located.finding;
    let excerpt = finding_excerpt(located);
    let diagnostic = match finding.severity {
        Severity::Error => Diagnostic::error(),
        Severity::Warning => Diagnostic::warning(),
        Severity::Note => Diagnostic::note(),
    };
    let label =
        Label::primary((), excerpt.marked.clone()).with_message(escape_unsafe(&finding.advice()));
    let diagnostic = diagnostic
        .with_code(finding.code())
        .with_message(escape_unsafe(&finding.message()))
        .with_label(label)
        .with_notes(notes(located).into_iter().chain(group.places()).collect());
    let mut buffer = Ansi::new(Vec::new());
    term::emit_to_write_style(&mut buffer, &Config::default(), &excerpt, &diagnostic)
        .map_err(io::Error::other)?;
    out.write_all(&buffer.into_inner())
}

/// The lines below an excerpt.
fn notes(located: &LocatedFinding) -> Vec<String> {
    let finding = &located.finding;
    let mut notes: Vec<String> = context(located).into_iter().collect();
    notes.extend(
        finding
            .announcement_text()
            .map(|text| escape_unsafe(&text).into_owned()),
    );
    if finding.found.shown.in_other_file {
        notes.push("the body is in the file that is named here".to_owned());
    } else if finding.found.shown.encoded {
        notes.push(
            "the body is encoded in the file: the location is that of the whole body".to_owned(),
        );
    }
    notes.extend(
        located
            .compression
            .map(|name| format!("the location is in the decompressed {name} file")),
    );
    notes.extend(related_lines(located));
    notes.extend(
        finding
            .origins
            .lines(MAX_ORIGINS)
            .iter()
            .map(|origin| escape_unsafe(origin).into_owned()),
    );
    notes.extend(
        finding
            .note()
            .map(|note| format!("note: {}", escape_unsafe(note))),
    );
    notes.push(finding.consequence());
    notes.extend(located.expiry_note());
    notes
}

/// Where in the traffic: pointer, exchange, time, repeats.
fn context(located: &LocatedFinding) -> Option<String> {
    let finding = &located.finding;
    let mut words = Vec::new();
    words.extend(located.pointer().map(|pointer| format!("at {pointer}")));
    if let Some(exchange) = &finding.found.exchange {
        words.push(format!("in exchange {}", exchange.index));
        words.extend(
            exchange
                .started
                .map(|started| format!("({})", started.format("%Y-%m-%d %H:%M:%SZ"))),
        );
    }
    words.extend(repeats(finding));
    (!words.is_empty()).then(|| words.join(" "))
}

fn repeats(finding: &Finding) -> Option<String> {
    let more = finding.sightings.count.saturating_sub(1);
    (more > 0).then(|| format!("and {more} more like it in this file"))
}
