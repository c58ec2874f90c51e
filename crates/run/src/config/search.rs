//! Finds the configuration: in the folder of the inputs, or in a folder above.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::file::{CONFIG_NAMES, Config};
use super::search_scope::{Refusal, SearchScope};
use sundown_files::toml_file::{Disclosure, FileMistakes};
use sundown_files::{FileAccess, full_path, utf8_text};
use sundown_report::Failure;
use sundown_text_json::text::{escape_unsafe, io_error_text};

/// A configuration and where it was found.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Its path, relative to the working directory.
    pub path: PathBuf,
    /// Its text, for the locations of mistakes.
    pub text: String,
    /// Its content.
    pub config: Config,
}

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub struct ConfigSearch {
    /// The configuration, if there is one.
    pub file: Option<ConfigFile>,
    /// Notes for the user about other configurations, which are not used.
    pub notes: Vec<String>,
}

/// The reason why a configuration cannot be used. The user's fault.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {} cannot be read: {why}", escape_unsafe(path))]
    Unreadable {
        /// Its path.
        path: String,
        /// The message of the system.
        why: String,
    },
    /// The named file has no table for this program.
    #[error("{} has no table for sundown", escape_unsafe(path))]
    NoTable {
        /// Its path.
        path: String,
    },
    /// The file has mistakes.
    #[error("{0}")]
    Mistakes(#[from] Box<FileMistakes>),
}

/// The size of the largest file that is read as a configuration, in bytes. Mistakes in it take a hundred times its size.
const MAX_CONFIG: u64 = 1 << 20;

/// Files of other tools, each with the tables that may be a configuration.
const HOSTS: [(&str, &[&[&str]]); 2] = [
    (
        "Cargo.toml",
        &[
            &["package", "metadata", "sundown"],
            &["workspace", "metadata", "sundown"],
        ],
    ),
    ("pyproject.toml", &[&["tool", "sundown"]]),
];

impl ConfigSearch {
    /// Adds a file that may be a configuration, which is used unless another one is or there is a reason against it.
    fn add(
        &mut self,
        path: &Path,
        refusal: Option<Refusal>,
        access: &FileAccess,
    ) -> Result<(), ConfigError> {
        let near = relative_path(path);
        match (&self.file, refusal) {
            (None, None) => {
                self.file = ConfigFile::read(&near, access)?;
                self.notes.extend(self.file.as_ref().and_then(second_table));
                self.notes.extend(self.file.as_ref().and_then(named_above));
            }
            _ if !is_configuration(path, access) => {}
            (Some(used), None) => {
                let unused = display_name(&near, access);
                let used = shown(&used.path);
                self.notes
                    .push(format!("{unused} is not used: {used} comes first"));
            }
            (_, Some(refusal)) => {
                let unused = display_name(&near, access);
                let name = shown(&near);
                let remedy = format!("--config {name} uses it");
                self.notes
                    .push(format!("{unused} is not used: {refusal}; {remedy}"));
            }
        }
        Ok(())
    }
}

impl ConfigFile {
    /// Reads the file that the user named.
    pub fn open(path: &Path, access: &FileAccess) -> Result<Self, ConfigError> {
        Self::read(path, access)?.ok_or_else(|| ConfigError::NoTable {
            path: path.display().to_string(),
        })
    }

    /// Finds the configuration in the folder that contains all `inputs`, or in a folder above it, as far as `SearchScope` goes. In
    /// one folder, `sundown.toml` takes precedence over `.sundown.toml`, and both over
    /// the tables in `Cargo.toml` and `pyproject.toml`.
    pub fn find(inputs: &[PathBuf], access: &FileAccess) -> Result<ConfigSearch, ConfigError> {
        let folders = folders(inputs);
        let mut search = ConfigSearch::default();
        let Some(common) = common(&folders) else {
            return Ok(search);
        };
        let scope = SearchScope::of(&common);
        let mut known = HashSet::from([common]);
        for (folder, refusal) in scope.folders() {
            known.insert(folder.to_owned());
            for path in configurations(folder) {
                search.add(
                    &path,
                    refusal.or_else(|| scope.refusal_of_file(&path)),
                    access,
                )?;
            }
            if search.file.is_some() {
                break;
            }
        }
        search.notes.extend(nested(&folders, &mut known, access));
        Ok(search)
    }

    /// Reads the file; `None` if it is that of another tool, without a table for this program.
    fn read(path: &Path, access: &FileAccess) -> Result<Option<Self>, ConfigError> {
        let name = path.display().to_string();
        let text = access
            .read_whole(path, MAX_CONFIG)
            .and_then(utf8_text)
            .map_err(|error| ConfigError::Unreadable {
                path: name.clone(),
                why: io_error_text(&error),
            })?;
        let config = match tables(path) {
            None => Config::parse(&name, &text).map(Some),
            Some(tables) => Config::parse_in(&name, &text, tables),
        };
        let config = config.map_err(Box::new)?;
        Ok(config.map(|config| Self {
            path: path.to_owned(),
            text,
            config,
        }))
    }

    /// Returns the path of the configuration in a folder, even if it has mistakes.
    pub(crate) fn in_folder(folder: &Path, access: &FileAccess) -> Option<PathBuf> {
        configurations(folder)
            .into_iter()
            .find(|path| is_configuration(path, access))
    }

    /// Returns the folder that its paths and globs are relative to.
    pub fn root(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// Returns how much of the file may be shown: nothing of the file of another tool, whose tables may be around this one.
    pub fn disclosure(&self) -> Disclosure {
        if tables(&self.path).is_some() {
            Disclosure::Masked
        } else {
            Disclosure::Plain
        }
    }

    /// Returns the line of an offset, counted from one.
    pub fn line(&self, offset: usize) -> usize {
        self.text
            .get(..offset)
            .map_or(1, |before| before.matches('\n').count() + 1)
    }
}

/// Returns the files in a folder that are or may contain a configuration, in order of precedence.
fn configurations(folder: &Path) -> Vec<PathBuf> {
    CONFIG_NAMES
        .into_iter()
        .chain(HOSTS.iter().map(|(host, _)| *host))
        .map(|name| folder.join(name))
        .filter(|path| path.is_file())
        .collect()
}

/// Returns the tables of another tool's file that may be a configuration.
fn tables(path: &Path) -> Option<&'static [&'static [&'static str]]> {
    let name = path.file_name()?;
    HOSTS
        .iter()
        .find(|(host, _)| name == *host)
        .map(|(_, tables)| *tables)
}

/// Returns those of these tables that the file has.
fn tables_of(path: &Path, access: &FileAccess) -> Vec<&'static [&'static str]> {
    let Some(tables) = tables(path) else {
        return Vec::new();
    };
    let bytes = access.read_whole(path, MAX_CONFIG).unwrap_or_default();
    Config::tables_in(&String::from_utf8(bytes).unwrap_or_default(), tables)
}

/// Whether a file with the name of a configuration is one.
fn is_configuration(path: &Path, access: &FileAccess) -> bool {
    tables(path).is_none() || !tables_of(path, access).is_empty()
}

/// Returns the name of a configuration in notes; for the file of another tool, with the table.
fn display_name(path: &Path, access: &FileAccess) -> String {
    match tables_of(path, access).first() {
        Some(table) => format!("[{}] in {}", table.join("."), shown(path)),
        None => shown(path),
    }
}

/// Returns a note that names the file that is used if it is not in the working folder or below.
fn named_above(used: &ConfigFile) -> Option<String> {
    let is_above = used.path.is_absolute() || used.path.starts_with("..");
    is_above.then(|| format!("{} is the configuration", shown(&used.path)))
}

/// Returns a note about a second table in the file that is used.
fn second_table(used: &ConfigFile) -> Option<String> {
    let tables = Config::tables_in(&used.text, tables(&used.path)?);
    let [first, second, ..] = tables.as_slice() else {
        return None;
    };
    let first = first.join(".");
    let second = second.join(".");
    Some(format!(
        "[{second}] in {} is not used: [{first}] comes first",
        shown(&used.path)
    ))
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
            _ => {
                let parent = input
                    .parent()
                    .filter(|parent| !parent.as_os_str().is_empty());
                add(parent.unwrap_or(Path::new(".")));
            }
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
fn nested(folders: &[PathBuf], known: &mut HashSet<PathBuf>, access: &FileAccess) -> Vec<String> {
    let mut notes = Vec::new();
    for folder in folders {
        for folder in upward(folder) {
            if !known.insert(folder.to_owned()) {
                break;
            }
            notes.extend(ConfigFile::in_folder(folder, access).map(|path| {
                let path = relative_path(&path); let folder = relative_path(folder);
                format!(
                    "{} is not used: one configuration holds for a run; check {} by itself to use it",
                    display_name(&path, access),
                    shown(&folder)
                )
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

fn shown(path: &Path) -> String {
    escape_unsafe(&path.display().to_string()).into_owned()
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let help = match error {
            ConfigError::Unreadable { .. } => {
                "check the path after --config; `sundown init` writes a new one"
            }
            ConfigError::NoTable { .. } => {
                "tables are [package.metadata.sundown] in Cargo.toml and [tool.sundown] in pyproject.toml"
            }
            ConfigError::Mistakes(mistakes) => return mistakes.into(),
        };
        Self::with_help(error, help)
    }
}
