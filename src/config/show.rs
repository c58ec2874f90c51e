//! The page of `sundown config`: what is in force, as TOML, with where each value came from behind it.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::settings::{ResolvedConfig, Setting, SettingSource};
use super::{ConfigFile, KEYS};
use crate::inspect::UserRole;
use crate::report::OutputTarget;
use crate::rules::Severity;
use crate::text::{ExpansionFactor, escape_unsafe};

/// A value as TOML would have it; `None` where there is none to show.
trait ToToml {
    fn to_toml(&self) -> Option<String>;
}

impl ResolvedConfig {
    /// What is in force: settings first, then the tables of the configuration as they stand there.
    pub fn page(&self, file: Option<&ConfigFile>) -> String {
        let mut page = match file {
            Some(file) => {
                format!("# configuration: {}\n", escape_unsafe(&file.path.display().to_string()))
            }
            None => "# no configuration was found; `sundown init` writes one\n".to_owned(),
        };
        let rows = self.rows();
        let line = |row: &SettingRow<'_>| match &row.value {
            Some(value) => format!("{} = {value}", row.name),
            None => format!("# {} is not set", row.name),
        };
        let width = rows.iter().map(|row| line(row).chars().count()).max().unwrap_or_default();
        for row in &rows {
            let (line, origin) = (line(row), escape_unsafe(&row.origin.words(file)).into_owned());
            let _ = writeln!(page, "{line:width$}  # {origin}");
        }
        for table in file.map(|file| file.config.tables.as_slice()).unwrap_or_default() {
            let origin = SettingSource::File(table.at).words(file);
            let _ = write!(page, "\n{}  # {}\n{}", table.head, escape_unsafe(&origin), table.body);
        }
        page
    }

    fn rows(&self) -> Vec<SettingRow<'_>> {
        let rows = vec![
            row("paths", &self.paths),
            row("include", &self.include),
            row("exclude", &self.exclude),
            row("force-exclude", &self.force_exclude),
            row("rules", &self.rules),
            row("builtin-rules", &self.builtin_rules),
            row("without-table", &self.without_table),
            row("dates-from-text", &self.dates_from_text),
            row("role", &self.role),
            row("max-depth", &self.max_depth),
            row("max-record", &self.max_record),
            row("max-expansion", &self.max_expansion),
            row("error-within", &self.error_within),
            row("warn-within", &self.warn_within),
            row("response-severity", &self.response_severity),
            fail_on(&self.fail_on),
            row("strict", &self.strict),
            row("baseline", &self.baseline),
            row("format", &self.format),
        ];
        debug_assert!(
            KEYS.iter()
                .filter(|key| !key.is_table())
                .all(|key| rows.iter().any(|row| row.name == key.name)),
            "a key of the configuration is not shown"
        );
        rows
    }
}

/// A line of the page.
struct SettingRow<'s> {
    name: &'static str,
    value: Option<String>,
    origin: &'s SettingSource,
}

fn row<'s, T: ToToml>(name: &'static str, setting: &'s Setting<T>) -> SettingRow<'s> {
    SettingRow { name, value: setting.value.to_toml(), origin: &setting.origin }
}

/// The one setting in which no value has a name.
fn fail_on(setting: &Setting<Option<Severity>>) -> SettingRow<'_> {
    let value = setting.value.to_toml().or_else(|| Some("\"never\"".to_owned()));
    SettingRow { name: "fail-on", value, origin: &setting.origin }
}

/// A TOML string.
pub fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            unsafe_one if crate::text::is_unsafe(unsafe_one) => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(unsafe_one));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl ToToml for bool {
    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl ToToml for i64 {
    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl ToToml for usize {
    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl ToToml for ExpansionFactor {
    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl ToToml for String {
    fn to_toml(&self) -> Option<String> {
        Some(toml_string(self))
    }
}

impl ToToml for PathBuf {
    fn to_toml(&self) -> Option<String> {
        Some(toml_string(&self.to_string_lossy()))
    }
}

impl ToToml for Severity {
    fn to_toml(&self) -> Option<String> {
        Some(toml_string(self.name()))
    }
}

impl ToToml for UserRole {
    fn to_toml(&self) -> Option<String> {
        match self {
            Self::Either => None,
            Self::Owner => Some(toml_string("owner")),
            Self::Consumer => Some(toml_string("consumer")),
        }
    }
}

impl ToToml for crate::formats::Size {
    fn to_toml(&self) -> Option<String> {
        let units = [(30, "G"), (20, "M"), (10, "K")];
        let whole = units.into_iter().find(|(shift, _)| self.0.is_multiple_of(1 << shift));
        Some(match whole {
            Some((shift, unit)) => format!("\"{}{unit}\"", self.0 >> shift),
            None => format!("\"{}\"", self.0),
        })
    }
}

impl ToToml for OutputTarget {
    fn to_toml(&self) -> Option<String> {
        let file = self.file.as_ref().map(|file| format!("={}", file.display()));
        Some(toml_string(&format!("{}{}", self.format.name(), file.unwrap_or_default())))
    }
}

impl<T: ToToml> ToToml for Option<T> {
    fn to_toml(&self) -> Option<String> {
        self.as_ref()?.to_toml()
    }
}

impl<T: ToToml> ToToml for Vec<T> {
    fn to_toml(&self) -> Option<String> {
        let items: Vec<String> = self.iter().filter_map(ToToml::to_toml).collect();
        Some(format!("[{}]", items.join(", ")))
    }
}
