//! A rules file: its rules, its requirements, and what they share. A program embeds some: tables that it uses by default, and packs
//! that it uses if asked.

use chrono::NaiveDate;

use super::{DescribedRules, Rule};
use sundown_exchange::{HostPattern, OperationPattern};
use sundown_files::toml_file::FileMistakes;
use sundown_selector::Selector;

/// A checked rules file.
#[derive(Debug, Clone, Default)]
pub struct RuleFile {
    /// The name for messages: the path, or the name of the built-in table.
    pub name: String,
    /// The API that the rules are about.
    pub api: String,
    /// The path with which all its operations start, if the file states one. The operations of descriptions have their own.
    pub base_path: Option<OperationPattern>,
    /// The hosts that serve its operations; none allow any host.
    pub hosts: Vec<HostPattern>,
    /// Free-form maps, whose keys are chosen by customers. Rules do not apply inside.
    pub opaque: Vec<Selector>,
    /// Its rules in their order.
    pub rules: Vec<Rule>,
    /// Its requirements in their order.
    pub requirements: Vec<Rule>,
    /// The rules that API descriptions locate.
    pub described: Vec<DescribedRules>,
    /// Notes for the user about parts of the file that cannot be used.
    pub notes: Vec<String>,
    /// The warnings about parts of the file that are probably wrong, if there are any.
    pub doubts: Option<Box<FileMistakes>>,
    /// Where it comes from.
    pub origin: RuleOrigin,
    /// The day on which the oldest of its sources was read, if it names any.
    pub facts_read: Option<NaiveDate>,
}

/// Where a rules file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuleOrigin {
    /// It is a table of the pack with this name.
    Pack(&'static str),
    /// It is a built-in table.
    BuiltIn,
    /// The user wrote it.
    #[default]
    User,
    /// It is made of the marks in an API description that the user named.
    Description,
}

impl RuleOrigin {
    /// Returns whether the user named the file or the description, which is no part of the program.
    pub fn is_users(self) -> bool {
        matches!(self, Self::User | Self::Description)
    }

    /// The name of the pack that it is a table of.
    pub fn pack(self) -> Option<&'static str> {
        match self {
            Self::Pack(name) => Some(name),
            Self::BuiltIn | Self::User | Self::Description => None,
        }
    }
}

impl RuleFile {
    /// The number of entries. An entry about a schema may be several rules, one for each name of its properties.
    pub fn count(&self) -> usize {
        self.rules.chunk_by(|one, next| one.id == next.id).count() + self.requirements.len()
    }
}

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
        RuleFile::parse_tested(self.name, self.text, RuleOrigin::BuiltIn)
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
        RuleFile::parse_tested(self.name, text, RuleOrigin::Pack(self.name))
    }
}
