//! Text for people at a terminal: each element with the places of its findings, then a summary to act on.

mod by_origin;
mod findings;
mod groups;
mod mentions;
mod refusals;
mod summary;
mod writer;

pub(super) use writer::FORMAT;
