//! The result of a run of `sundown check` as the lines of a partial result. Equal results give equal bytes.

use super::counts::InputCounts;
use std::io::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::finding_line::FindingLine;
use super::{CheckScan, RunEnd, ScanScope};
use crate::block::HostCount;
use crate::{PartialError, PartialKind, PartialReader, PartialWriter, SkipGroup};
use sundown_exchange::Reason;
use sundown_files::FileName;

/// A line of a partial result.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum CheckLine {
    Scope(ScanScope),
    Run(RunEnd),
    Counts(InputCounts),
    Hosts(HostCount),
    Called((usize, String)),
    Pack(String, usize),
    Opened(Arc<str>),
    Reached(Arc<str>),
    Body(FileName),
    Incomplete(FileName, Reason),
    Unread(Arc<str>),
    Skipped(SkipGroup),
    Finding(Box<FindingLine>),
}

impl CheckScan {
    /// Writes the result as a partial result. Equal results give equal bytes.
    pub fn write_partial(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = PartialWriter::start(out, PartialKind::Check, &self.identity)?;
        for line in [
            CheckLine::Scope(self.scope.clone()),
            CheckLine::Run(self.end.clone()),
            CheckLine::Counts(self.counts),
        ] {
            writer.line(&line)?;
        }
        if !self.other_hosts.is_empty() {
            writer.line(&CheckLine::Hosts(self.other_hosts.clone()))?;
        }
        for operation in &self.called {
            writer.line(&CheckLine::Called(operation.clone()))?;
        }
        for (pack, count) in &self.pack_calls {
            writer.line(&CheckLine::Pack(pack.clone(), *count))?;
        }
        let files = &self.files;
        let opened = files
            .opened
            .iter()
            .map(|name| CheckLine::Opened(Arc::clone(name)));
        let reached = files
            .reached
            .iter()
            .map(|name| CheckLine::Reached(Arc::clone(name)));
        let incomplete = files.incomplete.iter();
        let incomplete =
            incomplete.map(|(name, reason)| CheckLine::Incomplete(name.clone(), *reason));
        let bodies = files.bodies.iter().cloned().map(CheckLine::Body);
        for line in opened.chain(reached).chain(bodies).chain(incomplete) {
            writer.line(&line)?;
        }
        let unread = self
            .unread
            .iter()
            .map(|name| CheckLine::Unread(Arc::clone(name)));
        write_sorted(unread, &mut writer)?;
        write_sorted(
            self.skipped.iter().cloned().map(CheckLine::Skipped),
            &mut writer,
        )?;
        write_sorted(
            self.findings
                .iter()
                .map(|line| CheckLine::Finding(Box::new(line.clone()))),
            &mut writer,
        )?;
        writer.finish()
    }

    /// Reads the rest of a partial result.
    pub fn read_partial(reader: &mut PartialReader<'_>) -> Result<Self, PartialError> {
        let mut scan = Self {
            identity: reader.identity()?,
            ..Self::default()
        };
        while let Some(line) = reader.next()? {
            match line {
                CheckLine::Scope(scope) => scan.scope = scope,
                CheckLine::Run(end) => scan.end = end,
                CheckLine::Counts(counts) => scan.counts = counts,
                CheckLine::Hosts(hosts) => scan.other_hosts.merge(&hosts),
                CheckLine::Called(operation) => drop(scan.called.insert(operation)),
                CheckLine::Pack(pack, count) => drop(scan.pack_calls.insert(pack, count)),
                CheckLine::Opened(name) => drop(scan.files.opened.insert(name)),
                CheckLine::Reached(name) => drop(scan.files.reached.insert(name)),
                CheckLine::Body(name) => drop(scan.files.bodies.insert(name)),
                CheckLine::Incomplete(name, reason) => {
                    scan.files.incomplete.insert((name, reason));
                }
                CheckLine::Unread(name) => scan.unread.push(name),
                CheckLine::Skipped(line) => scan.skipped.push(line),
                CheckLine::Finding(line) => scan.findings.push(*line),
            }
        }
        Ok(scan)
    }
}

/// Writes lines in the order of their texts.
fn write_sorted(
    lines: impl Iterator<Item = CheckLine>,
    writer: &mut PartialWriter<'_>,
) -> io::Result<()> {
    let mut lines: Vec<CheckLine> = lines.collect();
    lines.sort_by_cached_key(|line| serde_json::to_string(line).unwrap_or_default());
    lines.iter().try_for_each(|line| writer.line(line))
}
