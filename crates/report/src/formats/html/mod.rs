//! A web page in one file: the findings by rule, the calendar of removal dates, and what was not checked.

mod findings;
mod page;
mod skips;

pub(super) use page::FORMAT;
