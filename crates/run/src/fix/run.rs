//! Finds the uses in all files, hands each file with uses to its fixer, and suggests the edits of a report's findings.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use super::byte_edit::{ByteEdit, EditRefusal};
use super::changed_file::{AppliedEdit, ChangedFile};
use super::file_fixer::{FileFixer, FixLevel, LeftUse, is_open, is_written};
use crate::check::check_each;
use crate::check_options::CheckOptions;
use crate::recognition::recognise;
use sundown_captures::{Editable, Format, Gauge, InputFile};
use sundown_exchange::{Reason, SkipKind};
use sundown_lint::findings::FindingKind;
use sundown_report::{LocatedFinding, Report, Suggestion};
use sundown_text_json::text::{Block, Location, Locations};

/// What was not changed, and the report of the run that found the uses.
#[derive(Debug, Default)]
pub struct FixOutcome {
    /// The uses with an edit that was not made, by file and place.
    pub left: Vec<LeftUse>,
    /// The files of recorded traffic, with the number of their findings.
    pub recorded: BTreeMap<Arc<str>, usize>,
    /// The number of findings in other files that have no edit.
    pub without_edit: usize,
    /// The bodies that files which people write do not contain: the place of each, and the reason.
    pub unread: Vec<String>,
    /// What the first pass says about the files; its findings are in the other parts.
    pub report: Report,
}

/// Applies the edits to everything that the options name, a file at a time. `each` gets the changed files, and may refuse one.
pub fn fix_files(
    options: &CheckOptions<'_>,
    level: FixLevel,
    gauge: &Gauge,
    each: &mut dyn FnMut(&ChangedFile) -> Result<(), EditRefusal>,
) -> FixOutcome {
    let files = options.discover().files.into_iter().map(|file| {
        let found = FoundFile {
            file,
            format: OnceCell::new(),
            uses: Vec::new(),
        };
        (Arc::clone(&found.file.name.shown), found)
    });
    let mut files: BTreeMap<_, _> = files.collect();
    let mut outcome = FixOutcome::default();
    outcome.report = check_each(options, &mut io::empty(), gauge, &mut |located| {
        let Some(found) = files.get_mut(&located.file) else {
            // A description refers to the file, which the options do not name.
            outcome.without_edit += usize::from(is_open(located));
            return;
        };
        if found.add(located, options) || !is_open(located) {
            return;
        }
        if let FindingKind::Declared(_) = located.finding.kind {
            outcome.without_edit += 1;
        } else {
            let file = Arc::clone(&located.file);
            *outcome.recorded.entry(file).or_default() += 1;
        }
    });
    for group in outcome.report.skips_of(SkipKind::Failed) {
        let found = files.get(&group.file);
        let format = found.and_then(|found| found.format(options));
        if group.reason == Reason::BodyMissing
            && format.is_some_and(|format| format.spec().editable == Editable::Requests)
        {
            let text = group.reason.text();
            outcome
                .unread
                .push(format!("{}: {text}{}", group.place(), group.times()));
        }
    }
    for file in files.into_values() {
        if gauge.is_stopped() {
            break;
        }
        if let Some(fixer) = file.fixer(options, level) {
            outcome.add(fixer, &file.uses, each);
        }
    }
    outcome
}

impl FixOutcome {
    /// Changes a file, hands it to `each`, and adds what was not changed.
    fn add(
        &mut self,
        mut fixer: FileFixer<'_, '_>,
        uses: &[LocatedFinding],
        each: &mut dyn FnMut(&ChangedFile) -> Result<(), EditRefusal>,
    ) {
        let without = uses
            .iter()
            .filter(|located| is_open(located) && AppliedEdit::of(located).is_none());
        // A body of both sides has each use twice.
        let places: BTreeSet<_> = without
            .map(|located| (located.location, &located.finding.rule.id))
            .collect();
        self.without_edit += places.len();
        if let Some(changed) = fixer.fix(uses)
            && let Err(refusal) = each(&changed)
        {
            for edit in changed.edits {
                fixer.leave(edit, refusal.clone());
            }
        }
        let mut left = fixer.left;
        left.sort_by_key(|left| left.edit.location);
        left.dedup_by(|one, other| one.edit.key() == other.edit.key());
        self.left.append(&mut left);
    }
}

/// A file, and its findings if people write such files.
struct FoundFile {
    file: InputFile,
    /// Its format, once it is looked for; `None` if it has none.
    format: OnceCell<Option<Format>>,
    uses: Vec<LocatedFinding>,
}

impl FoundFile {
    fn format(&self, options: &CheckOptions<'_>) -> Option<Format> {
        *self.format.get_or_init(|| {
            self.file.path.as_ref()?;
            recognise(options, &self.file, &mut io::empty()).format.ok()
        })
    }

    /// Keeps a finding. Returns false if it is in a recording.
    fn add(&mut self, located: &LocatedFinding, options: &CheckOptions<'_>) -> bool {
        let is_written = self
            .format(options)
            .is_some_and(|format| is_written(format, located));
        if is_written {
            self.uses.push(located.clone());
        }
        is_written
    }

    /// What changes the file; `None` if it has no finding that people write.
    fn fixer<'r, 't>(
        &'r self,
        options: &'r CheckOptions<'t>,
        level: FixLevel,
    ) -> Option<FileFixer<'r, 't>> {
        let format = self.format.get().copied().flatten();
        Some(FileFixer {
            options,
            level,
            file: &self.file,
            format: format.filter(|_| !self.uses.is_empty())?,
            left: Vec::new(),
        })
    }
}

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
