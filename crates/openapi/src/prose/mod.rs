//! What the prose of a description says about an element: whether it is deprecated, since when and until when, its replacement,
//! and the sentence that announces it.
//!
//! A name counts as a replacement only if the description itself has an element of this name. Otherwise the sentence is quoted.

mod advice;
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
mod warning;
mod words;

pub(super) use advice::ProseAdvice;
pub(super) use dates::stated_dates;
pub use reader::{DeprecatedElement, ProseReader};
pub(super) use statement::{mentions_deprecation, says_deprecated};
pub(super) use subject::{ProseSubject, SubjectKind};
pub(super) use texts::is_text_key;
pub use texts::prose_texts;
pub use warning::DeprecationWarning;
