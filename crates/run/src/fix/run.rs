//! Finds the uses in all files, and hands each file with uses to its fixer.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use super::byte_edit::EditRefusal;
use super::changed_file::{AppliedEdit, ChangedFile};
use super::file_fixer::{FileFixer, FixLevel, LeftUse, is_open};
use super::found_file::found_files;
use crate::check::check_each;
use crate::check_options::CheckOptions;
use sundown_captures::Gauge;
use sundown_lint::findings::FindingKind;
use sundown_report::{LocatedFinding, Report};

/// What was not changed, and the report of the run that found the uses.
#[derive(Debug, Default)]
pub struct FixOutcome {
    /// The uses with an edit that was not made, by file and place.
    pub left: Vec<LeftUse>,
    /// The files of recorded traffic, with the number of their findings.
    pub recorded: BTreeMap<Arc<str>, usize>,
    /// The number of findings in other files that have no edit.
    pub without_edit: usize,
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
    let mut files = found_files(options);
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
        left.dedup_by(|one, other| one.edit.is_same(&other.edit));
        self.left.append(&mut left);
    }
}
