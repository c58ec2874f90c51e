//! The rules that a program embeds: tables that it uses by default, and packs that it uses if asked.

use super::{RuleFile, RuleOrigin, UnknownHosts};
use sundown_exchange::HostPattern;
use sundown_files::toml_file::FileMistakes;

/// All rules of a program; by default none.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleLibrary {
    /// Tables of deprecation rules.
    pub deprecations: &'static [EmbeddedTable],
    /// Tables of requirements, which are used only if the user asks for them.
    pub contracts: &'static [EmbeddedTable],
    /// Packs, in the order in which they are listed.
    pub packs: &'static [Pack],
}

/// A table embedded in the program.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedTable {
    /// The name by which users refer to it.
    pub name: &'static str,
    /// Its text, in TOML.
    pub text: &'static str,
}

/// A pack: one table for each service, because a table is bound to hosts.
#[derive(Debug, Clone, Copy)]
pub struct Pack {
    /// The name by which users refer to it.
    pub name: &'static str,
    /// Its content, and what it does not cover, in a sentence each.
    pub about: &'static str,
    /// The texts of its tables.
    pub tables: &'static [&'static str],
}

impl RuleLibrary {
    /// The tables of deprecations and of requirements.
    pub fn tables(&self) -> impl Iterator<Item = &'static EmbeddedTable> {
        self.deprecations.iter().chain(self.contracts)
    }
}

impl EmbeddedTable {
    /// Parses the table. Tests check it, so an error is a defect of the build.
    pub fn load(&self) -> Result<RuleFile, FileMistakes> {
        let file = RuleFile::parse_tested(self.name, self.text)?;
        Ok(RuleFile {
            origin: RuleOrigin::BuiltIn,
            ..file
        })
    }
}

impl Pack {
    /// Parses its tables. Tests check them, so an error is a defect of the build.
    pub fn load(&self) -> Result<Vec<RuleFile>, FileMistakes> {
        self.tables
            .iter()
            .map(|text| self.load_table(text))
            .collect()
    }

    /// The hosts that each of its tables is bound to, by the line that states them: a table takes a thousand times as long.
    pub fn hosts(&self) -> impl Iterator<Item = Vec<HostPattern>> {
        self.tables.iter().map(|text| {
            let stated = text.lines().find_map(|line| line.strip_prefix("hosts = "));
            let hosts = stated.unwrap_or_default().split('"').skip(1).step_by(2);
            hosts
                .filter_map(|host| HostPattern::parse(host).ok())
                .collect()
        })
    }

    /// Parses one of its tables.
    pub fn load_table(&self, text: &str) -> Result<RuleFile, FileMistakes> {
        let file = RuleFile::parse_tested(self.name, text)?;
        // Without hosts, the paths alone are unmistakable.
        let unknown_hosts = if file.hosts.is_empty() {
            UnknownHosts::Included
        } else {
            UnknownHosts::Excluded
        };
        Ok(RuleFile {
            origin: RuleOrigin::Pack(self.name),
            unknown_hosts,
            ..file
        })
    }
}
