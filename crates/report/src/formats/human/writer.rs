//! Writes the report for people.

use super::by_origin::write_by_origin;
use super::findings::FindingWriter;
use super::groups::{describe_groups, group_findings, is_long};
use super::mentions::write_mentions;
use super::refusals::write_refusals;
use super::summary::{RowScope, write_summary};
use crate::log_text::{
    write_failed, write_suppressed, write_totals, write_uncalled, write_unrelated,
};
use crate::{
    FindingDetail, FindingGrouping, OutputFormat, RenderOptions, Report, ScreenSize, Verbosity,
};
use std::io::{self, Write};
use sundown_lint::findings::Check;

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

fn write(report: &Report, options: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let Some(screen) = options.screen else {
        return write_parts(report, options, SummaryPlace::Last, out);
    };
    let mut text = Vec::new();
    write_parts(report, options, SummaryPlace::Last, &mut text)?;
    if is_longer(screen, &text) {
        write_parts(report, options, SummaryPlace::First, out)
    } else {
        out.write_all(&text)
    }
}

fn write_parts(
    report: &Report,
    options: RenderOptions,
    place: SummaryPlace,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (mentions, findings): (Vec<_>, Vec<_>) = report
        .findings
        .iter()
        .partition(|own| own.finding.check() == Some(Check::Mentioned));
    let is_long = is_long(&findings);
    let is_shortened = is_long && options.detail != FindingDetail::All;
    let is_by_origin = options.grouping == FindingGrouping::Origin;
    let scope = if is_shortened {
        RowScope::Element
    } else {
        RowScope::Operation
    };
    let write_table =
        |out: &mut dyn Write| write_summary(&findings, scope, report.as_of, options.screen, out);
    let is_quiet = options.verbosity == Verbosity::Quiet;
    // Otherwise, each element is already the title of its findings.
    let has_table = !is_quiet && (is_long || is_by_origin);
    if has_table && place == SummaryPlace::First {
        write_table(out)?;
    }
    if is_by_origin {
        write_by_origin(&findings, out)?;
    } else {
        let groups = group_findings(&findings);
        if is_shortened && groups.len() < findings.len() {
            writeln!(out, "{}\n", describe_groups(&findings))?;
        }
        let mut writer = FindingWriter::new(options, out);
        groups
            .iter()
            .try_for_each(|group| writer.write(group, is_shortened))?;
    }
    write_mentions(&mentions, options, out)?;
    if is_quiet {
        return write_failed(report, out);
    }
    if has_table && place == SummaryPlace::Last {
        write_table(out)?;
    }
    write_refusals(&report.findings, out)?;
    write_failed(report, out)?;
    write_unrelated(report, options.verbosity, out)?;
    write_uncalled(report, options.verbosity, out)?;
    write_suppressed(report, options.verbosity, out)?;
    write_totals(report, out)
}

/// Returns whether a text takes more lines than the screen has. The line of the prompt follows the text.
fn is_longer(screen: ScreenSize, text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(|line| {
        // A control sequence (ECMA-48) takes no space.
        let mut in_sequence = false;
        let shown = line.chars().filter(|&character| {
            let is_start = character == '\u{1b}';
            let is_shown = !is_start && !in_sequence;
            in_sequence = is_start || in_sequence && !character.is_ascii_alphabetic();
            is_shown
        });
        shown.count().div_ceil(screen.columns.max(1)).max(1)
    });
    lines.sum::<usize>() + 1 > screen.rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_the_screen_breaks_them() {
        let is_longer = |rows: usize, text: &str| {
            let screen = ScreenSize { rows, columns: 4 };
            super::is_longer(screen, text.as_bytes())
        };
        for (text, lines) in [
            ("", 0),
            ("a\nb\n", 2),
            ("abcd\n", 1),
            ("abcde\n", 2),
            ("éééé\n", 1),
            ("\u{1b}[1;31mabcd\u{1b}[0m\n", 1),
        ] {
            assert!(is_longer(lines, text), "{text:?}");
            assert!(!is_longer(lines + 1, text), "{text:?}");
        }
    }
}
