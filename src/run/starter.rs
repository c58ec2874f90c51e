//! A first configuration for a project, written after a look at what stands in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::config::{KEYS, Key, Kind};
use crate::input::{
    Discovery, Format, Found, Globs, Limits, Logs, Names, Origin, Recognised, discover,
    has_exchange, is_yaml_description, recognise, recognise_head,
};
use crate::source::Block;

/// What a look at a project gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// The configuration.
    pub text: String,
    /// What was seen, in a sentence.
    pub seen: String,
}

/// How long the lines of comments may be, in bytes.
const WIDTH: usize = 100;

/// How much of a file is looked at.
const LOOK: u64 = 1 << 20;

/// How many files are looked at: more than a project has captures.
const MOST_FILES: usize = 20_000;

/// Folders that build tools fill.
const BUILT: [&str; 6] = ["target", "dist", "build", "vendor", ".venv", "venv"];

/// Folders whose JSON files are most likely bodies, by a part of their name.
const BODIES: [&str; 8] =
    ["payload", "fixture", "request", "response", "body", "bodies", "mock", "sample"];

/// What stands in a project, by the folders and files that would be checked.
#[derive(Debug, Default)]
struct Seen {
    captures: Vec<String>,
    logs: Vec<String>,
    descriptions: Vec<String>,
    /// Of the descriptions, those that mark something as deprecated.
    marking: Vec<String>,
    /// JSON files in folders of bodies, by folder.
    bodies: BTreeMap<String, usize>,
    /// Folders that build tools fill, and that hold something that would be checked.
    built: Vec<String>,
}

/// Looks at the files below `folder`, which is where the configuration will stand.
pub fn starter(folder: &Path) -> Starter {
    let names = Names::new(Some(folder));
    let Discovery { files, .. } =
        discover(&[folder.to_owned()], Origin::Named, &Globs::default(), names);
    let mut seen = Seen::default();
    for found in files.iter().take(MOST_FILES) {
        seen.look_at(found);
    }
    Starter { text: seen.configuration(), seen: seen.sentence() }
}

impl Seen {
    fn look_at(&mut self, found: &Found) {
        let name = found.name.rooted.to_string();
        let Some(kind) = found.path.as_deref().and_then(kind) else { return };
        let built = name.split('/').next().filter(|first| BUILT.contains(first));
        if let Some(built) = built {
            if !self.built.iter().any(|known| known == built) {
                self.built.push(built.to_owned());
            }
            return;
        }
        match kind {
            Seeing::Capture => self.captures.push(name),
            Seeing::Log => self.logs.push(name),
            Seeing::Description { marks } => {
                if marks {
                    self.marking.push(name.clone());
                }
                self.descriptions.push(name);
            }
            Seeing::Json => {
                let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
                let lower = folder.to_lowercase();
                if BODIES.iter().any(|part| lower.contains(part)) {
                    *self.bodies.entry(folder.to_owned()).or_default() += 1;
                }
            }
        }
    }

    fn sentence(&self) -> String {
        let count = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {many}")),
        };
        let parts: Vec<String> = [
            count(self.captures.len(), "capture (HAR)", "captures (HAR)"),
            count(self.logs.len(), "log", "logs"),
            count(self.descriptions.len(), "API description", "API descriptions"),
            count(self.bodies.values().sum(), "JSON body", "JSON bodies"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() { "nothing to check yet".to_owned() } else { parts.join(", ") }
    }

    /// The files and folders to check: what stands at the top, each once.
    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        let bodies = self.bodies.keys().map(String::as_str);
        let files = [&self.captures, &self.logs, &self.descriptions].into_iter().flatten();
        for path in files.map(String::as_str).chain(bodies) {
            let top = path.split('/').next().unwrap_or(path).to_owned();
            if !paths.contains(&top) {
                paths.push(top);
            }
        }
        paths.sort();
        paths
    }

    /// A value for a key that fits what was seen.
    fn suggestion(&self, key: &Key) -> Option<String> {
        let list = |texts: &[String]| {
            let quoted: Vec<_> = texts.iter().map(|text| crate::config::quoted(text)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let found = match key.name {
            "paths" => self.paths(),
            "exclude" => self.built.iter().map(|folder| format!("/{folder}")).collect(),
            _ => return None,
        };
        if found.is_empty() { None } else { Some(list(&found)) }
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
                Some(value) => writeln!(text, "{} = {value}", key.name),
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
    fn example(&self, key: &Key) -> String {
        match (key.name, self.marking.first()) {
            ("rules", Some(description)) => format!("[{}]", crate::config::quoted(description)),
            _ => key.example.to_owned(),
        }
    }

    /// A table with all its keys, in comments.
    fn table(&self, key: &Key) -> String {
        let Kind::Tables(keys) = key.kind else {
            return format!("# [{}]\n# some-rule = {}\n", key.name, key.example);
        };
        let folder = self.bodies.keys().next().filter(|_| key.name == "payload");
        let mut text = format!("# [[{}]]\n", key.name);
        for key in keys {
            let example = match folder {
                Some(folder) if key.name == "files" => {
                    crate::config::quoted(&format!("/{folder}/*.json"))
                }
                _ => key.example.to_owned(),
            };
            let _ = writeln!(text, "# {} = {example}", key.name);
        }
        text
    }
}

/// What a key is for, as comments.
fn comment(key: &Key) -> String {
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

/// What a file is.
enum Seeing {
    Capture,
    Log,
    Description { marks: bool },
    Json,
}

fn kind(path: &Path) -> Option<Seeing> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(LOOK).read_to_end(&mut head).ok()?;
    let block = Block::whole(&head);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let yaml = ["yaml", "yml"].contains(&extension);
    let whole = u64::try_from(head.len()).is_ok_and(|length| length < LOOK);
    let recognised = if is_yaml_description(block, yaml) {
        Recognised::Format(Format::OpenApi)
    } else if whole {
        recognise(block)
    } else {
        recognise_head(block)?
    };
    match recognised {
        Recognised::Format(Format::Har) => Some(Seeing::Capture),
        Recognised::Format(Format::Ndjson)
            if has_exchange(block, Limits::default(), &Logs::default()) =>
        {
            Some(Seeing::Log)
        }
        Recognised::Format(Format::OpenApi) => {
            let marks = [&b"deprecated: true"[..], b"\"deprecated\": true", b"\"deprecated\":true"];
            let marks = marks.iter().any(|mark| memchr::memmem::find(&head, mark).is_some());
            Some(Seeing::Description { marks })
        }
        Recognised::Format(Format::Json) if extension == "json" => Some(Seeing::Json),
        _ => None,
    }
}

/// The file that `starter` is for, unless there is a configuration in the folder already.
pub fn free_config_path(folder: &Path) -> Result<PathBuf, PathBuf> {
    let taken = ["sundown.toml", ".sundown.toml"].map(|name| folder.join(name));
    match taken.iter().find(|path| path.exists()) {
        Some(path) => Err(path.clone()),
        None => Ok(folder.join("sundown.toml")),
    }
}
