//! The rules of a run: the built-in tables and the user's files.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use thiserror::Error;

use super::description_rules::{is_description, load_description, problems};
use super::library::{Pack, RuleLibrary};
use super::local_files::{LocalFiles, MAX_RULES, refuse_large_table};
use sundown_files::toml_file::FileMistakes;
use sundown_files::{FileAccess, ReferenceScope, similar_path, utf8_text};
use sundown_lint::rules::{DuplicateId, RuleFile, RuleTable};
use sundown_openapi::{LoadError, MarkerOptions};
use sundown_report::Failure;
use sundown_text_json::json::DocumentLimits;
use sundown_text_json::text::{ExpansionFactor, did_you_mean, escape_unsafe, io_error_text};

/// The rules to use.
#[derive(Debug, Clone, Default)]
pub struct RuleSelection {
    /// The rules that the program embeds.
    pub library: RuleLibrary,
    /// Opens all files.
    pub access: FileAccess,
    /// The user's files.
    pub files: Vec<PathBuf>,
    /// Where the files may be that these files refer to.
    pub references: ReferenceScope,
    /// The folder of the configuration, if that names these files.
    pub folder: Option<PathBuf>,
    /// Built-in tables to leave out, by name.
    pub without: Vec<String>,
    /// Whether to leave out all built-in tables of deprecations.
    pub no_builtin: bool,
    /// Whether to use the built-in tables of requirements.
    pub contract: bool,
    /// The packs to use, by name.
    pub packs: Vec<String>,
    /// What marks an element of a description, and where its dates are read.
    pub markers: MarkerOptions,
    /// The factor of the expansion limits of descriptions.
    pub expansion: ExpansionFactor,
}

/// The reason why rules could not be loaded. Always the user's fault.
#[derive(Debug, Error)]
pub enum RulesError {
    /// The file cannot be read.
    #[error("the rules file {path} cannot be read: {why}")]
    Unreadable {
        /// Its path.
        path: String,
        /// The message of the system.
        why: String,
    },
    /// The file is neither TOML nor an API description.
    #[error("{path} is neither a rules file in TOML nor an API description")]
    NotToml {
        /// Its path.
        path: String,
    },
    /// The API description cannot be read.
    #[error("{0}")]
    Description(#[from] Box<LoadError>),
    /// The file has mistakes.
    #[error("{0}")]
    Mistakes(#[from] Box<FileMistakes>),
    /// Two files have rules with the same id.
    #[error("{}: the rule id `{}` is already used in {}", .0.second, .0.id, .0.first)]
    Duplicate(DuplicateId),
    /// There is no built-in table of this name.
    #[error("there is no built-in table `{name}`")]
    NoSuchTable {
        /// The name that was given.
        name: String,
        /// The names of all.
        all: Vec<&'static str>,
    },
    /// There is no pack of this name.
    #[error("there is no pack `{name}`")]
    NoSuchPack {
        /// The name that was given.
        name: String,
        /// The names of all.
        all: Vec<&'static str>,
    },
}

/// Loads the selected rules.
pub fn load_rules(selection: &RuleSelection) -> Result<RuleTable, RulesError> {
    let library = selection.library;
    let all: Vec<_> = library.tables().map(|table| table.name).collect();
    if let Some(unknown) = selection
        .without
        .iter()
        .find(|name| !all.contains(&&***name))
    {
        let name = unknown.clone();
        return Err(RulesError::NoSuchTable { name, all });
    }
    let mut files = Vec::new();
    let deprecations = library.deprecations.iter();
    let requirements = library.contracts.iter();
    for table in deprecations
        .filter(|_| !selection.no_builtin)
        .chain(requirements.filter(|_| selection.contract))
        .filter(|table| !selection.without.iter().any(|name| name == table.name))
    {
        files.push(table.load().map_err(Box::new)?);
    }
    files.extend(load_packs(library.packs, &selection.packs)?);
    let room = Rc::new(Cell::new(MAX_RULES));
    for path in &selection.files {
        files.push(read_rules(path, selection, &room)?);
    }
    RuleTable::new(files).map_err(RulesError::Duplicate)
}

/// The endings of files that people take for rules, and that are no TOML.
const OTHER_ENDINGS: [&str; 8] = [
    "yaml", "yml", "json", "raml", "graphql", "graphqls", "proto", "xml",
];

/// Loads packs, each once.
fn load_packs(packs: &'static [Pack], names: &[String]) -> Result<Vec<RuleFile>, RulesError> {
    let mut unknown = names
        .iter()
        .map(String::as_str)
        .filter(|name| !packs.iter().any(|pack| pack.name == *name));
    if let Some(first) = unknown.next() {
        return Err(RulesError::NoSuchPack {
            name: unknown.fold(first.to_owned(), |all, name| format!("{all}`, `{name}")),
            all: packs.iter().map(|pack| pack.name).collect(),
        });
    }
    let mut files = Vec::new();
    for (number, name) in names.iter().enumerate() {
        if names.iter().take(number).any(|before| before == name) {
            continue;
        }
        if let Some(pack) = packs.iter().find(|pack| pack.name == *name) {
            files.extend(pack.load().map_err(Box::new)?);
        }
    }
    Ok(files)
}

/// Reads and checks one rules file, or makes rules from an API description, as the selection says. Its own files are not loaded.
pub fn load_rules_file(path: &Path, selection: &RuleSelection) -> Result<RuleFile, RulesError> {
    read_rules(path, selection, &Rc::new(Cell::new(MAX_RULES)))
}

/// Checks the text of a rules file as an editor has it, in place of the content of the file.
pub fn parse_rules(
    path: &Path,
    text: &str,
    selection: &RuleSelection,
) -> Result<RuleFile, RulesError> {
    parse_in_room(path, text, selection, &Rc::new(Cell::new(MAX_RULES)))
}

/// Reads and checks one rules file. `room` is the number of bytes that may still be read.
fn read_rules(
    path: &Path,
    selection: &RuleSelection,
    room: &Rc<Cell<u64>>,
) -> Result<RuleFile, RulesError> {
    let local = local_files(path, selection, selection.folder.as_ref(), room);
    let text = local.read_named(path).and_then(utf8_text);
    let text = text.map_err(|error| unreadable(path, io_error_text(&error)))?;
    parse_in_room(path, &text, selection, room)
}

fn parse_in_room(
    path: &Path,
    text: &str,
    selection: &RuleSelection,
    room: &Rc<Cell<u64>>,
) -> Result<RuleFile, RulesError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_description(text) {
        let local = local_files(path, selection, selection.folder.as_ref(), room);
        return Ok(
            load_description(path, text.as_bytes(), selection.markers, &local).map_err(Box::new)?,
        );
    }
    refuse_large_table(text).map_err(|why| unreadable(path, why))?;
    let start: String = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .take(2)
        .collect();
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_other = ending.is_some_and(|ending| OTHER_ENDINGS.contains(&ending));
    let name = path.display().to_string();
    if is_other || start.starts_with('{') || ["[{", "[\"", "[]"].contains(&start.as_str()) {
        return Err(RulesError::NotToml { path: name });
    }
    // The working folder is one that the user chose, as the folder of the table is.
    let working = PathBuf::from(".");
    let folder = selection.folder.as_ref().or(Some(&working));
    let local = local_files(path, selection, folder, room);
    let mut file = RuleFile::load(&name, text, &local).map_err(Box::new)?;
    let descriptions = file
        .described
        .iter()
        .map(|described| &*described.description);
    file.notes = descriptions.flat_map(problems).collect();
    Ok(file)
}

/// The files that a rules file refers to. `named` is the folder that they belong to, if it is not that of the file.
fn local_files<'a>(
    path: &Path,
    selection: &'a RuleSelection,
    named: Option<&PathBuf>,
    room: &Rc<Cell<u64>>,
) -> LocalFiles<'a> {
    let bounds = DocumentLimits {
        expansion: selection.expansion,
        ..DocumentLimits::default()
    };
    let (access, references) = (&selection.access, selection.references);
    LocalFiles::of_rules(access, path, references, named, room, bounds)
}

fn unreadable(path: &Path, why: String) -> RulesError {
    RulesError::Unreadable {
        path: path.display().to_string(),
        why,
    }
}

/// The name that another one is probably a misspelling of, as the beginning of a remedy.
fn suggestion(name: &str, all: &[&str]) -> String {
    let nearest = did_you_mean(name, all.iter().copied());
    nearest.map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "))
}

impl From<RulesError> for Failure {
    fn from(error: RulesError) -> Self {
        let help = match error {
            RulesError::Mistakes(mistakes) => return mistakes.into(),
            RulesError::Unreadable { ref path, .. } => {
                let nearest = similar_path(Path::new(path));
                match nearest {
                    Some(nearest) => format!("did you mean {}?", escape_unsafe(&nearest)),
                    None => "check the path after --rules".to_owned(),
                }
            }
            RulesError::NotToml { .. } => {
                "rules are TOML, or an OpenAPI description; other lists become TOML by `sundown rules import`"
                    .to_owned()
            }
            RulesError::Description(ref error) => error.kind.help(),
            RulesError::Duplicate(_) => {
                "give the rule another id, or leave out a built-in table with --without-table"
                    .to_owned()
            }
            RulesError::NoSuchPack { ref name, ref all } => format!(
                "{}packs: {}; `sundown rules packs` describes them",
                suggestion(name, all),
                all.join(", ")
            ),
            RulesError::NoSuchTable { ref name, ref all } => {
                format!("{}built-in tables: {}", suggestion(name, all), all.join(", "))
            }
        };
        Self::with_help(error, help)
    }
}
