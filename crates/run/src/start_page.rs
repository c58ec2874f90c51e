//! The page of `sundown` without a command: what the program does, what it recognises in the folder, and what to type.

use std::borrow::Cow;

use super::project_survey::{ProjectSurvey, SurveyLimits};
use crate::config::Config;
use sundown_files::FileAccess;
use sundown_report::{Cell, Table};
use sundown_text_json::text::escape_unsafe;

/// Says what the program is for.
const PURPOSE: &str = "sundown finds every use of deprecated API elements in captured HTTP traffic and API descriptions.";

/// The number of flags in a command that the page suggests; `sundown init` uses all.
const MAX_FLAGS: usize = 3;

/// A command that the page suggests, and what it does.
type SuggestedCommand = (Cow<'static, str>, &'static str);

/// Returns the page for the working folder: five lines. The work is limited: see `SurveyLimits::QUICK`.
pub fn start_page() -> String {
    let config = find_config();
    let none = Config::default();
    let own = config.as_ref().unwrap_or(&none);
    let survey = ProjectSurvey::new(own, SurveyLimits::QUICK);
    let found = survey.summary();
    let check = suggest_check(config.as_ref(), &survey);
    let (situation, first, second) = match &config {
        Some(config) if config.path.is_some() => {
            let situation = format!("configured in {}", escape_unsafe(&config.name()));
            let show = ("sundown config".into(), "show the settings in effect");
            (situation, check, show)
        }
        Some(_) => {
            let next = if survey.is_empty() {
                ("sundown formats".into(), "list the files that it reads")
            } else {
                let text = "write a configuration that uses what is here";
                ("sundown init".into(), text)
            };
            ("no configuration".to_owned(), check, next)
        }
        None => {
            let text = "show the mistakes in the configuration";
            let show = ("sundown config".into(), text);
            ("a configuration with mistakes".to_owned(), show, check)
        }
    };
    let lines = [
        first,
        second,
        ("sundown --help".into(), "show all commands"),
    ];
    let rows = lines.map(|(command, text)| [Cell::from(&*command), text.into()]);
    let lines = Table::plain(2).lines(rows, None).join("\n");
    format!("{PURPOSE}\nHere: {found}; {situation}.\n{lines}\n")
}

/// Returns the configuration that `sundown check` would use in the working folder; `None` if it has mistakes, or names paths outside of
/// its repository.
fn find_config() -> Option<Config> {
    let (config, _) = Config::find(&[], &FileAccess::default()).ok()?;
    (config.globs().is_ok() && config.check_paths().is_ok()).then_some(config)
}

/// Returns the check to try first. A configuration says what the rules are. Without one, they are those that were found in the folder.
fn suggest_check(config: Option<&Config>, survey: &ProjectSurvey) -> SuggestedCommand {
    if survey.is_empty() {
        let text = "check a capture (HAR), a log or an API description elsewhere";
        return ("sundown check PATH".into(), text);
    }
    let has_none = config.is_some_and(|config| config.path.is_none());
    let rules = survey.deprecating.iter().filter(|name| is_plain(name));
    let flags = rules.map(|name| format!(" --rules {name}"));
    match flags.take(MAX_FLAGS).collect::<String>() {
        flags if has_none && !flags.is_empty() => (
            format!("sundown check{flags}").into(),
            "check this folder by the rules that fit it",
        ),
        _ => ("sundown check".into(), "check this folder"),
    }
}

/// Whether a path can be typed as it is, in every shell.
fn is_plain(path: &str) -> bool {
    path.starts_with(|c: char| c.is_ascii_alphanumeric())
        && path
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c))
}
