//! The uses of one rule, exchange by exchange in the order of time, for a person who has to convince a colleague.

mod json;
mod list;
mod text;

pub use json::write_uses_as_json;
pub use list::{MAX_USES, UseList};
pub use text::write_uses;
