//! A file with its edits applied in memory.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::byte_edit::{ByteEdit, EditRefusal};
use super::patch::write_patch;
use crate::config::Config;
use crate::output_file::{OutputError, OutputRights, Replaceable, check_output, write_bytes};
use sundown_captures::InputFile;
use sundown_lint::rules::{Rule, RuleFix};
use sundown_report::LocatedFinding;
use sundown_text_json::text::{Location, io_error_text};

/// A file with its edits.
#[derive(Debug)]
pub struct ChangedFile {
    /// The edits, in the order of their places.
    pub edits: Vec<AppliedEdit>,
    /// The file.
    pub input: InputFile,
    /// The path from the root of the project, if it is below that.
    pub(super) from_root: Option<PathBuf>,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
    /// The bytes that each edit replaces, in the same order and apart from each other.
    pub(super) changes: Vec<ByteEdit>,
}

/// An edit of one use.
#[derive(Debug, Clone)]
pub struct AppliedEdit {
    /// Where the use is.
    pub location: Location,
    /// The rule that states the edit.
    pub rule: Arc<Rule>,
    /// The edit.
    pub fix: RuleFix,
}

impl AppliedEdit {
    /// The edit of a use, if its rule has one.
    pub(super) fn of(located: &LocatedFinding) -> Option<Self> {
        Some(Self {
            location: located.location,
            rule: Arc::clone(&located.finding.rule),
            fix: located.finding.edit_of_rule()?,
        })
    }

    /// What it does, in a few words: with names and values of the rule only.
    pub fn phrase(&self) -> String {
        let name = self.rule.element.name().unwrap_or_default();
        self.fix.edit.phrase(name)
    }

    /// What another edit has, too, if it is of the same place by the same rule: of a body that is checked as a request and as a response.
    pub(super) fn key(&self) -> (Location, &str) {
        (self.location, &self.rule.id)
    }
}

impl ChangedFile {
    /// Writes the changes in the unified format, as `git apply` reads it in the root of the project.
    pub fn write_patch(&self, out: &mut dyn io::Write) -> Result<(), EditRefusal> {
        let path = self.from_root.as_ref();
        let path = path.ok_or(EditRefusal::OutsideProject)?;
        write_patch(path, &self.old, &self.changes, out)
            .map_err(|error| EditRefusal::System(io_error_text(&error)))
    }

    /// The rights with which [`Self::write`] may replace the file.
    pub fn rights(&self, config: &Config) -> Result<OutputRights, EditRefusal> {
        let path = self.full_path()?;
        let rights = OutputRights {
            boundary: config.edit_boundary(&self.input, &path),
            ..OutputRights::default()
        };
        check_output(&path, &rights, Replaceable::Content(&self.old))?;
        Ok(rights)
    }

    /// Its path from the root of the file system. A link that the command line names leads to the file.
    fn full_path(&self) -> Result<PathBuf, OutputError> {
        Ok(fs::canonicalize(self.input.named_path())?)
    }

    /// Replaces the file as a whole, if it still has the content that was changed.
    pub fn write(&self, rights: &OutputRights, backup: Backup) -> Result<(), EditRefusal> {
        let path = self.full_path()?;
        let kept = (backup == Backup::Keep).then(|| {
            let mut name = path.clone().into_os_string();
            name.push(".orig");
            PathBuf::from(name)
        });
        if let Some(kept) = &kept {
            fs::hard_link(&path, kept).map_err(OutputError::from)?;
        }
        let replaceable = Replaceable::Content(&self.old);
        let written = write_bytes(&path, rights, replaceable, &self.new);
        if let (Err(_), Some(kept)) = (&written, &kept) {
            // Without a new version, the file is its own backup.
            let _ = fs::remove_file(kept);
        }
        Ok(written?)
    }
}

impl From<OutputError> for EditRefusal {
    fn from(error: OutputError) -> Self {
        Self::System(error.to_string())
    }
}

/// What becomes of the old file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backup {
    /// It goes.
    None,
    /// It keeps its rights, and gets `.orig` after its name. A file of that name is not replaced.
    Keep,
}
