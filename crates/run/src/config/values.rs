//! The types of settings: how a value is read from a file, parsed from a flag, and printed as TOML; and the formats of reports.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use super::keys::{DAYS, KeyType};
use super::readers::{compile_globs, read_one_of, read_texts, refuse_empty_list};
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Severity, TargetVersion};
use sundown_report::OutputTarget;
use sundown_text_json::text::ExpansionFactor;
use sundown_text_json::text::toml::string as toml_string;

/// The place of a setting's value, by its type.
pub(super) enum Slot<'s> {
    /// True or false.
    Boolean(&'s mut bool),
    /// A number of levels, at least 1.
    Levels(&'s mut usize),
    /// A number of bytes.
    Size(&'s mut usize),
    /// A factor of limits.
    Factor(&'s mut ExpansionFactor),
    /// A number of days within [`DAYS`].
    Days(&'s mut i64),
    /// A number of days, or none.
    DaysIfAny(&'s mut Option<i64>),
    /// A severity with one of these names, or none: that may have a name after them.
    Severity(&'s mut Option<Severity>, &'static [&'static str]),
    /// The user's role for an API.
    Role(&'s mut UserRole),
    /// The path of a file, or none.
    Path(&'s mut Option<PathBuf>),
    /// Paths.
    Paths(&'s mut Vec<PathBuf>),
    /// Strings.
    Texts(&'s mut Vec<String>),
    /// Globs, which are compiled with their base.
    Globs(&'s mut Vec<String>),
    /// Versions of servers.
    Targets(&'s mut Vec<TargetVersion>),
    /// The formats of reports, and their files.
    Outputs(&'s mut Vec<OutputTarget>),
}

/// The names of [`UserRole`]s that a user may have.
const ROLES: [&str; 2] = ["owner", "consumer"];

/// The numbers of levels, in words.
const LEVELS: &str = "a number of levels, 1 or more";

impl<'s> Slot<'s> {
    /// The type as the schema and the reference describe it.
    pub(super) fn key_type(&self) -> KeyType {
        match self {
            Self::Boolean(_) => KeyType::Boolean,
            Self::Levels(_) => KeyType::Levels,
            Self::Size(_) => KeyType::Text,
            Self::Factor(_) => KeyType::Factor,
            Self::Days(_) | Self::DaysIfAny(_) => KeyType::Days,
            Self::Severity(_, names) => KeyType::OneOf(names),
            Self::Role(_) => KeyType::OneOf(&ROLES),
            Self::Path(_) => KeyType::Path,
            Self::Paths(_) => KeyType::Paths,
            Self::Texts(_) | Self::Globs(_) | Self::Targets(_) => KeyType::Texts,
            Self::Outputs(_) => KeyType::Outputs,
        }
    }

    /// Reads the value under `key`, and returns its span. Notes every mistake in it.
    pub(super) fn read(
        &mut self,
        key: &'static str,
        fields: &TableReader<'_>,
    ) -> Option<Range<usize>> {
        let WithSpan { value, span } = match self {
            Self::Boolean(_) => fields.boolean(key)?.map(|value| vec![value.to_string()]),
            Self::Levels(_) | Self::Factor(_) | Self::Days(_) | Self::DaysIfAny(_) => {
                let number = fields.integer(key)?;
                return self.read_number(key, number, fields);
            }
            Self::Severity(..) | Self::Role(_) => {
                let KeyType::OneOf(names) = self.key_type() else {
                    return None;
                };
                read_one_of(key, names, fields)?.map(|name| vec![name])
            }
            Self::Size(_) | Self::Path(_) => fields.string(key)?.map(|text| vec![text.to_owned()]),
            Self::Paths(_) | Self::Texts(_) => read_texts(key, fields)?,
            Self::Globs(_) => {
                let globs = fields.strings(key)?;
                let span = fields.span_of(key)?;
                compile_globs(key, &globs, fields)?;
                let value = globs.iter().map(|glob| glob.value.to_owned()).collect();
                WithSpan { value, span }
            }
            Self::Targets(targets) => {
                let items = fields.strings(key)?;
                let read = items.into_iter().filter_map(|WithSpan { value, span }| {
                    let target = value.parse::<TargetVersion>();
                    fields.accept(target.map_err(|why| {
                        Mistake::new(span, MessageText::own(format!("`{key}`: {why}")))
                    }))
                });
                **targets = read.collect();
                return fields.span_of(key);
            }
            Self::Outputs(outputs) => {
                let WithSpan { value, span } = read_outputs(key, fields)?;
                **outputs = value;
                return Some(span);
            }
        };
        let values: Vec<_> = value.into_iter().map(OsString::from).collect();
        let set = self.set(&values);
        fields.accept(set.map_err(|why| Mistake::new(span.clone(), format!("`{key}`: {why}"))))?;
        Some(span)
    }

    /// Takes a number that was read.
    fn read_number(
        &mut self,
        key: &'static str,
        WithSpan { value, span }: WithSpan<i64>,
        fields: &TableReader<'_>,
    ) -> Option<Range<usize>> {
        if self.set(&[value.to_string().into()]).is_ok() {
            return Some(span);
        }
        let (what, help) = match self {
            Self::Levels(_) => (LEVELS.to_owned(), "omit it for the default"),
            Self::Factor(_) => {
                let what = format!("a factor from 1 to {}", u32::MAX);
                (what, "omit it for the default")
            }
            _ => (number_of_days(), "a year has 365"),
        };
        fields.refuse(span, MessageText::own(format!("`{key}` is {what}")), help);
        None
    }

    /// Takes the values that follow a flag, or none; the error says what is wrong with them.
    pub(super) fn set(&mut self, values: &[OsString]) -> Result<(), String> {
        match self {
            Self::Path(path) => **path = values.iter().map(PathBuf::from).next_back(),
            Self::Paths(all) => **all = values.iter().map(PathBuf::from).collect(),
            _ => return self.set_texts(&texts(values)?),
        }
        Ok(())
    }

    fn set_texts(&mut self, texts: &[&str]) -> Result<(), String> {
        let last = texts.last().copied().unwrap_or_default();
        let days = || {
            let days = last.parse().ok().filter(|days| DAYS.contains(days));
            days.ok_or_else(|| format!("it is {}", number_of_days()))
        };
        match self {
            Self::Boolean(is_on) => **is_on = last.parse().map_err(|_| "it is true or false")?,
            Self::Levels(levels) => {
                let number = last.parse().ok().filter(|levels| *levels > 0);
                **levels = number.ok_or_else(|| format!("it is {LEVELS}"))?;
            }
            Self::Size(bytes) => **bytes = parse_size(last)?,
            Self::Factor(factor) => **factor = last.parse()?,
            Self::Days(number) => **number = days()?,
            Self::DaysIfAny(number) => **number = Some(days()?),
            Self::Severity(severity, _) => {
                **severity = Severity::ALL.into_iter().find(|one| one.name() == last);
            }
            Self::Role(role) => {
                **role = match last {
                    "owner" => UserRole::Owner,
                    _ => UserRole::Consumer,
                };
            }
            Self::Texts(own) | Self::Globs(own) => {
                **own = texts.iter().map(|text| (*text).to_owned()).collect();
            }
            Self::Targets(targets) => **targets = parse_all(texts)?,
            Self::Outputs(outputs) => **outputs = parse_all(texts)?,
            Self::Path(_) | Self::Paths(_) => {}
        }
        Ok(())
    }

    /// The paths in the value.
    pub(super) fn paths(self) -> Vec<&'s mut PathBuf> {
        match self {
            Self::Path(path) => path.iter_mut().collect(),
            Self::Paths(paths) => paths.iter_mut().collect(),
            Self::Outputs(outputs) => {
                let files = outputs.iter_mut().map(|output| output.file.as_mut());
                files.flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Prints the value as TOML; `None` if there is nothing to print.
    pub(super) fn to_toml(&self) -> Option<String> {
        Some(match self {
            Self::Boolean(is_on) => is_on.to_string(),
            Self::Levels(levels) => levels.to_string(),
            Self::Factor(factor) => factor.to_string(),
            Self::Days(days) => days.to_string(),
            Self::DaysIfAny(days) => days.as_ref()?.to_string(),
            Self::Size(bytes) => {
                let (shift, unit) = [(30, "G"), (20, "M"), (10, "K"), (0, "")]
                    .into_iter()
                    .find(|(shift, _)| bytes.is_multiple_of(1 << shift))?;
                format!("\"{}{unit}\"", **bytes >> shift)
            }
            Self::Severity(severity, names) => toml_string(match severity {
                Some(severity) => severity.name(),
                None => names.get(Severity::ALL.len())?,
            }),
            Self::Role(role) => toml_string(match role {
                UserRole::Either => return None,
                UserRole::Owner => "owner",
                UserRole::Consumer => "consumer",
            }),
            Self::Path(path) => toml_string(&path.as_ref()?.to_string_lossy()),
            Self::Paths(paths) => toml_list(paths.iter().map(|path| path.to_string_lossy())),
            Self::Texts(texts) | Self::Globs(texts) => toml_list(texts.iter()),
            Self::Targets(targets) => toml_list(targets.iter().map(ToString::to_string)),
            Self::Outputs(outputs) => toml_list(outputs.iter().map(|output| {
                let name = output.format.name;
                match &output.file {
                    Some(file) => format!("{name}={}", file.display()),
                    None => name.to_owned(),
                }
            })),
        })
    }
}

/// Parses a number of bytes, at least one: `4096`, `512K`, `256M` or `2G`.
fn parse_size(text: &str) -> Result<usize, String> {
    let (digits, shift) = [("K", 10), ("M", 20), ("G", 30)]
        .into_iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
        .unwrap_or((text, 0));
    let count: usize = digits
        .parse()
        .map_err(|_| "a size looks like 4096, 512K, 256M or 2G")?;
    let bytes = count.checked_mul(1 << shift).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| "the size is out of range".to_owned())
}

/// The numbers of days, in words.
fn number_of_days() -> String {
    format!("a number of days from {} to {}", DAYS.start(), DAYS.end())
}

fn texts(values: &[OsString]) -> Result<Vec<&str>, String> {
    let texts = values.iter().map(|value| value.to_str());
    let texts: Option<_> = texts.collect();
    texts.ok_or_else(|| "it is not UTF-8".to_owned())
}

fn parse_all<T: FromStr>(texts: &[&str]) -> Result<Vec<T>, T::Err> {
    texts.iter().map(|text| text.parse()).collect()
}

/// A list of strings in TOML.
pub(crate) fn toml_list(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let items = items.into_iter();
    let items: Vec<_> = items.map(|item| toml_string(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// Reads the output formats under `key`; at most one may go to standard output.
fn read_outputs(
    key: &'static str,
    fields: &TableReader<'_>,
) -> Option<WithSpan<Vec<OutputTarget>>> {
    let texts = fields.one_or_more(key)?;
    let span = fields.span_of(key)?;
    refuse_empty_list(key, fields);
    let mut value: Vec<OutputTarget> = Vec::new();
    for text in texts {
        let target = parse_output(text.value, &value);
        value.extend(fields.accept(
            target.map_err(|(message, help)| Mistake::new(text.span, message).with_help(help)),
        ));
    }
    Some(WithSpan { value, span })
}

/// Parses an output format; the error is a message and a help text. The file of a report must be below the folder of the
/// configuration, whose author may be unknown, and no other report may be written to it.
fn parse_output(
    text: &str,
    others: &[OutputTarget],
) -> Result<OutputTarget, (String, &'static str)> {
    let target: OutputTarget = text.parse().map_err(|error: String| {
        (
            format!("`{text}`: {error}"),
            "to write a file, append its name: \"json=report.json\"",
        )
    })?;
    let Some(file) = target.file.as_deref() else {
        if others.iter().any(|other| other.file.is_none()) {
            let message = "only one format can go to standard output".to_owned();
            return Err((message, "write all others to files: \"json=report.json\""));
        }
        return Ok(target);
    };
    let is_plain = file.components().all(|part| {
        matches!(
            part,
            Component::Normal(_) | Component::CurDir | Component::ParentDir
        )
    });
    let Some(below) = normalize(file).filter(|_| is_plain) else {
        let message = format!(
            "`{}` is outside of the configuration's folder",
            file.display()
        );
        return Err((message, "name a file below that folder, or use --format"));
    };
    let mut files = others.iter().filter_map(|other| other.file.as_deref());
    if files.any(|other| normalize(other).as_ref() == Some(&below)) {
        let message = format!("two formats would be written to `{}`", file.display());
        return Err((message, "give each its own file"));
    }
    Ok(target)
}

/// Removes `.` and `..` from a path; `None` if it climbs above its beginning.
fn normalize(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir => return None,
            named => plain.push(named),
        }
    }
    Some(plain)
}
