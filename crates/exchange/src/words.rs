//! Words and names by which calls and their parts are understood. `words.toml` has and describes them.

use std::sync::LazyLock;

use serde::Deserialize;
use sundown_text_json::text::toml::read_own;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "the file of the words describes them")]
pub(crate) struct Words {
    pub registered_methods: Vec<String>,
    pub private_domains: Vec<String>,
    pub common_domains: Vec<String>,
    pub single_fields: Vec<String>,
    pub other_announcements: Vec<String>,
    pub in_warnings: Vec<String>,
    pub test_endings: Vec<String>,
    pub script_schemes: Vec<String>,
    pub foreign_schemes: Vec<String>,
    pub library_chunks: Vec<String>,
    pub library_folders: Vec<String>,
    pub attribute_holders: Vec<String>,
    pub tests: Vec<String>,
    pub notations: Vec<[String; 2]>,
    pub other_kinds: Vec<[String; 2]>,
}

/// The words.
pub(crate) static WORDS: LazyLock<Words> =
    LazyLock::new(|| read_own(include_str!("../words.toml")));
