//! A file of a run, and its findings if people write such files.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::file_fixer::{FileFixer, FixLevel, is_written};
use crate::check_options::CheckOptions;
use crate::recognition::recognise;
use sundown_captures::{Format, InputFile};
use sundown_report::LocatedFinding;

/// A file, and its findings if people write such files.
pub(super) struct FoundFile {
    file: InputFile,
    /// Its format, once it is looked for; `None` if it has none.
    format: OnceCell<Option<Format>>,
    pub uses: Vec<LocatedFinding>,
}

/// The files that the options name, by their names in reports.
pub(super) fn found_files(options: &CheckOptions<'_>) -> BTreeMap<Arc<str>, FoundFile> {
    let files = options.discover().files.into_iter();
    files
        .map(|file| (Arc::clone(&file.name.shown), FoundFile::new(file)))
        .collect()
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
    pub(super) fn add(&mut self, located: &LocatedFinding, options: &CheckOptions<'_>) -> bool {
        let format = *self.format.get_or_init(|| {
            self.file.path.as_ref()?;
            recognise(options, &self.file, &mut io::empty()).format.ok()
        });
        let is_written = format.is_some_and(|format| is_written(format, located));
        if is_written {
            self.uses.push(located.clone());
        }
        is_written
    }

    /// What changes the file; `None` if it has no finding that people write.
    pub(super) fn fixer<'r, 't>(
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
