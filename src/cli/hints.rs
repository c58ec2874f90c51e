//! Options of other programs, and where they lead: to an option of the same command, or to another way.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use sundown_text_json::text::toml::read_own;

/// Says what leads on from a mistake in these arguments: for an option of another program, what is typed here; for a path without
/// a command, the command.
pub(super) fn with_hint(
    mut error: clap::Error,
    program: &Command,
    arguments: &[String],
) -> clap::Error {
    let command = arguments.iter().fold(program, |command, word| {
        command.find_subcommand(word).unwrap_or(command)
    });
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(option) = text(&error, ContextKind::InvalidArg)
        && let Some(own) = find_hint(command, option.trim_start_matches('-'))
    {
        let usage = ContextValue::StyledStr(command.clone().render_usage());
        error.insert(ContextKind::Usage, usage);
        let (option, sentence) = if own.starts_with("--") {
            (ContextValue::String(own), Vec::new())
        } else {
            (ContextValue::None, vec![own.into()])
        };
        error.insert(ContextKind::SuggestedArg, option);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(sentence));
    } else if let Some(path) = text(&error, ContextKind::InvalidSubcommand)
        && Path::new(path).exists()
    {
        let tip = format!("`sundown check {path}` checks it").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// Names of options of other programs, by what is typed here.
fn hints() -> BTreeMap<&'static str, Vec<&'static str>> {
    read_own(include_str!("hints.toml"))
}

/// The hint for a name that fits a command, which has no option of this name.
fn find_hint(command: &Command, name: &str) -> Option<String> {
    let mut hints = hints().into_iter();
    hints
        .find(|(own, names)| names.contains(&name) && fits(command, own))
        .map(|(own, _)| own.to_owned())
}

/// Whether a command has the option of a hint, which takes its value. A sentence fits every command.
fn fits(command: &Command, own: &str) -> bool {
    let Some(option) = own.strip_prefix("--") else {
        return true;
    };
    let (name, value) = option.split_once(' ').unwrap_or((option, ""));
    let mut options = command.get_arguments();
    options
        .find(|arg| arg.get_long() == Some(name))
        .is_some_and(|arg| {
            let values = arg.get_possible_values();
            value.is_empty()
                || values.is_empty()
                || values.iter().any(|one| one.matches(value, false))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line::build_program;

    /// All commands, each with the words that name it.
    fn commands(command: &Command, path: &[&str]) -> Vec<(Vec<String>, Command)> {
        let own = path.iter().map(ToString::to_string).collect();
        let inner = command.get_subcommands().flat_map(|inner| {
            let path = [path, &[inner.get_name()]].concat();
            commands(inner, &path)
        });
        [(own, command.clone())].into_iter().chain(inner).collect()
    }

    /// What a command answers to these words.
    fn ask(path: &[String], words: &[&str]) -> clap::Error {
        let arguments: Vec<_> = path
            .iter()
            .cloned()
            .chain(words.iter().map(ToString::to_string))
            .collect();
        let mut program = build_program();
        let typed = ["sundown".to_owned()].into_iter().chain(arguments.clone());
        let answer = program.try_get_matches_from_mut(typed);
        // Without a mistake, nothing is answered.
        let error = answer
            .err()
            .unwrap_or_else(|| clap::Error::new(ErrorKind::DisplayHelp));
        with_hint(error, &program, &arguments)
    }

    /// Every name leads to an option that the command has, with a value that it takes, or to a sentence, in every form in which it
    /// can be typed.
    #[test]
    fn every_hint_names_an_option_of_its_command() {
        let mut count = 0;
        for (path, command) in commands(&build_program(), &[]) {
            for name in hints().values().flatten() {
                let typed = if name.len() == 1 {
                    format!("-{name}")
                } else {
                    format!("--{name}")
                };
                let error = ask(&path, &[&typed]);
                let Some(own) = find_hint(&command, name)
                    .filter(|_| error.kind() == ErrorKind::UnknownArgument)
                else {
                    continue;
                };
                count += 1;
                for words in [
                    &[typed.as_str(), "x"][..],
                    &[&format!("{typed}=x")],
                    &[&typed],
                ] {
                    let text = ask(&path, words).to_string();
                    let found = text.contains(&format!("unexpected argument '{typed}' found"));
                    assert!(found && text.contains(&own), "{path:?} {words:?}: {text}");
                }
                if own.starts_with("--") {
                    let kind = ask(&path, &own.split(' ').collect::<Vec<_>>()).kind();
                    let mut wrong = vec![ErrorKind::UnknownArgument, ErrorKind::TooManyValues];
                    wrong.extend(own.contains(' ').then_some(ErrorKind::InvalidValue));
                    assert!(!wrong.contains(&kind), "{path:?} {own}: {kind:?}");
                }
            }
        }
        assert!(count > 200, "{count}");
    }

    #[test]
    fn every_name_has_a_hint_for_check_or_usage() {
        let program = build_program();
        let commands = ["check", "usage"].map(|name| program.find_subcommand(name).unwrap());
        for (own, names) in hints() {
            assert!(
                commands.iter().any(|command| fits(command, own)),
                "{names:?} {own}"
            );
        }
    }
}
