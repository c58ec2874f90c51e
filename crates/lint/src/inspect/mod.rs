//! Inspection of API descriptions: from a description and a rule set to findings, each at a definition.
//!
//! Every operation of the description is matched against the set like a call. The rules of each side compile to one
//! automaton for all operations with the same rules, which runs over the graph of schemas. A node that it accepts is an element that is still declared; it is
//! reported once, at its definition, with all operations that reach it.

mod automaton;
mod bodies;
mod conditions;
mod examples;
mod inspection;
mod inspector;
mod location;
mod parameters;
mod reached;
mod replacement;
mod search;
mod unknown;
mod unmatched;

pub use inspection::{Inspected, InspectionOptions, UserRole, inspect};
