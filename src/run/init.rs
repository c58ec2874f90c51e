//! `sundown init`: proposes a first configuration that fits the files of a project.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::body_operation::operation_from_file_name;
use super::file_kind::{DeprecationMarks, FileKind, classify_file};
use super::rules::{RuleSelection, load_rules};
use super::whole_file::write_whole;
use crate::config::{ConfigFile, ConfigKey, KeyType, SETTINGS, TABLES, toml_string};
use crate::formats::{Discovery, Format, Globs, InputFile, Names, PathOrigin, discover};
use crate::rules::RuleTable;

/// A first configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarterConfig {
    /// Its text.
    pub text: String,
    /// The content of the project, in words.
    pub summary: String,
}

/// The maximum length of a line of comments, in bytes.
const WIDTH: usize = 100;

/// The maximum number of files that are classified: more than a project has captures.
const MAX_FILES: usize = 20_000;

/// Folders that build tools write to.
const BUILD_FOLDERS: [&str; 6] = ["target", "dist", "build", "vendor", ".venv", "venv"];

/// Parts of the names of folders whose JSON files are most likely bodies.
const BODY_FOLDERS: [&str; 8] =
    ["payload", "fixture", "request", "response", "body", "bodies", "mock", "sample"];

/// The content of a project, among the files that would be checked.
#[derive(Debug, Default)]
struct ProjectSurvey {
    /// The number of files in each format.
    formats: Vec<(Format, usize)>,
    /// The number of bare bodies.
    bodies: usize,
    /// The folders of bodies whose file names do not give an operation.
    body_folders: BTreeMap<String, usize>,
    /// The API descriptions that mark something as deprecated.
    deprecating: Vec<String>,
    /// The top-level files and folders that contain any of these.
    tops: Vec<String>,
    /// Folders of build tools, each with the number of files in it that would be checked.
    built: BTreeMap<String, usize>,
    /// Whether there are more than [`MAX_FILES`] files.
    is_cut: bool,
}

/// Proposes a configuration for `folder`, from the files in it.
pub fn propose_config(folder: &Path) -> StarterConfig {
    let names = Names::new(Some(folder));
    let Discovery { files, .. } =
        discover(&[folder.to_owned()], PathOrigin::Named, &Globs::default(), names);
    // The built-in tables have no mistakes; without them, no file name would give an operation.
    let table = load_rules(&RuleSelection::default()).ok();
    let mut survey = ProjectSurvey { is_cut: files.len() > MAX_FILES, ..ProjectSurvey::default() };
    for found in files.iter().take(MAX_FILES) {
        survey.add(found, table.as_ref());
    }
    StarterConfig { text: survey.config_text(), summary: survey.summary() }
}

impl ProjectSurvey {
    fn add(&mut self, found: &InputFile, table: Option<&RuleTable>) {
        let name = found.name.rooted.to_string();
        let Some(kind) = classify_file(found) else { return };
        let is_named = || {
            found
                .path
                .as_deref()
                .zip(table)
                .is_some_and(|(p, t)| operation_from_file_name(p, t).is_some())
        };
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let lower = folder.to_lowercase();
        let named = kind == FileKind::Json && is_named();
        let in_bodies =
            name.contains(".json") && BODY_FOLDERS.iter().any(|part| lower.contains(part));
        if kind == FileKind::Json && !named && !in_bodies {
            return;
        }
        let top = name.split('/').next().unwrap_or(&name);
        if BUILD_FOLDERS.contains(&top) {
            *self.built.entry(top.to_owned()).or_default() += 1;
            return;
        }
        if !self.tops.iter().any(|known| known == top) {
            self.tops.push(top.to_owned());
        }
        match kind {
            FileKind::Exchanges(format) => self.count(format),
            FileKind::Description(marks) => {
                self.count(Format::OpenApi);
                if marks == DeprecationMarks::Some {
                    self.deprecating.push(name);
                }
            }
            FileKind::Json => {
                self.bodies += 1;
                if !named {
                    *self.body_folders.entry(folder.to_owned()).or_default() += 1;
                }
            }
        }
    }

    fn count(&mut self, format: Format) {
        match self.formats.iter_mut().find(|(known, _)| *known == format) {
            Some((_, count)) => *count += 1,
            None => self.formats.push((format, 1)),
        }
    }

    fn summary(&self) -> String {
        let count = |format: Format| self.formats.iter().find(|(known, _)| *known == format);
        let first = [Format::Har, Format::Ndjson, Format::OpenApi];
        let others = Format::ALL.iter().copied().filter(|other| !first.contains(other));
        let mut parts: Vec<String> = first
            .into_iter()
            .chain(others)
            .filter_map(count)
            .map(|(format, count)| counted(*count, nouns(*format)))
            .collect();
        if self.bodies > 0 {
            parts.push(counted(self.bodies, ("JSON body".to_owned(), "JSON bodies".to_owned())));
        }
        for (folder, count) in &self.built {
            let files = counted(*count, ("file".to_owned(), "files".to_owned()));
            parts.push(format!("{files} in {folder}, a folder of build tools"));
        }
        let summary =
            if parts.is_empty() { "nothing to check yet".to_owned() } else { parts.join(", ") };
        if self.is_cut { format!("{summary}, among the first {MAX_FILES} files") } else { summary }
    }

    /// Returns the top-level files and folders that contain something to check.
    fn paths(&self) -> Vec<String> {
        let path = |top: &String| match top.as_str() {
            // `-` alone is standard input.
            "-" => "./-".to_owned(),
            top => top.to_owned(),
        };
        let mut paths: Vec<String> = self.tops.iter().map(path).collect();
        paths.sort();
        paths
    }

    /// Returns a value for a key that fits the project, and a remark about it. The value is commented out: a first
    /// configuration must not exclude what is checked without it.
    fn suggestion(&self, key: &ConfigKey) -> Option<(String, &'static str)> {
        let list = |texts: &[String]| {
            let quoted: Vec<_> = texts.iter().map(|text| toml_string(text)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let (found, remark): (Vec<_>, _) = match key.name {
            "paths" => {
                (self.paths(), "These contain something to check; nothing else would be checked:")
            }
            "exclude" => (
                self.built.keys().map(|folder| format!("/{folder}")).collect(),
                "Build tools write to these folders; if they contain none of your files:",
            ),
            _ => return None,
        };
        if found.is_empty() { None } else { Some((list(&found), remark)) }
    }

    fn config_text(&self) -> String {
        let mut text = format!(
            "# Configuration of sundown, which finds uses of deprecated API elements.\n\
             # Found when this was written: {}.\n\
             # `sundown config` shows the settings in effect, and the source of each.\n",
            self.summary()
        );
        for key in SETTINGS {
            let _ = write!(text, "\n{}", doc_comment(key));
            let _ = match self.suggestion(key) {
                Some((value, remark)) => writeln!(text, "# {remark}\n# {} = {value}", key.name),
                None => writeln!(text, "# {} = {}", key.name, self.example(key)),
            };
        }
        for key in TABLES {
            let _ = write!(text, "\n{}", doc_comment(key));
            text.push_str(&self.table(key));
        }
        text
    }

    /// Returns an example of a value.
    fn example(&self, key: &ConfigKey) -> String {
        match (key.name, self.deprecating.first()) {
            ("rules", Some(description)) => {
                format!("[{}]", toml_string(description))
            }
            _ => key.example.to_owned(),
        }
    }

    /// Returns a table with all its keys, commented out.
    fn table(&self, key: &ConfigKey) -> String {
        let KeyType::Tables(keys) = key.key_type else {
            return format!("# [{}]\n# some-rule = {}\n", key.name, key.example);
        };
        let folder = self.body_folders.keys().next().filter(|_| key.name == "payload");
        let mut text = format!("# [[{}]]\n", key.name);
        for key in keys {
            let example = match folder {
                Some(folder) if key.name == "files" => toml_string(&format!("/{folder}/*.json")),
                _ => key.example.to_owned(),
            };
            let _ = writeln!(text, "# {} = {example}", key.name);
        }
        text
    }
}

/// Returns the documentation of a key, as comments.
fn doc_comment(key: &ConfigKey) -> String {
    let default = key.default.map(|default| format!(" Default: {default}.")).unwrap_or_default();
    let mut text = String::new();
    let mut line = String::from("#");
    for word in format!("{}{default}", key.doc).split_whitespace() {
        if line.len() + word.len() >= WIDTH {
            text.push_str(&line);
            text.push('\n');
            "#".clone_into(&mut line);
        }
        line.push(' ');
        line.push_str(word);
    }
    text + &line + "\n"
}

/// Prints a count with the singular or plural of its noun.
fn counted(count: usize, (one, many): (String, String)) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Returns the singular and plural for files of a format.
fn nouns(format: Format) -> (String, String) {
    let words = |one: &str, many: &str| (one.to_owned(), many.to_owned());
    match format {
        Format::Har => words("capture (HAR)", "captures (HAR)"),
        Format::Ndjson => words("log", "logs"),
        Format::OpenApi => words("API description", "API descriptions"),
        Format::Json => words("JSON file of exchanges", "JSON files of exchanges"),
        other => {
            let name = other.spec().name;
            (format!("{name} file"), format!("{name} files"))
        }
    }
}

/// Returns the path of a new configuration; the error is the path of the one that the folder already has, which may be a
/// table in the file of another tool.
pub fn find_free_config_path(folder: &Path) -> Result<PathBuf, PathBuf> {
    match ConfigFile::in_folder(folder) {
        Some(existing) => Err(existing),
        None => Ok(folder.join("sundown.toml")),
    }
}

/// Writes a configuration.
pub fn write_config(path: &Path, text: &str) -> io::Result<()> {
    write_whole(path, text.as_bytes())
}
