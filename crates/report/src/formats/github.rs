//! Workflow commands of GitHub Actions: findings become annotations on the changed files of a pull request.
//!
//! GitHub shows ten annotations of a type for each step and silently drops the rest. So the ten worst of each type are
//! annotated, the others are plain lines of the log, and a notice says how many they are.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, SentenceRole, all_problems};
use crate::log_text::{plural, write_remarks, write_totals, write_unrelated};
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

fn write(report: &Report, options: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut by_kind = KINDS.map(|kind| (kind, Vec::new()));
    for problem in all_problems(report) {
        let kind = kind_of(&problem);
        let mut kinds = by_kind.iter_mut();
        if let Some((_, own)) = kinds.find(|(name, _)| *name == kind) {
            own.push(problem);
        }
    }
    let has_too_many = by_kind.iter().any(|(_, own)| own.len() > MAX_ANNOTATIONS);
    for (kind, problems) in &mut by_kind {
        // One notice fewer if some are left out, because a notice reports them.
        let most = MAX_ANNOTATIONS - usize::from(*kind == "notice" && has_too_many);
        for problem in problems.drain(..most.min(problems.len())) {
            write_annotation(&problem, out)?;
        }
    }
    write_left_out(&by_kind, out)?;
    if options.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    write_unrelated(report, options.verbosity, out)?;
    write_remarks(report, out)?;
    write_totals(report, out)
}

fn kind_of(problem: &Diagnostic<'_>) -> &'static str {
    problem.level(["error", "warning", "notice", "warning"])
}

/// Writes a command that creates an annotation, with its properties in the order in which GitHub's own toolkit writes them.
fn write_annotation(problem: &Diagnostic<'_>, out: &mut dyn Write) -> io::Result<()> {
    let title = match problem.finding() {
        Some(_) => &*problem.code,
        None => "could not be checked",
    };
    let title = escape_property(&format!("sundown: {title}"));
    let file = escape_property(&escape_unsafe(problem.file));
    write!(out, "::{} title={title},file={file}", kind_of(problem))?;
    if let Some(Location { line, column, .. }) = problem.start {
        write!(out, ",line={line}")?;
        // GitHub accepts columns only for an annotation of a single line.
        match problem.end {
            Some(end) if end.line == line => {
                write!(out, ",endLine={line},col={column},endColumn={}", end.column)?;
            }
            Some(end) => write!(out, ",endLine={}", end.line)?,
            None => write!(out, ",col={column}")?,
        }
    }
    writeln!(out, "::{}", escape_data(&problem.text(sentence)))
}

/// Writes a notice with the number of those left out, and each of them as a line of the log that is no command.
fn write_left_out(left_out: &[(&str, Vec<Diagnostic<'_>>)], out: &mut dyn Write) -> io::Result<()> {
    let counts = left_out.iter().filter(|(_, own)| !own.is_empty());
    let counts: Vec<_> = counts.map(|(kind, own)| plural(own.len(), kind)).collect();
    if counts.is_empty() {
        return Ok(());
    }
    let counts = counts.join(", ");
    writeln!(
        out,
        "::notice title=sundown::Not annotated: {counts}. GitHub shows {MAX_ANNOTATIONS} annotations of a type; the others are in the log of this step."
    )?;
    writeln!(out, "::group::Not annotated: {counts}")?;
    for problem in left_out.iter().flat_map(|(_, own)| own) {
        let at = problem.start.map(|start| format!(":{start}"));
        let text = problem.text(sentence);
        let lines: Vec<_> = text.lines().map(escape_unsafe).collect();
        writeln!(
            out,
            "{} {}{}: {}",
            kind_of(problem),
            escape_unsafe(problem.file),
            at.unwrap_or_default(),
            lines.join("; ")
        )?;
    }
    writeln!(out, "::endgroup::")
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
