//! The local files that descriptions refer to.

use std::io::{self, Read};
use std::path::Path;

use crate::config::PathBoundary;
use crate::json::DocumentLimits;
use crate::openapi::FileSource;
use crate::text::ExpansionFactor;

/// Reads the files that a description refers to. Only regular files: a pipe or a device may never end.
pub(super) struct LocalFiles {
    pub(super) max_bytes: usize,
    pub(super) bounds: DocumentLimits,
    /// The boundary of the files; `None` if they may be anywhere.
    pub(super) boundary: Option<PathBoundary>,
}

impl LocalFiles {
    /// For descriptions that are used as rules: the user trusts these, inside of the boundary.
    pub(super) fn of_rules(expansion: ExpansionFactor, boundary: Option<PathBoundary>) -> Self {
        Self {
            max_bytes: usize::MAX,
            bounds: DocumentLimits { expansion, ..DocumentLimits::default() },
            boundary,
        }
    }
}

impl FileSource for LocalFiles {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = Path::new(name);
        if let Some(boundary) = self.boundary.as_ref().filter(|boundary| !boundary.contains(path)) {
            let outside = format!("it is outside of {}; see --allow-outside", boundary.name());
            return Err(io::Error::other(outside));
        }
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut bytes = Vec::new();
        let most = u64::try_from(self.max_bytes).unwrap_or(u64::MAX);
        std::fs::File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() > self.max_bytes {
            return Err(io::Error::other("it is larger than --max-record allows"));
        }
        Ok(bytes)
    }

    fn bounds(&self) -> DocumentLimits {
        self.bounds
    }
}
