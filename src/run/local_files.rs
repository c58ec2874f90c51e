//! The local files that descriptions refer to.

use std::io;
use std::path::Path;

use crate::config::PathBoundary;
use crate::files::FileAccess;
use crate::json::DocumentLimits;
use crate::openapi::FileSource;
use crate::text::ExpansionFactor;

/// The size of the largest rules file or description that is used as rules, in bytes.
pub(super) const MAX_RULES: u64 = 256 << 20;

/// Reads the files that a description refers to. Only regular files: a pipe or a device may never end.
pub(super) struct LocalFiles<'a> {
    pub(super) access: &'a FileAccess,
    pub(super) max_bytes: u64,
    pub(super) bounds: DocumentLimits,
    /// The boundary of the files; `None` if they may be anywhere.
    pub(super) boundary: Option<PathBoundary>,
}

impl<'a> LocalFiles<'a> {
    /// For descriptions that are used as rules: the user trusts these, inside of the boundary.
    pub(super) fn of_rules(
        access: &'a FileAccess,
        expansion: ExpansionFactor,
        boundary: Option<PathBoundary>,
    ) -> Self {
        Self {
            access,
            max_bytes: MAX_RULES,
            bounds: DocumentLimits { expansion, ..DocumentLimits::default() },
            boundary,
        }
    }
}

impl FileSource for LocalFiles<'_> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = Path::new(name);
        if let Some(boundary) = self.boundary.as_ref().filter(|boundary| !boundary.contains(path)) {
            let outside = format!("it is outside of {}; see --allow-outside", boundary.name());
            return Err(io::Error::other(outside));
        }
        self.access.read_whole(path, self.max_bytes)
    }

    fn bounds(&self) -> DocumentLimits {
        self.bounds
    }
}
