//! The built-in rule tables.

use sundown_files::toml_file::FileMistakes;
use sundown_lint::rules::{RuleFile, RuleOrigin};

/// A table embedded in the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// The name by which users refer to it.
    pub name: &'static str,
    text: &'static str,
}

/// The embedded tables of deprecation rules.
pub const BUILTIN: [Builtin; 3] = [
    Builtin {
        name: "client-api",
        text: include_str!("../../rules/client-api.toml"),
    },
    Builtin {
        name: "indexing-api",
        text: include_str!("../../rules/indexing-api.toml"),
    },
    Builtin {
        name: "beyond-reference",
        text: include_str!("../../rules/beyond-reference.toml"),
    },
];

/// The embedded tables of requirements, which are used only if the user asks for them.
pub const CONTRACT: [Builtin; 2] = [
    Builtin {
        name: "client-contract",
        text: include_str!("../../rules/client-contract.toml"),
    },
    Builtin {
        name: "indexing-contract",
        text: include_str!("../../rules/indexing-contract.toml"),
    },
];

impl Builtin {
    /// Parses the table. Tests check it, so an error is a defect of the build.
    pub fn load(&self) -> Result<RuleFile, FileMistakes> {
        let file = RuleFile::parse(self.name, self.text)?;
        Ok(RuleFile {
            origin: RuleOrigin::BuiltIn,
            ..file
        })
    }
}
