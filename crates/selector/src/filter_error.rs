//! Errors of filters.

/// A construct that a filter must not use. The author of the rule has to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterError {
    /// The construct.
    pub what: &'static str,
    /// The reason, or what to write instead.
    pub help: &'static str,
}
