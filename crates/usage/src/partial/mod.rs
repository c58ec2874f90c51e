//! Scans as files: each line is a rule, an element, a caller with its uses, or a fact about the input.

mod counts;
mod lines;
