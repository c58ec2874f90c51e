//! A first configuration for a project, written after a look at what stands in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::body_operation::operation_from_file_name;
use super::file_kind::{DeprecationMarks, FileKind, classify_file};
use super::rules::{RuleSelection, load_rules};
use crate::config::{ConfigFile, ConfigKey, KEYS, KeyType};
use crate::formats::{Discovery, Format, Globs, InputFile, Names, PathOrigin, discover};
use crate::rules::RuleTable;

/// What a look at a project gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarterConfig {
    /// The configuration.
    pub text: String,
    /// What was seen, in a sentence.
    pub seen: String,
}

/// How long the lines of comments may be, in bytes.
const WIDTH: usize = 100;

/// How many files are looked at: more than a project has captures.
const MOST_FILES: usize = 20_000;

/// Folders that build tools fill.
const BUILT: [&str; 6] = ["target", "dist", "build", "vendor", ".venv", "venv"];

/// Folders whose JSON files are most likely bodies, by a part of their name.
const BODIES: [&str; 8] =
    ["payload", "fixture", "request", "response", "body", "bodies", "mock", "sample"];

/// What stands in a project, by the folders and files that would be checked.
#[derive(Debug, Default)]
struct ProjectSurvey {
    /// How many files there are of each format.
    formats: Vec<(Format, usize)>,
    /// How many bare bodies there are.
    bodies: usize,
    /// The folders of bodies whose names do not say what they are.
    body_folders: BTreeMap<String, usize>,
    /// The descriptions that mark something as deprecated.
    marking: Vec<String>,
    /// The files and folders at the top with anything of these.
    tops: Vec<String>,
    /// Folders that build tools fill, each with how much in it would be checked.
    built: BTreeMap<String, usize>,
    /// Whether there are more files than are looked at.
    more: bool,
}

/// Looks at the files below `folder`, which is where the configuration will stand.
pub fn propose_config(folder: &Path) -> StarterConfig {
    let names = Names::new(Some(folder));
    let Discovery { files, .. } =
        discover(&[folder.to_owned()], PathOrigin::Named, &Globs::default(), names);
    // The built-in tables have no mistakes; without them, no name would say what a body is.
    let table = load_rules(&RuleSelection::default()).ok();
    let mut seen = ProjectSurvey { more: files.len() > MOST_FILES, ..ProjectSurvey::default() };
    for found in files.iter().take(MOST_FILES) {
        seen.look_at(found, table.as_ref());
    }
    StarterConfig { text: seen.configuration(), seen: seen.sentence() }
}

impl ProjectSurvey {
    fn look_at(&mut self, found: &InputFile, table: Option<&RuleTable>) {
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
        let in_bodies = name.contains(".json") && BODIES.iter().any(|part| lower.contains(part));
        if kind == FileKind::Json && !named && !in_bodies {
            return;
        }
        let top = name.split('/').next().unwrap_or(&name);
        if BUILT.contains(&top) {
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
                    self.marking.push(name);
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

    fn sentence(&self) -> String {
        let count = |format: Format| self.formats.iter().find(|(known, _)| *known == format);
        let first = [Format::Har, Format::Ndjson, Format::OpenApi];
        let others = Format::ALL.iter().copied().filter(|other| !first.contains(other));
        let mut parts: Vec<String> = first
            .into_iter()
            .chain(others)
            .filter_map(count)
            .map(|(format, count)| counted(*count, words(*format)))
            .collect();
        if self.bodies > 0 {
            parts.push(counted(self.bodies, ("JSON body".to_owned(), "JSON bodies".to_owned())));
        }
        for (folder, count) in &self.built {
            let files = counted(*count, ("file".to_owned(), "files".to_owned()));
            parts.push(format!("{files} in {folder}, which build tools fill"));
        }
        let seen =
            if parts.is_empty() { "nothing to check yet".to_owned() } else { parts.join(", ") };
        if self.more { format!("{seen}, among the first {MOST_FILES} files") } else { seen }
    }

    /// The files and folders at the top in which there was something.
    fn paths(&self) -> Vec<String> {
        let written = |top: &String| match top.as_str() {
            // By itself, it is standard input.
            "-" => "./-".to_owned(),
            top => top.to_owned(),
        };
        let mut paths: Vec<String> = self.tops.iter().map(written).collect();
        paths.sort();
        paths
    }

    /// A value for a key that fits what was seen, and what to know of it. It is never in force: a first configuration must
    /// not leave out what was checked without it.
    fn suggestion(&self, key: &ConfigKey) -> Option<(String, &'static str)> {
        let list = |texts: &[String]| {
            let quoted: Vec<_> =
                texts.iter().map(|text| crate::config::toml_string(text)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let (found, remark): (Vec<_>, _) = match key.name {
            "paths" => (self.paths(), "Here is what was seen; nothing else would be checked:"),
            "exclude" => (
                self.built.keys().map(|folder| format!("/{folder}")).collect(),
                "Build tools fill these folders; if nothing in them is yours:",
            ),
            _ => return None,
        };
        if found.is_empty() { None } else { Some((list(&found), remark)) }
    }

    fn configuration(&self) -> String {
        let mut text = format!(
            "# Configuration of sundown, which finds uses of deprecated API elements.\n\
             # Seen when this was written: {}.\n\
             # `sundown config` shows what is in force, and where each value comes from.\n",
            self.sentence()
        );
        for key in KEYS.iter().filter(|key| !key.is_table()) {
            let _ = write!(text, "\n{}", comment(key));
            let _ = match self.suggestion(key) {
                Some((value, remark)) => writeln!(text, "# {remark}\n# {} = {value}", key.name),
                None => writeln!(text, "# {} = {}", key.name, self.example(key)),
            };
        }
        for key in KEYS.iter().filter(|key| key.is_table()) {
            let _ = write!(text, "\n{}", comment(key));
            text.push_str(&self.table(key));
        }
        text
    }

    /// What a key could say, in a comment.
    fn example(&self, key: &ConfigKey) -> String {
        match (key.name, self.marking.first()) {
            ("rules", Some(description)) => {
                format!("[{}]", crate::config::toml_string(description))
            }
            _ => key.example.to_owned(),
        }
    }

    /// A table with all its keys, in comments.
    fn table(&self, key: &ConfigKey) -> String {
        let KeyType::Tables(keys) = key.kind else {
            return format!("# [{}]\n# some-rule = {}\n", key.name, key.example);
        };
        let folder = self.body_folders.keys().next().filter(|_| key.name == "payload");
        let mut text = format!("# [[{}]]\n", key.name);
        for key in keys {
            let example = match folder {
                Some(folder) if key.name == "files" => {
                    crate::config::toml_string(&format!("/{folder}/*.json"))
                }
                _ => key.example.to_owned(),
            };
            let _ = writeln!(text, "# {} = {example}", key.name);
        }
        text
    }
}

/// What a key is for, as comments.
fn comment(key: &ConfigKey) -> String {
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

/// So many of something, which is called so.
fn counted(count: usize, (one, many): (String, String)) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// What one file of a format is called, and several.
fn words(format: Format) -> (String, String) {
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

/// The file that `starter` is for, unless there is a configuration in the folder already: then that, also where it is a
/// table in another tool's file, which a new file would shadow.
pub fn find_free_config_path(folder: &Path) -> Result<PathBuf, PathBuf> {
    match ConfigFile::in_folder(folder) {
        Some(taken) => Err(taken),
        None => Ok(folder.join("sundown.toml")),
    }
}
