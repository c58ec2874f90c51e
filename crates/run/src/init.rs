//! `sundown init`: proposes a first configuration that fits the files of a project.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use chrono::NaiveDate;

use super::check::check;
use super::check_options::CheckOptions;
use super::library::RuleLibrary;
use super::output_file::{OutputError, OutputRights, Replaceable, write_bytes};
use super::project_survey::{ProjectSurvey, SurveyLimits};
use super::rules::load_rules;
use crate::config::{CONFIG_NAME, Config, ConfigKey, KeyType, SETTINGS, Setting, TABLES};
use sundown_captures::{Gauge, LogShapes, PathOrigin};
use sundown_files::FileAccess;
use sundown_report::{Report, SkipGroup};
use sundown_text_json::text::escape_unsafe;
use sundown_text_json::text::toml::string as toml_string;

/// A first configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarterConfig {
    pub text: String,
    /// The content of the project and what the configuration uses of it, in lines.
    pub summary: String,
}

/// What a first configuration puts in force.
struct Proposal {
    survey: ProjectSurvey,
    /// The rules files and the descriptions that can be used together.
    rules: Vec<String>,
    /// The others, each with the reason.
    left_out: Vec<String>,
    packs: Vec<String>,
    /// Whether the files have uses that the built-in tables find.
    needs_builtin: bool,
    /// `[[log]]` tables for records in unknown layouts, without their heads, each with its files.
    logs: BTreeMap<String, Vec<String>>,
}

/// The number of rules files and descriptions that are used, at most: they all are loaded with each other.
const MAX_RULES_FILES: usize = 20;

/// The maximum length of a line of comments, in bytes.
const WIDTH: usize = 100;

/// Proposes a configuration for the working folder, from the files in it and the rules that the program embeds. What is found is
/// tried out on this day.
pub fn propose_config(library: RuleLibrary, day: NaiveDate) -> StarterConfig {
    let proposal = Proposal::new(library, day);
    StarterConfig {
        text: proposal.config_text(),
        summary: proposal.summary(),
    }
}

impl Proposal {
    fn new(library: RuleLibrary, day: NaiveDate) -> Self {
        let survey = ProjectSurvey::new(&Config::default(), library, SurveyLimits::THOROUGH);
        let (rules, left_out) = usable_rules(&survey.deprecating);
        let mut proposal = Self {
            packs: survey.packs(),
            survey,
            rules,
            left_out,
            needs_builtin: false,
            logs: BTreeMap::new(),
        };
        if let Some(mut report) = proposal.try_out(library, day) {
            proposal.logs = propose_logs(&report);
            if !proposal.logs.is_empty() {
                report = proposal.try_out(library, day).unwrap_or(report);
            }
            let has_found = |name| report.tables.iter().any(|(table, _)| table == name);
            for pack in library.packs.iter().map(|pack| pack.name) {
                if has_found(pack) && !proposal.packs.iter().any(|known| known == pack) {
                    proposal.packs.push(pack.to_owned());
                }
            }
            proposal.needs_builtin = library
                .deprecations
                .iter()
                .any(|table| has_found(table.name));
        }
        proposal
    }

    /// Checks the files by all rules: those that were found, the packs and the built-in tables. `None` if these exclude each other.
    fn try_out(&self, library: RuleLibrary, day: NaiveDate) -> Option<Report> {
        let mut config = Config::parse(CONFIG_NAME, &self.log_tables()).ok()?;
        let packs = library.packs.iter().map(|pack| pack.name.to_owned());
        config.settings.packs = packs.collect();
        config.settings.rules = self.rules.iter().map(PathBuf::from).collect();
        config.settings.paths.clone_from(&self.survey.readable);
        let table = load_rules(library, &config, &FileAccess::default()).ok()?;
        let mut options = CheckOptions::new(config.settings.clone(), &table, day);
        options.given = PathOrigin::Walked;
        options.names = config.names();
        options.logs = LogShapes::new(config.logs);
        options.threads = available_parallelism().unwrap_or(options.threads);
        Some(check(&options, &mut std::io::empty(), &Gauge::default()))
    }

    /// Returns a value for a key that fits the project, a remark about it, and whether it is in force. A first configuration must not
    /// exclude what is checked without it.
    fn suggestion(&self, key: &ConfigKey) -> Option<(String, &'static str, bool)> {
        let (found, remark, in_force): (Vec<_>, _, _) = match key.name {
            "paths" => (
                self.survey.paths.iter().cloned().collect(),
                "These contain something to check; nothing else would be checked:",
                false,
            ),
            "exclude" => (
                self.survey
                    .built
                    .keys()
                    .map(|folder| format!("/{folder}"))
                    .collect(),
                "Build tools write to these folders; if they contain none of your files:",
                false,
            ),
            "rules" => (
                self.rules.clone(),
                "These have rules, or mark elements as deprecated:",
                true,
            ),
            "builtin-rules" if self.needs_builtin && self.names_rules() => {
                let remark = "The files have uses that these tables find, too:";
                return Some(("true".to_owned(), remark, true));
            }
            "packs" => (
                self.packs.clone(),
                "The calls, manifests or source files are about these packs:",
                true,
            ),
            _ => return None,
        };
        (!found.is_empty()).then(|| (toml_list(&found), remark, in_force))
    }

    /// Whether the configuration names rules beside the built-in tables.
    fn names_rules(&self) -> bool {
        !self.rules.is_empty() || !self.packs.is_empty()
    }

    /// Says what was found, and what the configuration uses of it.
    fn summary(&self) -> String {
        let mut text = format!(
            "{CONFIG_NAME} written; found here: {}\n",
            self.survey.summary()
        );
        let tables = ["the built-in tables".to_owned()];
        let builtin = tables
            .iter()
            .filter(|_| self.needs_builtin || !self.names_rules());
        let rules: Vec<_> = self.rules.iter().chain(builtin).cloned().collect();
        let logs: Vec<_> = self.logs.values().flatten().cloned().collect();
        for (what, names) in [
            ("rules", &rules),
            ("packs", &self.packs),
            ("layouts of records in", &logs),
            ("left out", &self.left_out),
        ] {
            if !names.is_empty() {
                let _ = writeln!(text, "  {what}: {}", escape_unsafe(&names.join(", ")));
            }
        }
        text
    }

    fn config_text(&self) -> String {
        let mut text = format!(
            "# Configuration of sundown, which finds uses of deprecated API elements.\n\
             # Found when this was written: {}.\n\
             # `sundown config` shows the settings in effect, and the source of each.\n",
            self.survey.summary()
        );
        for key in SETTINGS.iter().map(Setting::key) {
            let _ = write!(text, "\n{}", doc_comment(&key));
            let _ = match self.suggestion(&key) {
                Some((value, remark, in_force)) => {
                    let sign = if in_force { "" } else { "# " };
                    writeln!(text, "# {remark}\n{sign}{} = {value}", key.name)
                }
                None => writeln!(text, "# {} = {}", key.name, key.example),
            };
        }
        for key in TABLES {
            let _ = write!(text, "\n{}", doc_comment(key));
            let logs = if key.name == "log" {
                self.log_tables()
            } else {
                String::new()
            };
            text.push_str(&if logs.is_empty() {
                self.table(key)
            } else {
                logs
            });
        }
        text
    }

    /// Returns the tables for records in unknown layouts.
    fn log_tables(&self) -> String {
        let tables = self.logs.iter();
        let tables =
            tables.map(|(keys, files)| format!("[[log]]\nfiles = {}\n{keys}\n", toml_list(files)));
        tables.collect::<Vec<_>>().join("\n")
    }

    /// Returns a table with all its keys, commented out.
    fn table(&self, key: &ConfigKey) -> String {
        let KeyType::Tables(keys) = key.key_type else {
            return format!("# [{}]\n# some-rule = {}\n", key.name, key.example);
        };
        let folder = self
            .survey
            .body_folders
            .first()
            .filter(|_| key.name == "payload");
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

/// Divides rules files into those that can be used together, and the others, each with the reason.
fn usable_rules(found: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut usable, mut left_out) = (Vec::new(), Vec::new());
    let (first, rest) = found.split_at(found.len().min(MAX_RULES_FILES));
    for name in first {
        let mut config = Config::default();
        config.settings.rules = usable.iter().chain([name]).map(PathBuf::from).collect();
        match load_rules(RuleLibrary::default(), &config, &FileAccess::default()) {
            Ok(_) => usable.push(name.clone()),
            Err(failure) => left_out.push(format!("{name} ({failure})")),
        }
    }
    if !rest.is_empty() {
        left_out.push(format!("{} more files with rules", rest.len()));
    }
    (usable, left_out)
}

/// Returns the layouts that a report proposes, each with its files.
fn propose_logs(report: &Report) -> BTreeMap<String, Vec<String>> {
    let mut logs = BTreeMap::<_, Vec<_>>::new();
    for (file, keys) in report.skipped.iter().filter_map(SkipGroup::proposed_keys) {
        // A file that no glob names is left to people.
        let files = file.map(|_| logs.entry(keys.to_owned()).or_default());
        files
            .into_iter()
            .for_each(|files| files.extend(file.map(str::to_owned)));
    }
    logs
}

fn toml_list(items: &[String]) -> String {
    let items: Vec<_> = items.iter().map(|item| toml_string(item)).collect();
    format!("[{}]", items.join(", "))
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
