//! From paths on the command line to files, every one that is passed over with its reason.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use crate::exchange::Reason;

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Folders that hold other tools' files: never the user's captures, and huge.
const TOOL_FOLDERS: [&str; 5] = [".git", ".hg", ".svn", "node_modules", "__pycache__"];

/// Which files to look at.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    include: Option<GlobSet>,
    exclude: GlobSet,
    /// Whether `exclude` holds for files named on the command line too.
    force: bool,
}

impl Globs {
    /// Compiles the globs; the error names the one that is none.
    pub fn new(
        include: &[String],
        exclude: &[String],
        force: bool,
    ) -> Result<Self, globset::Error> {
        let include = if include.is_empty() { None } else { Some(glob_set(include)?) };
        Ok(Self { include, exclude: glob_set(exclude)?, force })
    }

    fn leave_out(&self, path: &Path, named: bool) -> bool {
        if named {
            return self.force && self.exclude.is_match(path);
        }
        self.exclude.is_match(path)
            || self.include.as_ref().is_some_and(|include| !include.is_match(path))
    }
}

fn glob_set(globs: &[String]) -> Result<GlobSet, globset::Error> {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(Glob::new(glob)?);
        // A bare name means the file or folder of that name anywhere, as in ignore files.
        if !glob.starts_with('/') {
            builder.add(Glob::new(&format!("**/{glob}"))?);
        }
        builder.add(Glob::new(&format!("**/{}/**", glob.trim_matches('/')))?);
    }
    builder.build()
}

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is; `None` is standard input.
    pub path: Option<PathBuf>,
    /// Its name in reports.
    pub name: String,
    /// Whether the user named it, rather than a folder around it.
    pub named: bool,
}

/// A path that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// Its name in reports.
    pub name: String,
    /// Whether the user named it.
    pub named: bool,
    /// Why not.
    pub reason: Reason,
    /// What the system says, for errors.
    pub detail: Option<String>,
}

/// What was found, and what was passed over.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Files to read, each once, in order: as named, and sorted within a folder.
    pub files: Vec<Found>,
    /// What is not read.
    pub passed_over: Vec<PassedOver>,
    /// The folders that were named, to be told of when nothing in them could be checked.
    pub folders: Vec<String>,
    /// The files by where they really are, to find each once.
    known: HashMap<PathBuf, usize>,
}

/// Looks at every path. Folders are walked without following links; a file that is named is always read.
pub fn discover(paths: &[PathBuf], globs: &Globs) -> Discovery {
    let mut discovery = Discovery::default();
    for path in paths {
        discovery.path(path, globs);
    }
    discovery
}

impl Discovery {
    fn path(&mut self, path: &Path, globs: &Globs) {
        if path.as_os_str() == STANDARD_INPUT {
            self.files.push(Found { path: None, name: STANDARD_INPUT.to_owned(), named: true });
            return;
        }
        match std::fs::metadata(path) {
            Err(error) => self.pass_over(path, true, Reason::Unreadable, Some(plain(&error))),
            Ok(_) if globs.leave_out(path, true) => {
                self.pass_over(path, true, Reason::Excluded, None);
            }
            Ok(metadata) if metadata.is_dir() => self.folder(path, globs),
            // A pipe or device that is named is read like a file: `sundown check <(curl …)`.
            Ok(_) => self.file(path, true),
        }
    }

    fn pass_over(&mut self, path: &Path, named: bool, reason: Reason, detail: Option<String>) {
        self.passed_over.push(PassedOver { name: display(path), named, reason, detail });
    }

    /// A file is read once, however often it is reached.
    fn file(&mut self, path: &Path, named: bool) {
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(known) = self.known.get(&real).and_then(|&index| self.files.get_mut(index)) {
            // The name that the user gave may say what it is.
            if named && !known.named {
                *known = Found { path: Some(path.to_owned()), name: display(path), named };
            }
            return;
        }
        self.known.insert(real, self.files.len());
        self.files.push(Found { path: Some(path.to_owned()), name: display(path), named });
    }

    fn folder(&mut self, folder: &Path, globs: &Globs) {
        self.folders.push(display(folder));
        let mut walk = WalkDir::new(folder).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(folder);
                    // A folder that the user named and that cannot be opened is a path that cannot be read.
                    self.pass_over(
                        path,
                        error.depth() == 0,
                        Reason::Unreadable,
                        error.io_error().map(plain),
                    );
                    continue;
                }
            };
            let kind = entry.file_type();
            if kind.is_dir() {
                if entry.depth() > 0 && TOOL_FOLDERS.iter().any(|tools| entry.file_name() == *tools)
                {
                    self.pass_over(entry.path(), false, Reason::ToolFolder, None);
                    walk.skip_current_dir();
                }
            } else if globs.leave_out(entry.path(), false) {
                self.pass_over(entry.path(), false, Reason::Excluded, None);
            } else if kind.is_symlink() {
                self.pass_over(entry.path(), false, Reason::Symlink, None);
            } else if kind.is_file() {
                self.file(entry.path(), false);
            } else {
                self.pass_over(entry.path(), false, Reason::NotAFile, None);
            }
        }
    }
}

/// A path as reports show it and fingerprints take it: relative to where the run started if it lies below, with `/` between
/// its parts and none of them `.` or `..`.
fn display(path: &Path) -> String {
    let start = std::env::current_dir().ok();
    let full = std::path::absolute(path).map(|full| without_dots(&full)).ok();
    let below =
        start.zip(full).and_then(|(start, full)| full.strip_prefix(start).ok().map(Path::to_owned));
    let shown = below.unwrap_or_else(|| path.to_owned());
    let text = shown.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    if text.is_empty() { ".".to_owned() } else { text }
}

/// Takes back each step that `..` takes back. By name only: for what is shown, not for what is opened.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// The system's words without its number, which differs between systems.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["b.json", "a.har", "sub/c.json", "node_modules/x.json", ".git/y.json", "skip/d.json"]
        {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        folder
    }

    fn names(discovery: &Discovery, root: &Path) -> Vec<String> {
        let root = format!("{}/", display(root));
        discovery.files.iter().map(|file| file.name.replace(&root, "")).collect()
    }

    #[test]
    fn folders_are_walked_in_order_and_what_is_passed_over_is_told() {
        let folder = folder();
        let globs = Globs::new(&[], &["skip".to_owned()], false).unwrap();
        let discovery = discover(&[folder.path().to_owned()], &globs);
        assert_eq!(names(&discovery, folder.path()), ["a.har", "b.json", "sub/c.json"]);
        let mut reasons: Vec<_> =
            discovery.passed_over.iter().map(|passed| passed.reason).collect();
        reasons.sort();
        assert_eq!(reasons, [Reason::ToolFolder, Reason::ToolFolder, Reason::Excluded]);
    }

    #[test]
    fn a_named_file_is_always_read_unless_exclusion_is_forced() {
        let folder = folder();
        let file = folder.path().join("node_modules/x.json");
        let exclude = ["*.json".to_owned()];
        let gentle =
            discover(std::slice::from_ref(&file), &Globs::new(&[], &exclude, false).unwrap());
        assert_eq!(gentle.files.len(), 1);
        let forced = discover(&[file], &Globs::new(&[], &exclude, true).unwrap());
        assert!(forced.files.is_empty());
    }

    #[test]
    fn a_file_is_found_once_however_often_it_is_reached() {
        let folder = folder();
        let file = folder.path().join("b.json");
        let again = folder.path().join("sub/../b.json");
        let paths = [folder.path().to_owned(), file, again, folder.path().to_owned()];
        let discovery = discover(&paths, &Globs::default());
        let found: Vec<_> =
            discovery.files.iter().filter(|found| found.name.ends_with("b.json")).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].named);
    }

    #[test]
    fn include_leaves_only_what_it_names() {
        let folder = folder();
        let globs = Globs::new(&["*.har".to_owned()], &[], false).unwrap();
        assert_eq!(names(&discover(&[folder.path().to_owned()], &globs), folder.path()), ["a.har"]);
    }

    #[test]
    fn a_path_that_does_not_exist_is_told_with_the_systems_words() {
        let discovery = discover(&[PathBuf::from("no/such/file")], &Globs::default());
        let expected = PassedOver {
            name: "no/such/file".to_owned(),
            named: true,
            reason: Reason::Unreadable,
            detail: Some("no such file or directory".to_owned()),
        };
        assert_eq!(discovery.passed_over, [expected]);
    }
}
