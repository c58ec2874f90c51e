//! The output formats of a usage report.

mod csv;
mod human;
mod json;
mod markdown;
mod registry;
mod sentences;

pub use json::USAGE_SCHEMA;
pub use registry::UsageFormat;
