//! The flags of settings, made from their declarations in [`SETTINGS`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{
    PathBufValueParser, PossibleValuesParser, RangedI64ValueParser, StringValueParser,
    TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};

use super::console::Result;
use sundown_report::{Failure, OutputFormat};
use sundown_run::config::{ConfigKey, DAYS, Flag, FlagScope, KeyType, SETTINGS, Setting, Settings};

/// The flags of the settings that a command takes. Their values are valid, and kept as they were typed.
#[derive(Debug)]
pub(super) struct SettingFlags<const SCOPE: usize> {
    pub given: ArgMatches,
}

/// The flags of commands that take what `check` takes.
pub(super) type CheckFlags = SettingFlags<{ FlagScope::Check as usize }>;

/// The flags of all other commands that read traffic.
pub(super) type TrafficFlags = SettingFlags<{ FlagScope::Traffic as usize }>;

/// The flags of all other commands that load rules.
pub(super) type RuleFlags = SettingFlags<{ FlagScope::Rules as usize }>;

/// The headings in the order of the help text: first what is needed most often.
const HEADINGS: [&str; 5] = ["Rules", "Known findings", "Grading", "Output", "Input"];

/// Lets the flags that were given replace settings.
pub(super) fn apply_flags(given: &ArgMatches, settings: &mut Settings) -> Result<()> {
    for (setting, flag) in flags(FlagScope::Check as usize) {
        // A command that does not take the flag does not know its name.
        if let Ok(Some(values)) = given.try_get_many::<OsString>(flag.name) {
            let values: Vec<_> = values
                .map(|value| match value.to_str() {
                    Some("true") if flag.negates => "false".into(),
                    Some("false") if flag.negates => "true".into(),
                    _ => value.clone(),
                })
                .collect();
            let set = setting.set(settings, flag.name, &values);
            set.map_err(Failure::new)?;
        }
        if let Some((name, _)) = flag.none
            && let Ok(Some(true)) = given.try_get_one(name)
        {
            setting.set(settings, name, &[]).map_err(Failure::new)?;
        }
    }
    Ok(())
}

impl<const SCOPE: usize> Args for SettingFlags<SCOPE> {
    fn augment_args(command: Command) -> Command {
        let mut flags: Vec<_> = flags(SCOPE).collect();
        flags.sort_by_key(|(_, flag)| HEADINGS.iter().position(|name| *name == flag.heading));
        flags.into_iter().fold(command, |command, (setting, flag)| {
            let command = command.arg(build_arg(setting, flag));
            match flag.none {
                Some((name, help)) => command.arg(build_none_arg(flag, name, help)),
                None => command,
            }
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const SCOPE: usize> FromArgMatches for SettingFlags<SCOPE> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.clone();
        Ok(Self { given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the flags of a command, each with its setting.
fn flags(scope: usize) -> impl Iterator<Item = (&'static Setting, Flag)> {
    let flags = SETTINGS
        .iter()
        .filter_map(|setting| Some((setting, setting.flag?)));
    flags.filter(move |(_, flag)| flag.scope as usize >= scope)
}

fn build_arg(setting: &'static Setting, flag: Flag) -> Arg {
    let key = &setting.key;
    let arg = Arg::new(flag.name)
        .long(flag.name)
        .value_name(flag.value_name)
        .env(flag.variable)
        .help(short_help(key, flag))
        .long_help(long_help(key, flag))
        .help_heading((!flag.is_common).then_some(flag.heading))
        .value_parser(build_parser(setting, key.key_type))
        .action(if is_list(key) {
            ArgAction::Append
        } else {
            ArgAction::Set
        });
    match key.key_type {
        KeyType::Boolean => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        KeyType::Days => arg.allow_negative_numbers(true),
        KeyType::Path | KeyType::Paths => arg.value_hint(ValueHint::FilePath),
        _ => arg,
    }
}

/// Builds the flag that says that a setting has no value.
fn build_none_arg(flag: Flag, name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .help(help.trim_end_matches('.'))
        .help_heading(flag.heading)
        .action(ArgAction::SetTrue)
        .conflicts_with(flag.name)
}

/// Builds the parser of a flag: it checks a value, and keeps it as it was typed.
fn build_parser(setting: &'static Setting, key_type: KeyType) -> ValueParser {
    match key_type {
        KeyType::Boolean => PossibleValuesParser::new(["true", "false"])
            .map(OsString::from)
            .into(),
        KeyType::OneOf(names) => PossibleValuesParser::new(names).map(OsString::from).into(),
        KeyType::Days => RangedI64ValueParser::<i64>::new()
            .range(DAYS)
            .map(|days| OsString::from(days.to_string()))
            .into(),
        KeyType::Path | KeyType::Paths => PathBufValueParser::new()
            .map(PathBuf::into_os_string)
            .into(),
        _ => StringValueParser::new()
            .try_map(|text| {
                let values = [OsString::from(text)];
                let set = setting.set(&mut Settings::default(), "", &values);
                let [text] = values;
                set.map(|()| text)
            })
            .into(),
    }
}

/// Returns the help text of `-h`: the first sentence of the documentation of the key.
fn short_help(key: &ConfigKey, flag: Flag) -> String {
    let text = flag.help.unwrap_or(key.doc).trim_end_matches('.');
    let sentence = text.split_once(". ").map_or(text, |(sentence, _)| sentence);
    with_formats(key, sentence)
}

/// Returns the help text of `--help`: the documentation of the key, whether the flag can be repeated, and the default.
fn long_help(key: &ConfigKey, flag: Flag) -> String {
    let mut text = with_formats(key, flag.help.unwrap_or(key.doc).trim_end_matches('.'));
    if is_list(key) {
        text.push_str("; repeatable");
    }
    let default = key
        .default
        .unwrap_or_default()
        .replace(['"', '[', ']', '`'], "");
    if !matches!(key.key_type, KeyType::Boolean) && !default.is_empty() && flag.none.is_none() {
        text = format!("{text} (default: {default})");
    }
    text
}

/// Adds the names of the output formats, if the key is about them.
fn with_formats(key: &ConfigKey, text: &str) -> String {
    match key.key_type {
        KeyType::Outputs => format!("{text}. Formats: {}", OutputFormat::names()),
        _ => text.to_owned(),
    }
}

fn is_list(key: &ConfigKey) -> bool {
    matches!(
        key.key_type,
        KeyType::Texts | KeyType::Paths | KeyType::Outputs
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_run::config::Config;

    /// The value and the source of a setting on the page about the settings.
    fn shown_setting(config: &str, arguments: &[&str], name: &str) -> (String, String) {
        let command = CheckFlags::augment_args(Command::new("check"));
        let matches = command.get_matches_from([&["check"], arguments].concat());
        let flags = CheckFlags::from_arg_matches(&matches).unwrap();
        let mut config = Config::parse("sundown.toml", config).unwrap();
        apply_flags(&flags.given, &mut config.settings).unwrap();
        let page = config.page();
        let is_setting = |line: &&str| {
            line.starts_with(&format!("{name} = "))
                || line.starts_with(&format!("# {name} is not set"))
        };
        let line = page.lines().find(is_setting).unwrap();
        let (value, source) = line.rsplit_once(" # ").unwrap();
        (value.trim().to_owned(), source.trim().to_owned())
    }

    #[test]
    fn every_flag_sets_what_its_key_sets() {
        let flagged = SETTINGS.iter().filter_map(|one| Some((one.key, one.flag?)));
        for (key, flag) in flagged {
            let config = format!("{} = {}\n", key.name, key.example);
            let (expected, _) = shown_setting(&config, &[], key.name);
            let example = format!("value = {}", key.example)
                .parse::<toml::Table>()
                .unwrap();
            let words = |value: &toml::Value| match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Boolean(is_on) if flag.negates => (!is_on).to_string(),
                toml::Value::Boolean(is_on) => is_on.to_string(),
                toml::Value::Integer(number) => number.to_string(),
                other => panic!("{other:?}"),
            };
            let values = match &example["value"] {
                toml::Value::Array(values) => values.iter().map(words).collect(),
                value => vec![words(value)],
            };
            let arguments: Vec<_> = values
                .iter()
                .map(|value| format!("--{}={value}", flag.name))
                .collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let (value, source) = shown_setting("", &arguments, key.name);
            assert_eq!(
                (&value, source),
                (&expected, format!("command line: --{}", flag.name))
            );
            if let Some((none, _)) = flag.none {
                let none = format!("--{none}");
                let (value, source) = shown_setting(&config, &[&none], key.name);
                assert!(value.ends_with("is not set"), "{value}");
                assert_eq!(source, format!("command line: {none}"));
            }
        }
    }
}
