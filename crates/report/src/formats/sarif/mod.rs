//! SARIF 2.1.0, the format of code scanning services.
//!
//! GitHub rejects a file of more than 25,000 results or 10 MB, and shows the first 5,000 results. So the worst come first,
//! the file stays below both limits, and a notification reports how many results were left out.

mod log;
mod writer;

pub(super) use writer::FORMAT;
