//! Whether a schema is deprecated.

/// Whether the values that a schema describes are deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeprecationStatus {
    NotDeprecated,
    /// Deprecated in one alternative and not in another.
    Possible,
    Deprecated,
}
