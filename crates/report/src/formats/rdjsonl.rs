//! The Reviewdog Diagnostic Format, one diagnostic per line.
//!
//! The format is that of reviewdog's `reviewdog.proto`, in the JSON mapping of protocol buffers. Columns are one-based and
//! count bytes. Messages become comments on pull requests, so they are Markdown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use crate::format::TOOL_NAME;
use crate::log_text::INTERRUPTED;
use crate::rank::worst_first;
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup, uri};
use sundown_exchange::SkipKind;
use sundown_lint::rules::Severity;
use sundown_text_json::text::markdown::{code, plain, prose};
use sundown_text_json::text::{Location, safe_json};

/// Writes one diagnostic per line.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "rdjsonl",
    about: "Reviewdog Diagnostic Format",
    skips: "failures as diagnostics",
    has_remarks: false,
    mark: r#""source":\{"name":"sundown"\},"code":\{"value":"[^"\n]*"\}\}\n$"#,
    write,
};

const SOURCE: DiagnosticSource = DiagnosticSource { name: TOOL_NAME };

#[derive(Serialize)]
struct ReviewdogDiagnostic<'r> {
    message: String,
    location: DiagnosticLocation<'r>,
    severity: &'static str,
    source: DiagnosticSource,
    code: DiagnosticCode<'r>,
}

#[derive(Serialize)]
struct DiagnosticLocation<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<DiagnosticRange>,
}

#[derive(Serialize)]
struct DiagnosticRange {
    start: DiagnosticPosition,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<DiagnosticPosition>,
}

/// Both are 32-bit integers in the definition of the format.
#[derive(Serialize)]
struct DiagnosticPosition {
    line: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<i32>,
}

#[derive(Serialize)]
struct DiagnosticSource {
    name: &'static str,
}

#[derive(Serialize)]
struct DiagnosticCode<'r> {
    value: Cow<'r, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'r str>,
}

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let findings = worst_first(report)
        .into_iter()
        .map(|ranked| diagnostic(ranked.located));
    let failures = report.skips_of(SkipKind::Failed).map(failure);
    for diagnostic in findings
        .chain(failures)
        .chain((!report.complete).then(interruption))
    {
        safe_json::compact(out, &diagnostic)?;
        writeln!(out)?;
    }
    Ok(())
}

fn diagnostic(located: &LocatedFinding) -> ReviewdogDiagnostic<'_> {
    let finding = &located.finding;
    let mut message = format!(
        "{}; {}.",
        prose(&finding.message()),
        prose(&finding.advice_and_evidence())
    );
    if let Some(pointer) = located.pointer() {
        let _ = write!(message, " At {}.", code(&pointer));
    }
    if let Some(origin) = located.finding.origins.phrase() {
        let _ = write!(message, " The operation is {}.", plain(&origin));
    }
    if let Some(note) = located.status.expiry_note() {
        let _ = write!(message, " Note: {}.", plain(&note));
    }
    let start = DiagnosticPosition::of(located.location);
    let end = DiagnosticPosition::of(located.end);
    ReviewdogDiagnostic {
        message,
        location: DiagnosticLocation {
            path: &located.file,
            range: start.map(|start| DiagnosticRange { start, end }),
        },
        severity: match finding.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Note => "INFO",
        },
        source: SOURCE,
        code: DiagnosticCode {
            value: finding.code(),
            url: uri::link(finding.rule.docs.as_deref()),
        },
    }
}

fn failure(group: &SkipGroup) -> ReviewdogDiagnostic<'_> {
    let start = group.location.and_then(DiagnosticPosition::of);
    ReviewdogDiagnostic {
        message: plain(&group.sentence()),
        location: DiagnosticLocation {
            path: &group.file,
            range: start.map(|start| DiagnosticRange { start, end: None }),
        },
        severity: "INFO",
        source: SOURCE,
        code: DiagnosticCode {
            value: group.reason.name().into(),
            url: None,
        },
    }
}

/// The diagnostic of a run that was interrupted, which is in no file.
fn interruption() -> ReviewdogDiagnostic<'static> {
    ReviewdogDiagnostic {
        message: plain(INTERRUPTED),
        location: DiagnosticLocation {
            path: ".",
            range: None,
        },
        severity: "INFO",
        source: SOURCE,
        code: DiagnosticCode {
            value: "incomplete".into(),
            url: None,
        },
    }
}

impl DiagnosticPosition {
    /// `None` if the format cannot represent the line.
    fn of(location: Location) -> Option<Self> {
        let line = i32::try_from(location.line).ok()?;
        Some(Self {
            line,
            column: i32::try_from(location.byte_column).ok(),
        })
    }
}
