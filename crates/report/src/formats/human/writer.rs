//! Writes the report for people: the findings, what the service refused, the values that texts name, and, for a developer, a list of
//! work by the places in code that made the calls.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::findings::FindingWriter;
use super::groups::{describe_groups, group_findings, is_long};
use super::summary::{RowScope, write_summary};
use crate::log_text::{
    plural, write_failed, write_suppressed, write_totals, write_uncalled, write_unrelated,
};
use crate::{
    FindingDetail, FindingGrouping, LocatedFinding, OutputFormat, RenderOptions, Report,
    ScreenSize, Verbosity, escape_unsafe, printable,
};
use sundown_exchange::{CodeLocation, Side, StatusCode};
use sundown_lint::findings::{
    Check, CodeRange, ExchangePart, Finding, FindingKind, UseOutcome, call_chain,
};

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

/// The number of files that are listed for a value, unless all are wanted.
const MAX_FILES: usize = 5;

/// Writes the values, worst first. Of their lines, nothing is shown.
fn write_mentions(
    mentions: &[&LocatedFinding],
    options: RenderOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut groups = group_findings(mentions);
    groups.sort_by_key(|group| {
        let first = group.first().map(|first| &first.finding);
        first.map(|own| (Reverse(own.severity), own.days_left.unwrap_or(i64::MAX)))
    });
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "Mentioned in source:")?;
    for group in &groups {
        write_group(group, options, out)?;
    }
    writeln!(out)
}

fn write_group(
    group: &[&LocatedFinding],
    options: RenderOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(finding) = group.first().map(|first| &first.finding) else {
        return Ok(());
    };
    let counts = group.iter().map(|located| located.finding.sightings.count);
    let places = plural(counts.sum(), "place");
    let files: BTreeSet<_> = group.iter().map(|located| &located.file).collect();
    let files = plural(files.len(), "file");
    let (severity, code) = (finding.severity.name(), finding.code());
    let text = format!("{}; {places} in {files}", finding.headline());
    writeln!(out, "  {severity}[{code}]: {}", escape_unsafe(&text))?;
    let owners = finding.declared().filter(|own| own.subject.is_some());
    if let Some(owners) = owners.and_then(|own| own.detail.as_deref()) {
        writeln!(out, "    {}", escape_unsafe(owners))?;
    }
    let note = finding.note().map(|note| format!("; note: {note}"));
    let advice = finding.advice() + &note.unwrap_or_default();
    writeln!(out, "    {}", escape_unsafe(&advice))?;
    let shown = match options.detail {
        FindingDetail::All => group.len(),
        FindingDetail::Grouped => MAX_FILES,
    };
    for located in group.iter().take(shown) {
        let more = match located.finding.sightings.count - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let expired = located.status.expiry_note();
        let expired = expired.map(|note| format!("; {}", escape_unsafe(&note)));
        let expired = expired.unwrap_or_default();
        writeln!(out, "    {}{more}{expired}", located.place())?;
    }
    match group.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "    and {}", plural(more, "more file")),
    }
}

/// The refused calls of one operation.
#[derive(Default)]
struct Refusals<'r> {
    /// How many there are with each status that a requirement explains.
    counts: BTreeMap<StatusCode, usize>,
    /// The elements past their last day in requests that were answered with 400.
    suspects: BTreeSet<(&'r str, String)>,
}

/// Writes a line for each operation: `POST /rest/api/v1/search: 12 × 429, 3 × 401`.
fn write_refusals(findings: &[LocatedFinding], out: &mut dyn Write) -> io::Result<()> {
    let all = count_refusals(findings);
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "Refused calls:")?;
    for (operation, Refusals { counts, suspects }) in all {
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|(one, a), (other, b)| b.cmp(a).then_with(|| one.cmp(other)));
        let counts = counts
            .iter()
            .map(|(status, count)| format!("{count} × {status}"))
            .collect::<Vec<_>>()
            .join(", ");
        // Evidence counts uses, which may be several in one call.
        let counts = if counts.is_empty() {
            "400".to_owned()
        } else {
            counts
        };
        writeln!(out, "  {}: {counts}", printable(operation))?;
        for (name, last_day) in suspects {
            let name = printable(name);
            writeln!(
                out,
                "    `{name}` in the request, whose last day was {last_day}, may explain the 400"
            )?;
        }
    }
    writeln!(out)
}

fn count_refusals(findings: &[LocatedFinding]) -> BTreeMap<&str, Refusals<'_>> {
    let mut all: BTreeMap<&str, Refusals<'_>> = BTreeMap::new();
    for LocatedFinding { finding, .. } in findings {
        let FindingKind::Violated(violated) = &finding.kind else {
            continue;
        };
        for (status, count) in &violated.refusals {
            let own = all.entry(&finding.found.operation).or_default();
            let known = own.counts.entry(*status).or_default();
            *known = known.saturating_add(*count);
        }
    }
    for LocatedFinding { finding, .. } in findings {
        let operation = &*finding.found.operation;
        let mut counts = all.get(operation).into_iter().flat_map(|own| &own.counts);
        let has_400 = counts.any(|(status, _)| status.code() == 400);
        if let Some(suspect) = suspect(finding, has_400) {
            all.entry(operation).or_default().suspects.insert(suspect);
        }
    }
    all
}

/// The name and the last day of an element past its last day in a request that was answered with 400. If 400 is known to be an
/// answer of the operation, it may also be one of several that the evidence sums up.
fn suspect(finding: &Finding, has_400: bool) -> Option<(&str, String)> {
    let is_past = finding.check().is_none() && finding.days_left.is_some_and(|days| days < 0);
    let is_sent = finding.found.part == ExchangePart::Message(Side::Request);
    let evidence = finding.use_evidence().into_iter();
    let mut tallies = evidence.flat_map(|evidence| &evidence.tallies);
    let is_suspect = is_past
        && is_sent
        && tallies.any(|tally| match tally.codes {
            CodeRange::One(status) => status.code() == 400,
            CodeRange::Class(4) => has_400 && tally.outcome == UseOutcome::ClientError,
            CodeRange::None | CodeRange::Class(_) | CodeRange::Mixed => false,
        });
    let removal = finding.rule.removal.filter(|_| is_suspect)?;
    Some((finding.rule.element.name()?, removal.to_string()))
}

/// A finding, and how many of its uses a place in code makes.
type CountedFinding<'r> = (&'r LocatedFinding, usize);

/// What made the calls of a finding, in the order of the list.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum CallOrigin<'r> {
    /// Code, or the contract of a consumer.
    Code(Option<&'r str>, &'r [CodeLocation]),
    /// A recorded test.
    Test(&'r str),
    Unknown,
}

/// Writes each place in code with the findings that it causes, in the order of files and lines, then each consumer of a contract, then
/// each recorded test. What no capture traces to a place or a test comes last.
fn write_by_origin(findings: &[&LocatedFinding], out: &mut dyn Write) -> io::Result<()> {
    let mut by_origin: BTreeMap<CallOrigin<'_>, Vec<CountedFinding<'_>>> = BTreeMap::new();
    for located in findings {
        let finding = &located.finding;
        let mut rest = finding.sightings.count;
        for (origin, count) in finding.origins.by_count() {
            rest = rest.saturating_sub(count);
            let origin = CallOrigin::Code(origin.consumer.as_deref(), &origin.frames);
            let own = by_origin.entry(origin).or_default();
            own.push((located, count));
        }
        if rest > 0 {
            let test = located.recorded_test();
            let origin = test.map_or(CallOrigin::Unknown, CallOrigin::Test);
            by_origin.entry(origin).or_default().push((located, rest));
        }
    }
    for (origin, findings) in &by_origin {
        match origin {
            CallOrigin::Code(consumer, places) => {
                if let Some(consumer) = consumer {
                    writeln!(out, "the contract of {}", escape_unsafe(consumer))?;
                }
                for (index, line) in call_chain(places).enumerate() {
                    let indent = if index == 0 { "" } else { "  " };
                    writeln!(out, "{indent}{}", escape_unsafe(&line))?;
                }
            }
            CallOrigin::Test(test) => {
                writeln!(out, "the test recorded as {}", escape_unsafe(test))?;
            }
            CallOrigin::Unknown => {
                let other = if by_origin.len() > 1 { "other " } else { "" };
                writeln!(out, "{other}code that the captures do not name")?;
            }
        }
        write_findings(findings, out)?;
    }
    Ok(())
}

fn write_findings(findings: &[CountedFinding<'_>], out: &mut dyn Write) -> io::Result<()> {
    for (located, uses) in findings {
        let finding = &located.finding;
        let severity = finding.severity.name();
        let code = finding.code();
        let message = finding.message();
        let advice = finding.advice();
        writeln!(out, "    {severity}[{code}]: {}", escape_unsafe(&message))?;
        writeln!(
            out,
            "        {} ({}, {})",
            escape_unsafe(&advice),
            plural(*uses, "use"),
            located.place()
        )?;
    }
    writeln!(out)
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
