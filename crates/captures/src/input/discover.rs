//! Finds the files below the paths on the command line, and records the reason for each one that is skipped.

use crate::names::{NAMES, is_one_of};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sundown_exchange::{Reason, Skip};
use sundown_files::{FileName, GlobList, Names, similar_path};
use sundown_text_json::text::io_error_text;
use walkdir::WalkDir;

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// Selects files by globs.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    /// Files in folders must match, unless it is `None`.
    pub include: Option<GlobList>,
    /// Files that match are skipped.
    pub exclude: GlobList,
    /// Whether `exclude` also applies to files named on the command line.
    pub force: bool,
}

impl Globs {
    /// Whether a file is left out.
    pub fn excludes(&self, name: &FileName, origin: PathOrigin) -> bool {
        let include = self.include.as_ref();
        (self.force || origin == PathOrigin::Walked) && self.exclude.matches(name)
            || origin != PathOrigin::Named && include.is_some_and(|include| !include.matches(name))
    }
}

/// How a file came to be read, from the most to the least explicit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathOrigin {
    /// The user named it, and expects something to check in it.
    #[default]
    Named,
    /// It was named by its ending alone, as hooks do. It may have nothing to check.
    Offered,
    /// It was found in a folder.
    Walked,
}

impl PathOrigin {
    /// Whether the file was named, by a user or a hook.
    pub fn is_given(self) -> bool {
        self != Self::Walked
    }

    /// Whether the user expects something to check in it.
    pub fn is_expected(self) -> bool {
        self == Self::Named
    }
}

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its path; `None` is standard input.
    pub path: Option<PathBuf>,
    /// Its name in reports and fingerprints.
    pub name: FileName,
    /// How it came to be read.
    pub origin: PathOrigin,
}

impl InputFile {
    /// Creates a file that is not standard input.
    pub fn new(path: &Path, name: FileName, origin: PathOrigin) -> Self {
        Self {
            path: Some(path.to_owned()),
            name,
            origin,
        }
    }

    /// The path by which what the name says is decided. That of standard input is the name that the user gives.
    pub fn named_path(&self) -> &Path {
        self.path
            .as_deref()
            .unwrap_or_else(|| Path::new(&*self.name.shown))
    }
}

/// A path that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPath {
    /// Its name in reports.
    pub name: FileName,
    /// Why it is not read, with the message of the system for errors.
    pub skip: Skip,
}

/// The files that were found, and the paths that were skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Files to read, each once, in order: as named, and sorted within a folder.
    pub files: Vec<InputFile>,
    /// The paths that are not read.
    pub passed_over: Vec<SkippedPath>,
    /// The folders that were named, which are reported if nothing in them could be checked.
    pub folders: Vec<FileName>,
    /// Whether folders have more entries than were to be listed.
    pub is_cut: bool,
    /// The number of entries of folders that may still be listed.
    entries_left: usize,
    /// The canonical paths of the files, so that each is found once.
    known: HashMap<PathBuf, usize>,
    names: Names,
}

/// Finds the files of all paths, which came from `given`, among the first entries of folders. These are walked without following
/// links. A named file is always read.
pub fn discover(
    max_entries: usize,
    paths: &[PathBuf],
    given: PathOrigin,
    globs: &Globs,
    names: Names,
) -> Discovery {
    let mut discovery = Discovery {
        names,
        entries_left: max_entries,
        ..Discovery::default()
    };
    for path in paths {
        discovery.path(path, given, globs);
    }
    discovery
}

impl Discovery {
    fn path(&mut self, path: &Path, given: PathOrigin, globs: &Globs) {
        if path.as_os_str() == STANDARD_INPUT {
            let name = FileName::standard_input();
            self.files.push(InputFile {
                path: None,
                name,
                origin: given,
            });
            return;
        }
        let name = self.names.of(path);
        match std::fs::metadata(path) {
            Err(error) => {
                let mut detail = io_error_text(&error);
                if let Some(nearest) = similar_path(path) {
                    detail = format!("{detail}; did you mean {nearest}?");
                }
                self.pass_over(name, Reason::Unreadable, Some(detail));
            }
            // The files of a folder count as found, even if a hook named the folder.
            Ok(metadata) if metadata.is_dir() && !globs.excludes(&name, PathOrigin::Named) => {
                self.folder(path, globs);
            }
            Ok(_) if globs.excludes(&name, given) => {
                self.pass_over(name, Reason::Excluded, None);
            }
            // A named pipe or device is read like a file: `sundown check <(curl …)`.
            Ok(_) => self.file(path, real_path(path), name, given),
        }
    }

    fn pass_over(&mut self, name: FileName, reason: Reason, detail: Option<String>) {
        let skip = Skip {
            detail,
            ..Skip::file(reason, 0)
        };
        self.passed_over.push(SkippedPath { name, skip });
    }

    /// Adds a file, unless it has been found before by its path without links.
    fn file(&mut self, path: &Path, real: PathBuf, name: FileName, origin: PathOrigin) {
        if let Some(known) = self
            .known
            .get(&real)
            .and_then(|&index| self.files.get_mut(index))
        {
            // The name that the user gave may select the format.
            if origin < known.origin {
                *known = InputFile::new(path, name, origin);
            }
            return;
        }
        self.known.insert(real, self.files.len());
        self.files.push(InputFile::new(path, name, origin));
    }

    fn folder(&mut self, folder: &Path, globs: &Globs) {
        self.folders.push(self.names.of(folder));
        let real = real_path(folder);
        let mut walk = WalkDir::new(folder).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            if self.entries_left == 0 {
                self.is_cut = true;
                return;
            }
            self.entries_left -= 1;
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let name = self.names.of(error.path().unwrap_or(folder));
                    let detail = error.io_error().map(io_error_text);
                    self.pass_over(name, Reason::Unreadable, detail);
                    continue;
                }
            };
            let kind = entry.file_type();
            let name = self.names.of(entry.path());
            if kind.is_dir() {
                if entry.depth() > 0
                    && is_one_of(entry.file_name().as_encoded_bytes(), &NAMES.tool_folders)
                {
                    // The history of a repository is in every one: to name it would say nothing.
                    if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                        self.pass_over(name, Reason::ToolFolder, None);
                    }
                    walk.skip_current_dir();
                }
            } else if globs.excludes(&name, PathOrigin::Walked) {
                self.pass_over(name, Reason::Excluded, None);
            } else if kind.is_symlink() {
                self.pass_over(name, Reason::Symlink, None);
            } else if kind.is_file() {
                // No link below the folder is followed.
                let below = entry.path().strip_prefix(folder);
                let real = real.join(below.unwrap_or(entry.path()));
                self.file(entry.path(), real, name, PathOrigin::Walked);
            } else {
                self.pass_over(name, Reason::NotAFile, None);
            }
        }
    }
}

/// The path without links, by which a file is found once.
fn real_path(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_files::GlobBase;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "b.json",
            "a.har",
            "sub/c.json",
            "node_modules/x.json",
            ".git/y.json",
            "skip/d.json",
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        folder
    }

    fn globs(include: Option<&[&str]>, exclude: &[&str], force: bool) -> Globs {
        let list = |globs: &[&str]| GlobList::new(globs, GlobBase::Start).unwrap();
        Globs {
            include: include.map(list),
            exclude: list(exclude),
            force,
        }
    }

    fn find(paths: &[PathBuf], globs: &Globs) -> Discovery {
        discover(
            usize::MAX,
            paths,
            PathOrigin::Named,
            globs,
            Names::default(),
        )
    }

    fn names(discovery: &Discovery, root: &Path) -> Vec<String> {
        let root = format!("{}/", Names::default().of(root).shown);
        discovery
            .files
            .iter()
            .map(|file| file.name.shown.replace(&root, ""))
            .collect()
    }

    #[test]
    fn folders_are_walked_in_order_and_skipped_paths_are_reported() {
        let folder = folder();
        let globs = globs(None, &["skip"], false);
        let discovery = find(&[folder.path().to_owned()], &globs);
        assert_eq!(
            names(&discovery, folder.path()),
            ["a.har", "b.json", "sub/c.json"]
        );
        let mut reasons: Vec<_> = discovery
            .passed_over
            .iter()
            .map(|passed| passed.skip.reason)
            .collect();
        reasons.sort();
        assert_eq!(reasons, [Reason::ToolFolder, Reason::Excluded]);
    }

    #[test]
    fn a_named_file_is_always_read_unless_exclusion_is_forced() {
        let folder = folder();
        let file = folder.path().join("node_modules/x.json");
        let gentle = find(
            std::slice::from_ref(&file),
            &globs(None, &["*.json"], false),
        );
        assert_eq!(gentle.files.len(), 1);
        let forced = find(&[file], &globs(None, &["*.json"], true));
        assert!(forced.files.is_empty());
    }

    #[test]
    fn a_file_is_found_once_however_often_it_is_reached() {
        let folder = folder();
        let file = folder.path().join("b.json");
        let again = folder.path().join("sub/../b.json");
        let paths = [
            folder.path().to_owned(),
            file,
            again,
            folder.path().to_owned(),
        ];
        let discovery = find(&paths, &Globs::default());
        let found: Vec<_> = discovery
            .files
            .iter()
            .filter(|found| found.name.shown.ends_with("b.json"))
            .collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].origin, PathOrigin::Named);
    }

    #[test]
    fn include_selects_only_the_named_files() {
        let folder = folder();
        let globs = globs(Some(&["*.har"]), &[], false);
        assert_eq!(
            names(&find(&[folder.path().to_owned()], &globs), folder.path()),
            ["a.har"]
        );
    }

    #[test]
    fn a_path_that_does_not_exist_is_reported_with_the_message_of_the_system() {
        let discovery = find(&[PathBuf::from("no/such/file")], &Globs::default());
        let expected = SkippedPath {
            name: Names::default().of(Path::new("no/such/file")),
            skip: Skip::file(Reason::Unreadable, 0).because("no such file or directory"),
        };
        assert_eq!(discovery.passed_over, [expected]);
    }
}
