//! The limits of reading, which protect a run against hostile files.

use std::str::FromStr;

use sundown_exchange::DecompressionLimits;
use sundown_text_json::json::{DEFAULT_MAX_DEPTH, DocumentLimits};
use sundown_text_json::text::ExpansionFactor;

/// Limits for input from strangers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The depth to which arrays and objects of a document may nest.
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
    /// The number of bytes of a file that are looked at first.
    pub(super) fn head(&self) -> usize {
        2 * self.block
    }

    /// The limits of a document that is read as a whole.
    pub fn bounds(&self) -> DocumentLimits {
        DocumentLimits {
            depth: self.depth,
            expansion: self.expansion,
        }
    }

    /// The limits of a compressed body.
    pub fn decompression(&self) -> DecompressionLimits {
        DecompressionLimits {
            record: self.record,
            expansion: self.expansion,
        }
    }

    /// The detail of a record that is too large.
    pub fn too_large(&self) -> String {
        format!("the limit is {} bytes", self.record)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: DEFAULT_MAX_DEPTH,
            record: 256 * 1024 * 1024,
            expansion: ExpansionFactor::default(),
            block: 512 * 1024,
            findings: usize::MAX,
        }
    }
}

/// A number of bytes, at least one, written as `4096`, `512K`, `256M` or `2G`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, shift) = [("K", 10), ("M", 20), ("G", 30)]
            .into_iter()
            .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
            .unwrap_or((text, 0));
        let count: usize = digits
            .parse()
            .map_err(|_| "a size looks like 4096, 512K, 256M or 2G".to_owned())?;
        count
            .checked_mul(1 << shift)
            .filter(|&bytes| bytes > 0)
            .map(Self)
            .ok_or_else(|| "the size is out of range".to_owned())
    }
}
