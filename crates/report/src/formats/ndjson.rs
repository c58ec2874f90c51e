//! Machine output, version 1, as one JSON object per line: each finding, each finding that does not count, each group of
//! skips, each remark on allowances and baseline, then the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{self, JsonFinding, JsonRemark, JsonSkipped, JsonSummary, JsonTool};
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report};
use sundown_text_json::text::safe_json;

/// Writes one JSON object per line, each with its `type`.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "ndjson",
    about: "the same, one object per line",
    skips: "everything",
    has_remarks: true,
    mark: r#"(?m)^\{"type":"summary","schema_version":\d+,"tool":\{"name":"sundown""#,
    write,
};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum NdjsonLine<'r> {
    Finding(Box<JsonFinding<'r>>),
    Suppressed(Box<JsonFinding<'r>>),
    Skipped(JsonSkipped<'r>),
    Remark(JsonRemark<'r>),
    Summary {
        schema_version: u32,
        tool: JsonTool,
        as_of: String,
        #[serde(flatten)]
        summary: JsonSummary<'r>,
    },
}

/// Writes the line of one finding.
pub fn write_finding(located: &LocatedFinding, out: &mut dyn Write) -> io::Result<()> {
    write_line(&finding_line(located), out)
}

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let findings = report
        .findings
        .iter()
        .chain(&report.suppressed)
        .map(finding_line);
    let skipped = report
        .skipped
        .iter()
        .map(|group| NdjsonLine::Skipped(json::skipped(group)));
    let remarks = report
        .remarks
        .iter()
        .map(|remark| NdjsonLine::Remark(json::remark(remark)));
    let summary = NdjsonLine::Summary {
        schema_version: json::SCHEMA_VERSION,
        tool: json::tool(),
        as_of: report.as_of.to_string(),
        summary: json::summary(report),
    };
    findings
        .chain(skipped)
        .chain(remarks)
        .chain([summary])
        .try_for_each(|line| write_line(&line, out))
}

fn finding_line(located: &LocatedFinding) -> NdjsonLine<'_> {
    let finding = Box::new(json::finding(located));
    if located.status.is_counted() {
        NdjsonLine::Finding(finding)
    } else {
        NdjsonLine::Suppressed(finding)
    }
}

fn write_line(line: &NdjsonLine<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::compact(out, line)?;
    writeln!(out)
}
