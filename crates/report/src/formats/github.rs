//! Workflow commands of GitHub Actions: findings become annotations on the changed files of a pull request.
//!
//! GitHub shows ten annotations of a type for each step and silently drops the rest. So the ten worst of each type are
//! annotated, the others are plain lines of the log, and a notice says how many they are.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, SentenceRole, all_problems};
use crate::log_text::{plural, write_totals, write_unrelated};
use crate::suppressed::write_remarks;
use crate::{OutputFormat, RenderOptions, Report, Verbosity};
use sundown_text_json::text::{Location, escape_unsafe};

/// Writes workflow commands, then the other parts of the report as text.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "github",
    about: "workflow commands of GitHub Actions",
    skips: "failures as warnings, the rest as text",
    has_remarks: true,
    mark: r"(?m)^::(error|warning|notice) title=sundown%3A |^\d+ errors?, \d+ warnings?, \d+ notes? in \d+ files? \(",
    write,
};

/// How many annotations of one type GitHub shows for a step.
const MAX_ANNOTATIONS: usize = 10;

/// The types of annotation, worst first.
const KINDS: [&str; 3] = ["error", "warning", "notice"];

/// A command that creates an annotation.
struct Annotation {
    kind: &'static str,
    /// In the order in which GitHub's own toolkit writes them.
    properties: Vec<(&'static str, String)>,
    message: String,
}

fn write(report: &Report, options: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let annotations: Vec<_> = all_problems(report)
        .map(|problem| annotation(&problem))
        .collect();
    let mut left_out = Vec::new();
    for kind in KINDS {
        let of_kind = annotations
            .iter()
            .filter(|annotation| annotation.kind == kind);
        let most = most_annotations(kind, &annotations);
        for (number, annotation) in of_kind.enumerate() {
            if number < most {
                annotation.write(out)?;
            } else {
                left_out.push(annotation);
            }
        }
    }
    write_left_out(&left_out, out)?;
    if options.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    write_unrelated(report, options.verbosity, out)?;
    write_remarks(report, out)?;
    write_totals(report, out)
}

/// How many annotations of a type are written: one notice fewer if some are left out, because a notice reports them.
fn most_annotations(kind: &str, all: &[Annotation]) -> usize {
    let some_left_out = KINDS
        .iter()
        .any(|kind| count(kind, all.iter()) > MAX_ANNOTATIONS);
    MAX_ANNOTATIONS - usize::from(kind == "notice" && some_left_out)
}

fn count<'a>(kind: &str, all: impl Iterator<Item = &'a Annotation>) -> usize {
    all.filter(|annotation| annotation.kind == kind).count()
}

/// Writes a notice with the number of those left out, and each of them as a line of the log.
fn write_left_out(left_out: &[&Annotation], out: &mut dyn Write) -> io::Result<()> {
    if left_out.is_empty() {
        return Ok(());
    }
    let counts = KINDS.map(|kind| {
        let count = count(kind, left_out.iter().copied());
        (count > 0).then(|| plural(count, kind))
    });
    let counts = counts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let message = format!(
        "Not annotated: {counts}. GitHub shows {MAX_ANNOTATIONS} annotations of a type; the others are in the log of this step."
    );
    Annotation {
        kind: "notice",
        properties: vec![("title", "sundown".to_owned())],
        message,
    }
    .write(out)?;
    writeln!(out, "::group::Not annotated: {counts}")?;
    for annotation in left_out {
        annotation.write_plain(out)?;
    }
    writeln!(out, "::endgroup::")
}

fn annotation(problem: &Diagnostic<'_>) -> Annotation {
    let title = match problem.finding() {
        Some(_) => &*problem.code,
        None => "could not be checked",
    };
    let mut properties = vec![
        ("title", format!("sundown: {title}")),
        ("file", escape_unsafe(problem.file).into_owned()),
    ];
    let end = problem.end;
    if let Some(Location { line, column, .. }) = problem.start {
        properties.push(("line", line.to_string()));
        properties.extend(end.map(|end| ("endLine", end.line.to_string())));
        // GitHub accepts columns only for an annotation of a single line.
        if end.is_none_or(|end| end.line == line) {
            properties.push(("col", column.to_string()));
            properties.extend(end.map(|end| ("endColumn", end.column.to_string())));
        }
    }
    Annotation {
        kind: problem.level(["error", "warning", "notice", "warning"]),
        properties,
        message: problem.text(sentence),
    }
}

fn sentence(role: SentenceRole, text: &str) -> String {
    match role {
        SentenceRole::Title => text.to_owned(),
        SentenceRole::Pointer => format!("\nat {text}"),
        SentenceRole::Repeats => format!(", {text}"),
        SentenceRole::Replacement
        | SentenceRole::Announcement
        | SentenceRole::Origin
        | SentenceRole::Expiry => format!("\n{text}"),
        _ => format!("; {text}"),
    }
}

impl Annotation {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "::{}", self.kind)?;
        for (index, (name, value)) in self.properties.iter().enumerate() {
            let before = if index == 0 { ' ' } else { ',' };
            write!(out, "{before}{name}={}", escape_property(value))?;
        }
        writeln!(out, "::{}", escape_data(&self.message))
    }

    /// Writes it as a line that is not a command.
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        let place: Vec<_> = ["file", "line", "col"]
            .into_iter()
            .filter_map(|wanted| {
                self.properties
                    .iter()
                    .find(|(name, _)| *name == wanted)
                    .map(|(_, value)| value.as_str())
            })
            .collect();
        let message = self
            .message
            .lines()
            .map(escape_unsafe)
            .collect::<Vec<_>>()
            .join("; ");
        writeln!(out, "{} {}: {message}", self.kind, place.join(":"))
    }
}

/// Escapes the text after the second `::`; its line ends are ours.
fn escape_data(text: &str) -> String {
    let lines: Vec<_> = text
        .split('\n')
        .map(|line| escape_unsafe(line).replace('%', "%25"))
        .collect();
    lines.join("%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn github_decodes_escaped_data_and_properties() {
        assert_eq!(
            escape_data("100%0A\n::error::\r##[group]"),
            "100%250A%0A\\u{3a}:error::\\u{d}#\\u{23}[group]"
        );
        assert_eq!(escape_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
