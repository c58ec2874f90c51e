//! Machine output, version 1, as one JSON object a line: each finding, each that does not count, each skipped group, each
//! remark on allowances and baseline, then the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{self, JsonFinding, JsonRemark, JsonSkipped, JsonSummary, Tool};
use super::{Placed, Report, Reporter, safe_json};

/// Writes one JSON object a line, each with its `type`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ndjson;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'r> {
    Finding(Box<JsonFinding<'r>>),
    Suppressed(Box<JsonFinding<'r>>),
    Skipped(JsonSkipped<'r>),
    Remark(JsonRemark<'r>),
    Summary {
        schema_version: u32,
        tool: Tool,
        as_of: String,
        #[serde(flatten)]
        summary: JsonSummary,
    },
}

impl Ndjson {
    /// Writes the line of one finding.
    pub fn write_finding(placed: &Placed, out: &mut dyn Write) -> io::Result<()> {
        write_line(&line(placed), out)
    }
}

fn line(placed: &Placed) -> Line<'_> {
    let finding = Box::new(json::finding(placed));
    if placed.standing.counts() { Line::Finding(finding) } else { Line::Suppressed(finding) }
}

fn write_line(line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::compact(out, line)?;
    writeln!(out)
}

impl Reporter for Ndjson {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let findings = report.findings.iter().chain(&report.suppressed).map(line);
        let skipped = report.skipped.iter().map(|skipped| Line::Skipped(json::skipped(skipped)));
        let summary = Line::Summary {
            schema_version: json::SCHEMA_VERSION,
            tool: json::tool(),
            as_of: report.as_of.to_string(),
            summary: json::summary(report),
        };
        let remarks = report.remarks.iter().map(|remark| Line::Remark(json::remark(remark)));
        findings
            .chain(skipped)
            .chain(remarks)
            .chain([summary])
            .try_for_each(|line| write_line(&line, out))
    }
}
