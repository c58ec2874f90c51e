//! The graph of schemas as the automaton follows it: which members of a body are uses of rules.
//!
//! A value has *alternatives*: each is a set of schemas that all apply, and one alternative holds. `allOf` adds schemas to
//! an alternative; `oneOf` and `anyOf` split it. What `if` and `dependentSchemas` add is conditional: a use in it is possible, until a
//! body decides the condition. A member is a use
//! - *certainly*, if every alternative that declares the member declares it as a use: with `allOf`, one deprecated part is
//!   enough, and an alternative without the member does not count;
//! - *possibly*, if other alternatives declare it as something else.
//!
//! A body decides between alternatives: one that it contradicts does not count for a member that another one declares.

mod alternatives;
mod choice;
mod leading;
mod schema_graph;
mod several;
mod validation;

pub use choice::{BodyChoice, BodyRoot};
pub use leading::SchemasWithRules;
pub use schema_graph::{SchemaGraph, UsePatterns};
pub use several::SchemaGraphs;
