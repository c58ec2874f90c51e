//! The configuration of a project: `sundown.toml`, or a table in a file of another tool.
//!
//! A file is found upward from the input, read whole and checked whole: every mistake is told with its place. What it says
//! is kept as it was said, with where; defaults and the command line come in where a run is put together.

mod allow;
mod api;
mod find;
mod keys;
mod log;
mod payload;
mod read;
mod schema;
mod settings;
mod show;
mod tables;

pub use api::Api;
pub use find::{ConfigError, ConfigFile, ConfigSearch};
pub use keys::{ConfigKey, DAYS, KEYS, KeyType};
pub use payload::Payload;
pub use schema::schema;
pub use settings::{BaselineFlag, FlagValues, ResolvedConfig, Setting, SettingSource};
pub use show::toml_string;
pub use tables::ConfigTable;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Component, Path, PathBuf};

use read::{compiled, one_of, some};

use crate::findings::suppression::Allowance;
use crate::formats::{GlobList, LogMapping, Size};
use crate::inspect::UserRole;
use crate::report::OutputTarget;
use crate::rules::Severity;
use crate::text::ExpansionFactor;
use crate::toml_file::{FileMistakes, MessageText, Mistake, TableReader, WithSpan, read_table};

/// What a configuration says. What it does not say is `None`, or empty.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "`KEYS` says what each is for")]
pub struct Config {
    pub paths: Option<WithSpan<Vec<String>>>,
    pub include: Option<WithSpan<Vec<String>>>,
    pub exclude: Option<WithSpan<Vec<String>>>,
    /// `include`, compiled.
    pub include_globs: Option<GlobList>,
    /// `exclude`, compiled.
    pub exclude_globs: Option<GlobList>,
    pub force_exclude: Option<WithSpan<bool>>,
    pub rules: Option<WithSpan<Vec<String>>>,
    pub builtin_rules: Option<WithSpan<bool>>,
    pub without_table: Option<WithSpan<Vec<String>>>,
    pub dates_from_text: Option<WithSpan<bool>>,
    pub role: Option<WithSpan<UserRole>>,
    pub max_depth: Option<WithSpan<usize>>,
    pub max_record: Option<WithSpan<Size>>,
    pub max_expansion: Option<WithSpan<ExpansionFactor>>,
    pub error_within: Option<WithSpan<i64>>,
    pub warn_within: Option<WithSpan<i64>>,
    pub response_severity: Option<WithSpan<Severity>>,
    /// `None` inside is: never.
    pub fail_on: Option<WithSpan<Option<Severity>>>,
    pub strict: Option<WithSpan<bool>>,
    pub format: Option<WithSpan<Vec<OutputTarget>>>,
    /// By rule or check, each with the place of its name; `None` is: off.
    pub severity: BTreeMap<String, WithSpan<Option<Severity>>>,
    pub baseline: Option<WithSpan<String>>,
    pub allows: Vec<Allowance>,
    pub payloads: Vec<Payload>,
    pub logs: Vec<LogMapping>,
    pub apis: Vec<Api>,
    /// All tables, as they stand in the file.
    pub tables: Vec<ConfigTable>,
}

const ROLES: [(&str, UserRole); 2] = [("owner", UserRole::Owner), ("consumer", UserRole::Consumer)];
const SEVERITIES: [(&str, Severity); 3] =
    [("error", Severity::Error), ("warning", Severity::Warning), ("note", Severity::Note)];
const THRESHOLDS: [(&str, Option<Severity>); 4] = [
    ("error", Some(Severity::Error)),
    ("warning", Some(Severity::Warning)),
    ("note", Some(Severity::Note)),
    ("never", None),
];

impl Config {
    /// Reads a configuration; the error holds every mistake in it. `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileMistakes> {
        let (config, mistakes) = read_table(text, Self::read);
        if mistakes.is_empty() {
            Ok(config)
        } else {
            Err(FileMistakes::new("configuration", name, text, mistakes))
        }
    }

    /// Reads the configuration under the first of `tables` that another tool's file has; `None` where it has none of them,
    /// whatever else may be wrong with it.
    pub fn parse_in(
        name: &str,
        text: &str,
        tables: &[&[&'static str]],
    ) -> Result<Option<Self>, FileMistakes> {
        let (config, mistakes) = read_table(text, |mut fields| {
            let path = tables.iter().find(|path| fields.reaches(path))?;
            let found = fields.inner(path);
            Some(found.map(|WithSpan { value, span }| {
                Self::read(TableReader::new(value, span, fields.mistakes()))
            }))
        });
        match config {
            Some(_) if !mistakes.is_empty() => {
                Err(FileMistakes::new("configuration", name, text, mistakes))
            }
            config => Ok(config.flatten()),
        }
    }

    /// Which of `tables` another tool's file has, whatever stands in them.
    fn tables_in(text: &str, tables: &[&'static [&'static str]]) -> Vec<&'static [&'static str]> {
        // Most files of other tools need not be parsed to be known to have none.
        if !text.contains("sundown") {
            return Vec::new();
        }
        let has = |fields: TableReader<'_, '_>| {
            tables.iter().copied().filter(|path| fields.reaches(path)).collect()
        };
        read_table(text, has).0
    }

    fn read(mut fields: TableReader<'_, '_>) -> Self {
        let (include, include_globs) = globs("include", &mut fields);
        let (exclude, exclude_globs) = globs("exclude", &mut fields);
        let fields_of = &mut fields;
        let config = Self {
            paths: texts("paths", fields_of),
            include,
            exclude,
            include_globs,
            exclude_globs,
            force_exclude: fields_of.boolean("force-exclude"),
            rules: texts("rules", fields_of),
            builtin_rules: fields_of.boolean("builtin-rules"),
            without_table: texts("without-table", fields_of),
            dates_from_text: fields_of.boolean("dates-from-text"),
            role: one_of("role", &ROLES, fields_of),
            max_depth: depth(fields_of),
            max_record: size(fields_of),
            max_expansion: expansion(fields_of),
            error_within: days("error-within", fields_of),
            warn_within: days("warn-within", fields_of),
            response_severity: one_of("response-severity", &SEVERITIES, fields_of),
            fail_on: one_of("fail-on", &THRESHOLDS, fields_of),
            strict: fields_of.boolean("strict"),
            format: formats(fields_of),
            severity: severities(fields_of),
            baseline: text("baseline", fields_of),
            allows: entries("allow", fields_of, allow::read),
            payloads: entries("payload", fields_of, Payload::read),
            logs: entries("log", fields_of, log::read),
            apis: entries("api", fields_of, Api::read),
            tables: tables::of(fields_of),
        };
        fields.finish();
        config
    }
}

/// Reads each table of the list under `key`.
fn entries<T>(
    key: &'static str,
    fields: &mut TableReader<'_, '_>,
    read: impl Fn(TableReader<'_, '_>) -> Option<T>,
) -> Vec<T> {
    let tables = fields.tables(key);
    let mut all = Vec::new();
    for WithSpan { value, span } in tables {
        // The whole table would be shown for a key that is missing from it.
        let head = span.start..span.start;
        all.extend(read(TableReader::new(value, head, fields.mistakes())));
    }
    all
}

fn text(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<String>> {
    fields.string(key).map(|text| WithSpan { value: text.value.to_owned(), span: text.span })
}

fn texts(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Vec<String>>> {
    let texts = fields.strings(key)?;
    let span = fields.span_of(key)?;
    if key == "paths" {
        some(key, &texts, fields);
    }
    for text in texts.iter().filter(|text| text.value.trim().is_empty()) {
        let message = MessageText::own(format!("`{key}` has an empty entry"));
        let mistake = Mistake::new(text.span.clone(), message);
        fields.add_mistake(mistake.with_help("take it out"));
    }
    Some(WithSpan { value: texts.iter().map(|text| text.value.to_owned()).collect(), span })
}

fn globs(
    key: &'static str,
    fields: &mut TableReader<'_, '_>,
) -> (Option<WithSpan<Vec<String>>>, Option<GlobList>) {
    let Some(globs) = fields.strings(key) else { return (None, None) };
    let span = fields.span_of(key).unwrap_or_default();
    let compiled = compiled(key, &globs, fields);
    (
        Some(WithSpan { value: globs.iter().map(|glob| glob.value.to_owned()).collect(), span }),
        compiled,
    )
}

fn depth(fields: &mut TableReader<'_, '_>) -> Option<WithSpan<usize>> {
    let WithSpan { value, span } = fields.integer("max-depth")?;
    match usize::try_from(value) {
        Ok(value) if value > 0 => Some(WithSpan { value, span }),
        _ => {
            let mistake = Mistake::new(span, "`max-depth` is a number of levels, 1 or more");
            fields.add_mistake(mistake.with_help("leave it out for the default"));
            None
        }
    }
}

fn expansion(fields: &mut TableReader<'_, '_>) -> Option<WithSpan<ExpansionFactor>> {
    let WithSpan { value, span } = fields.integer("max-expansion")?;
    match u32::try_from(value).ok().and_then(NonZeroU32::new) {
        Some(times) => Some(WithSpan { value: ExpansionFactor::new(times), span }),
        None => {
            let message = format!("`max-expansion` is a number of times, 1 to {}", u32::MAX);
            let mistake = Mistake::new(span, MessageText::own(message));
            fields.add_mistake(mistake.with_help("leave it out for the default"));
            None
        }
    }
}

fn days(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<i64>> {
    let days = fields.integer(key)?;
    if DAYS.contains(&days.value) {
        return Some(days);
    }
    let message = format!("`{key}` is a number of days from {} to {}", DAYS.start(), DAYS.end());
    fields.add_mistake(
        Mistake::new(days.span, MessageText::own(message)).with_help("a year has 365"),
    );
    None
}

fn size(fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Size>> {
    let WithSpan { value, span } = fields.string("max-record")?;
    value
        .parse()
        .map(|value| WithSpan { value, span: span.clone() })
        .map_err(|error: String| {
            fields.add_mistake(Mistake::new(span, format!("`max-record`: {error}")));
        })
        .ok()
}

/// The output formats, of which only one can go to standard output.
fn formats(fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Vec<OutputTarget>>> {
    let texts = fields.one_or_more("format")?;
    let whole = fields.span_of("format")?;
    some("format", &texts, fields);
    let mut renderings: Vec<OutputTarget> = Vec::new();
    for WithSpan { value, span } in texts {
        match value.parse::<OutputTarget>() {
            Err(error) => {
                let mistake = Mistake::new(span, format!("`{value}`: {error}"));
                fields
                    .add_mistake(mistake.with_help("with a file behind it: \"json=report.json\""));
            }
            Ok(second) if second.file.is_none() && renderings.iter().any(|r| r.file.is_none()) => {
                let mistake = Mistake::new(span, "only one format can go to standard output");
                let help = "write all but one into files: \"json=report.json\"";
                fields.add_mistake(mistake.with_help(help));
            }
            Ok(rendering) => match misplaced(&rendering, &renderings) {
                Some((message, help)) => {
                    fields.add_mistake(Mistake::new(span, message).with_help(help));
                }
                None => renderings.push(rendering),
            },
        }
    }
    Some(WithSpan { value: renderings, span: whole })
}

/// What is wrong with where a report goes, beside the others. A configuration may come from anybody: its reports stay below
/// its folder.
fn misplaced(new: &OutputTarget, others: &[OutputTarget]) -> Option<(String, &'static str)> {
    let file = new.file.as_deref()?;
    let Some(below) = below(file) else {
        let message = format!("`{}` is outside of the configuration's folder", file.display());
        return Some((message, "name a file below it, or write it with --format"));
    };
    let same =
        |other: &OutputTarget| other.file.as_deref().and_then(self::below) == Some(below.clone());
    others.iter().any(same).then(|| {
        let message = format!("two formats would be written into `{}`", file.display());
        (message, "give each a file of its own")
    })
}

/// A path without `.` and `..`, if it stays below where it begins all the way.
fn below(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => plain.push(name),
            Component::ParentDir if plain.pop() => {}
            _ => return None,
        }
    }
    Some(plain)
}

/// The severities of single rules.
fn severities(fields: &mut TableReader<'_, '_>) -> BTreeMap<String, WithSpan<Option<Severity>>> {
    let mut severities = BTreeMap::new();
    let Some(table) = fields.table("severity") else { return severities };
    for (rule, value) in table.value {
        let (name, span) = (rule.get_ref().as_ref(), value.span());
        let severity = match value.get_ref().as_str() {
            Some("off") => Some(None),
            Some(text) => SEVERITIES.iter().find(|(name, _)| *name == text).map(|(_, s)| Some(*s)),
            None => None,
        };
        match severity {
            Some(value) => {
                let span = rule.span();
                severities.insert(name.to_owned(), WithSpan { value, span });
            }
            None => {
                let mistake = Mistake::new(span, format!("the severity of `{name}` is unknown"));
                fields.add_mistake(mistake.with_help("error, warning, note or off, as a string"));
            }
        }
    }
    severities
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::report::Failure;

    fn mistakes(text: &str) -> Vec<(String, Option<String>)> {
        let mistakes = Config::parse("sundown.toml", text).unwrap_err().mistakes;
        mistakes.into_iter().map(|mistake| (mistake.message, mistake.help)).collect()
    }

    /// A file with every key, made of the examples.
    fn everything(keys: &[ConfigKey]) -> String {
        let mut text = String::new();
        for key in keys.iter().filter(|key| !key.is_table()) {
            let _ = writeln!(text, "{} = {}", key.name, key.example);
        }
        for key in keys.iter().filter(|key| key.is_table()) {
            match key.kind {
                KeyType::Tables(inner) => {
                    let _ = write!(text, "[[{}]]\n{}", key.name, everything(inner));
                }
                _ => {
                    let _ = writeln!(text, "[{}]\nsome-rule = {}", key.name, key.example);
                }
            }
        }
        text
    }

    #[test]
    fn every_documented_key_is_read() {
        let text = everything(KEYS);
        let config = Config::parse("sundown.toml", &text).unwrap_or_else(|e| {
            panic!("{}\n{text}", Failure::from(e).text());
        });
        assert_eq!((config.payloads.len(), config.logs.len(), config.apis.len()), (1, 1, 1));
        assert_eq!(config.allows.len(), 1);
        assert_eq!(config.severity.len(), 1);
    }

    #[test]
    fn every_key_that_is_read_is_documented() {
        let keys_here = |text: &str| -> Vec<String> {
            let all = mistakes(text);
            let help = all.into_iter().find(|(message, _)| message.contains("`0`")).unwrap().1;
            let help = help.unwrap();
            let list = help.strip_prefix("keys here: ").unwrap().split(", ");
            list.map(str::to_owned).collect()
        };
        let names =
            |keys: &[ConfigKey]| keys.iter().map(|key| key.name.to_owned()).collect::<Vec<_>>();
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names.dedup();
            names
        };
        assert_eq!(sorted(keys_here("0 = 1")), sorted(names(KEYS)));
        for key in KEYS {
            let KeyType::Tables(inner) = key.kind else { continue };
            let read = keys_here(&format!("[[{}]]\n0 = 1\n", key.name));
            assert_eq!(sorted(read), sorted(names(inner)), "{}", key.name);
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest() {
        let told = mistakes("exlude = [\"x\"]\nerror_within = 3\n[[payload]]\nfile = \"x\"\n");
        let helps: Vec<_> = told.iter().filter_map(|(_, help)| help.as_deref()).collect();
        for name in ["exclude", "error-within", "files"] {
            let help = format!("did you mean `{name}`?");
            assert!(helps.contains(&help.as_str()), "{helps:?}");
        }
    }

    #[test]
    fn every_mistake_is_told_at_once() {
        let told = mistakes(
            "paths = \"x\"\nrole = \"king\"\nmax-record = \"0\"\nformat = [\"xml\", \"human\", \"json\"]\n\
             include = [\"[\"]\n[severity]\na-rule = \"bad\"\n",
        );
        assert_eq!(told.len(), 7, "{told:#?}");
    }
}
