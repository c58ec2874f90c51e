//! The page of `sundown` without a command: what the program does, what it recognises in the folder, and what to type.

use std::borrow::Cow;

use super::library::RuleLibrary;
use super::project_survey::{ProjectSurvey, SurveyLimits};
use crate::config::{ConfigFile, GivenSettings, ResolvedConfig};
use sundown_files::FileAccess;
use sundown_report::{Cell, ColumnKind, Table};
use sundown_text_json::text::escape_unsafe;

/// Says what the program is for.
const PURPOSE: &str = "sundown finds every use of deprecated API elements in captured HTTP traffic and API descriptions.";

/// A command that the page suggests, and what it does.
type Suggestion = (Cow<'static, str>, &'static str);

/// The configuration that `sundown check` would use in the working folder.
enum FolderConfig {
    None,
    Usable(Box<ResolvedConfig>),
    /// It has mistakes, or names paths outside of its repository.
    Unusable,
}

/// Returns the page for the working folder: five lines. The work is limited: see `SurveyLimits::QUICK`.
pub fn start_page(library: RuleLibrary) -> String {
    let config = FolderConfig::find();
    let none = ResolvedConfig::new(GivenSettings::default(), None);
    let settings = match &config {
        FolderConfig::Usable(usable) => usable,
        FolderConfig::None | FolderConfig::Unusable => &none,
    };
    let survey = ProjectSurvey::new(settings, library, SurveyLimits::QUICK);
    let found = survey.summary();
    let [first, second] = config.suggestions(&survey);
    let situation = match &settings.file {
        Some(file) => {
            let name = file.path.display().to_string();
            format!("configured in {}", escape_unsafe(&name))
        }
        None if matches!(config, FolderConfig::None) => "no configuration".to_owned(),
        None => "a configuration with mistakes".to_owned(),
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
    format!("{PURPOSE}\nHere: {found}; {situation}.\n{lines}\n")
}

impl FolderConfig {
    fn find() -> Self {
        let Ok(search) = ConfigFile::find(&[], &FileAccess::default()) else {
            return Self::Unusable;
        };
        let config = ResolvedConfig::new(GivenSettings::default(), search.file);
        if config.file.is_none() {
            Self::None
        } else if config.globs().is_ok() && config.check_paths().is_ok() {
            Self::Usable(Box::new(config))
        } else {
            Self::Unusable
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
