//! The marks of 64 bytes.

/// The marks among 64 bytes, one bit each, the first byte in the lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::json) struct Word {
    /// The quotes that begin or end a string.
    pub(in crate::json) quotes: u64,
    /// The opening brackets of both kinds outside strings.
    pub(in crate::json) open: u64,
    /// The closing brackets of both kinds outside strings.
    pub(in crate::json) close: u64,
    /// The colons outside strings.
    pub(in crate::json) colon: u64,
}
