//! `sundown init`: proposes a first configuration that fits the files of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread::available_parallelism;

use chrono::NaiveDate;

use super::check::check;
use super::check_options::CheckOptions;
use super::project_survey::{ProjectSurvey, SurveyLimits};
use super::rules::load_rules;
use super::unused_packs::UnusedPacks;
use crate::config::{CONFIG_NAME, Config, toml_list};
use sundown_captures::{Gauge, LogShapes, PathOrigin};
use sundown_files::FileAccess;
use sundown_lint::rules::{RuleLibrary, RuleOptions};
use sundown_report::{Report, SkipGroup};
use sundown_text_json::text::escape_unsafe;

/// A first configuration: what it puts in force.
#[derive(Debug)]
pub struct StarterConfig {
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

impl StarterConfig {
    /// Proposes a configuration for the working folder, from the files in it and the rules that the program embeds. What is found is
    /// tried out on this day.
    pub fn propose(library: RuleLibrary, day: NaiveDate) -> Self {
        let survey = ProjectSurvey::new(&Config::default(), SurveyLimits::THOROUGH);
        let (rules, left_out) = usable_rules(&survey.deprecating);
        let mut proposal = Self {
            survey,
            rules,
            left_out,
            packs: Vec::new(),
            needs_builtin: false,
            logs: BTreeMap::new(),
        };
        proposal.complete(library, day);
        proposal
    }

    /// Finds the layouts, packs and tables that the files need, by checks of them. If the rules exclude each other, none are found.
    fn complete(&mut self, library: RuleLibrary, day: NaiveDate) -> Option<()> {
        self.logs = propose_logs(&self.try_out(library, Vec::new(), day)?.0);
        // The layouts show further calls.
        let (by_calls, _) = self.try_out(library, Vec::new(), day)?;
        let all: Vec<_> = library
            .packs
            .iter()
            .map(|pack| pack.name.to_owned())
            .collect();
        let (_, by_uses) = self.try_out(library, all.clone(), day)?;
        let is_needed =
            |pack: &String| by_calls.pack_calls.contains_key(pack) || by_uses.contains(pack);
        self.packs = all.into_iter().filter(is_needed).collect();
        self.needs_builtin = library
            .deprecations
            .iter()
            .any(|table| by_calls.tables.iter().any(|(name, _)| name == table.name));
        Some(())
    }

    /// Checks the files by the rules that were found, the built-in tables and these packs. Also returns the names of the tables whose
    /// rules found parts of calls, or values in source files.
    fn try_out(
        &self,
        library: RuleLibrary,
        packs: Vec<String>,
        day: NaiveDate,
    ) -> Option<(Report, BTreeSet<String>)> {
        let mut config = Config::parse(CONFIG_NAME, &self.log_tables()).ok()?;
        let unused = UnusedPacks::new(library, &packs);
        config.settings.packs = packs;
        config.settings.rules = self.rules.iter().map(PathBuf::from).collect();
        config.settings.paths.clone_from(&self.survey.readable);
        let set = load_rules(
            RuleOptions::default(),
            library,
            &config,
            &FileAccess::default(),
        )
        .ok()?;
        let mut options = CheckOptions::new(config.settings.clone(), &set, day);
        options.given = PathOrigin::Walked;
        options.names = config.names();
        options.unused = unused;
        options.logs = LogShapes::new(config.logs);
        options.threads = available_parallelism().unwrap_or(options.threads);
        let report = check(&options, &mut std::io::empty(), &Gauge::default());
        let rules = report.findings.iter().map(|located| &located.finding.rule);
        let parts = rules.filter(|rule| !rule.element.is_endpoint());
        let names = parts.filter_map(|rule| Some(set.file_name_of(&rule.id)?.to_string()));
        let names = names.collect();
        Some((report, names))
    }

    /// Whether the configuration names rules beside the built-in tables.
    fn names_rules(&self) -> bool {
        !self.rules.is_empty() || !self.packs.is_empty()
    }

    /// Says what was found, and what the configuration uses of it.
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{CONFIG_NAME} written; found here: {}\n",
            self.survey.summary()
        );
        let is_builtin = self.needs_builtin || !self.names_rules();
        let builtin = is_builtin.then(|| "the built-in tables".to_owned());
        let rules: Vec<_> = self.rules.iter().cloned().chain(builtin).collect();
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

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# Configuration of sundown, which finds uses of deprecated API elements.\n\
             # Found when this was written: {}.\n\
             # `sundown config` shows all settings, each with its value and the source of that.\n",
            self.survey.summary()
        );
        let builtin = self.needs_builtin && self.names_rules();
        for (remark, key, value) in [
            (
                "These have rules, or mark elements as deprecated",
                "rules",
                toml_list(&self.rules),
            ),
            (
                "The calls, manifests or source files are about these packs",
                "packs",
                toml_list(&self.packs),
            ),
            (
                "The files have uses that these tables find, too",
                "builtin-rules",
                builtin.to_string(),
            ),
        ] {
            if value != "[]" && value != "false" {
                let _ = writeln!(text, "\n# {remark}:\n{key} = {value}");
            }
        }
        text + &self.log_tables()
    }

    /// Returns the tables for records in unknown layouts.
    fn log_tables(&self) -> String {
        let mut text = String::new();
        for (keys, files) in &self.logs {
            let _ = write!(text, "\n[[log]]\nfiles = {}\n{keys}\n", toml_list(files));
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
        match load_rules(
            RuleOptions::default(),
            RuleLibrary::default(),
            &config,
            &FileAccess::default(),
        ) {
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
        if let Some(file) = file {
            logs.entry(keys.to_owned())
                .or_default()
                .push(file.to_owned());
        }
    }
    logs
}
