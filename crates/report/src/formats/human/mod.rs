//! Text for people at a terminal: each element with the places of its findings, then a summary to act on.

mod findings;
mod groups;
mod summary;
mod writer;

pub(super) use writer::FORMAT;
