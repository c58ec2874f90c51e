//! Finds the configuration: in the folder of the inputs, or in a folder above.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::file::{CONFIG_NAME, Config};
use super::search_scope::SearchScope;
use crate::output_file::folder_of;
use sundown_files::{FileAccess, full_path, utf8_text};
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
