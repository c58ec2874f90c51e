//! Exporters: they write rules in other formats for deprecations, one file for each format.
//!
//! They are part of the rules and not of the reports: their output contains rules and no findings, and [`super::import`]
//! reads some of the formats.

mod csv;
mod format;
mod json;
mod markdown;

pub use format::{Exported, export};
