//! Deprecation lists in other formats: [`import`] converts a list into rules, and [`export`] writes rules as a list.

mod element_names;
pub mod export;
mod format;
pub mod import;

pub use format::ListFormat;
