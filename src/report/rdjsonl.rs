//! The Reviewdog Diagnostic Format, one diagnostic a line.
//!
//! The format is that of reviewdog's `reviewdog.proto`, in the JSON mapping of protocol buffers. Columns are one-based and
//! count bytes. Messages become comments on pull requests, so they are Markdown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::rank::worst_first;
use super::{LocatedFinding, Report, Reporter, SkipGroup, printable, safe_json, uri};
use crate::rules::Severity;
use crate::text::Location;
use crate::text::markdown::{code, plain, prose};
use crate::traffic::SkipKind;

/// Writes one diagnostic a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rdjsonl;

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

/// Both are 32-bit integers in the format's definition.
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

impl Reporter for Rdjsonl {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for ranked in worst_first(report) {
            line(&diagnostic(ranked.placed), out)?;
        }
        for skipped in &report.skipped {
            if skipped.reason.kind() == SkipKind::Failed {
                line(&failure(skipped), out)?;
            }
        }
        Ok(())
    }
}

fn line(diagnostic: &ReviewdogDiagnostic<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::compact(out, diagnostic)?;
    writeln!(out)
}

fn diagnostic(placed: &LocatedFinding) -> ReviewdogDiagnostic<'_> {
    let finding = &placed.finding;
    let mut message = format!("{}; {}.", prose(&finding.message()), prose(&finding.advice()));
    if let Some(pointer) = &finding.found.pointer {
        let _ = write!(message, " At {}.", code(&printable(&pointer.exact)));
    }
    if let Some(ended) = placed.status.expiry_note() {
        let _ = write!(message, " Note: {}.", plain(&ended));
    }
    let start = DiagnosticPosition::of(placed.location);
    ReviewdogDiagnostic {
        message,
        location: DiagnosticLocation {
            path: &placed.file,
            range: start
                .map(|start| DiagnosticRange { start, end: DiagnosticPosition::of(placed.end) }),
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

const SOURCE: DiagnosticSource = DiagnosticSource { name: env!("CARGO_PKG_NAME") };

fn failure(skipped: &SkipGroup) -> ReviewdogDiagnostic<'_> {
    let start = skipped.location.and_then(DiagnosticPosition::of);
    ReviewdogDiagnostic {
        message: plain(&skipped.sentence()),
        location: DiagnosticLocation {
            path: &skipped.file,
            range: start.map(|start| DiagnosticRange { start, end: None }),
        },
        severity: "INFO",
        source: SOURCE,
        code: DiagnosticCode { value: skipped.reason.name().into(), url: None },
    }
}

impl DiagnosticPosition {
    /// `None` where the line is beyond what the format can say.
    fn of(location: Location) -> Option<Self> {
        let line = i32::try_from(location.line).ok()?;
        Some(Self { line, column: i32::try_from(location.byte_column).ok() })
    }
}
