//! The page of `sundown` without a command: what the program does, what it recognises in the folder, and what to type.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::library::RuleLibrary;
use super::project_survey::{ProjectSurvey, SurveyLimits, SurveyScope};
use crate::config::{ConfigFile, ConfigSearch, FlagValues, ResolvedConfig};
use sundown_captures::Globs;
use sundown_files::{FileAccess, Names};
use sundown_report::{Cell, ColumnKind, Table};
use sundown_text_json::text::escape_unsafe;

/// Says what the program is for.
const PURPOSE: &str = "sundown finds every use of deprecated API elements in captured HTTP traffic and API descriptions.";

/// A command that the page suggests, and what it does.
type Suggestion = (Cow<'static, str>, &'static str);

/// The configuration of a folder.
enum FolderConfig {
    None,
    Usable(Box<(ResolvedConfig, Globs)>),
    /// It has mistakes, or names paths outside of its repository.
    Unusable,
}

/// Returns the page for `folder`: five lines. The work is limited: see `SurveyLimits::QUICK`.
pub fn start_page(folder: &Path, library: RuleLibrary) -> String {
    let config = FolderConfig::of(folder);
    let survey = config.survey(folder, library);
    let found = survey.summary();
    let [first, second] = config.suggestions(&survey);
    let situation = match &config {
        FolderConfig::None => format!("Here: {found}; no configuration."),
        FolderConfig::Usable(usable) => {
            let file = usable.0.file.as_ref();
            let name = file.map_or_else(String::new, |file| file.path.display().to_string());
            format!("Here: {found}; configured in {}.", escape_unsafe(&name))
        }
        FolderConfig::Unusable => format!("Here: {found}; a configuration with mistakes."),
    };
    let lines = [
        first,
        second,
        ("sundown --help".into(), "show all commands"),
    ];
    let rows = lines.map(|(command, text)| [Cell::from(&*command), text.into()]);
    let lines = Table::new([(ColumnKind::Text, ""); 2])
        .lines(rows, None)
        .join("\n");
    format!("{PURPOSE}\n{situation}\n{lines}\n")
}

impl FolderConfig {
    /// Finds the configuration that `sundown check` would use in this folder.
    fn of(folder: &Path) -> Self {
        match ConfigFile::find(&[folder.to_owned()], &FileAccess::default()) {
            Err(_) => Self::Unusable,
            Ok(ConfigSearch { file: None, .. }) => Self::None,
            Ok(ConfigSearch { file, .. }) => {
                let resolved = ResolvedConfig::new(FlagValues::default(), file);
                match resolved.globs() {
                    Ok(globs) if resolved.check_paths().is_ok() => {
                        Self::Usable(Box::new((resolved, globs)))
                    }
                    _ => Self::Unusable,
                }
            }
        }
    }

    /// Surveys the files that `sundown check` would read.
    fn survey(&self, folder: &Path, library: RuleLibrary) -> ProjectSurvey {
        let here: [PathBuf; 1] = [folder.to_owned()];
        match self {
            Self::Usable(usable) => {
                let (resolved, globs) = &**usable;
                let payloads = resolved.file.iter().flat_map(|file| &file.config.payloads);
                let scope = SurveyScope {
                    paths: &resolved.paths.value,
                    globs: globs.clone(),
                    bodies: payloads.map(|payload| &payload.files).collect(),
                    library,
                };
                ProjectSurvey::new(&scope, resolved.names(), SurveyLimits::QUICK)
            }
            Self::None | Self::Unusable => {
                let scope = SurveyScope {
                    paths: &here,
                    library,
                    ..SurveyScope::default()
                };
                ProjectSurvey::new(&scope, Names::new(Some(folder)), SurveyLimits::QUICK)
            }
        }
    }

    /// Returns the commands to try first.
    fn suggestions(&self, survey: &ProjectSurvey) -> [Suggestion; 2] {
        let check = self.check_suggestion(survey);
        match self {
            Self::Usable(_) => [
                check,
                ("sundown config".into(), "show the settings in effect"),
            ],
            Self::Unusable => [
                (
                    "sundown config".into(),
                    "show the mistakes in the configuration",
                ),
                check,
            ],
            Self::None if survey.is_empty() => [
                check,
                ("sundown formats".into(), "list the files that it reads"),
            ],
            Self::None => [
                check,
                (
                    "sundown init".into(),
                    "write a configuration for this folder",
                ),
            ],
        }
    }

    /// Returns the check to try first. A configuration says what the rules are. Without one, they are what a description in
    /// the folder deprecates, if there is one.
    fn check_suggestion(&self, survey: &ProjectSurvey) -> Suggestion {
        if survey.is_empty() {
            let text = "check a capture (HAR), a log or an API description elsewhere";
            return ("sundown check PATH".into(), text);
        }
        match survey.deprecating.iter().find(|name| is_plain(name)) {
            Some(name) if matches!(self, Self::None) => (
                format!("sundown check --rules {name}").into(),
                "check this folder by what the API deprecates",
            ),
            _ => ("sundown check".into(), "check this folder"),
        }
    }
}

/// Whether a path can be typed as it is, in every shell.
fn is_plain(path: &str) -> bool {
    path.starts_with(|c: char| c.is_ascii_alphanumeric())
        && path
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c))
}
