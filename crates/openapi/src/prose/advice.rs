//! What prose says about an element.

/// Advice that prose gives about a deprecated element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProseAdvice {
    /// The replacement, by the names that the description has for it.
    pub replacement: Option<String>,
    /// The sentence about the deprecation, without markup: if no replacement was found, or if it says in which version the
    /// element ends.
    pub note: Option<String>,
}
