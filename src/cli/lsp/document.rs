//! A document that is open in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::text_index::TextIndex;
use sundown_files::full_path;
use sundown_report::uri;
use sundown_run::config::CONFIG_NAME;

/// The size of the largest document that is checked, in bytes.
const MAX_DOCUMENT: usize = 4 << 20;

/// A document.
pub(super) struct OpenDocument {
    pub uri: String,
    pub path: PathBuf,
    /// Its text; `None` if it is too large.
    pub index: Option<TextIndex>,
}

/// The open documents, by their URIs.
pub(super) type Documents = BTreeMap<String, OpenDocument>;

impl OpenDocument {
    /// Takes the text of a document; `None` if it is no file.
    pub(super) fn new(uri: &str, text: &str) -> Option<Self> {
        let is_small = text.len() <= MAX_DOCUMENT;
        Some(Self {
            uri: uri.to_owned(),
            path: full_path(&uri::to_path(uri)?)?,
            index: is_small.then(|| TextIndex::new(text.to_owned())),
        })
    }

    /// Whether it is a list of rules or something else that is not checked as an input.
    pub(super) fn is_table(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "toml")
    }
}

/// Whether a file is a configuration.
pub(super) fn is_configuration(path: &Path) -> bool {
    path.ends_with(CONFIG_NAME)
}
