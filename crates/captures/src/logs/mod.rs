//! Logs with a call in each line: JSON, access logs, and tables.

mod cut_lines;
pub(super) mod ndjson;
pub(super) mod table;

pub(super) use cut_lines::is_piece;
pub use ndjson::has_exchange;
pub(super) use ndjson::{LineChunker, is_access_log};
pub(super) use table::is_table;
