//! GitLab Code Quality: a JSON array of violations, which merge requests show beside the changed lines.
//!
//! The format is the part of the Code Climate specification that GitLab reads. It holds violations only: what could not be
//! checked becomes a violation, and other skips are left out.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use crate::format::TOOL_NAME;
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

#[derive(Serialize)]
struct CodeQualityViolation<'r> {
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

impl<'r> ViolationLocation<'r> {
    fn new(path: &'r str, begin: usize, end: usize) -> Self {
        Self {
            path,
            lines: LineRange { begin, end },
        }
    }
}

fn violation<'r>(ranked: &RankedFinding<'r>) -> CodeQualityViolation<'r> {
    let located = ranked.located;
    let finding = &located.finding;
    // GitLab merges violations that have the same fingerprint.
    let fingerprint = match ranked.occurrence {
        1 => ranked.fingerprint.clone(),
        again => format!("{}-{again}", ranked.fingerprint),
    };
    CodeQualityViolation {
        description: format!(
            "{}; {}{}",
            escape_unsafe(&finding.message()),
            escape_unsafe(&finding.advice_and_evidence()),
            located.circumstances()
        ),
        check_name: finding.code(),
        fingerprint,
        severity: match finding.severity {
            Severity::Error => ViolationSeverity::Critical,
            Severity::Warning => ViolationSeverity::Minor,
            Severity::Note => ViolationSeverity::Info,
        },
        location: ViolationLocation::new(&located.file, located.location.line, located.end.line),
        engine_name: TOOL_NAME,
    }
}

fn failure(group: &SkipGroup) -> CodeQualityViolation<'_> {
    let line = group.location.map_or(1, |location| location.line);
    CodeQualityViolation {
        description: group.sentence(),
        check_name: group.reason.name().into(),
        fingerprint: group.fingerprint(),
        severity: ViolationSeverity::Info,
        location: ViolationLocation::new(&group.file, line, line),
        engine_name: TOOL_NAME,
    }
}

/// The violation of a run that was interrupted, which is in no file.
fn interruption() -> CodeQualityViolation<'static> {
    CodeQualityViolation {
        description: INTERRUPTED.to_owned(),
        check_name: "incomplete".into(),
        fingerprint: "incomplete".to_owned(),
        severity: ViolationSeverity::Info,
        location: ViolationLocation::new(".", 1, 1),
        engine_name: TOOL_NAME,
    }
}
