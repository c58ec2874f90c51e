//! Selectors, which choose nodes of a JSON value for a rule.
//!
//! A selector is a JSONPath (RFC 9535). [`Selector`] is its parsed form. Paths of names and indices compile into one
//! [`automaton`], which walks a body once, whatever the number of selectors. Selectors that depend on more than the path of a
//! node (filters, slices, indices from the end) run as [`Queries`] over a loaded value.
//!
//! ```
//! use sundown_selector::Selector;
//!
//! let selector = Selector::parse("$.orders[*].legacyId")?;
//! assert_eq!(selector.segments().len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

pub mod automaton;
mod condition;
mod filter;
mod filter_document;
mod filter_error;
mod filter_regex;
mod parse;
mod queries;
mod slice;

pub use condition::Condition;
pub use filter::Filter;
pub use parse::{Selector, path_meant_by};
pub use queries::Queries;
