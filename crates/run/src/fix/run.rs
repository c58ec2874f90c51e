//! Finds the uses in all files, and hands each file with uses to its fixer.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use super::byte_edit::EditRefusal;
use super::changed_file::{AppliedEdit, ChangedFile};
use super::file_fixer::{FileFixer, FixLevel, LeftUse, is_open};
use crate::check::check_each;
use crate::check_options::CheckOptions;
use crate::recognition::recognise;
use sundown_captures::{Editable, Format, Gauge, InputFile, discover};
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
    let discovery = discover(
        &options.paths,
        options.given,
        &options.globs,
        options.names.clone(),
    );
    let mut files: HashMap<_, _> = discovery
        .files
        .into_iter()
        .map(|file| (Arc::clone(&file.name.shown), FoundFile::new(file)))
        .collect();
    let mut outcome = FixOutcome::default();
    outcome.report = check_each(options, &mut io::empty(), gauge, &mut |located| {
        let Some(found) = files.get_mut(&located.file) else {
            // A description refers to the file: its findings have no edit.
            outcome.without_edit += usize::from(is_open(located));
            return;
        };
        if !found.add(located, options) && is_open(located) {
            let file = Arc::clone(&located.file);
            *outcome.recorded.entry(file).or_default() += 1;
        }
    });
    let with_uses = files
        .into_iter()
        .filter(|(_, found)| !found.uses.is_empty());
    for (_, FoundFile { file, format, uses }) in with_uses.collect::<BTreeMap<_, _>>() {
        if gauge.is_stopped() {
            break;
        }
        let Some(Some(format)) = format.into_inner() else {
            continue;
        };
        outcome.add(
            FileFixer {
                options,
                level,
                file: &file,
                format,
                left: Vec::new(),
            },
            &uses,
            each,
        );
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

/// A file, and its findings if people write such files.
struct FoundFile {
    file: InputFile,
    /// Its format, once it is looked for; `None` if it has none.
    format: OnceCell<Option<Format>>,
    uses: Vec<LocatedFinding>,
}

impl FoundFile {
    fn new(file: InputFile) -> Self {
        Self {
            file,
            format: OnceCell::new(),
            uses: Vec::new(),
        }
    }

    /// Keeps a finding. Returns false if it is in a recording.
    fn add(&mut self, located: &LocatedFinding, options: &CheckOptions<'_>) -> bool {
        let format = *self.format.get_or_init(|| {
            self.file.path.as_ref()?;
            let recognised = recognise(options, &self.file, &mut io::empty());
            recognised.format.ok().and_then(Format::from_name)
        });
        let is_written = format.is_some_and(|format| match format.spec().editable {
            // Descriptions are written, too; their findings have no edit.
            Editable::Nothing => format == Format::OpenApi,
            Editable::Bodies => located.finding.found.exchange.is_none(),
            Editable::Requests | Editable::Stubs | Editable::Everything => true,
        });
        let is_written = is_written && located.compression.is_none();
        if is_written {
            self.uses.push(located.clone());
        }
        is_written
    }
}
