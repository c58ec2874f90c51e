//! The page of `sundown config`: every setting with its value and its source.

use std::fmt::Write as _;

use super::file::Config;
use super::settings::{SETTINGS, SettingSource};
use sundown_report::{Cell, Table};
use sundown_text_json::text::escape_unsafe;

impl Config {
    /// Prints the settings, and the tables of the configuration as they are written there.
    pub fn page(mut self) -> String {
        let mut page = match &self.path {
            Some(_) => format!("# configuration: {}\n", escape_unsafe(&self.name())),
            None => "# no configuration found; `sundown init` writes one\n".to_owned(),
        };
        let rows = SETTINGS.iter().map(|setting| {
            let name = setting.key.name;
            let line = match self.settings.slot(name).and_then(|slot| slot.to_toml()) {
                Some(value) => format!("{name} = {value}"),
                None => format!("# {name} is not set"),
            };
            let source = self.describe_source(self.settings.source(name));
            [Cell::from(line), format!("# {source}").into()]
        });
        // Values are copied: none is cut off for a terminal.
        for line in Table::plain(2).lines(rows, None) {
            let _ = writeln!(page, "{}", line.trim_start());
        }
        for table in &self.tables {
            let source = self.describe_source(&SettingSource::File(table.span.clone()));
            let _ = writeln!(page, "\n{}  # {}", table.head, escape_unsafe(&source));
            for (key, value) in &table.entries {
                let [key, value] = [key, value].map(|span| {
                    let lines = self.text.get(span.clone()).unwrap_or_default().lines();
                    lines.map(escape_unsafe).collect::<Vec<_>>().join("\n")
                });
                let _ = writeln!(page, "{key} = {value}");
            }
        }
        page
    }

    /// Describes a source in words.
    fn describe_source(&self, source: &SettingSource) -> String {
        match source {
            SettingSource::Default => "default".to_owned(),
            SettingSource::Other(cause) => format!("because of {cause}"),
            SettingSource::CommandLine("PATH") => "command line".to_owned(),
            SettingSource::CommandLine(flag) => format!("command line: --{flag}"),
            SettingSource::File(span) => {
                let before = self.text.get(..span.start).unwrap_or_default();
                format!("{}:{}", self.name(), before.matches('\n').count() + 1)
            }
        }
    }
}
