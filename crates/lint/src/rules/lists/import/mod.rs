//! Importers: they read published deprecation lists and API descriptions into announcements.
//!
//! Each format has a file, which splits a list into rows. `ListCollector` checks these in the same manner for all formats, and
//! reports all mistakes of a list together. Content that a rules file cannot hold becomes an [`ImportRemark`] with its location.
//! [`new_table`] writes the announcements of any source.

mod collector;
mod csv;
mod description;
mod ids;
mod imported;
mod json;
mod markdown;
mod phrases;
mod row;

pub(super) use csv::COLUMNS;
pub use imported::{ImportRemark, Imported, ImportedDescription, ImportedEntry, new_table};
