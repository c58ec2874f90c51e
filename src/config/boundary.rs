//! The boundary of the paths in a configuration. A configuration may come from a stranger: it must not make the program read
//! or overwrite files that do not belong to its repository.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::outputs::normalize;
use super::search::{ConfigError, ConfigFile};
use super::settings::ResolvedConfig;
use super::source::SettingSource;
use crate::toml_file::{FileMistakes, MessageText, Mistake};

/// The folder that the paths of a configuration must not leave, with symbolic links resolved.
#[derive(Debug, Clone)]
pub struct PathBoundary {
    folder: PathBuf,
    is_repository: bool,
}

impl PathBoundary {
    /// The root of the repository (the folder with `.git`) that contains `folder`, or `folder` itself.
    pub fn around(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
        Ok(match repository {
            Some(root) => Self { folder: root.to_owned(), is_repository: true },
            None => Self { folder, is_repository: false },
        })
    }

    /// Returns whether a path leads to a file inside, which need not exist.
    pub fn contains(&self, path: &Path) -> bool {
        let start = if path.is_relative() { Path::new(".") } else { Path::new("") };
        let path = start.join(path);
        let existing = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
        let Some((part, full)) = existing else { return false };
        let rest = path.strip_prefix(part).unwrap_or(Path::new(""));
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        // A link to nothing could lead anywhere once its target exists.
        let next = rest.components().next().map(|next| full.join(next));
        let is_link = next.is_some_and(|next| next.is_symlink());
        full.starts_with(&self.folder) && rest.components().all(is_plain) && !is_link
    }

    /// The boundary in words.
    pub fn name(&self) -> &'static str {
        if self.is_repository { "the repository" } else { "the configuration's folder" }
    }
}

/// The folder that the outputs of a configuration must not leave, and the paths that it gives them.
#[derive(Debug, Clone)]
pub struct OutputBoundary {
    boundary: PathBoundary,
    /// The folder of the configuration, as its paths begin with it.
    root: PathBuf,
    /// The same folder, with symbolic links resolved.
    full_root: PathBuf,
}

impl OutputBoundary {
    /// The boundary of the outputs of a configuration in the folder `root`; empty is the working directory.
    fn around(root: &Path) -> io::Result<Self> {
        let real = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        Ok(Self {
            boundary: PathBoundary::around(real)?,
            root: root.to_owned(),
            full_root: real.canonicalize()?,
        })
    }

    /// The folder, with symbolic links resolved.
    pub fn folder(&self) -> &Path {
        &self.boundary.folder
    }

    /// The boundary in words.
    pub fn name(&self) -> &'static str {
        self.boundary.name()
    }

    /// Returns the path below the boundary that leads to an output; `None` if it is outside. Links are not resolved.
    pub fn below(&self, path: &Path) -> Option<PathBuf> {
        let below_root = path.strip_prefix(&self.root).unwrap_or(path);
        let full = normalize(&self.full_root.join(below_root))?;
        full.strip_prefix(self.folder()).ok().map(Path::to_owned)
    }
}

impl ResolvedConfig {
    /// Returns the boundary of the outputs under a setting with this source; none if the command line names them.
    pub fn output_boundary(&self, source: &SettingSource) -> io::Result<Option<OutputBoundary>> {
        if source.is_command_line() {
            return Ok(None);
        }
        let folder = self.file.as_deref().and_then(Path::parent);
        OutputBoundary::around(folder.unwrap_or(Path::new(""))).map(Some)
    }

    /// Refuses paths of the configuration that lead out of its repository. Paths that the command line replaces do not count.
    pub fn check_paths(&self, file: &ConfigFile) -> Result<(), ConfigError> {
        let name = file.path.display().to_string();
        let unreadable = |error: io::Error| ConfigError::Unreadable {
            path: name.clone(),
            why: error.to_string().to_lowercase(),
        };
        let boundary = PathBoundary::around(file.root()).map_err(unreadable)?;
        let leaving = self
            .paths_of_file()
            .into_iter()
            .filter(|setting| setting.paths.iter().any(|path| !boundary.contains(path)));
        let mistakes: Vec<_> = leaving
            .map(|setting| {
                let span = file.config.values.span_of(setting.key).unwrap_or_default();
                let message =
                    format!("`{}` has a path that is outside of {}", setting.key, boundary.name());
                let help = "if you trust the configuration, use --allow-outside, or name the path on the command line";
                Mistake::new(span, MessageText::own(message)).with_help(help)
            })
            .collect();
        if mistakes.is_empty() {
            return Ok(());
        }
        let disclosure = file.disclosure();
        let error = FileMistakes::new(disclosure, "configuration", &name, &file.text, mistakes);
        Err(ConfigError::Mistakes(Box::new(error)))
    }

    /// Returns the boundary of the files that rules files refer to: none if the command line names the rules files.
    pub fn rules_boundary(&self) -> Option<PathBoundary> {
        if self.rules.source.is_command_line() {
            return None;
        }
        PathBoundary::around(self.root.as_deref()?).ok()
    }
}
