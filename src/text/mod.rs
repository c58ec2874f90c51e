//! The bytes of inputs, and places in them.
//!
//! Everything above this layer speaks in byte [`Span`]s. [`Location`]s (line and column) are made from spans
//! by [`Locations`], for reports only. Text that had to be decoded out of its file (a body inside a string) keeps an
//! [`OffsetMap`] back to the file's bytes.

mod block;
mod covered_spans;
mod expansion_factor;
mod lines;
pub mod magic;
pub mod markdown;
mod offset_map;
mod percent;
pub mod safe_json;
mod secret;
mod span;
mod text;

pub use block::Block;
pub use covered_spans::CoveredSpans;
pub use expansion_factor::ExpansionFactor;
pub use lines::{Location, Locations};
pub use offset_map::OffsetMap;
pub use percent::percent_decode;
pub use secret::looks_secret;
pub use span::Span;
pub use text::{
    MAX_SHOWN_LEN, escape_unsafe, group_digits, io_error_text, is_unsafe, replace_unsafe,
    truncate_text,
};
