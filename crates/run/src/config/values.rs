//! The types of settings: how a value is read from a file, parsed from a flag, and printed as TOML.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use super::keys::{DAYS, KeyType};
use super::outputs::read_outputs;
use super::readers::{compile_globs, read_one_of, read_texts};
use sundown_captures::Size;
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Severity, TargetVersion};
use sundown_report::OutputTarget;
use sundown_text_json::text::ExpansionFactor;
use sundown_text_json::text::toml::string as toml_string;

/// A type that a setting may have.
pub(super) trait SettingValue: Clone + Sized {
    /// The type as the schema and the reference describe it.
    const TYPE: KeyType;

    /// Reads the value under `key`; notes every mistake in it.
    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>>;

    /// Parses the values of a flag; the error says what is wrong with them.
    fn parse(values: &[OsString]) -> Result<Self, String>;

    /// Makes paths that are relative to `folder` relative to the working directory.
    fn relative_to(self, _folder: &Path) -> Self {
        self
    }

    /// The paths in the value.
    fn paths(&self) -> Vec<&Path> {
        Vec::new()
    }

    /// Prints the value as TOML; `None` if there is nothing to print.
    fn to_toml(&self) -> Option<String>;
}

/// The globs of `include` and `exclude`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GlobTexts(pub Vec<String>);

/// The least severity that makes a run fail; `None` if no finding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailThreshold(pub Option<Severity>);

/// A type whose values have names.
trait NamedValue: Copy + PartialEq + 'static {
    fn values() -> Vec<(&'static str, Self)>;

    fn names() -> Vec<&'static str> {
        Self::values().into_iter().map(|(name, _)| name).collect()
    }
}

impl NamedValue for Severity {
    fn values() -> Vec<(&'static str, Self)> {
        Self::ALL
            .map(|severity| (severity.name(), severity))
            .to_vec()
    }
}

impl NamedValue for FailThreshold {
    fn values() -> Vec<(&'static str, Self)> {
        let severities = Severity::ALL.map(|severity| (severity.name(), Self(Some(severity))));
        severities
            .into_iter()
            .chain([("never", Self(None))])
            .collect()
    }
}

impl NamedValue for UserRole {
    fn values() -> Vec<(&'static str, Self)> {
        vec![("owner", Self::Owner), ("consumer", Self::Consumer)]
    }
}

impl<T: NamedValue> SettingValue for T {
    const TYPE: KeyType = KeyType::OneOf(T::names);

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        read_one_of(key, &T::values(), fields)
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        let text = only(values)?;
        let mut values = T::values().into_iter();
        let (_, value) = values
            .find(|(name, _)| *name == text)
            .ok_or_else(|| format!("it is one of {}", T::names().join(", ")))?;
        Ok(value)
    }

    fn to_toml(&self) -> Option<String> {
        let (name, _) = T::values().into_iter().find(|(_, value)| value == self)?;
        Some(toml_string(name))
    }
}

impl SettingValue for bool {
    const TYPE: KeyType = KeyType::Boolean;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        fields.boolean(key)
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        only(values)?
            .parse()
            .map_err(|_| "it is true or false".to_owned())
    }

    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A number of levels.
impl SettingValue for usize {
    const TYPE: KeyType = KeyType::Levels;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        read_number(key, fields, LEVELS, "omit it for the default", |levels| {
            Self::try_from(levels).ok().filter(|levels| *levels > 0)
        })
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        only(values)?
            .parse()
            .ok()
            .filter(|levels| *levels > 0)
            .ok_or_else(|| format!("it is {LEVELS}"))
    }

    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A number of days.
impl SettingValue for i64 {
    const TYPE: KeyType = KeyType::Days;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        read_number(key, fields, &number_of_days(), "a year has 365", |days| {
            Some(days).filter(|days| DAYS.contains(days))
        })
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        only(values)?
            .parse()
            .ok()
            .filter(|days| DAYS.contains(days))
            .ok_or_else(|| format!("it is {}", number_of_days()))
    }

    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl SettingValue for ExpansionFactor {
    const TYPE: KeyType = KeyType::Factor;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        let what = format!("a factor from 1 to {}", u32::MAX);
        read_number(key, fields, &what, "omit it for the default", |factor| {
            NonZeroU32::new(u32::try_from(factor).ok()?).map(Self::new)
        })
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        only(values)?.parse()
    }

    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl SettingValue for Size {
    const TYPE: KeyType = KeyType::Text;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        let WithSpan { value, span } = fields.string(key)?;
        fields.accept(match value.parse::<Self>() {
            Ok(value) => Ok(WithSpan { value, span }),
            Err(error) => Err(Mistake::new(span, format!("`{key}`: {error}"))),
        })
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        only(values)?.parse()
    }

    fn to_toml(&self) -> Option<String> {
        let (shift, unit) = [(30, "G"), (20, "M"), (10, "K"), (0, "")]
            .into_iter()
            .find(|(shift, _)| self.0.is_multiple_of(1 << shift))?;
        Some(format!("\"{}{unit}\"", self.0 >> shift))
    }
}

impl SettingValue for PathBuf {
    const TYPE: KeyType = KeyType::Path;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        Some(fields.string(key)?.map(Self::from))
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        values
            .last()
            .map(Self::from)
            .ok_or_else(|| "a path is missing".to_owned())
    }

    fn relative_to(self, folder: &Path) -> Self {
        folder.join(self)
    }

    fn paths(&self) -> Vec<&Path> {
        vec![self]
    }

    fn to_toml(&self) -> Option<String> {
        Some(toml_string(&self.to_string_lossy()))
    }
}

impl SettingValue for Vec<PathBuf> {
    const TYPE: KeyType = KeyType::Paths;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        let texts = read_texts(key, fields)?;
        Some(texts.map(|texts| texts.into_iter().map(PathBuf::from).collect()))
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        Ok(values.iter().map(PathBuf::from).collect())
    }

    fn relative_to(self, folder: &Path) -> Self {
        self.into_iter().map(|path| folder.join(path)).collect()
    }

    fn paths(&self) -> Vec<&Path> {
        self.iter().map(PathBuf::as_path).collect()
    }

    fn to_toml(&self) -> Option<String> {
        Some(list(self.iter().filter_map(SettingValue::to_toml)))
    }
}

impl SettingValue for Vec<String> {
    const TYPE: KeyType = KeyType::Texts;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        read_texts(key, fields)
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        values
            .iter()
            .map(|value| text(value).map(str::to_owned))
            .collect()
    }

    fn to_toml(&self) -> Option<String> {
        Some(list(self.iter().map(|text| toml_string(text))))
    }
}

impl SettingValue for Vec<TargetVersion> {
    const TYPE: KeyType = KeyType::Texts;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        let texts = fields.strings(key)?;
        let span = fields.span_of(key)?;
        let targets = texts.into_iter().filter_map(|WithSpan { value, span }| {
            let target = value.parse().map_err(|why: String| {
                Mistake::new(span, MessageText::own(format!("`{key}`: {why}")))
            });
            fields.accept(target)
        });
        let value = targets.collect();
        Some(WithSpan { value, span })
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        values.iter().map(|value| text(value)?.parse()).collect()
    }

    fn to_toml(&self) -> Option<String> {
        Some(list(
            self.iter().map(|target| toml_string(&target.to_string())),
        ))
    }
}

impl SettingValue for GlobTexts {
    const TYPE: KeyType = KeyType::Texts;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        let globs = fields.strings(key)?;
        let span = fields.span_of(key)?;
        compile_globs(key, &globs, fields);
        let texts = globs.into_iter().map(|glob| glob.value.to_owned());
        Some(WithSpan {
            value: Self(texts.collect()),
            span,
        })
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        SettingValue::parse(values).map(Self)
    }

    fn to_toml(&self) -> Option<String> {
        self.0.to_toml()
    }
}

impl SettingValue for Vec<OutputTarget> {
    const TYPE: KeyType = KeyType::Outputs;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        read_outputs(key, fields)
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        values.iter().map(|value| text(value)?.parse()).collect()
    }

    fn relative_to(self, folder: &Path) -> Self {
        self.into_iter()
            .map(|target| OutputTarget {
                file: target.file.relative_to(folder),
                ..target
            })
            .collect()
    }

    fn paths(&self) -> Vec<&Path> {
        self.iter()
            .filter_map(|target| target.file.as_deref())
            .collect()
    }

    fn to_toml(&self) -> Option<String> {
        Some(list(self.iter().map(|target| {
            let name = target.format.name();
            toml_string(&match &target.file {
                Some(file) => format!("{name}={}", file.display()),
                None => name.to_owned(),
            })
        })))
    }
}

/// A setting that may have no value.
impl<T: SettingValue> SettingValue for Option<T> {
    const TYPE: KeyType = T::TYPE;

    fn read(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<WithSpan<Self>> {
        Some(T::read(key, fields)?.map(Some))
    }

    fn parse(values: &[OsString]) -> Result<Self, String> {
        if values.is_empty() {
            Ok(None)
        } else {
            T::parse(values).map(Some)
        }
    }

    fn relative_to(self, folder: &Path) -> Self {
        self.map(|value| value.relative_to(folder))
    }

    fn paths(&self) -> Vec<&Path> {
        self.as_ref().map(T::paths).unwrap_or_default()
    }

    fn to_toml(&self) -> Option<String> {
        self.as_ref()?.to_toml()
    }
}

/// The numbers of levels, in words.
const LEVELS: &str = "a number of levels, 1 or more";

/// The numbers of days, in words.
fn number_of_days() -> String {
    format!("a number of days from {} to {}", DAYS.start(), DAYS.end())
}

/// Reads an integer that `convert` accepts; `what` describes these.
fn read_number<T>(
    key: &'static str,
    fields: &mut TableReader<'_, '_>,
    what: &str,
    help: &'static str,
    convert: impl FnOnce(i64) -> Option<T>,
) -> Option<WithSpan<T>> {
    let WithSpan { value, span } = fields.integer(key)?;
    let Some(value) = convert(value) else {
        fields.refuse(span, MessageText::own(format!("`{key}` is {what}")), help);
        return None;
    };
    Some(WithSpan { value, span })
}

/// Returns the value of a flag that has one.
fn only(values: &[OsString]) -> Result<&str, String> {
    text(
        values
            .last()
            .ok_or_else(|| "a value is missing".to_owned())?,
    )
}

fn text(value: &OsString) -> Result<&str, String> {
    value.to_str().ok_or_else(|| "it is not UTF-8".to_owned())
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
