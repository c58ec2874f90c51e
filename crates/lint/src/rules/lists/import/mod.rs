//! Importers: they read published deprecation lists and API descriptions into announcements.
//!
//! Each format has a file, which splits a list into `EntryCells`. `ListCollector` checks these
//! in the same manner for all formats, and reports all mistakes of a list together. Content that a rules file cannot hold
//! becomes an [`ImportRemark`] with its location. [`merge()`] and [`new_table`] write the announcements of any source.

mod collector;
mod csv;
mod description;
mod edit;
mod format;
mod ids;
mod imported;
mod json;
mod markdown;
mod merge;
mod models;
mod write;

pub(super) use csv::COLUMNS;
pub use format::ListFormat;
pub use imported::{ImportRemark, Imported, ImportedDescription, ImportedEntry};
pub use merge::{Change, Merged, StaleRules, merge};
pub use write::new_table;
