//! The folder that the paths in a file must not leave. The file may come from a stranger: it must not make the program read or
//! overwrite files that do not belong to it.

use std::path::{Component, Path, PathBuf};

use super::names::full_path;

/// Where the files may be that a description refers to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReferenceScope {
    /// In the repository of the description, or without one, in its folder.
    #[default]
    Inside,
    Anywhere,
}

/// The folder that paths must not leave, with symbolic links resolved.
#[derive(Debug, Clone)]
pub struct PathBoundary {
    folder: PathBuf,
    is_repository: bool,
    /// The folder inside that it is around, as paths begin with it.
    inner: PathBuf,
    /// The same, with symbolic links resolved.
    full_inner: PathBuf,
}

impl PathBoundary {
    /// The root of the repository that contains `folder`. Without one, the outermost of `folder` and those of `named` that contain
    /// it: the folders that the user named.
    pub fn around<'n>(folder: &Path, named: impl Iterator<Item = &'n PathBuf>) -> Self {
        let inner = folder.to_owned();
        let folder = Path::new(".").join(folder);
        // Nothing is inside of a folder that does not exist.
        let here = folder.canonicalize().unwrap_or(folder);
        let repository = repository_root(&here).map(Path::to_owned);
        let is_repository = repository.is_some();
        let named = named.filter_map(|named| named.canonicalize().ok());
        let folder = repository.or_else(|| {
            named
                .filter(|named| here.starts_with(named))
                .min_by_key(|named| named.as_os_str().len())
        });
        Self {
            folder: folder.unwrap_or_else(|| here.clone()),
            is_repository,
            inner,
            full_inner: here,
        }
    }

    /// Returns the path from the folder to a file inside; `None` if it is outside. Links are not resolved.
    pub fn below(&self, path: &Path) -> Option<PathBuf> {
        let below_inner = path.strip_prefix(&self.inner).unwrap_or(path);
        let full = full_path(&self.full_inner.join(below_inner))?;
        full.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }

    /// Whether a path leads to a file inside, which need not exist.
    pub fn contains(&self, path: &Path) -> bool {
        let start = if path.is_relative() {
            Path::new(".")
        } else {
            Path::new("")
        };
        let path = start.join(path);
        let existing = path
            .ancestors()
            .find_map(|part| Some((part, part.canonicalize().ok()?)));
        let Some((part, full)) = existing else {
            return false;
        };
        let rest = path.strip_prefix(part).unwrap_or(Path::new(""));
        // A link to nothing could lead anywhere once its target exists.
        let next = rest.components().next().map(|next| full.join(next));
        let is_link = next.is_some_and(|next| next.is_symlink());
        full.starts_with(&self.folder)
            && rest
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
            && !is_link
    }

    /// The folder, with symbolic links resolved.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it is a repository, and not only a folder.
    pub fn is_repository(&self) -> bool {
        self.is_repository
    }
}

/// Returns the root of the repository that contains `folder`: the nearest folder with `.git`, which is a file in a
/// worktree or a submodule. The content of `.git` does not matter: who plants one narrows the boundary of their own files.
///
/// The home folder is no repository of what lies below it, and neither is a folder that all users share, as `/tmp`: somebody else may have
/// planted `.git` there.
pub fn repository_root(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .take_while(|around| {
            *around == folder
                || !is_home(around) && mode(around).is_some_and(|mode| mode & 0o1002 != 0o1002)
        })
        .find(|around| around.join(".git").exists())
}

/// Whether a folder is the user's home folder.
pub fn is_home(folder: &Path) -> bool {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    home.is_some() && folder.canonicalize().ok() == home
}

/// Whether everybody can create files in a folder. A folder that cannot be looked at counts as such.
pub fn is_open_to_all(folder: &Path) -> bool {
    mode(folder).is_none_or(|mode| mode & 0o002 != 0)
}

/// Returns the permissions of a folder.
#[cfg(unix)]
fn mode(folder: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().ok().map(|metadata| metadata.mode())
}

/// Returns the permissions of a folder, which other systems do not have as a number. Other users cannot write to it.
#[cfg(not(unix))]
fn mode(_folder: &Path) -> Option<u32> {
    Some(0)
}
