//! The bytes of inputs, and places in them.
//!
//! Everything above this layer speaks in byte [`Span`]s. [`Location`]s (line and column) are made from spans
//! by [`Locations`], for reports only. Text that had to be decoded out of its file (a body inside a string) keeps an
//! [`OffsetMap`] back to the file's bytes.

mod block;
mod cover;
mod expansion;
mod lines;
pub mod magic;
pub mod markdown;
mod offset_map;
mod percent;
pub mod safe_json;
mod secrecy;
mod span;
mod text;

pub use block::Block;
pub use cover::Cover;
pub use expansion::Expansion;
pub use lines::{Location, Locations};
pub use offset_map::OffsetMap;
pub use percent::percent_decode;
pub use secrecy::looks_secret;
pub use span::Span;
pub use text::{LONGEST_TOLD, escaped, grouped, harmless, is_unsafe, shortened, system_words};
