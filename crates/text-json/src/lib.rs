//! Text and JSON with exact positions: the lowest layer of sundown.
//!
//! [`text`] has spans and locations in files, the escapes for each kind of output, and the codings of strings. [`json`] reads JSON at
//! the speed of the machine: it walks a body, skips what is not asked for, loads documents as trees, also from YAML, and
//! maps every value back to its bytes.
//!
//! ```
//! use sundown_text_json::json::{SyntaxError, Token, Walker};
//!
//! let mut walker = Walker::new(r#"{"a": [1, 2]}"#);
//! let mut keys = Vec::new();
//! while let Some(event) = walker.next_event()? {
//!     if event.token == Token::Key {
//!         keys.push((event.span.start, event.span.end));
//!     }
//! }
//! assert_eq!(keys, [(1, 4)]);
//! # Ok::<(), SyntaxError>(())
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

pub mod json;
mod limits;
pub mod text;

pub use limits::Limits;
