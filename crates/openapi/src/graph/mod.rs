//! The graph of schemas as the automaton follows it: which members of a body are uses of rules.
//!
//! A value has *alternatives*: each is a set of schemas that all apply, and one alternative holds. `allOf` adds schemas to
//! an alternative; `oneOf`, `anyOf`, `if` and `dependentSchemas` split it. A member is a use
//! - *certainly*, if every alternative that declares the member declares it as a use: with `allOf`, one deprecated part is
//!   enough, and an alternative without the member does not count;
//! - *possibly*, if other alternatives declare it as something else.
//!
//! A body decides between alternatives: one that it contradicts does not count for a member that another one declares.

mod alternatives;
mod leading;
mod schema_graph;
mod several;
mod validation;

pub use leading::SchemasWithRules;
pub use schema_graph::{BodyRoot, SchemaGraph, UsePatterns};
pub use several::SchemaGraphs;
