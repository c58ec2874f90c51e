//! The options of a check, and what they say about a single file.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::body_operation::{BodyFiles, BodyOperation, operation_from_file_name};
use super::changed_files::ChangedFiles;
use super::unused_packs::UnusedPacks;
use crate::config::Settings;
use chrono::NaiveDate;
use sundown_captures::{
    Discovery, Format, FormatHints, Globs, InputFile, LogShapes, Logs, PathOrigin, Sniffed,
    discover, is_shell,
};
use sundown_exchange::Reason;
use sundown_files::{FileAccess, FileName, Names};
use sundown_lint::findings::CheckGrades;
use sundown_lint::findings::suppression::{Completeness, RunScope, Suppression, Suppressor};
use sundown_lint::rules::RuleSet;
use sundown_lint::{InnerElements, Values};
use sundown_report::{Collector, Repeats, UnchangedFiles};
use sundown_text_json::text::Block;

/// Everything that a run depends on.
#[derive(Debug)]
pub struct CheckOptions<'t> {
    /// The settings: what is read, the limits, and the thresholds as of today.
    pub settings: Settings,
    /// Opens all files.
    pub access: FileAccess,
    /// Whether the named files are expected to have something to check.
    pub given: PathOrigin,
    /// The name of standard input in reports, if it has one.
    pub stdin: Option<FileName>,
    /// The globs that select files in folders.
    pub globs: Globs,
    /// The names of files in reports.
    pub names: Names,
    /// The rules.
    pub set: &'t RuleSet,
    /// The packs whose rules a report counts calls for.
    pub unused: UnusedPacks,
    /// The operation of all bare bodies, if the user names it.
    pub named: Option<BodyOperation>,
    /// The operations of the bare bodies in some files; the first entry that contains a file applies.
    pub payloads: Vec<BodyFiles>,
    /// Custom layouts of logs. Of those that apply to a file, the first that matches a record is used.
    pub logs: LogShapes,
    /// The format of all files, instead of recognising it.
    pub format: Option<Format>,
    /// The configured severities of the checks of API descriptions.
    pub grades: CheckGrades,
    /// Whether equal uses in a file become one finding.
    pub fold: bool,
    /// Whether text and JSON reports show the values of deprecated keys, if these may be shown.
    pub values: Values,
    /// How deprecated elements inside a deprecated field are reported.
    pub inner: InnerElements,
    /// The allowances and the baseline.
    pub suppression: Suppression,
    /// The part of the project that the run covers, which decides what is said about allowances and the baseline.
    pub scope: RunScope,
    /// The changed files, if only these are to be checked.
    pub changed: Option<ChangedFiles>,
    /// Files of the program itself, which are not inputs if they are found in a folder.
    pub own_files: Vec<PathBuf>,
    /// The number of workers. The report does not depend on it.
    pub threads: NonZeroUsize,
}

impl<'t> CheckOptions<'t> {
    /// A run with these settings and rules on a day, in one thread, in which all else is as it is without options on the command line.
    pub fn new(mut settings: Settings, set: &'t RuleSet, day: NaiveDate) -> Self {
        settings.lifecycle.as_of = day;
        Self {
            settings,
            access: FileAccess::default(),
            given: PathOrigin::Named,
            stdin: None,
            globs: Globs::default(),
            names: Names::new(None),
            set,
            unused: UnusedPacks::default(),
            named: None,
            payloads: Vec::new(),
            logs: LogShapes::default(),
            format: None,
            grades: CheckGrades::default(),
            fold: true,
            values: Values::default(),
            inner: InnerElements::default(),
            suppression: Suppression::default(),
            scope: RunScope::default(),
            changed: None,
            own_files: Vec::new(),
            threads: NonZeroUsize::MIN,
        }
    }
}

impl CheckOptions<'_> {
    /// Returns the number of bytes of the named files; 0 if it is unknown, as for folders and pipes.
    pub fn size(&self) -> u64 {
        let paths = self.settings.paths.iter();
        let files = paths.map(|path| path.metadata().ok().filter(Metadata::is_file));
        let sizes: Option<u64> = files.map(|file| Some(file?.len())).sum();
        sizes.unwrap_or_default()
    }

    /// What becomes of equal uses in a file.
    pub(super) fn repeats(&self) -> Repeats {
        match self.suppression.baseline {
            _ if !self.fold => Repeats::Kept,
            Some(_) => Repeats::FoldedByStatus,
            None => Repeats::Folded,
        }
    }

    /// Returns the only file that the options name, whether or not it exists; `None` if globs leave it out, or it is one of
    /// [`Self::own_files`].
    pub(super) fn only_file(&self) -> Option<InputFile> {
        let [path] = self.settings.paths.as_slice() else {
            return None;
        };
        let name = self.names.of(path);
        let is_excluded = self.globs.excludes(&name, self.given);
        let file = InputFile::new(path, name, self.given);
        (!is_excluded && !self.is_own_file(&file)).then_some(file)
    }

    /// Returns a collector of the findings that count in the part of the project that the run covers.
    pub(super) fn collector(&self, repeats: Repeats) -> Collector<'_> {
        let mut scope = self.scope;
        if self.changed.is_some() {
            scope.files = Completeness::Partial;
        }
        let lifecycle = self.settings.lifecycle;
        let mut collector = Collector::new(lifecycle.as_of, repeats);
        collector.suppressor = Some(Suppressor::new(
            &self.suppression,
            self.set,
            &self.grades,
            lifecycle,
            scope,
        ));
        collector
    }

    /// Whether a file of this name may exist, relative to any folder that names can be relative to. The name of a file
    /// outside of the root is relative to the working directory of the run, and a baseline may have been moved.
    pub(super) fn may_exist(&self, name: &str) -> bool {
        let bases = self
            .own_files
            .iter()
            .filter_map(|own| own.parent())
            .chain(self.settings.paths.iter().map(PathBuf::as_path));
        let mut places = self
            .names
            .places(name)
            .into_iter()
            .chain(bases.map(|base| base.join(name)));
        places.any(|place| match place.try_exists() {
            // A file cannot contain anything.
            Err(error) => error.kind() != std::io::ErrorKind::NotADirectory,
            Ok(exists) => exists,
        })
    }

    /// Whether a file is one of [`Self::own_files`] that was found in a folder.
    pub(super) fn is_own_file(&self, found: &InputFile) -> bool {
        let Some(path) = found.path.as_ref().filter(|_| !found.origin.is_expected()) else {
            return false;
        };
        self.own_files.iter().any(|own| {
            own.file_name() == path.file_name()
                && fs::canonicalize(own)
                    .is_ok_and(|own| fs::canonicalize(path).is_ok_and(|path| path == own))
        })
    }

    /// Finds the files that the options name. Standard input has the name that the user states.
    pub(super) fn discover(&self) -> Discovery {
        let (paths, names) = (&self.settings.paths, self.names.clone());
        let mut found = discover(usize::MAX, paths, self.given, &self.globs, names);
        let stdin = found.files.iter_mut().filter(|file| file.path.is_none());
        for (file, name) in stdin.zip(self.stdin.iter().cycle()) {
            file.name = name.clone();
        }
        found
    }

    /// Removes unchanged files if only changed ones are to be checked.
    pub(super) fn keep_changed(&self, files: &mut Vec<InputFile>) -> Option<UnchangedFiles> {
        let changed = self.changed.as_ref()?;
        let all = files.len();
        files.retain(|found| changed.has(found));
        Some(UnchangedFiles {
            since: changed.since.clone(),
            files: all - files.len(),
        })
    }

    /// Chooses the format of a large file by its beginning, if possible.
    pub(super) fn decide(&self, found: &InputFile, head: Block<'_>) -> Option<Sniffed> {
        self.with_hints(found, |hints| {
            hints.choose_by_head(head, self.settings.limits)
        })
    }

    /// Passes on what is known about a file besides its content. Regardless of its content, a file is a body if it was named
    /// together with an operation, if a `payload` table contains it, or if its name is that of an operation.
    pub(super) fn with_hints<T>(
        &self,
        found: &InputFile,
        choose: impl FnOnce(&FormatHints<'_>) -> T,
    ) -> T {
        let ending = ending_of(found);
        let is_expected = found.origin.is_expected();
        let has_operation = self.configured_operation(found).is_some();
        // An operation for all files does not make files that were only found in a folder into bodies.
        let is_meant = has_operation && (self.named.is_none() || is_expected);
        choose(&FormatHints {
            format: self.format,
            may_be_yaml: is_expected || ["yaml", "yml"].contains(&ending),
            is_script: is_shell(ending.as_bytes()),
            has_operation,
            is_body_anyway: &|| is_meant || self.named_after(found).is_some(),
            logs: self.logs_of(found),
        })
    }

    /// Returns the operation that the user gives for bare bodies in a file: one for all files, or that of the first `payload`
    /// table that contains it.
    pub(super) fn configured_operation(&self, found: &InputFile) -> Option<&BodyOperation> {
        self.named.as_ref().or_else(|| {
            let mut payloads = self.payloads.iter();
            let payload = payloads.find(|payload| payload.files.matches(&found.name))?;
            Some(&payload.named)
        })
    }

    /// Says how a file without a record was read, in this format.
    pub(super) fn describe_empty(&self, found: &InputFile, format: Format) -> String {
        let tables = if self.logs_of(found).declares_file() {
            ", and no record fits the `[[log]]` tables of the configuration: check their pointers"
        } else {
            ""
        };
        format!("it was read as `{}`{tables}", format.spec().name)
    }

    /// Returns the custom layouts that apply to a file.
    pub(super) fn logs_of(&self, found: &InputFile) -> Logs<'_> {
        Logs::of(&self.logs, &found.name)
    }

    /// Returns the operation that the name of a file gives.
    pub(super) fn named_after(&self, found: &InputFile) -> Option<BodyOperation> {
        operation_from_file_name(found.named_path(), self.set)
    }

    /// Returns the reason for not checking an empty file. It is a failure if the file was named, or if its name is that of a
    /// capture or a body. A file that a hook offers must have a name that nothing else has: repositories have empty JSON
    /// files for many reasons.
    pub(super) fn reason_for_empty(&self, found: &InputFile) -> Reason {
        let ending = ending_of(found);
        let calls_itself = ["ndjson", "jsonl", "har"].contains(&ending);
        let should_hold_something = match found.origin {
            PathOrigin::Named => true,
            PathOrigin::Offered => {
                calls_itself
                    || self.configured_operation(found).is_some()
                    || self.named_after(found).is_some()
            }
            PathOrigin::Walked => calls_itself || ending == "json",
        };
        if should_hold_something {
            Reason::Empty
        } else {
            Reason::NotAFormat
        }
    }
}

/// The ending of the name of a file, without the dot; empty without one.
pub(super) fn ending_of(found: &InputFile) -> &str {
    let ending = found.named_path().extension();
    ending.and_then(OsStr::to_str).unwrap_or_default()
}
