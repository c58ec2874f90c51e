//! The edits of a report's findings, as changes that a reviewer may accept.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::changed_file::AppliedEdit;
use super::file_fixer::{FixLevel, PlannedEdit, is_open};
use super::found_file::found_files;
use crate::check_options::CheckOptions;
use sundown_report::{LocatedFinding, Report, Suggestion};
use sundown_text_json::text::{Block, Location, Locations};

/// The length of the longest line that a change is suggested in, in characters. A review shows whole lines.
const MAX_LINE: usize = 199;

/// Gives each finding the change that [`fix_files`](super::fix_files) would make for it. Recordings get none, and neither do long lines.
pub fn suggest_edits(options: &CheckOptions<'_>, level: FixLevel, report: &mut Report) {
    let mut wanted: BTreeMap<Arc<str>, Vec<&mut LocatedFinding>> = BTreeMap::new();
    for located in &mut report.findings {
        if is_open(located) && AppliedEdit::of(located).is_some() {
            let file = Arc::clone(&located.file);
            wanted.entry(file).or_default().push(located);
        }
    }
    if wanted.is_empty() {
        return;
    }
    let mut files = found_files(options);
    for (name, findings) in wanted {
        let Some(file) = files.get_mut(&name) else {
            continue;
        };
        for located in &findings {
            file.add(located, options);
        }
        let Some(mut fixer) = file.fixer(options, level) else {
            continue;
        };
        let Some((old, edits)) = fixer.edits_of_file() else {
            continue;
        };
        let suggestions = suggestions(&old, &edits);
        for located in findings {
            let key = (located.location, located.finding.rule.id.as_str());
            located.suggestion = suggestions.get(&key).cloned();
        }
    }
}

/// The changes in short lines, by where their uses are and the rules of these.
fn suggestions<'e>(
    file: &[u8],
    edits: &'e [PlannedEdit],
) -> HashMap<(Location, &'e str), Suggestion> {
    let offsets = edits.iter().map(|edit| edit.change.span());
    let offsets = offsets.flat_map(|span| [span.start, span.end]).collect();
    let locations = Locations::of(Block::whole(file), offsets);
    let short = edits
        .iter()
        .filter(|edit| has_short_lines(file, edit.change.start, edit.change.end));
    short
        .map(|edit| {
            let (span, applied) = (edit.change.span(), &edit.applied);
            let suggestion = Suggestion {
                phrase: applied.phrase(),
                is_safe: applied.fix.safe,
                span,
                lines: (locations.get(span.start), locations.get(span.end)),
                text: edit.change.new.clone(),
            };
            ((applied.location, applied.rule.id.as_str()), suggestion)
        })
        .collect()
}

/// Whether the lines that a change is in can be shown.
fn has_short_lines(file: &[u8], start: usize, end: usize) -> bool {
    let (before, after) = (file.get(..start), file.get(end..));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let first = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let last = memchr::memchr(b'\n', after).map_or(file.len(), |at| end + at);
    let lines = std::str::from_utf8(file.get(first..last).unwrap_or_default());
    lines.is_ok_and(|lines| {
        let mut lines = lines.lines();
        lines.all(|line| line.chars().count() <= MAX_LINE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_change_are_measured() {
        let long = "ä".repeat(MAX_LINE);
        for (file, expected) in [
            (format!("{long}\n"), true),
            (format!("a\n{long}b\nc"), false),
            (format!("{long}b\n{long}\n{long}b"), true),
        ] {
            let at = file.find('\n').unwrap() + 1;
            let at = at.min(file.len() - 1);
            assert_eq!(has_short_lines(file.as_bytes(), at, at + 1), expected);
        }
        assert!(!has_short_lines(format!("a{long}\nb").as_bytes(), 0, 500));
    }
}
