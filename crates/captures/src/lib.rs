//! Captures: files found, recognised by their content, and read into [`Exchange`](sundown_exchange::Exchange)s.
//!
//! [`discover()`] finds the files of a run. A [`BlockReader`] opens each, decompresses it, recognises its [`Format`], and cuts it into
//! chunks of whole records, which threads read side by side. [`read()`] hands the records of a chunk to a sink. One format, one
//! file; none knows a rule.
//!
//! Each module uses only those after it: `feed` reads the files of a run in the reader that `formats` chooses, which is in the
//! folder or file of its family (`body`, `har`, `logs`, `clients`, `cassettes`, `stubs`, `wire`, `manifests`, `yaml_records`).
//! `chunks` cuts a document or stream into records, `records` finds the calls in one, and `shapes` the pieces of a call, of which
//! `messages` makes bodies and `access_log` calls. `input` finds and opens files.
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
mod body;
mod cassettes;
mod chunks;
mod clients;
mod documents;
mod feed;
mod file_head;
mod formats;
mod har;
mod input;
mod line_spans;
mod logs;
mod manifests;
mod messages;
mod names;
mod pieces;
mod records;
mod request_patterns;
mod shapes;
mod stubs;
mod wire;
mod yaml_records;

pub use access_log::LogFormat;
pub use chunks::{ReadOptions, Records};
pub use clients::curl::is_shell;
pub use documents::yaml_documents;
pub use feed::{BlockReader, Chunk, LargeFiles, Task, Work, WorkOrder, classify_refusal};
pub use file_head::is_text;
pub use formats::{
    Closeness, Editable, Format, FormatFamily, FormatHints, FormatSpec, Keeps, Sniffed,
    is_yaml_description, read, sniff, sniff_head, suggest_format,
};
pub use input::{
    Buffer, Discovery, Gauge, Globs, InputFile, PathOrigin, SkippedPath, beginning, discover,
};
pub use logs::has_exchange;
pub use messages::body_of_file;
pub use records::{calls_of_batch, propose_log_table};
pub use shapes::{LogShape, LogShapes, Logs, Piece, USER_AGENT_MEMBERS, log_shapes};
pub use stubs::Stubs;
