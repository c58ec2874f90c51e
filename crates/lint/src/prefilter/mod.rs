//! Decides by a search of its raw bytes whether a body can hold a use at all, before anything of it is parsed.
//!
//! It errs on one side: it rules out only bodies in which no rule can match, however they are spelled. A selector matches a
//! key only if that is written in the body; for each key with the name of a field, the automaton is asked about the keys around
//! it. Never ruled out are a body that is cut off, a body with an escape that may hide a name (`"track\\u0069ngToken"`), and a
//! body of several values in which such a key was found: if one of them is broken, brackets say nothing about the next.

mod ancestors;
mod endings;
mod field;
mod filter;
mod search;
mod values;

pub(super) use filter::{Prefilter, Scratch};
