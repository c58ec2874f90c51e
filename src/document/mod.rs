//! JSON text: a strict walker over bytes that keeps spans, an arena tree made with it, the decoding of strings, JSON
//! Pointers, and a scanner that follows only structure, for text that is broken in places.
//!
//! Nothing here knows what the text is for.

mod error;
pub mod pointer;
pub(crate) mod quick;
pub mod scan;
mod simd;
pub mod string;
mod tree;
mod walker;

pub use error::{SyntaxError, SyntaxErrorKind, earliest, valid_prefix};
pub use tree::{Kind, NodeRef, Tree};
pub use walker::{DEFAULT_MAX_DEPTH, Event, Token, Walker};
