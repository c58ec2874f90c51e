//! GitLab Code Quality: a JSON array of violations, which merge requests show beside the changed lines.
//!
//! The format is the part of the Code Climate specification that GitLab reads. It holds violations only: what was not
//! checked is an entry of its own where that is a failure, and not there where it is a matter of course.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::rank::{RankedFinding, worst_first};
use super::{Report, Reporter, SkipGroup, printable, safe_json};
use crate::rules::Severity;
use crate::text::escape_unsafe;
use crate::traffic::SkipKind;

/// Writes one JSON array.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gitlab;

#[derive(Serialize)]
struct Violation<'r> {
    description: String,
    check_name: Cow<'r, str>,
    fingerprint: String,
    severity: ViolationSeverity,
    location: ViolationLocation<'r>,
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

impl Reporter for Gitlab {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let ranked = worst_first(report);
        let failed =
            report.skipped.iter().filter(|skipped| skipped.reason.kind() == SkipKind::Failed);
        let violations: Vec<_> = ranked.iter().map(violation).chain(failed.map(failure)).collect();
        safe_json::pretty(out, &violations)?;
        writeln!(out)
    }
}

fn violation<'r>(ranked: &RankedFinding<'r>) -> Violation<'r> {
    let placed = ranked.placed;
    let finding = &placed.finding;
    let at = finding.found.pointer.as_ref();
    let at = at.map(|pointer| format!(" (at {})", printable(&pointer.exact))).unwrap_or_default();
    let ended = placed.status.expiry_note().map(|ended| format!("; {}", escape_unsafe(&ended)));
    let ended = ended.unwrap_or_default();
    // GitLab takes violations of one fingerprint for one.
    let fingerprint = match ranked.occurrence {
        1 => ranked.fingerprint.clone(),
        again => format!("{}-{again}", ranked.fingerprint),
    };
    Violation {
        description: format!(
            "{}; {}{at}{ended}",
            escape_unsafe(&finding.message()),
            escape_unsafe(&finding.advice())
        ),
        check_name: finding.code(),
        fingerprint,
        severity: match finding.severity {
            Severity::Error => ViolationSeverity::Critical,
            Severity::Warning => ViolationSeverity::Minor,
            Severity::Note => ViolationSeverity::Info,
        },
        location: ViolationLocation {
            path: &placed.file,
            lines: LineRange { begin: placed.location.line, end: placed.end.line },
        },
    }
}

fn failure(skipped: &SkipGroup) -> Violation<'_> {
    let line = skipped.location.map_or(1, |location| location.line);
    Violation {
        description: skipped.sentence(),
        check_name: skipped.reason.name().into(),
        fingerprint: skipped.fingerprint(),
        severity: ViolationSeverity::Info,
        location: ViolationLocation {
            path: &skipped.file,
            lines: LineRange { begin: line, end: line },
        },
    }
}
