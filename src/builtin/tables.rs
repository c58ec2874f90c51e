//! The built-in rule tables.

use sundown_lint::rules::{EmbeddedTable, RuleLibrary};

use super::packs::PACKS;

/// The embedded tables of deprecation rules.
const BUILTIN: [EmbeddedTable; 3] = [
    EmbeddedTable {
        name: "client-api",
        text: include_str!("../../rules/client-api.toml"),
    },
    EmbeddedTable {
        name: "indexing-api",
        text: include_str!("../../rules/indexing-api.toml"),
    },
    EmbeddedTable {
        name: "beyond-reference",
        text: include_str!("../../rules/beyond-reference.toml"),
    },
];

/// The embedded tables of requirements, which are used only if the user asks for them.
const CONTRACT: [EmbeddedTable; 2] = [
    EmbeddedTable {
        name: "client-contract",
        text: include_str!("../../rules/client-contract.toml"),
    },
    EmbeddedTable {
        name: "indexing-contract",
        text: include_str!("../../rules/indexing-contract.toml"),
    },
];

/// The tables and packs, for the commands that load or list them.
pub(crate) const LIBRARY: RuleLibrary = RuleLibrary {
    deprecations: &BUILTIN,
    contracts: &CONTRACT,
    packs: PACKS,
};
