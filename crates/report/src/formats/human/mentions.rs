//! The values that source code and other texts that people write name: each once, with its places.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::{self, Write};

use super::groups::group_findings;
use crate::log_text::plural;
use crate::{FindingDetail, LocatedFinding, RenderOptions, escape_unsafe};

/// The number of files that are listed for a value, unless all are wanted.
const MAX_FILES: usize = 5;

/// Writes the values, worst first. Of their lines, nothing is shown.
pub(super) fn write_mentions(
    mentions: &[&LocatedFinding],
    options: RenderOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut groups = group_findings(mentions);
    groups.sort_by_key(|group| {
        let first = group.first().map(|first| &first.finding);
        first.map(|own| (Reverse(own.severity), own.days_left.unwrap_or(i64::MAX)))
    });
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "Mentioned in source:")?;
    for group in &groups {
        write_group(group, options, out)?;
    }
    writeln!(out)
}

fn write_group(
    group: &[&LocatedFinding],
    options: RenderOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(finding) = group.first().map(|first| &first.finding) else {
        return Ok(());
    };
    let counts = group.iter().map(|located| located.finding.sightings.count);
    let places = plural(counts.sum(), "place");
    let files: BTreeSet<_> = group.iter().map(|located| &located.file).collect();
    let files = plural(files.len(), "file");
    let (severity, code) = (finding.severity.name(), finding.code());
    let text = format!("{}; {places} in {files}", finding.headline());
    writeln!(out, "  {severity}[{code}]: {}", escape_unsafe(&text))?;
    let owners = finding.declared().filter(|own| own.subject.is_some());
    if let Some(owners) = owners.and_then(|own| own.detail.as_deref()) {
        writeln!(out, "    {}", escape_unsafe(owners))?;
    }
    let note = finding.note().map(|note| format!("; note: {note}"));
    let advice = finding.advice() + &note.unwrap_or_default();
    writeln!(out, "    {}", escape_unsafe(&advice))?;
    let shown = match options.detail {
        FindingDetail::All => group.len(),
        FindingDetail::Grouped => MAX_FILES,
    };
    for located in group.iter().take(shown) {
        let more = match located.finding.sightings.count - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let expired = located.status.expiry_note();
        let expired = expired.map(|note| format!("; {}", escape_unsafe(&note)));
        let expired = expired.unwrap_or_default();
        writeln!(out, "    {}{more}{expired}", located.place())?;
    }
    match group.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "    and {}", plural(more, "more file")),
    }
}
