//! The paths in a configuration: where they may lead, and to what.

use std::iter;
use std::path::{Path, PathBuf};

use super::file::Config;
use super::settings::{SETTINGS, SettingSource};
use super::values::Slot;
use sundown_captures::InputFile;
use sundown_files::toml_file::{FileMistakes, MessageText, Mistake};
use sundown_files::{FileAccess, PathBoundary, ReferenceScope};

/// Returns the boundary of a configuration in words.
pub(crate) fn boundary_name(boundary: &PathBoundary) -> &'static str {
    if boundary.is_repository() {
        "the repository"
    } else {
        "the configuration's folder"
    }
}

impl Config {
    /// Returns the boundary of the outputs under the key of a setting; none if the command line names or trusts them.
    pub fn output_boundary(&self, key: &str) -> Option<PathBoundary> {
        let is_bounded =
            !self.settings.is_typed(key) && self.settings.references == ReferenceScope::Inside;
        is_bounded.then(|| self.boundary())
    }

    /// The boundary around the folder of the configuration.
    fn boundary(&self) -> PathBoundary {
        PathBoundary::around(self.root().unwrap_or(Path::new(".")), iter::empty())
    }

    /// Returns the boundary of the edits of an input at a full path. None holds for a file that the command line names, or trusts; one
    /// that was found, or that the configuration names, is edited only in its repository, and in no folder of a tool.
    pub(crate) fn edit_boundary(&self, file: &InputFile, path: &Path) -> Option<PathBoundary> {
        let is_named = file.origin.is_given() && self.settings.is_typed("paths");
        if is_named || self.settings.references == ReferenceScope::Anywhere {
            return None;
        }
        let boundary = self.boundary();
        let folder = path.parent().filter(|_| boundary.below(path).is_none());
        Some(match folder {
            Some(folder) => PathBoundary::around(folder, iter::empty()),
            None => boundary,
        })
    }

    /// Refuses paths of the configuration that lead out of its repository, unless the user allows that, and those of inputs that are
    /// neither files nor folders. Paths that the command line replaces do not count.
    pub fn check_paths(&self) -> Result<(), FileMistakes> {
        let boundary = self.boundary();
        let mut settings = self.settings.clone();
        let mut mistakes = Vec::new();
        for key in SETTINGS.iter().map(|setting| setting.key.name) {
            let SettingSource::File(span) = self.settings.source(key) else {
                continue;
            };
            let paths = settings.slot(key).map(Slot::paths).unwrap_or_default();
            mistakes.extend(
                self.refuse_paths(key, &paths, &boundary)
                    .map(|(message, help)| {
                        Mistake::new(span.clone(), MessageText::own(message)).with_help(help)
                    }),
            );
        }
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(self.with_mistakes(mistakes))
    }

    /// Says what is wrong with the paths under a key, and what to do about it.
    fn refuse_paths(
        &self,
        key: &str,
        paths: &[&mut PathBuf],
        boundary: &PathBoundary,
    ) -> Option<(String, &'static str)> {
        let is_bounded = self.settings.references == ReferenceScope::Inside;
        if is_bounded && !paths.iter().all(|path| boundary.contains(path)) {
            let around = boundary_name(boundary);
            return Some((
                format!("`{key}` has a path that is outside of {around}"),
                "if you trust the configuration, use --allow-outside, or name the path on the command line",
            ));
        }
        // Other files are looked at when they are read.
        let access = FileAccess::default();
        let mut inputs = paths
            .iter()
            .filter(|path| key == "paths" && path.exists() && !path.is_dir());
        let error = inputs.find_map(|path| access.refuse_special(path).err())?;
        Some((
            format!("`{key}` has a path that cannot be read: {error}"),
            "name it on the command line",
        ))
    }
}
