//! Positions in texts, and safe forms of texts for output.
//!
//! All higher layers use byte [`Span`]s. Only reports convert spans to [`Location`]s (line and column), by [`Locations`]. Text
//! that is decoded (a body inside a string) has an [`OffsetMap`] back to the bytes of its file.

mod block;
mod covered_spans;
pub mod csv;
mod date;
mod display;
mod expansion_factor;
mod json_value;
mod location;
mod locations;
pub mod magic;
pub mod markdown;
mod offset_map;
mod percent;
pub mod safe_json;
mod sanitize;
mod secret;
mod similar;
mod span;
pub mod spelling;
pub mod toml;
mod truncate;
pub mod xml;

pub use block::Block;
pub use covered_spans::CoveredSpans;
pub use date::{StatedDate, is_digits, parse_date, parse_log_time};
pub use display::{group_digits, io_error_text, join, quote_list, timestamp};
pub use expansion_factor::ExpansionFactor;
pub use json_value::JsonValue;
pub use location::Location;
pub use locations::Locations;
pub use offset_map::OffsetMap;
pub use percent::percent_decode;
pub use sanitize::{escape_unsafe, is_unsafe, printable, replace_unsafe};
pub use secret::looks_secret;
pub use similar::{did_you_mean, most_similar};
pub use span::Span;
pub use truncate::{MAX_SHOWN_LEN, truncate_text};
