//! Machine output, version 1, as one JSON object a line: each finding, each skipped group, then the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{self, JsonFinding, JsonSkipped, JsonSummary, Tool};
use super::{Placed, Report, Reporter, safe_json};

/// Writes one JSON object a line, each with its `type`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ndjson;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'r> {
    Finding(Box<JsonFinding<'r>>),
    Skipped(JsonSkipped<'r>),
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
        write_line(&Line::Finding(Box::new(json::finding(placed))), out)
    }
}

fn write_line(line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::compact(out, line)?;
    writeln!(out)
}

impl Reporter for Ndjson {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let findings =
            report.findings.iter().map(|placed| Line::Finding(Box::new(json::finding(placed))));
        let skipped = report.skipped.iter().map(|skipped| Line::Skipped(json::skipped(skipped)));
        let summary = Line::Summary {
            schema_version: json::SCHEMA_VERSION,
            tool: json::tool(),
            as_of: report.as_of.to_string(),
            summary: json::summary(report),
        };
        findings.chain(skipped).chain([summary]).try_for_each(|line| write_line(&line, out))
    }
}
