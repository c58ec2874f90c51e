//! GitLab Code Quality: a JSON array of violations, which merge requests show beside the changed lines.
//!
//! The format is the part of the Code Climate specification that GitLab reads. It holds violations only: what could not be
//! checked becomes a violation, and other skips are left out.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use crate::log_text::INTERRUPTED;
use crate::rank::{RankedFinding, worst_first};
use crate::{OutputFormat, RenderOptions, Report, SkipGroup};
use sundown_exchange::SkipKind;
use sundown_lint::rules::Severity;
use sundown_text_json::text::{escape_unsafe, safe_json};

/// Writes one JSON array, indented.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "gitlab",
    about: "GitLab Code Quality",
    skips: "failures as violations",
    has_remarks: false,
    mark: r#"^\[\n\]\n$|    "engine_name": "sundown"\n  \}\n\]\n$"#,
    write,
};

const ENGINE_NAME: &str = env!("CARGO_PKG_NAME");

#[derive(Serialize)]
struct Violation<'r> {
    description: String,
    check_name: Cow<'r, str>,
    fingerprint: String,
    severity: ViolationSeverity,
    location: ViolationLocation<'r>,
    /// The program, as the specification names its tools.
    engine_name: &'static str,
}

/// GitLab also knows `major` and `blocker`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ViolationSeverity {
    Info,
    Minor,
    Critical,
}

#[derive(Serialize)]
struct ViolationLocation<'r> {
    path: &'r str,
    lines: LineRange,
}

#[derive(Serialize)]
struct LineRange {
    begin: usize,
    end: usize,
}

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let violations: Vec<_> = worst_first(report)
        .iter()
        .map(violation)
        .chain(report.skips_of(SkipKind::Failed).map(failure))
        .chain((!report.complete).then(interruption))
        .collect();
    if violations.is_empty() {
        // Written so that it is recognised as a report of this program: see the mark.
        return out.write_all(b"[\n]\n");
    }
    safe_json::pretty(out, &violations)?;
    writeln!(out)
}

fn violation<'r>(ranked: &RankedFinding<'r>) -> Violation<'r> {
    let located = ranked.located;
    let finding = &located.finding;
    let (message, advice) = (finding.message(), finding.advice_and_evidence());
    let at = located
        .pointer()
        .map(|pointer| format!(" (at {pointer})"))
        .unwrap_or_default();
    let note = located
        .expiry_note()
        .map(|note| format!("; {note}"))
        .unwrap_or_default();
    let origin = located.origin_text("; ");
    // GitLab merges violations that have the same fingerprint.
    let fingerprint = match ranked.occurrence {
        1 => ranked.fingerprint.clone(),
        again => format!("{}-{again}", ranked.fingerprint),
    };
    Violation {
        description: format!(
            "{}; {}{at}{origin}{note}",
            escape_unsafe(&message),
            escape_unsafe(&advice)
        ),
        check_name: finding.code(),
        fingerprint,
        severity: match finding.severity {
            Severity::Error => ViolationSeverity::Critical,
            Severity::Warning => ViolationSeverity::Minor,
            Severity::Note => ViolationSeverity::Info,
        },
        location: ViolationLocation {
            path: &located.file,
            lines: LineRange {
                begin: located.location.line,
                end: located.end.line,
            },
        },
        engine_name: ENGINE_NAME,
    }
}

fn failure(group: &SkipGroup) -> Violation<'_> {
    let line = group.location.map_or(1, |location| location.line);
    Violation {
        description: group.sentence(),
        check_name: group.reason.name().into(),
        fingerprint: group.fingerprint(),
        severity: ViolationSeverity::Info,
        location: ViolationLocation {
            path: &group.file,
            lines: LineRange {
                begin: line,
                end: line,
            },
        },
        engine_name: ENGINE_NAME,
    }
}

/// The violation of a run that was interrupted, which is in no file.
fn interruption() -> Violation<'static> {
    Violation {
        description: INTERRUPTED.to_owned(),
        check_name: "incomplete".into(),
        fingerprint: "incomplete".to_owned(),
        severity: ViolationSeverity::Info,
        location: ViolationLocation {
            path: ".",
            lines: LineRange { begin: 1, end: 1 },
        },
        engine_name: ENGINE_NAME,
    }
}
