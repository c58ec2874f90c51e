//! The rule tables that come with the program.

use super::RuleFile;
use crate::toml_file::FileMistakes;

/// A table embedded in the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// By what the user leaves it out.
    pub name: &'static str,
    text: &'static str,
}

/// All embedded tables.
pub const BUILTIN: [Builtin; 3] = [
    Builtin { name: "client-api", text: include_str!("../../rules/client-api.toml") },
    Builtin { name: "indexing-api", text: include_str!("../../rules/indexing-api.toml") },
    Builtin { name: "beyond-reference", text: include_str!("../../rules/beyond-reference.toml") },
];

impl Builtin {
    /// Reads the table. It is checked by tests, so an error is a defect of the build.
    pub fn load(&self) -> Result<RuleFile, FileMistakes> {
        RuleFile::parse(self.name, self.text)
    }
}
