//! The page of `sundown config`: what is in force, as TOML, with where each value came from behind it.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::settings::{Origin, Setting, Settings};
use super::{ConfigFile, KEYS};
use crate::inspect::UserRole;
use crate::report::OutputTarget;
use crate::rules::Severity;
use crate::text::{ExpansionFactor, escape_unsafe};

/// A value as TOML would have it; `None` where there is none to show.
trait Written {
    fn written(&self) -> Option<String>;
}

impl Settings {
    /// What is in force: settings first, then the tables of the configuration as they stand there.
    pub fn page(&self, file: Option<&ConfigFile>) -> String {
        let mut page = match file {
            Some(file) => {
                format!("# configuration: {}\n", escape_unsafe(&file.path.display().to_string()))
            }
            None => "# no configuration was found; `sundown init` writes one\n".to_owned(),
        };
        let rows = self.rows();
        let line = |row: &Row<'_>| match &row.value {
            Some(value) => format!("{} = {value}", row.name),
            None => format!("# {} is not set", row.name),
        };
        let width = rows.iter().map(|row| line(row).chars().count()).max().unwrap_or_default();
        for row in &rows {
            let (line, origin) = (line(row), escape_unsafe(&row.origin.words(file)).into_owned());
            let _ = writeln!(page, "{line:width$}  # {origin}");
        }
        for table in file.map(|file| file.config.tables.as_slice()).unwrap_or_default() {
            let origin = Origin::File(table.at).words(file);
            let _ = write!(page, "\n{}  # {}\n{}", table.head, escape_unsafe(&origin), table.body);
        }
        page
    }

    fn rows(&self) -> Vec<Row<'_>> {
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
struct Row<'s> {
    name: &'static str,
    value: Option<String>,
    origin: &'s Origin,
}

fn row<'s, T: Written>(name: &'static str, setting: &'s Setting<T>) -> Row<'s> {
    Row { name, value: setting.value.written(), origin: &setting.origin }
}

/// The one setting in which no value has a name.
fn fail_on(setting: &Setting<Option<Severity>>) -> Row<'_> {
    let value = setting.value.written().or_else(|| Some("\"never\"".to_owned()));
    Row { name: "fail-on", value, origin: &setting.origin }
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
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

impl Written for bool {
    fn written(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Written for i64 {
    fn written(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Written for usize {
    fn written(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Written for ExpansionFactor {
    fn written(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Written for String {
    fn written(&self) -> Option<String> {
        Some(quoted(self))
    }
}

impl Written for PathBuf {
    fn written(&self) -> Option<String> {
        Some(quoted(&self.to_string_lossy()))
    }
}

impl Written for Severity {
    fn written(&self) -> Option<String> {
        Some(quoted(self.name()))
    }
}

impl Written for UserRole {
    fn written(&self) -> Option<String> {
        match self {
            Self::Either => None,
            Self::Owner => Some(quoted("owner")),
            Self::Consumer => Some(quoted("consumer")),
        }
    }
}

impl Written for crate::formats::Size {
    fn written(&self) -> Option<String> {
        let units = [(30, "G"), (20, "M"), (10, "K")];
        let whole = units.into_iter().find(|(shift, _)| self.0.is_multiple_of(1 << shift));
        Some(match whole {
            Some((shift, unit)) => format!("\"{}{unit}\"", self.0 >> shift),
            None => format!("\"{}\"", self.0),
        })
    }
}

impl Written for OutputTarget {
    fn written(&self) -> Option<String> {
        let file = self.file.as_ref().map(|file| format!("={}", file.display()));
        Some(quoted(&format!("{}{}", self.format.name(), file.unwrap_or_default())))
    }
}

impl<T: Written> Written for Option<T> {
    fn written(&self) -> Option<String> {
        self.as_ref()?.written()
    }
}

impl<T: Written> Written for Vec<T> {
    fn written(&self) -> Option<String> {
        let items: Vec<String> = self.iter().filter_map(Written::written).collect();
        Some(format!("[{}]", items.join(", ")))
    }
}
