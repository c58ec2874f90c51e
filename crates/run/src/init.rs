//! `sundown init`: proposes a first configuration that fits the files of a project.

use std::fmt::Write as _;
use std::path::Path;

use super::library::RuleLibrary;
use super::output_file::{OutputError, OutputRights, Replaceable, write_bytes};
use super::project_survey::{ProjectSurvey, SurveyLimits};
use crate::config::{Config, ConfigKey, KeyType, SETTINGS, Setting, TABLES};
use sundown_text_json::text::toml::string as toml_string;

/// A first configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarterConfig {
    pub text: String,
    /// The content of the project, in words.
    pub summary: String,
}

/// The maximum length of a line of comments, in bytes.
const WIDTH: usize = 100;

/// Proposes a configuration for the working folder, from the files in it and the rules that the program embeds.
pub fn propose_config(library: RuleLibrary) -> StarterConfig {
    let survey = ProjectSurvey::new(&Config::default(), library, SurveyLimits::THOROUGH);
    StarterConfig {
        text: survey.config_text(),
        summary: survey.summary(),
    }
}

impl ProjectSurvey {
    /// Returns a value for a key that fits the project, and a remark about it. The value is commented out: a first
    /// configuration must not exclude what is checked without it.
    fn suggestion(&self, key: &ConfigKey) -> Option<(String, &'static str)> {
        let (found, remark): (Vec<_>, _) = match key.name {
            "paths" => (
                self.paths.iter().cloned().collect(),
                "These contain something to check; nothing else would be checked:",
            ),
            "exclude" => (
                self.built
                    .keys()
                    .map(|folder| format!("/{folder}"))
                    .collect(),
                "Build tools write to these folders; if they contain none of your files:",
            ),
            "packs" => (
                self.packs(),
                "The recorded calls or manifests are those of these packs:",
            ),
            _ => return None,
        };
        let quoted: Vec<_> = found.iter().map(|text| toml_string(text)).collect();
        (!found.is_empty()).then(|| (format!("[{}]", quoted.join(", ")), remark))
    }

    fn config_text(&self) -> String {
        let mut text = format!(
            "# Configuration of sundown, which finds uses of deprecated API elements.\n\
             # Found when this was written: {}.\n\
             # `sundown config` shows the settings in effect, and the source of each.\n",
            self.summary()
        );
        for key in SETTINGS.iter().map(Setting::key) {
            let _ = write!(text, "\n{}", doc_comment(&key));
            let _ = match self.suggestion(&key) {
                Some((value, remark)) => writeln!(text, "# {remark}\n# {} = {value}", key.name),
                None => writeln!(text, "# {} = {}", key.name, self.example(&key)),
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
        let folder = self.body_folders.first().filter(|_| key.name == "payload");
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
    let mut text = String::new();
    let mut line = String::from("#");
    for word in key.full_doc().split_whitespace() {
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

/// Writes a configuration.
pub fn write_config(path: &Path, text: &str) -> Result<(), OutputError> {
    write_bytes(
        path,
        &OutputRights::default(),
        Replaceable::Anything,
        text.as_bytes(),
    )
}
