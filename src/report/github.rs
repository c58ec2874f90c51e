//! Workflow commands of GitHub Actions: findings become annotations on the changed files of a pull request.
//!
//! The service shows ten annotations of a type for each step and drops the rest without a word. So the ten worst of each
//! type are annotated, the others are listed as plain lines of the log, and a notice says how many they are.

use std::io::{self, Write};

use super::human::{totals, unrelated};
use super::rank::worst_first;
use super::suppressed::remarks;
use super::{LocatedFinding, Report, Reporter, SkipGroup, Verbosity, printable};
use crate::rules::Severity;
use crate::text::escape_unsafe;
use crate::traffic::SkipKind;

/// Writes workflow commands, then what else there is to say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Github {
    /// How much else.
    pub verbosity: Verbosity,
}

/// How many annotations of one type the service shows for a step.
pub const MOST_ANNOTATIONS: usize = 10;

/// A command that makes an annotation.
struct Annotation {
    kind: &'static str,
    /// In the order in which the service's own toolkit writes them.
    properties: Vec<(&'static str, String)>,
    message: String,
}

impl Reporter for Github {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let findings = worst_first(report).into_iter().map(|ranked| finding(ranked.placed));
        let failed =
            report.skipped.iter().filter(|skipped| skipped.reason.kind() == SkipKind::Failed);
        let annotations: Vec<_> = findings.chain(failed.map(failure)).collect();
        let mut left_out = Vec::new();
        for kind in KINDS {
            let of_kind: Vec<_> =
                annotations.iter().filter(|annotation| annotation.kind == kind).collect();
            let most = most(kind, &annotations);
            for annotation in of_kind.iter().take(most) {
                annotation.write(out)?;
            }
            left_out.extend(of_kind.into_iter().skip(most));
        }
        others(&left_out, out)?;
        if self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        unrelated(report, self.verbosity, out)?;
        remarks(report, out)?;
        totals(report, out)
    }
}

/// Worst first.
const KINDS: [&str; 3] = ["error", "warning", "notice"];

/// How many of this type are annotated: where some are left out, one notice less, for the one that says so.
fn most(kind: &str, all: &[Annotation]) -> usize {
    let count = |kind: &str| all.iter().filter(|annotation| annotation.kind == kind).count();
    let some_left_out = KINDS.iter().any(|kind| count(kind) > MOST_ANNOTATIONS);
    MOST_ANNOTATIONS - usize::from(kind == "notice" && some_left_out)
}

/// Those that find no room: a notice with their number, and each as a line of the log.
fn others(left_out: &[&Annotation], out: &mut dyn Write) -> io::Result<()> {
    if left_out.is_empty() {
        return Ok(());
    }
    let counts = KINDS.map(|kind| {
        let count = left_out.iter().filter(|annotation| annotation.kind == kind).count();
        (count > 0).then(|| format!("{count} {kind}{}", if count == 1 { "" } else { "s" }))
    });
    let counts = counts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let message = format!(
        "Not annotated: {counts}. The service shows {MOST_ANNOTATIONS} annotations of a type; the others stand in the log of this step."
    );
    Annotation { kind: "notice", properties: vec![("title", "sundown".to_owned())], message }
        .write(out)?;
    writeln!(out, "::group::Not annotated: {counts}")?;
    for annotation in left_out {
        annotation.write_plain(out)?;
    }
    writeln!(out, "::endgroup::")
}

fn finding(placed: &LocatedFinding) -> Annotation {
    let finding = &placed.finding;
    let mut message =
        format!("{}\n{}; {}", finding.message(), finding.advice(), finding.consequence());
    if let Some(pointer) = &finding.found.pointer {
        message = format!("{message}\nat {}", printable(&pointer.exact));
    }
    if finding.sightings.count > 1 {
        message =
            format!("{message}, and {} more like it in this file", finding.sightings.count - 1);
    }
    if let Some(ended) = placed.status.expiry_note() {
        message = format!("{message}\n{}", escape_unsafe(&ended));
    }
    let mut properties = vec![
        ("title", format!("sundown: {}", finding.code())),
        ("file", escape_unsafe(&placed.file).into_owned()),
        ("line", placed.location.line.to_string()),
        ("endLine", placed.end.line.to_string()),
    ];
    // The service takes columns only where the annotation stays on one line.
    if placed.location.line == placed.end.line {
        properties.push(("col", placed.location.column.to_string()));
        properties.push(("endColumn", placed.end.column.to_string()));
    }
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    Annotation { kind, properties, message }
}

fn failure(skipped: &SkipGroup) -> Annotation {
    let mut properties = vec![
        ("title", "sundown: could not be checked".to_owned()),
        ("file", escape_unsafe(&skipped.file).into_owned()),
    ];
    if let Some(at) = skipped.location {
        properties.push(("line", at.line.to_string()));
        properties.push(("col", at.column.to_string()));
    }
    Annotation { kind: "warning", properties, message: skipped.sentence() }
}

impl Annotation {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "::{}", self.kind)?;
        for (index, (name, value)) in self.properties.iter().enumerate() {
            let before = if index == 0 { ' ' } else { ',' };
            write!(out, "{before}{name}={}", property(value))?;
        }
        writeln!(out, "::{}", data(&self.message))
    }

    /// As a line that is no command.
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        let value = |wanted| {
            self.properties
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, value)| value.as_str())
        };
        let place: Vec<_> = ["file", "line", "col"].into_iter().filter_map(value).collect();
        let message = self.message.lines().map(escape_unsafe).collect::<Vec<_>>().join("; ");
        writeln!(out, "{} {}: {message}", self.kind, place.join(":"))
    }
}

/// What follows the second `::`: line ends are ours, all else that commands is spelled out.
fn data(text: &str) -> String {
    let lines: Vec<_> =
        text.split('\n').map(|line| escape_unsafe(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_properties_are_escaped_as_the_service_undoes_it() {
        assert_eq!(
            data("100%0A\n::error::\r##[group]"),
            "100%250A%0A\\u{3a}:error::\\u{d}#\\u{23}[group]"
        );
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
