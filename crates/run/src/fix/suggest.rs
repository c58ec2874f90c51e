//! The edits of a report's findings, as changes that a reviewer may accept.

use std::collections::HashMap;
use std::sync::Arc;

use super::byte_edit::ByteEdit;
use super::changed_file::{AppliedEdit, ChangedFile};
use super::file_fixer::{FixLevel, is_open};
use super::run::fix_files;
use crate::check_options::CheckOptions;
use sundown_captures::Gauge;
use sundown_report::{Report, Suggestion};
use sundown_text_json::text::{Block, Location, Locations};

/// The length of the longest line that a change is suggested in, in characters. A review shows whole lines.
const MAX_LINE: usize = 199;

/// A use: its file, its place, and the id of its rule.
type EditKey = (Arc<str>, Location, String);

/// Gives each finding the change that [`fix_files`] makes for it, in a second run over the files. Recordings get none, and neither do
/// long lines. The options select all rules: a finding that the report leaves out is still one of the changed file.
pub fn suggest_edits(
    options: &CheckOptions<'_>,
    level: FixLevel,
    gauge: &Gauge,
    report: &mut Report,
) {
    let open = report.findings.iter_mut().filter(|found| is_open(found));
    let mut wanted: Vec<_> = open
        .filter(|located| AppliedEdit::of(located).is_some())
        .collect();
    if wanted.is_empty() || gauge.is_stopped() {
        return;
    }
    let mut suggestions = HashMap::new();
    fix_files(options, level, gauge, &mut |changed| {
        suggestions.extend(suggestions_of(changed));
        Ok(())
    });
    for located in &mut wanted {
        let rule = located.finding.rule.id.clone();
        let key = (Arc::clone(&located.file), located.location, rule);
        located.suggestion = suggestions.get(&key).cloned();
    }
}

/// The changes in short lines of a file.
fn suggestions_of(file: &ChangedFile) -> Vec<(EditKey, Suggestion)> {
    let offsets = file.changes.iter().map(ByteEdit::span);
    let offsets = offsets.flat_map(|span| [span.start, span.end]).collect();
    let locations = Locations::of(Block::whole(&file.old), offsets);
    let edits = file.edits.iter().zip(&file.changes);
    edits
        .filter(|(_, change)| has_short_lines(&file.old, change.start, change.end))
        .map(|(edit, change)| {
            let span = change.span();
            let suggestion = Suggestion {
                phrase: edit.phrase(),
                is_safe: edit.fix.safe,
                span,
                lines: (locations.get(span.start), locations.get(span.end)),
                text: change.new.clone(),
            };
            let name = Arc::clone(&file.input.name.shown);
            ((name, edit.location, edit.rule.id.clone()), suggestion)
        })
        .collect()
}

/// Whether the lines that a change is in can be shown.
fn has_short_lines(file: &[u8], start: usize, end: usize) -> bool {
    // A line with more bytes before or after the change is too long. A character has at most four.
    let reach = 4 * MAX_LINE + 1;
    let from = start.saturating_sub(reach);
    let to = file.len().min(end + reach);
    let (before, after) = (file.get(from..start), file.get(end..to));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let first = memchr::memrchr(b'\n', before).map_or(from, |at| from + at + 1);
    let last = memchr::memchr(b'\n', after).map_or(to, |at| end + at);
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
