//! The search of the raw bytes of a body: for each field its name, or the keys of its parents, whichever is rarer in the
//! traffic.
//!
//! It errs on one side: what may match is reported. A parent is found backwards from the name of a field, and a field forwards
//! from its parent. For neither does the text beside it matter: if either is within a string, it is not a key, and nothing
//! depends on it. Both find the same fields. Whether one of them is a use, all of its ancestors decide.
//!
//! Until a sample is complete, and for tables with many names, all keys of a body are compared with the names instead. To do
//! so for all bodies would need less code, but nearly double the time for traffic with few uses.

mod before;
mod body_search;
mod keys;
mod needles;
mod parent;
mod sample;
mod sets;
mod verdict;

pub(super) use body_search::Search;
pub(super) use verdict::{SearchScratch, Verdict};
