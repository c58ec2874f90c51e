//! The limits of reading, which protect a run against hostile files.

use crate::text::ExpansionFactor;

/// Limits for input from strangers.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The depth to which arrays and objects may nest. A document that is loaded as a whole nests no deeper than
    /// [`MAX_DOCUMENT_DEPTH`](crate::json::MAX_DOCUMENT_DEPTH).
    pub depth: usize,
    /// The largest record in bytes: a line, an entry, or another document.
    pub record: usize,
    /// The limits for compressed data and aliases, as a multiple of the usual ones.
    pub expansion: ExpansionFactor,
    /// The approximate size of a block in bytes: small enough for the processor's cache, large enough to read fast.
    pub block: usize,
    /// About how many bytes the findings of a file may take.
    pub findings: usize,
}

impl Limits {
    /// The detail of a record that is too large.
    pub fn too_large(&self) -> String {
        format!("the limit is {} bytes", self.record)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 1_000_000,
            record: 256 * 1024 * 1024,
            expansion: ExpansionFactor::default(),
            block: 512 * 1024,
            findings: usize::MAX,
        }
    }
}
