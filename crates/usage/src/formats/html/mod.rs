//! The report as a web page in one file: the answer, the elements, the calendar of removal dates, and a section for each caller.

mod callers;
mod elements;
mod page;
mod removals;

pub(super) use page::write;
