//! The configuration of a run: the content of a file, or none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::entries::{Api, Payload, read_allowance, read_log, read_severities};
use super::keys::{ConfigTable, read_tables};
use super::readers::{check_all_globs, refuse_empty_list};
use super::settings::{SETTINGS, SettingSource, Settings};
use crate::body_operation::BodyFiles;
use crate::output_file::folder_of;
use sundown_captures::{Globs, LogShape};
use sundown_files::toml_file::{
    Disclosure, FileMistakes, KeyCounts, Mistake, TableReader, TomlContent, WithSpan, read_table,
};
use sundown_files::{GlobBase, GlobError, GlobList, Names, full_path};
use sundown_lint::findings::CheckGrades;
use sundown_lint::findings::suppression::Allowance;
use sundown_lint::rules::Grade;

/// The name of the file.
pub const CONFIG_NAME: &str = "sundown.toml";

/// What such a file is, in a word.
const KIND: &str = "configuration";

/// The configuration of a run: the settings, and the tables of the file if there is one.
#[derive(Debug, Default)]
pub struct Config {
    /// The path of the file, relative to the working directory.
    pub path: Option<PathBuf>,
    /// Its text, for the locations of mistakes.
    pub text: String,
    /// The settings: those of the file, unless the command line replaces them.
    pub settings: Settings,
    /// Whether the file names rules files.
    pub names_rules: bool,
    /// The configured grades of rules and checks, each with the span of its name.
    pub severity: BTreeMap<String, WithSpan<Grade>>,
    /// Findings that do not count.
    pub allows: Vec<Allowance>,
    /// The operations of bare bodies.
    pub payloads: Vec<Payload>,
    /// The same, once they are resolved against the rules.
    pub bodies: Vec<BodyFiles>,
    /// The severities of the checks of API descriptions, once they are apart from those of rules.
    pub grades: CheckGrades,
    /// The layouts of logs.
    pub logs: Vec<LogShape>,
    /// The hosts and base paths of APIs.
    pub apis: Vec<Api>,
    /// All tables as they are written.
    pub tables: Vec<ConfigTable>,
}

impl Config {
    /// Reads the text of the file at `path`; the error holds every mistake in it.
    pub fn parse(path: impl Into<PathBuf>, text: &str) -> Result<Self, FileMistakes> {
        let path = path.into();
        let name = path.display().to_string();
        let folder = path.parent().unwrap_or(Path::new(""));
        let TomlContent {
            value,
            mistakes,
            keys,
        } = read_table(text, |fields| Self::read(fields, &name, text, folder));
        if mistakes.is_empty() {
            return Ok(Self {
                path: Some(path),
                text: text.to_owned(),
                ..value
            });
        }
        let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.key.name).collect();
        let keys = if path.ends_with(CONFIG_NAME) {
            keys.or(KeyCounts::of_lines(text, &names))
        } else {
            keys
        };
        let disclosure = keys.disclosure(&name, 1);
        Err(FileMistakes::new(disclosure, KIND, &name, text, mistakes))
    }

    /// The error of a file that is read, and has these mistakes.
    pub(crate) fn with_mistakes(&self, mistakes: Vec<Mistake>) -> FileMistakes {
        let name = self.name();
        FileMistakes::new(Disclosure::Plain, KIND, &name, &self.text, mistakes)
    }

    /// The name of the file in messages.
    pub fn name(&self) -> String {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        path.display().to_string()
    }

    /// The folder of the configuration, which its paths and globs are relative to, if there is one.
    pub fn root(&self) -> Option<&Path> {
        self.path.as_deref().map(folder_of)
    }

    /// Returns the folder of the configuration if that names the rules files.
    pub(crate) fn rules_folder(&self) -> Option<&Path> {
        self.root().filter(|_| !self.settings.is_typed("rules"))
    }

    /// Compiles the globs of files in folders; the error names the text that is not a glob.
    pub fn globs(&self) -> Result<Globs, GlobError> {
        let compile = |key, globs: &[String]| {
            let base = match self.settings.source(key) {
                SettingSource::File(_) => GlobBase::Root,
                _ => GlobBase::Start,
            };
            GlobList::new(globs, base)
        };
        let include = Some(&*self.settings.include).filter(|globs| !globs.is_empty());
        Ok(Globs {
            include: include.map(|globs| compile("include", globs)).transpose()?,
            exclude: compile("exclude", &self.settings.exclude)?,
            force: self.settings.force_exclude,
        })
    }

    /// Returns the names of files, relative to [`Self::names_root`].
    pub fn names(&self) -> Names {
        Names::new(self.names_root().as_deref())
    }

    /// Returns the folder that names of files are relative to; `None` if it is the working directory.
    ///
    /// It is the folder of the configuration. Without one, it is the folder of the baseline if the working directory is in
    /// it, so that a part of a project has the names that the whole has.
    pub fn names_root(&self) -> Option<PathBuf> {
        if let Some(root) = self.root() {
            return Some(root.to_owned());
        }
        let folder = full_path(self.settings.baseline.as_deref()?)?
            .parent()?
            .to_owned();
        std::env::current_dir()
            .ok()?
            .starts_with(&folder)
            .then_some(folder)
    }

    fn read(fields: TableReader<'_>, name: &str, text: &str, folder: &Path) -> Self {
        if !check_all_globs(&fields) {
            return Self::default();
        }
        let mut settings = Settings::default();
        for setting in SETTINGS.iter() {
            setting.read(&mut settings, &fields, folder);
        }
        refuse_empty_list("paths", &fields);
        let config = Self {
            names_rules: fields.has("rules"),
            settings,
            severity: read_severities(&fields),
            allows: read_entries("allow", &fields, |fields| {
                read_allowance(fields, name, text)
            }),
            payloads: read_entries("payload", &fields, Payload::read),
            logs: read_entries("log", &fields, read_log),
            apis: read_entries("api", &fields, Api::read),
            tables: read_tables(&fields),
            ..Self::default()
        };
        fields.finish();
        config
    }
}

/// Reads each table of the list under `key`.
fn read_entries<T>(
    key: &'static str,
    fields: &TableReader<'_>,
    read: impl Fn(TableReader<'_>) -> Option<T>,
) -> Vec<T> {
    let tables = fields.tables(key).into_iter();
    let entries = tables.filter_map(|WithSpan { value, span }| {
        // A mistake about a missing key would otherwise show the whole table.
        let span = span.start..span.start;
        read(fields.inner(WithSpan { value, span }))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::keys::TABLES;
    use super::super::keys::{ConfigKey, KeyType};
    use super::super::settings::SETTINGS;
    use super::*;
    use sundown_report::Failure;

    fn mistakes(text: &str) -> Vec<(String, Option<String>)> {
        let mistakes = Config::parse("sundown.toml", text).unwrap_err().mistakes;
        mistakes
            .into_iter()
            .map(|mistake| (mistake.message, mistake.help))
            .collect()
    }

    fn all_keys() -> Vec<ConfigKey> {
        SETTINGS
            .iter()
            .map(|setting| setting.key)
            .chain(TABLES.iter().copied())
            .collect()
    }

    /// Returns a file with every key, made of the examples.
    fn everything(keys: &[ConfigKey]) -> String {
        let mut text = String::new();
        let is_table =
            |key: &ConfigKey| matches!(key.key_type, KeyType::Named(_) | KeyType::Tables(_));
        for key in keys.iter().filter(|key| !is_table(key)) {
            let _ = writeln!(text, "{} = {}", key.name, key.example);
        }
        for key in keys.iter().filter(|key| is_table(key)) {
            match key.key_type {
                KeyType::Tables(inner) => {
                    let _ = write!(text, "[[{}]]\n{}", key.name, everything(inner));
                }
                _ => {
                    let _ = writeln!(text, "[{}]\nsome-rule = {}", key.name, key.example);
                }
            }
        }
        text
    }

    #[test]
    fn every_documented_key_is_read() {
        let text = everything(&all_keys());
        let config = Config::parse("sundown.toml", &text).unwrap_or_else(|e| {
            panic!("{}\n{text}", Failure::from(e).text());
        });
        assert_eq!(
            (config.payloads.len(), config.logs.len(), config.apis.len()),
            (1, 1, 1)
        );
        assert_eq!(config.allows.len(), 1);
        assert_eq!(config.severity.len(), 1);
    }

    #[test]
    fn every_key_that_is_read_is_documented() {
        let keys_here = |text: &str| -> Vec<String> {
            let all = mistakes(text);
            let help = all
                .into_iter()
                .find(|(message, _)| message.contains("`0`"))
                .unwrap()
                .1;
            let help = help.unwrap();
            let list = help.strip_prefix("keys here: ").unwrap().split(", ");
            list.map(str::to_owned).collect()
        };
        let names = |keys: &[ConfigKey]| {
            keys.iter()
                .map(|key| key.name.to_owned())
                .collect::<Vec<_>>()
        };
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names.dedup();
            names
        };
        assert_eq!(sorted(keys_here("0 = 1")), sorted(names(&all_keys())));
        for key in all_keys() {
            let KeyType::Tables(inner) = key.key_type else {
                continue;
            };
            let read = keys_here(&format!("[[{}]]\n0 = 1\n", key.name));
            assert_eq!(sorted(read), sorted(names(inner)), "{}", key.name);
        }
    }
}
