//! The files that changed in git, according to the program `git`, which knows its own configuration.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use thiserror::Error;

use crate::formats::InputFile;
use crate::report::Failure;
use crate::text::{escape_unsafe, io_error_text};

/// The files that changed since a revision.
#[derive(Debug, Clone)]
pub struct ChangedFiles {
    /// The revision, as the user names it.
    pub since: String,
    /// The root of the working copy, without links.
    top: PathBuf,
    /// Paths below it; a folder (a submodule, another repository) includes everything in it.
    paths: HashSet<PathBuf>,
}

/// The reason why the changed files are unknown. The user's fault, or that of the environment.
#[derive(Debug, Error)]
pub enum ChangedFilesError {
    /// There is no `git`, or it cannot be started.
    #[error("`git` cannot be run: {}", io_error_text(.0))]
    NoGit(io::Error),
    /// The working directory is not in a working copy.
    #[error("there is no working copy of git here: {}", escape_unsafe(.0))]
    NoRepository(String),
    /// There is no such commit.
    #[error("git knows no commit `{}`", escape_unsafe(.0))]
    UnknownRevision(String),
    /// The repository has no common ancestor of the commit and of the one that is checked out.
    #[error("`{}` and HEAD have no common ancestor here", escape_unsafe(.0))]
    NoCommonAncestor(String),
    /// Another error.
    #[error("git cannot list the changes: {}", escape_unsafe(.0))]
    Failed(String),
}

/// Finds the files that changed since the current branch diverged from `revision`: in commits, in the index, in the working
/// copy, and new files that are not ignored.
pub fn find_changed_files(revision: &str) -> Result<ChangedFiles, ChangedFilesError> {
    let unknown = || ChangedFilesError::UnknownRevision(revision.to_owned());
    // Git would read it as an option.
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let top = git(Path::new("."), &["rev-parse", "--show-toplevel"])?;
    let top = stdout(&top).map_err(ChangedFilesError::NoRepository)?;
    let top = PathBuf::from(line(&top));
    let ask = |arguments: &[&str]| git(&top, arguments);
    let commit = format!("{revision}^{{commit}}");
    let commit = ask(&["rev-parse", "--verify", "--quiet", &commit])?;
    let commit = stdout(&commit).map_err(|_| unknown())?;
    let base = ask(&["merge-base", "HEAD", &line(&commit).to_string_lossy()])?;
    let base =
        stdout(&base).map_err(|_| ChangedFilesError::NoCommonAncestor(revision.to_owned()))?;
    let base = line(&base).to_string_lossy().into_owned();
    // The configuration of a repository may hide changes in its submodules.
    let known = ["--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=none"];
    let diff = ["diff", "--name-only", "--diff-filter=d", "-z"];
    let known = ask(&[&diff[..], &known, &[&base, "--"]].concat())?;
    let new = ask(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let top = std::fs::canonicalize(&top).unwrap_or(top);
    let mut paths = HashSet::new();
    for output in [&known, &new] {
        let names = stdout(output).map_err(ChangedFilesError::Failed)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        paths.extend(names.map(|name| top.join(path(name))));
    }
    Ok(ChangedFiles { since: revision.to_owned(), top, paths })
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Output, ChangedFilesError> {
    let mut command = Command::new("git");
    // Neither another program nor a prompt may block the run.
    command.args(["-c", "core.fsmonitor=false"]).env("GIT_TERMINAL_PROMPT", "0");
    // In hooks of linked working copies, only the repository is set, and git assumes that its working copy is the folder.
    if std::env::var_os("GIT_WORK_TREE").is_none() {
        command.env_remove("GIT_DIR");
    }
    command.arg("-C").arg(folder).args(arguments);
    command.output().map_err(ChangedFilesError::NoGit)
}

/// Returns the output of git, or the first line of its error.
fn stdout(output: &Output) -> Result<Vec<u8>, String> {
    if output.status.success() {
        return Ok(output.stdout.clone());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().next().unwrap_or("git failed").to_owned();
    Err(first.strip_prefix("fatal: ").unwrap_or(&first).to_owned())
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
    /// Returns whether a file has changed. Standard input is always new.
    pub(super) fn has(&self, found: &InputFile) -> bool {
        let Some(path) = &found.path else { return true };
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        // A new link is a new file, regardless of its target.
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

    /// Returns the first path outside of the repository: it is unknown whether it has changed.
    pub fn outside<'p>(&self, paths: &'p [PathBuf]) -> Option<&'p PathBuf> {
        let is_outside = |path: &&PathBuf| {
            // A path that does not exist is reported elsewhere.
            std::fs::canonicalize(path).is_ok_and(|real| !real.starts_with(&self.top))
        };
        paths.iter().filter(|path| path.as_os_str() != "-").find(is_outside)
    }
}

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
