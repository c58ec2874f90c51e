//! GitLab Code Quality: a JSON array of violations, which merge requests show beside the changed lines.
//!
//! The format is the part of the Code Climate specification that GitLab reads. It holds violations only: what could not be
//! checked becomes a violation, and other skips are left out.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, all_problems};
use crate::format::TOOL_NAME;
use crate::{OutputFormat, RenderOptions, Report};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, escape_unsafe, safe_json};

/// Writes one JSON array, indented.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "gitlab",
    about: "GitLab Code Quality",
    skips: "failures as violations",
    has_remarks: false,
    mark: r#"^\[\n\]\n$|    "engine_name": "sundown"\n  \}\n\]\n$"#,
    write,
};

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut problems = all_problems(report)
        .chain(Diagnostic::of_interruption(report))
        .peekable();
    if problems.peek().is_none() {
        // Written so that it is recognised as a report of this program: see the mark.
        return out.write_all(b"[\n]\n");
    }
    let violations = problems.collect::<Vec<_>>();
    safe_json::pretty(out, &JsonValue::list(violations.iter().map(violation)))?;
    writeln!(out)
}

fn violation<'d>(problem: &'d Diagnostic<'_>) -> JsonValue<'d> {
    // GitLab merges violations that have the same fingerprint.
    let fingerprint = match problem.occurrence {
        1 => problem.fingerprint.clone(),
        again => format!("{}-{again}", problem.fingerprint),
    };
    let begin = problem.start.map_or(1, |start| start.line);
    let end = problem.end.map_or(begin, |end| end.line);
    object! {
        "description": escape_unsafe(&problem.line()).into_owned(),
        "check_name": &*problem.code,
        "fingerprint": fingerprint,
        // GitLab also knows `major` and `blocker`.
        "severity": problem.level(["critical", "minor", "info", "info"]),
        "location": object! { "path": problem.file, "lines": object! { "begin": begin, "end": end } },
        // The program, as the specification names its tools.
        "engine_name": TOOL_NAME,
    }
}
