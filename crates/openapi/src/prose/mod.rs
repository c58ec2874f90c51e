//! What the prose of a description says about an element: whether it is deprecated, since when and until when, its replacement,
//! and the sentence that announces it.
//!
//! `patterns.toml` has the sentences that are understood; all others are quoted. A name counts as a replacement only if the
//! description itself has an element of this name.

mod operations;
mod patterns;
mod properties;
mod reader;
mod spelling;
mod statement;
mod warning;

pub use reader::{DeprecatedElement, ProseReader};
pub use statement::prose_texts;
pub(super) use statement::{
    ProseSubject, is_text_key, mentions_deprecation, says_deprecated, stated_dates,
};
pub use warning::DeprecationWarning;
