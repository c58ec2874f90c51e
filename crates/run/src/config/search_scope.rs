//! Whose configuration is used: the folders in which one is searched, and the owners that are accepted. Who can place a file in a
//! folder above must not decide what a run reads and writes.

use std::iter;
use std::path::{Path, PathBuf};

use sundown_files::{PathBoundary, is_home, is_open_to_all, repository_root};

/// The folders in which a configuration is searched, and the owners of files that are accepted there.
pub(super) struct SearchScope {
    /// The folder that contains everything that is checked.
    start: PathBuf,
    /// The working folder, if it contains everything that is checked.
    working: Option<PathBuf>,
    /// The root of the repository, if there is one.
    root: Option<PathBuf>,
    owners: AcceptedOwners,
}

/// Why a configuration is not used.
type Refusal = &'static str;

const AT_HOME: Refusal = "it is in the home folder or above, and what is checked is below";
const OPEN: Refusal = "it is in or above a folder to which everybody can write";
const FOREIGN_FOLDER: Refusal = "it is in or above a folder of another user";
const NO_REPOSITORY: Refusal = "it is above what is checked, which is in no repository";
const FOREIGN_FILE: Refusal = "it belongs to another user";
const LINK: Refusal = "it is a link to a place outside of its repository";

impl SearchScope {
    /// The scope for what is checked in `start`, an absolute path.
    pub(super) fn of(start: &Path) -> Self {
        let working = std::env::current_dir()
            .ok()
            .filter(|working| start.starts_with(working));
        let root = repository_root(start).map(Path::to_owned);
        let owners = AcceptedOwners::of([Some(start), working.as_deref()].into_iter().flatten());
        Self {
            start: start.to_owned(),
            working,
            root,
            owners,
        }
    }

    /// Returns the folders that may have a configuration, from the innermost to the outermost, each with the reason why one there is
    /// not used.
    ///
    /// The folder of what is checked and the working folder are those that the user chose. A group that can write to a folder does
    /// not count: many systems give each user a group of their own, and the owner of the file is looked at anyway.
    pub(super) fn folders(&self) -> Vec<(&Path, Option<Refusal>)> {
        let mut refusal = None;
        let mut folders = vec![(&*self.start, None)];
        for folder in self.start.ancestors().skip(1) {
            if self
                .root
                .as_deref()
                .is_some_and(|root| !folder.starts_with(root))
            {
                break;
            }
            if refusal != Some(AT_HOME) {
                refusal = self.refusal_above(folder).or(refusal);
            }
            let is_chosen = self.working.as_deref() == Some(folder);
            folders.push((folder, refusal.filter(|_| !is_chosen)));
        }
        folders
    }

    /// Returns why the search ends before this folder, which is above what is checked.
    fn refusal_above(&self, folder: &Path) -> Option<Refusal> {
        if is_home(folder) {
            Some(AT_HOME)
        } else if is_open_to_all(folder) {
            Some(OPEN)
        } else if !self.owners.accept(folder) {
            Some(FOREIGN_FOLDER)
        } else {
            self.root.is_none().then_some(NO_REPOSITORY)
        }
    }

    /// Returns why a file is not used because of its owner, or because it is elsewhere.
    pub(super) fn refusal_of_file(&self, path: &Path) -> Option<Refusal> {
        if !self.owners.accept(path) {
            return Some(FOREIGN_FILE);
        }
        let folder = path.parent().filter(|_| path.is_symlink())?;
        let is_inside = PathBoundary::around(folder, iter::empty()).contains(path);
        (!is_inside).then_some(LINK)
    }
}

/// The users whose files are accepted: the user of the process and root. Root, which is the user of most containers and of `sudo`,
/// also accepts the owners of the folders that the user chose. Other systems say who owns a file in other ways, which are not looked
/// at.
struct AcceptedOwners {
    #[cfg(unix)]
    users: Vec<u32>,
}

#[cfg(unix)]
impl AcceptedOwners {
    fn of<'p>(chosen: impl Iterator<Item = &'p Path>) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let user = rustix::process::geteuid().as_raw();
        let owners = chosen
            .filter_map(|folder| folder.metadata().ok().map(|metadata| metadata.uid()))
            .filter(|_| user == ROOT);
        Self {
            users: owners.chain([user, ROOT]).collect(),
        }
    }

    /// Whether a file and what a link at its place leads to belong to one of these users.
    fn accept(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        [path.symlink_metadata(), path.metadata()]
            .iter()
            .all(|metadata| {
                metadata
                    .as_ref()
                    .is_ok_and(|metadata| self.users.contains(&metadata.uid()))
            })
    }
}

#[cfg(unix)]
const ROOT: u32 = 0;

#[cfg(not(unix))]
impl AcceptedOwners {
    fn of<'p>(_chosen: impl Iterator<Item = &'p Path>) -> Self {
        Self {}
    }

    fn accept(&self, _path: &Path) -> bool {
        true
    }
}
