//! The paths in a configuration: where they may lead, and to what.

use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use super::file::Config;
use super::outputs::normalize;
use super::settings::{SETTINGS, SettingSource};
use super::values::Slot;
use sundown_captures::InputFile;
use sundown_files::toml_file::{FileMistakes, MessageText, Mistake};
use sundown_files::{FileAccess, PathBoundary, ReferenceScope};

/// The folder that the outputs of a configuration must not leave, and the paths that it gives them.
#[derive(Debug)]
pub struct OutputBoundary {
    boundary: PathBoundary,
    /// The folder of the configuration, as its paths begin with it.
    root: PathBuf,
    /// The same folder, with symbolic links resolved.
    full_root: PathBuf,
}

impl OutputBoundary {
    /// The boundary of the outputs of a configuration in the folder `root`.
    fn around(root: &Path) -> io::Result<Self> {
        Ok(Self {
            boundary: PathBoundary::around(root, iter::empty()),
            root: root.to_owned(),
            full_root: root.canonicalize()?,
        })
    }

    /// The folder, with symbolic links resolved.
    pub fn folder(&self) -> &Path {
        self.boundary.folder()
    }

    /// The boundary in words.
    pub fn name(&self) -> &'static str {
        boundary_name(&self.boundary)
    }

    /// Returns the path below the boundary that leads to an output; `None` if it is outside. Links are not resolved.
    pub fn below(&self, path: &Path) -> Option<PathBuf> {
        let below_root = path.strip_prefix(&self.root).unwrap_or(path);
        normalize(&self.full_root.join(below_root))?
            .strip_prefix(self.folder())
            .ok()
            .map(Path::to_owned)
    }
}

/// Returns the boundary of a configuration in words.
fn boundary_name(boundary: &PathBoundary) -> &'static str {
    if boundary.is_repository() {
        "the repository"
    } else {
        "the configuration's folder"
    }
}

impl Config {
    /// Returns the boundary of the outputs under the key of a setting; none if the command line names or trusts them.
    pub fn output_boundary(&self, key: &str) -> io::Result<Option<OutputBoundary>> {
        if self.settings.is_typed(key) || self.settings.references == ReferenceScope::Anywhere {
            return Ok(None);
        }
        OutputBoundary::around(self.root().unwrap_or(Path::new("."))).map(Some)
    }

    /// Returns the boundary of the edits of an input at a full path. None holds for a file that the command line names, or trusts; one
    /// that was found, or that the configuration names, is edited only in its repository, and in no folder of a tool.
    pub(crate) fn edit_boundary(
        &self,
        file: &InputFile,
        path: &Path,
    ) -> io::Result<Option<OutputBoundary>> {
        let is_named = file.origin.is_given() && self.settings.is_typed("paths");
        if is_named || self.settings.references == ReferenceScope::Anywhere {
            return Ok(None);
        }
        let boundary = OutputBoundary::around(self.root().unwrap_or(Path::new(".")))?;
        let folder = path.parent().filter(|_| boundary.below(path).is_none());
        folder
            .map_or(Ok(boundary), OutputBoundary::around)
            .map(Some)
    }

    /// Refuses paths of the configuration that lead out of its repository, unless the user allows that, and those of inputs that are
    /// neither files nor folders. Paths that the command line replaces do not count.
    pub fn check_paths(&self) -> Result<(), FileMistakes> {
        let Some(root) = self.root() else {
            return Ok(());
        };
        let boundary = PathBoundary::around(root, iter::empty());
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
