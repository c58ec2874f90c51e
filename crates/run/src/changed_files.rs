//! The files that changed in git, according to the program `git`, which knows its own configuration.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::output_file::folder_of;
use sundown_captures::InputFile;
use sundown_files::FileAccess;
use sundown_report::Failure;
use sundown_text_json::text::io_error_text;

/// The files that changed since a revision.
#[derive(Debug)]
pub struct ChangedFiles {
    /// The revision, as the user names it.
    pub since: String,
    /// The root of the working copy, without links.
    top: PathBuf,
    /// Paths below it; a folder (a submodule, another repository) includes everything in it.
    paths: HashSet<PathBuf>,
}

/// Finds the files that changed since the current branch diverged from `revision`: in commits, in the index, in the working
/// copy, and new files that are not ignored.
pub fn find_changed_files(revision: &str) -> Result<ChangedFiles, Failure> {
    find_files(revision, &NEW_FILES)
}

/// Finds the files that git cannot restore: those that changed since the last commit, new ones, and ignored ones.
pub fn find_unsaved_files() -> Result<ChangedFiles, Failure> {
    find_files("HEAD", &["ls-files", "--others", "--directory", "-z"])
}

/// Lists new files that are not ignored.
const NEW_FILES: [&str; 4] = ["ls-files", "--others", "--exclude-standard", "-z"];

fn find_files(revision: &str, others: &'static [&str]) -> Result<ChangedFiles, Failure> {
    let unknown = |_: &str| {
        Failure::with_help(
            format!("git knows no commit `{revision}`"),
            "name a branch, tag or commit, such as origin/main; a build may have to fetch it first",
        )
    };
    // Git would read it as an option.
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown(""));
    }
    let mut git = Git {
        program: find_program()?,
        folder: PathBuf::from("."),
        others,
        ..Git::default()
    };
    let top = git.ask(&["rev-parse", "--show-toplevel"], |why| {
        Failure::with_help(
            format!("there is no working copy of git here: {why}"),
            "run sundown inside the repository, or leave --changed-since out",
        )
    })?;
    let top = line(&top);
    git.folder = std::fs::canonicalize(top).unwrap_or_else(|_| top.into());
    let commit = format!("{revision}^{{commit}}");
    let commit = git.ask(&["rev-parse", "--verify", "--quiet", &commit], unknown)?;
    let base = git.ask(
        &["merge-base", "HEAD", &line(&commit).to_string_lossy()],
        |_| {
            Failure::with_help(
                format!("`{revision}` and HEAD have no common ancestor here"),
                "a shallow clone lacks it: fetch more history (`git fetch --unshallow`, or fetch-depth: 0)",
            )
        },
    )?;
    let paths = git
        .changes_since(&line(&base).to_string_lossy(), &mut HashSet::new())?
        .into_iter()
        .map(|path| git.folder.join(path))
        .collect();
    Ok(ChangedFiles {
        since: revision.to_owned(),
        top: git.folder,
        paths,
    })
}

/// The program cannot be run.
fn no_git(error: &io::Error) -> Failure {
    Failure::with_help(
        format!("`git` cannot be run: {}", io_error_text(error)),
        "--changed-since asks git: install it, or leave the flag out",
    )
}

/// A command of git fails.
fn failed(why: &str) -> Failure {
    Failure::with_help(
        format!("git cannot list the changes: {why}"),
        "see whether `git status` works here, and fetch the folders that a partial clone lacks",
    )
}

/// Settings that the configuration of a repository cannot override.
const SETTINGS: [&str; 8] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
];

/// Without a network, a missing object is an error, not a fetch. Older versions of git know only the second variable.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// The variables that name the repository for hooks. They are not about its submodules.
const OF_REPOSITORY: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

/// Lists files that differ from a commit. The porcelain command compares contents if only the time of a file is another one.
const DIFF: [&str; 9] = [
    "diff",
    "--name-only",
    "-z",
    "--diff-filter=d",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    // The configuration may name a file with an order.
    "-O/dev/null",
    // The configuration may hide changes in submodules. Git would look into them with their configuration.
    "--ignore-submodules=dirty",
];

/// The program `git` in the working copy of a stranger, whose configuration and attributes may name programs: filters, hooks,
/// monitors, remote helpers. It runs none of them.
#[derive(Default)]
struct Git {
    program: PathBuf,
    folder: PathBuf,
    /// The command that lists files which no commit has.
    others: &'static [&'static str],
    is_submodule: bool,
    filters_off: Vec<String>,
    index: Option<LockedIndex>,
}

/// A copy of an index. Git would write the times of unchanged files into the index, and then call hooks; it does not if there is a
/// lock.
struct LockedIndex {
    _folder: TempDir,
    file: PathBuf,
}

impl LockedIndex {
    /// Copies the index with its time: git compares the contents of files that are not older.
    fn copy(index: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("index");
        std::fs::write(file.with_extension("lock"), "")?;
        // A new repository has none.
        if index.is_file() {
            let (mut index, metadata) = FileAccess::default().open(index)?;
            let mut copy = File::create(&file)?;
            io::copy(&mut index, &mut copy)?;
            copy.set_modified(metadata.modified()?)?;
        }
        Ok(Self {
            _folder: folder,
            file,
        })
    }
}

impl Git {
    /// Returns the output of a command of git; its failure becomes `error`, with the first line of the message.
    fn ask(
        &self,
        arguments: &[&str],
        error: impl FnOnce(&str) -> Failure,
    ) -> Result<Vec<u8>, Failure> {
        let mut command = Command::new(&self.program);
        command.args(SETTINGS).envs(ENVIRONMENT);
        if self.is_submodule {
            for name in OF_REPOSITORY {
                command.env_remove(name);
            }
        } else if std::env::var_os("GIT_WORK_TREE").is_none() {
            // In hooks of linked working copies, only the repository is set, and git assumes that its working copy is the folder.
            command.env_remove("GIT_DIR");
        }
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", &index.file);
        }
        self.filters_off
            .iter()
            .for_each(|off| _ = command.args(["-c", off]));
        command.arg("-C").arg(&self.folder).args(arguments);
        let output = command.output().map_err(|error| no_git(&error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let fatal = text.lines().find_map(|line| line.strip_prefix("fatal: "));
        let why = fatal.or(text.lines().next());
        Err(error(why.unwrap_or("git failed")))
    }

    /// Returns the paths that differ between a commit and the working copy: of files, submodules, and other repositories.
    /// `visited` has the submodules that were searched.
    fn changes_since(
        &mut self,
        commit: &str,
        visited: &mut HashSet<PathBuf>,
    ) -> Result<HashSet<PathBuf>, Failure> {
        self.filters_off = self.filters_off()?;
        let index = self.ask(&["rev-parse", "--git-path", "index"], failed)?;
        let index = LockedIndex::copy(&self.folder.join(line(&index)))
            .map_err(|error| failed(&io_error_text(&error)))?;
        self.index = Some(index);
        let known = self.ask(&[&DIFF[..], &[commit, "--"]].concat(), failed)?;
        let new = self.ask(self.others, failed)?;
        let tracked = self.ask(&["ls-files", "--stage", "-z"], failed)?;
        let mut paths: HashSet<_> = records(&known)
            .chain(records(&new))
            .map(|name| path(name).to_owned())
            .collect();
        for submodule in records(&tracked).filter_map(submodule_of) {
            if !paths.contains(submodule) && self.has_changes_in(submodule, visited) {
                paths.insert(submodule.to_owned());
            }
        }
        Ok(paths)
    }

    /// Returns settings that switch off every filter of the configuration, for a comparison of contents would run them. A file
    /// with a filter then counts as changed if its time or size is another one than in the index.
    fn filters_off(&self) -> Result<Vec<String>, Failure> {
        let names = self.ask(&["config", "--list", "--name-only", "-z"], failed)?;
        let mut settings = BTreeSet::new();
        for key in records(&names).filter(|key| key.starts_with(b"filter.")) {
            let Some(key) = str::from_utf8(key).ok().filter(|key| !key.contains('=')) else {
                let message =
                    "the name of a filter in its configuration is not UTF-8, or contains `=`";
                return Err(failed(message));
            };
            let filter = key.rsplit_once('.').map_or(key, |(filter, _)| filter);
            settings.extend(
                ["clean=", "process=", "required=false"].map(|off| format!("{filter}.{off}")),
            );
        }
        Ok(settings.into_iter().collect())
    }

    /// Whether a submodule differs from its own commit; also if that is unknown.
    fn has_changes_in(&self, submodule: &Path, visited: &mut HashSet<PathBuf>) -> bool {
        let folder = self.folder.join(submodule);
        // Links could lead around in circles.
        let is_real = std::fs::canonicalize(&folder).is_ok_and(|real| real == folder);
        if !is_real || !folder.join(".git").exists() || !visited.insert(folder.clone()) {
            return false;
        }
        let mut git = Self {
            program: self.program.clone(),
            folder,
            others: &NEW_FILES,
            is_submodule: true,
            ..Self::default()
        };
        let paths = git.changes_since("HEAD", visited);
        paths.map_or(true, |paths| !paths.is_empty())
    }
}

/// Returns the program on `PATH`. A relative folder in `PATH` would be one of the repository; that Windows searches the working
/// directory first does not matter for a path.
fn find_program() -> Result<PathBuf, Failure> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|program| program.is_file())
        .ok_or_else(|| no_git(&io::ErrorKind::NotFound.into()))
}

/// Returns the records of an output, which end with zeros.
fn records(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}

/// Returns the path of a submodule from its entry in the index, which has a mode of its own.
fn submodule_of(entry: &[u8]) -> Option<&Path> {
    entry
        .strip_prefix(b"160000 ")?
        .splitn(2, |byte| *byte == b'\t')
        .nth(1)
        .map(path)
}

/// Returns the only line of an output, as a path.
fn line(output: &[u8]) -> &OsStr {
    path(output.strip_suffix(b"\n").unwrap_or(output)).as_os_str()
}

#[cfg(unix)]
fn path(name: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(name))
}

/// On systems whose file names are not bytes, git writes them in UTF-8.
#[cfg(not(unix))]
fn path(name: &[u8]) -> &Path {
    let text = std::str::from_utf8(name).unwrap_or_default();
    Path::new(text.strip_suffix('\r').unwrap_or(text))
}

impl ChangedFiles {
    /// Whether a file has changed. Standard input is always new.
    pub fn has(&self, found: &InputFile) -> bool {
        let Some(path) = &found.path else { return true };
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        // A new link is a new file, regardless of its target.
        let link = path.file_name().and_then(|name| {
            let folder = std::fs::canonicalize(folder_of(path));
            Some(folder.ok()?.join(name))
        });
        [Some(real), link].iter().flatten().any(|path| {
            path.ancestors()
                .take_while(|above| above.starts_with(&self.top))
                .any(|above| self.paths.contains(above))
        })
    }

    /// Returns the first path outside of the repository: it is unknown whether it has changed.
    pub fn outside<'p>(&self, paths: &'p [PathBuf]) -> Option<&'p PathBuf> {
        paths
            .iter()
            .filter(|path| path.as_os_str() != "-")
            .find(|path| {
                // A path that does not exist is reported elsewhere.
                std::fs::canonicalize(path).is_ok_and(|real| !real.starts_with(&self.top))
            })
    }
}
