//! Machine output, version 1, as one JSON object a line: each finding, each that does not count, each skipped group, each
//! remark on allowances and baseline, then the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{self, JsonFinding, JsonRemark, JsonSkipped, JsonSummary, JsonTool};
use super::{LocatedFinding, Report, Reporter, safe_json};

/// Writes one JSON object a line, each with its `type`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ndjson;

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
        summary: JsonSummary,
    },
}

impl Ndjson {
    /// Writes the line of one finding.
    pub fn write_finding(placed: &LocatedFinding, out: &mut dyn Write) -> io::Result<()> {
        write_line(&line(placed), out)
    }
}

fn line(placed: &LocatedFinding) -> NdjsonLine<'_> {
    let finding = Box::new(json::finding(placed));
    if placed.status.is_counted() {
        NdjsonLine::Finding(finding)
    } else {
        NdjsonLine::Suppressed(finding)
    }
}

fn write_line(line: &NdjsonLine<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::compact(out, line)?;
    writeln!(out)
}

impl Reporter for Ndjson {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let findings = report.findings.iter().chain(&report.suppressed).map(line);
        let skipped =
            report.skipped.iter().map(|skipped| NdjsonLine::Skipped(json::skipped(skipped)));
        let summary = NdjsonLine::Summary {
            schema_version: json::SCHEMA_VERSION,
            tool: json::tool(),
            as_of: report.as_of.to_string(),
            summary: json::summary(report),
        };
        let remarks = report.remarks.iter().map(|remark| NdjsonLine::Remark(json::remark(remark)));
        findings
            .chain(skipped)
            .chain(remarks)
            .chain([summary])
            .try_for_each(|line| write_line(&line, out))
    }
}
