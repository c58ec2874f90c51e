//! Machine output, version 2, as one JSON object per line: each finding, each finding that does not count, each group of
//! skips, each remark on allowances and baseline, then the summary.

use std::io::{self, Write};

use super::json;
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report};
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, safe_json};

/// Writes one JSON object per line, each with its `type`.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "ndjson",
    about: "the same, one object per line",
    skips: "everything",
    has_remarks: true,
    mark: r#"(?m)^\{"type":"summary","schema_version":\d+,"tool":\{"name":"sundown""#,
    write,
};

/// Writes the line of one finding.
pub fn write_finding(located: &LocatedFinding, out: &mut dyn Write) -> io::Result<()> {
    let kind = if located.status.is_counted() {
        "finding"
    } else {
        "suppressed"
    };
    write_line(kind, json::finding(located), out)
}

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    for located in report.findings.iter().chain(&report.suppressed) {
        write_finding(located, out)?;
    }
    for group in &report.skipped {
        write_line("skipped", json::skipped(group), out)?;
    }
    for remark in &report.remarks {
        write_line("remark", json::remark(remark), out)?;
    }
    let summary = json::head(report).join(json::summary(report));
    write_line("summary", summary, out)
}

fn write_line(kind: &str, members: JsonValue<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::compact(out, &object! { "type": kind }.join(members))?;
    writeln!(out)
}
