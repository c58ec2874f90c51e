//! Which files have changed in git: asked of the program `git`, which knows all that can be configured about it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::formats::InputFile;
use crate::report::Failure;
use crate::text::{escape_unsafe, io_error_text};

/// The files that have changed since a revision.
#[derive(Debug, Clone)]
pub struct ChangedFiles {
    /// The revision, as the user says it.
    pub since: String,
    /// The repository's folder, without links.
    top: PathBuf,
    /// Paths below it; what is a folder (a submodule, another repository) stands for all that is in it.
    paths: HashSet<PathBuf>,
}

/// Why nobody can say what has changed. The user's fault, or that of the surroundings.
#[derive(Debug)]
pub enum ChangedFilesError {
    /// There is no `git`, or it cannot be started.
    NoGit(io::Error),
    /// Where the run started is in no working copy.
    NoRepository(String),
    /// There is no such commit.
    UnknownRevision(String),
    /// The commit and the one that is checked out have no common ancestor, as far as the repository reaches.
    NoCommonAncestor(String),
    /// Something else.
    Failed(String),
}

/// Asks what has changed since the point at which `revision` and what is checked out parted: in commits, staged, in the
/// working copy, and files that are not ignored and not yet known to git.
pub fn find_changed_files(revision: &str) -> Result<ChangedFiles, ChangedFilesError> {
    let unknown = || ChangedFilesError::UnknownRevision(revision.to_owned());
    // What begins so would be taken for an option.
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let top = git(Path::new("."), &["rev-parse", "--show-toplevel"])?;
    let top = told(&top).map_err(ChangedFilesError::NoRepository)?;
    let top = PathBuf::from(line(&top));
    let ask = |arguments: &[&str]| git(&top, arguments);
    let commit = format!("{revision}^{{commit}}");
    let commit = ask(&["rev-parse", "--verify", "--quiet", &commit])?;
    let commit = told(&commit).map_err(|_| unknown())?;
    let base = ask(&["merge-base", "HEAD", &line(&commit).to_string_lossy()])?;
    let base = told(&base).map_err(|_| ChangedFilesError::NoCommonAncestor(revision.to_owned()))?;
    let base = line(&base).to_string_lossy().into_owned();
    // A repository may say that changes in its submodules are not to be told.
    let known = ["--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=none"];
    let diff = ["diff", "--name-only", "--diff-filter=d", "-z"];
    let known = ask(&[&diff[..], &known, &[&base, "--"]].concat())?;
    let new = ask(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let top = std::fs::canonicalize(&top).unwrap_or(top);
    let mut paths = HashSet::new();
    for output in [&known, &new] {
        let names = told(output).map_err(ChangedFilesError::Failed)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        paths.extend(names.map(|name| top.join(path(name))));
    }
    Ok(ChangedFiles { since: revision.to_owned(), top, paths })
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Output, ChangedFilesError> {
    let mut command = Command::new("git");
    // A question must not wait for other programs, nor for an answer.
    command.args(["-c", "core.fsmonitor=false"]).env("GIT_TERMINAL_PROMPT", "0");
    // Hooks of linked working copies are told the repository alone, which git takes to lie where it is asked.
    if std::env::var_os("GIT_WORK_TREE").is_none() {
        command.env_remove("GIT_DIR");
    }
    command.arg("-C").arg(folder).args(arguments);
    command.output().map_err(ChangedFilesError::NoGit)
}

/// What git says, or the first line of why not.
fn told(output: &Output) -> Result<Vec<u8>, String> {
    if output.status.success() {
        return Ok(output.stdout.clone());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().next().unwrap_or("git failed").to_owned();
    Err(first.strip_prefix("fatal: ").unwrap_or(&first).to_owned())
}

/// The one line of an answer, as a path.
fn line(answer: &[u8]) -> &OsStr {
    path(answer.strip_suffix(b"\n").unwrap_or(answer)).as_os_str()
}

#[cfg(unix)]
fn path(name: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(name))
}

/// Git writes names in UTF-8 where the system has no bytes of its own for them; others are no names there.
#[cfg(not(unix))]
fn path(name: &[u8]) -> &Path {
    let text = std::str::from_utf8(name).unwrap_or_default();
    Path::new(text.strip_suffix('\r').unwrap_or(text))
}

impl ChangedFiles {
    /// Whether a file has changed. What comes in on standard input is always new.
    pub(super) fn has(&self, found: &InputFile) -> bool {
        let Some(path) = &found.path else { return true };
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        // A link that is new is a new file, whatever it leads to.
        let link = path.file_name().and_then(|name| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Some(std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?.join(name))
        });
        [Some(real), link].iter().flatten().any(|path| {
            path.ancestors()
                .take_while(|above| above.starts_with(&self.top))
                .any(|above| self.paths.contains(above))
        })
    }

    /// The first of the paths that is outside of the repository, so that nobody can say whether it has changed.
    pub fn outside<'p>(&self, paths: &'p [PathBuf]) -> Option<&'p PathBuf> {
        let is_outside = |path: &&PathBuf| {
            // What does not exist is told as such.
            std::fs::canonicalize(path).is_ok_and(|real| !real.starts_with(&self.top))
        };
        paths.iter().filter(|path| path.as_os_str() != "-").find(is_outside)
    }
}

impl fmt::Display for ChangedFilesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGit(error) => {
                write!(f, "`git` cannot be run: {}", io_error_text(error))
            }
            Self::NoRepository(why) => {
                write!(f, "there is no working copy of git here: {}", escape_unsafe(why))
            }
            Self::UnknownRevision(revision) => {
                write!(f, "git knows no commit `{}`", escape_unsafe(revision))
            }
            Self::NoCommonAncestor(revision) => {
                write!(f, "`{}` and HEAD have no common ancestor here", escape_unsafe(revision))
            }
            Self::Failed(why) => {
                write!(f, "git cannot say what has changed: {}", escape_unsafe(why))
            }
        }
    }
}

impl std::error::Error for ChangedFilesError {}

impl From<ChangedFilesError> for Failure {
    fn from(error: ChangedFilesError) -> Self {
        let help = match error {
            ChangedFilesError::NoGit(_) => {
                "--changed-since asks git: install it, or leave the flag out"
            }
            ChangedFilesError::NoRepository(_) => {
                "run sundown inside the repository, or leave --changed-since out"
            }
            ChangedFilesError::UnknownRevision(_) => {
                "name a branch, tag or commit, such as origin/main; a build may have to fetch it first"
            }
            ChangedFilesError::NoCommonAncestor(_) => {
                "a shallow clone lacks it: fetch more history (`git fetch --unshallow`, or fetch-depth: 0)"
            }
            ChangedFilesError::Failed(_) => "see whether `git status` works here",
        };
        Self::with_help(error, help)
    }
}
