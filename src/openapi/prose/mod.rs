//! What the prose of a description says about an element: whether it is deprecated, since when and until when, its replacement,
//! and the sentence that announces it.
//!
//! A name counts as a replacement only if the description itself has an element of this name. Otherwise the sentence is quoted.

mod clause;
mod dates;
mod markup;
mod operations;
mod pattern;
mod properties;
mod reader;
mod sentences;
mod spelling;
mod statement;
mod subject;
mod texts;
mod words;

pub(super) use dates::stated_dates;
pub use reader::{DeprecatedElement, ProseReader};
pub(super) use statement::{mentions_deprecation, says_deprecated};
pub(super) use subject::{ProseSubject, SubjectKind};
pub use texts::prose_texts;
pub(super) use texts::{ProseText, is_text_key};

/// Advice that prose gives about a deprecated element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProseAdvice {
    /// The replacement, by the names that the description has for it.
    pub replacement: Option<String>,
    /// The sentence about the deprecation, without markup: if no replacement was found, or if it says in which version the
    /// element ends.
    pub note: Option<String>,
}
