//! Checkstyle XML: an `error` for each finding, grouped by file.
//!
//! Build services and review tools read it. The format has no schema; this is the part that Checkstyle itself and other
//! linters write. It contains errors only: what could not be checked becomes an error, and other skips are left out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::log_text::INTERRUPTED;
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup};
use sundown_exchange::SkipKind;
use sundown_lint::rules::Severity;
use sundown_text_json::text::xml::escape;
use sundown_text_json::text::{Location, escape_unsafe};

/// Writes one XML document.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "checkstyle",
    about: "Checkstyle XML",
    skips: "failures as errors of severity `info`",
    has_remarks: false,
    mark: r"^<\?xml[^>]*>\n<!-- sundown ",
    write,
};

/// A version of Checkstyle, as readers expect it; other linters write the same one.
const VERSION: &str = "4.3";

/// An `error` element, which the format uses for all severities.
struct CheckstyleError<'r> {
    location: Location,
    severity: &'static str,
    message: String,
    /// The rule's id, or the reason for which something was not checked.
    source: Cow<'r, str>,
}

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<!-- sundown {} -->", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "<checkstyle version=\"{VERSION}\">")?;
    for (file, errors) in errors_by_file(report) {
        writeln!(out, "  <file name=\"{}\">", attribute(file))?;
        for error in errors {
            error.write(out)?;
        }
        writeln!(out, "  </file>")?;
    }
    writeln!(out, "</checkstyle>")
}

/// The errors of each file: findings in the order of the report, then what could not be checked.
fn errors_by_file(report: &Report) -> BTreeMap<&str, Vec<CheckstyleError<'_>>> {
    let mut files: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for located in &report.findings {
        files
            .entry(&located.file)
            .or_default()
            .push(finding(located));
    }
    for group in report.skips_of(SkipKind::Failed) {
        files.entry(&group.file).or_default().push(failure(group));
    }
    if !report.complete {
        files.entry(".").or_default().push(interruption());
    }
    files
}

fn finding(located: &LocatedFinding) -> CheckstyleError<'_> {
    let finding = &located.finding;
    CheckstyleError {
        location: located.location,
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "info",
        },
        message: format!(
            "{}; {}{}",
            finding.message(),
            finding.advice_and_evidence(),
            located.circumstances()
        ),
        source: finding.code(),
    }
}

fn failure(group: &SkipGroup) -> CheckstyleError<'_> {
    CheckstyleError {
        // Many readers require a line.
        location: group.location.unwrap_or(Location::START),
        severity: "info",
        message: group.sentence(),
        source: group.reason.name().into(),
    }
}

/// The error of a run that was interrupted, which is in no file.
fn interruption() -> CheckstyleError<'static> {
    CheckstyleError {
        location: Location::START,
        severity: "info",
        message: INTERRUPTED.to_owned(),
        source: "incomplete".into(),
    }
}

impl CheckstyleError<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self {
            location,
            severity,
            message,
            source,
        } = self;
        let message = attribute(message);
        let source = attribute(source);
        writeln!(
            out,
            "    <error line=\"{}\" column=\"{}\" severity=\"{severity}\" message=\"{message}\" source=\"{source}\"/>",
            location.line, location.column
        )
    }
}

/// Escapes text for an attribute, where a line end would become a space.
fn attribute(text: &str) -> String {
    escape(&escape_unsafe(text))
}
