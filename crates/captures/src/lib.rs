//! Captures: files found, recognised by their content, and read into [`Exchange`](sundown_exchange::Exchange)s.
//!
//! [`discover()`] finds the files of a run. A [`BlockReader`] opens each, decompresses it, recognises its [`Format`], and cuts it into
//! chunks of whole records, which threads read side by side. [`read()`] hands the records of a chunk to a sink. One format, one
//! file; none knows a rule.
//!
//! ```
//! use sundown_captures::Format;
//!
//! let format = Format::from_name("har").expect("it is a format");
//! assert_eq!(format.spec().title, "HTTP Archive (HAR 1.1 to 1.3)");
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod access_log;
mod audit_event;
mod batch;
mod body;
mod body_content;
mod body_form;
mod budget;
mod buffer;
mod cassettes;
mod chunker;
mod clients;
mod decoder;
mod discover;
mod feed;
mod file_head;
mod gauge;
mod har;
mod hints;
mod limits;
mod list_cutter;
mod list_reader;
mod log_table;
mod manifests;
mod message;
mod ndjson;
mod nested;
mod open;
mod parsed_document;
mod pieces;
mod placeholders;
mod read;
mod recorded_body;
mod records;
mod registry;
mod request_line;
mod shapes;
mod size;
mod sniff;
mod spec;
mod spelling;
mod stored_form;
mod stubs;
mod suggest;
mod table;
mod wire;
mod yaml;
mod yaml_records;

pub use access_log::LogFormat;
pub use batch::calls_of_batch;
pub use buffer::Buffer;
pub use chunker::{ReadOptions, Records};
pub use discover::{
    Discovery, Globs, InputFile, PathOrigin, SkippedPath, discover, discover_first,
};
pub use feed::{BlockReader, Chunk, Work, classify_refusal};
pub use gauge::Gauge;
pub use hints::FormatHints;
pub use limits::Limits;
pub use log_table::propose_log_table;
pub use message::body_of_file;
pub use ndjson::has_exchange;
pub use open::beginning;
pub use read::read;
pub use registry::Format;
pub use shapes::{LogShape, LogShapes, Logs, Piece, USER_AGENT_MEMBERS, log_shapes};
pub use size::Size;
pub use sniff::{Sniffed, is_yaml_description, sniff, sniff_head};
pub use spec::Keeps;
pub use spec::{FormatFamily, FormatSpec};
pub use suggest::{Closeness, suggest_format};
