//! What the prose of a description says about a deprecated element: its replacement, and the sentence that announces it.
//!
//! A name counts as a replacement only if the description itself has an element of this name. Otherwise the sentence is quoted.

mod markup;
mod operations;
mod properties;
mod reader;
mod sentences;
mod spelling;

pub use reader::{DeprecatedElement, ProseReader};

/// What prose says about a deprecated element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProseAdvice {
    /// The replacement, by the names that the description has for it.
    pub replacement: Option<String>,
    /// The sentence about the deprecation, without markup, if no replacement was found.
    pub note: Option<String>,
}
