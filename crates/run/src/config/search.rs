//! Finds the configuration: in the folder of the inputs, or in a folder above. Who can place a file in a folder above must not decide
//! what a run reads and writes, so its owner is looked at.

use std::collections::HashSet;
use std::iter;
use std::path::{Path, PathBuf};

use super::file::{CONFIG_NAME, Config};
use crate::output_file::folder_of;
use sundown_files::{
    FileAccess, PathBoundary, full_path, is_home, is_open_to_all, repository_root, utf8_text,
};
use sundown_report::Failure;
use sundown_text_json::text::{escape_unsafe, io_error_text};

/// The size of the largest file that is read as a configuration, in bytes. Mistakes in it take a hundred times its size.
const MAX_CONFIG: u64 = 1 << 20;

impl Config {
    /// Reads a configuration.
    pub fn open(path: &Path, access: &FileAccess) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = access
            .read_whole(path, MAX_CONFIG)
            .and_then(utf8_text)
            .map_err(|error| {
                let why = io_error_text(&error);
                Failure::with_help(
                    format!("the configuration {name} cannot be read: {why}"),
                    "check the path after --config; `sundown init` writes a new one",
                )
            })?;
        Ok(Self::parse(path, &text)?)
    }

    /// Finds the configuration in the folder that contains all `inputs`, or in a folder above it, as far as `SearchScope` goes. Also
    /// returns notes for the user about other configurations, which are not used.
    pub fn find(inputs: &[PathBuf], access: &FileAccess) -> Result<(Self, Vec<String>), Failure> {
        let folders = folders(inputs);
        let (mut config, mut notes) = (Self::default(), Vec::new());
        let Some(common) = common(&folders) else {
            return Ok((config, notes));
        };
        let scope = SearchScope::of(&common);
        let mut known = HashSet::from([common]);
        for (folder, refusal) in scope.folders() {
            known.insert(folder.to_owned());
            let Some(path) = Self::in_folder(folder) else {
                continue;
            };
            let near = relative_path(&path);
            let name = shown(&path);
            if let Some(refusal) = refusal.or_else(|| scope.refusal_of_file(&path)) {
                notes.push(format!(
                    "{name} is not used: {refusal}; --config {name} uses it"
                ));
                continue;
            }
            if near.is_absolute() || near.starts_with("..") {
                notes.push(format!("{name} is the configuration"));
            }
            config = Self::open(&near, access)?;
            break;
        }
        notes.extend(nested(&folders, &mut known));
        Ok((config, notes))
    }

    /// Returns the path of the configuration in a folder, even if it has mistakes.
    fn in_folder(folder: &Path) -> Option<PathBuf> {
        Some(folder.join(CONFIG_NAME)).filter(|path| path.is_file())
    }
}

/// Returns the absolute paths of the folders of all inputs, each once.
fn folders(inputs: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut add = |folder: &Path| {
        let full = full_path(folder);
        folders.extend(full.filter(|full| !folders.contains(full)));
    };
    for input in inputs {
        match input.to_str() {
            Some("-") => add(Path::new(".")),
            _ if input.is_dir() => add(input),
            _ => add(folder_of(input)),
        }
    }
    if inputs.is_empty() {
        add(Path::new("."));
    }
    folders
}

/// Returns the folder that contains all of them.
fn common(folders: &[PathBuf]) -> Option<PathBuf> {
    let mut common = folders.first()?.clone();
    for folder in folders {
        while !folder.starts_with(&common) {
            if !common.pop() {
                return None;
            }
        }
    }
    Some(common)
}

/// Returns the folder and its parents, up to the root of the repository.
fn upward(folder: &Path) -> impl Iterator<Item = &Path> {
    let mut inside = true;
    folder.ancestors().take_while(move |folder| {
        let this = inside;
        inside = !folder.join(".git").exists();
        this
    })
}

/// Returns notes about configurations in folders below the one that applies: they are not used in this run.
fn nested(folders: &[PathBuf], known: &mut HashSet<PathBuf>) -> Vec<String> {
    let mut notes = Vec::new();
    for folder in folders {
        for folder in upward(folder) {
            if !known.insert(folder.to_owned()) {
                break;
            }
            notes.extend(Config::in_folder(folder).map(|path| {
                let name = shown(&path);
                let folder = shown(folder);
                format!("{name} is not used: one configuration holds for a run; check {folder} by itself to use it")
            }));
        }
    }
    notes
}

/// Makes an absolute path relative to the working directory, if both have a parent in common below the root of the file
/// system.
fn relative_path(path: &Path) -> PathBuf {
    let Ok(start) = std::env::current_dir() else {
        return path.to_owned();
    };
    if let Ok(below) = path.strip_prefix(&start) {
        return if below.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            below.to_owned()
        };
    }
    let mut up = PathBuf::new();
    for around in start.ancestors().skip(1) {
        up.push("..");
        // A path relative to the root of the file system is harder to read than an absolute one.
        if around.parent().is_none() {
            break;
        }
        if let Ok(below) = path.strip_prefix(around) {
            return up.join(below);
        }
    }
    path.to_owned()
}

/// Names an absolute path in a note.
fn shown(path: &Path) -> String {
    escape_unsafe(&relative_path(path).display().to_string()).into_owned()
}

/// The folders in which a configuration is searched, and the owners of files that are accepted there.
struct SearchScope {
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
    fn refusal_of_file(&self, path: &Path) -> Option<Refusal> {
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
