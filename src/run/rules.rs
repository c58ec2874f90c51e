//! The rules of a run: built-in tables and the user's files, put together.

use std::path::{Path, PathBuf};

use super::description_rules::{is_description, load_description, problems};
use super::local_files::LocalFiles;
use crate::openapi::{DateSources, LoadError};
use crate::report::Failure;
use crate::rules::{BUILTIN, DuplicateId, RuleFile, RuleTable};
use crate::text::ExpansionFactor;
use crate::toml_file::FileMistakes;

/// Which rules to use.
#[derive(Debug, Clone, Default)]
pub struct RuleSelection {
    /// Files of the user's own.
    pub files: Vec<PathBuf>,
    /// Built-in tables to leave out, by name.
    pub without: Vec<String>,
    /// Whether to leave out all built-in tables.
    pub no_builtin: bool,
    /// Where descriptions used as rules are searched for dates.
    pub dates: DateSources,
    /// How much descriptions used as rules may stand for.
    pub expansion: ExpansionFactor,
}

/// Why there are no rules. The user's fault in every case.
#[derive(Debug)]
pub enum RulesError {
    /// The file cannot be read.
    Unreadable {
        /// Its path.
        path: String,
        /// What the system says.
        why: String,
    },
    /// The file is in a format that is no rules file.
    NotToml {
        /// Its path.
        path: String,
    },
    /// The API description cannot be read.
    Description(Box<LoadError>),
    /// The file has mistakes.
    Mistakes(Box<FileMistakes>),
    /// Two files have rules of one id.
    Duplicate(DuplicateId),
    /// There is no built-in table of this name.
    NoSuchTable(String),
}

/// Loads what was chosen.
pub fn load_rules(choice: &RuleSelection) -> Result<RuleTable, RulesError> {
    if let Some(unknown) =
        choice.without.iter().find(|name| !BUILTIN.iter().any(|table| table.name == **name))
    {
        return Err(RulesError::NoSuchTable(unknown.clone()));
    }
    let mut files = Vec::new();
    for table in BUILTIN
        .iter()
        .filter(|table| !choice.no_builtin && !choice.without.iter().any(|name| name == table.name))
    {
        files.push(table.load().map_err(|error| RulesError::Mistakes(Box::new(error)))?);
    }
    for path in &choice.files {
        files.push(load_rules_file(path, choice.dates, choice.expansion)?);
    }
    RuleTable::new(files).map_err(RulesError::Duplicate)
}

/// Reads and checks one rules file, or makes one of an API description; `dates` says where descriptions have dates, and
/// `expansion` how much they may stand for.
pub fn load_rules_file(
    path: &Path,
    dates: DateSources,
    expansion: ExpansionFactor,
) -> Result<RuleFile, RulesError> {
    let local = LocalFiles::of_rules(expansion);
    let name = path.display().to_string();
    let unreadable = |why: String| RulesError::Unreadable { path: name.clone(), why };
    let bytes =
        std::fs::read(path).map_err(|error| unreadable(error.to_string().to_lowercase()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if is_description(text) {
        let file = load_description(path, text.as_bytes(), dates, &local);
        return file.map_err(|error| RulesError::Description(Box::new(error)));
    }
    let start: String = text.chars().filter(|c| !c.is_whitespace()).take(2).collect();
    if start.starts_with('{') || ["[{", "[\"", "[]"].contains(&start.as_str()) {
        return Err(RulesError::NotToml { path: name });
    }
    let mut file = RuleFile::load(&name, text, &local)
        .map_err(|error| RulesError::Mistakes(Box::new(error)))?;
    let descriptions = file.described.iter().map(|described| &*described.description);
    file.notes = descriptions.flat_map(problems).collect();
    Ok(file)
}

impl std::fmt::Display for RulesError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable { path, why } => {
                write!(f, "the rules file {path} cannot be read: {why}")
            }
            Self::NotToml { path } => {
                write!(f, "{path} is neither a rules file in TOML nor an API description")
            }
            Self::Description(error) => error.fmt(f),
            Self::Mistakes(error) => error.fmt(f),
            Self::Duplicate(DuplicateId { id, first, second }) => {
                write!(f, "{second}: the rule id `{id}` is already used in {first}")
            }
            Self::NoSuchTable(name) => write!(f, "there is no built-in table `{name}`"),
        }
    }
}

impl std::error::Error for RulesError {}

impl From<RulesError> for Failure {
    fn from(error: RulesError) -> Self {
        let help = match error {
            RulesError::Mistakes(mistakes) => return mistakes.into(),
            RulesError::Unreadable { .. } => "check the path after --rules".to_owned(),
            RulesError::NotToml { .. } => {
                "rules are TOML, or an OpenAPI description; other lists become TOML by `sundown rules import`"
                    .to_owned()
            }
            RulesError::Description(ref error) => error.kind.help(),
            RulesError::Duplicate(_) => {
                "give the rule another id, or leave out a built-in table with --without-table"
                    .to_owned()
            }
            RulesError::NoSuchTable(_) => {
                let names: Vec<_> = BUILTIN.iter().map(|table| table.name).collect();
                format!("built-in tables: {}", names.join(", "))
            }
        };
        Self::with_help(error, help)
    }
}
