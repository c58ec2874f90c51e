//! The page of `sundown config`: every setting as TOML, with its source in a comment.

use std::fmt::Write as _;

use super::search::ConfigFile;
use super::settings::ResolvedConfig;
use super::source::{SettingRow, SettingSource};
use crate::text::escape_unsafe;

impl ResolvedConfig {
    /// Prints the settings, and the tables of the configuration as they are written there.
    pub fn page(&self, file: Option<&ConfigFile>) -> String {
        let mut page = match file {
            Some(file) => {
                format!(
                    "# configuration: {}\n",
                    escape_unsafe(&file.path.display().to_string())
                )
            }
            None => "# no configuration found; `sundown init` writes one\n".to_owned(),
        };
        let rows = self.rows();
        let line = |row: &SettingRow<'_>| match &row.value {
            Some(value) => format!("{} = {value}", row.name),
            None => format!("# {} is not set", row.name),
        };
        let width = rows
            .iter()
            .map(|row| line(row).chars().count())
            .max()
            .unwrap_or_default();
        for row in &rows {
            let (line, source) = (
                line(row),
                escape_unsafe(&describe_source(row.source, file)).into_owned(),
            );
            let _ = writeln!(page, "{line:width$}  # {source}");
        }
        for table in file
            .map(|file| file.config.tables.as_slice())
            .unwrap_or_default()
        {
            let source = describe_source(&SettingSource::File(table.offset), file);
            let _ = write!(
                page,
                "\n{}  # {}\n{}",
                table.head,
                escape_unsafe(&source),
                table.body
            );
        }
        page
    }
}

/// Describes a source in words; `file` is the configuration.
fn describe_source(source: &SettingSource, file: Option<&ConfigFile>) -> String {
    match source {
        SettingSource::Default => "default".to_owned(),
        SettingSource::Environment(variable) => format!("because of {variable}"),
        SettingSource::CommandLine("PATH") => "command line".to_owned(),
        SettingSource::CommandLine(flag) => format!("command line: {flag}"),
        SettingSource::File(offset) => {
            let place =
                |file: &ConfigFile| format!("{}:{}", file.path.display(), file.line(*offset));
            file.map(place).unwrap_or_default()
        }
    }
}
