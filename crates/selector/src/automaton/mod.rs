//! All selectors of one (operation, side) as one deterministic automaton over object keys and array steps.
//!
//! A [`Pattern`] is a selector as a list of segments. [`Automaton`] contains all patterns. [`Walk`] determinizes them lazily:
//! each state is a set of positions in patterns, so a step costs one lookup for any number of patterns.
//!
//! There are three roles: a *use* accepts nodes; an *exception* excludes nodes for its owner; a *barrier* is a free-form map
//! that the patterns of its scope do not enter, unless they name it.
//!
//! A test that needs more than the path of a node (a filter, a slice) is a *condition*: [`Walk::conditions`] returns those that
//! matter below a node, and each step takes those that hold. A walk over bytes passes none.

mod compile;
mod graph;
mod ids;
mod names;
mod pattern;
mod walk;

pub use compile::Automaton;
pub use graph::{Graph, GraphStep, Nodes, Validity, ValueStep};
pub use ids::PatternId;
pub use pattern::{ConditionId, Pattern, PatternRole, SegmentTest, SelectorSegment, Specificity};
pub use walk::{StateId, Walk};
