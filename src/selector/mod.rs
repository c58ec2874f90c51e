//! Selectors, which choose nodes of a JSON value for a rule.
//!
//! A selector is a JSONPath (RFC 9535). [`Selector`] is its parsed form. Paths of names and indices compile into one
//! [`automaton`]; selectors that depend on more than the path of a node (filters, slices, indices from the end) run as
//! [`Queries`] over a loaded value.

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
pub use parse::Selector;
pub use queries::Queries;
