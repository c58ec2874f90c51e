//! From paths on the command line to files, every one that is passed over with its reason.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use crate::exchange::Reason;

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

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
    /// Where it is.
    pub path: PathBuf,
    /// Its name in reports.
    pub name: String,
    /// Whether the user named it, rather than a folder around it.
    pub named: bool,
}

/// What was found, and what was passed over.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Files to read, in order: as named, and sorted within a folder.
    pub files: Vec<Found>,
    /// Paths that are not read, with the reason and, for errors, what the system says.
    pub passed_over: Vec<(String, Reason, Option<String>)>,
    /// The folders that were named, to be told of when nothing in them could be checked.
    pub folders: Vec<String>,
}

/// Looks at every path. Folders are walked without following links; a file that is named is always read.
pub fn discover(paths: &[PathBuf], globs: &Globs) -> Discovery {
    let mut discovery = Discovery::default();
    for path in paths {
        discovery.path(path, globs);
    }
    discovery.files.dedup();
    discovery
}

impl Discovery {
    fn path(&mut self, path: &Path, globs: &Globs) {
        let name = display(path);
        if name == STANDARD_INPUT {
            self.files.push(Found { path: path.to_owned(), name, named: true });
            return;
        }
        match std::fs::metadata(path) {
            Err(error) => self.passed_over.push((name, Reason::Unreadable, Some(plain(&error)))),
            Ok(_) if globs.leave_out(path, true) => {
                self.passed_over.push((name, Reason::Excluded, None));
            }
            Ok(metadata) if metadata.is_dir() => self.folder(path, globs),
            // A pipe or device that is named is read like a file: `sundown check <(curl …)`.
            Ok(_) => self.files.push(Found { path: path.to_owned(), name, named: true }),
        }
    }

    fn folder(&mut self, folder: &Path, globs: &Globs) {
        self.folders.push(display(folder));
        let mut walk = WalkDir::new(folder).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let name = error.path().map_or_else(|| display(folder), display);
                    let what = error.io_error().map(plain);
                    self.passed_over.push((name, Reason::Unreadable, what));
                    continue;
                }
            };
            let name = display(entry.path());
            let kind = entry.file_type();
            if kind.is_dir() {
                let is_tools = entry.depth() > 0
                    && TOOL_FOLDERS.iter().any(|tools| entry.file_name() == *tools);
                if is_tools {
                    self.passed_over.push((name, Reason::ToolFolder, None));
                    walk.skip_current_dir();
                }
            } else if globs.leave_out(entry.path(), false) {
                self.passed_over.push((name, Reason::Excluded, None));
            } else if kind.is_symlink() {
                self.passed_over.push((name, Reason::Symlink, None));
            } else if kind.is_file() {
                self.files.push(Found { path: entry.path().to_owned(), name, named: false });
            } else {
                self.passed_over.push((name, Reason::NotAFile, None));
            }
        }
    }
}

/// A path as reports show it: `/` between parts, no `./` in front.
fn display(path: &Path) -> String {
    let text = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let short = text.trim_start_matches("./");
    if short.is_empty() { ".".to_owned() } else { short.to_owned() }
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
            discovery.passed_over.iter().map(|(_, reason, _)| *reason).collect();
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
    fn include_leaves_only_what_it_names() {
        let folder = folder();
        let globs = Globs::new(&["*.har".to_owned()], &[], false).unwrap();
        assert_eq!(names(&discover(&[folder.path().to_owned()], &globs), folder.path()), ["a.har"]);
    }

    #[test]
    fn a_path_that_does_not_exist_is_told_with_the_systems_words() {
        let discovery = discover(&[PathBuf::from("no/such/file")], &Globs::default());
        let expected = (
            "no/such/file".to_owned(),
            Reason::Unreadable,
            Some("no such file or directory".to_owned()),
        );
        assert_eq!(discovery.passed_over, [expected]);
    }
}
