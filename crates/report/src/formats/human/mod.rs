//! Text for people at a terminal: each finding with its location, then a summary to act on.

mod by_origin;
mod groups;
mod refusals;
mod screen;
mod summary;
mod writer;

pub(super) use writer::FORMAT;
