//! The reasons for which a filter is refused.

/// A construct that a filter must not use. The author of the rule has to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterError {
    /// The construct.
    pub what: &'static str,
    /// Why it is refused, or what to write instead.
    pub help: &'static str,
}
