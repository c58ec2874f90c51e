//! Inputs: found, recognised by their content, and read into [`Exchange`]s. One format, one file; none knows a rule.

mod access_log;
mod archive;
mod audit_event;
mod batch;
mod body;
mod budget;
mod buffer;
mod cassettes;
mod clients;
mod core_formats;
mod decoder;
mod discover;
mod entry;
mod envelope;
mod feed;
mod fields;
mod file_head;
mod gauge;
mod har;
mod header_fields;
mod hints;
mod items;
mod limits;
mod located;
mod log_table;
mod manifests;
mod mapping;
mod members;
mod message;
mod ndjson;
mod nested;
mod open;
mod pieces;
mod placeholders;
mod presets;
mod read;
mod record;
mod record_place;
mod registry;
mod request_line;
mod shapes;
mod size;
mod sniff;
mod spec;
mod stored_form;
mod stubs;
mod suggest;
mod wire;
mod yaml;

pub use access_log::LogFormat;
pub use buffer::Buffer;
pub use discover::{
    Discovery, Globs, InputFile, PathOrigin, SkippedPath, discover, discover_first,
};
pub use feed::{Feed, Part, Work, classify_refusal};
pub use gauge::Gauge;
pub use har::EntryReader;
pub use hints::FormatHints;
pub use limits::Limits;
pub use log_table::propose_log_table;
pub use mapping::{LogMapping, Logs, MessageMapping};
pub use ndjson::{LineOptions, LineReader, has_exchange};
pub use open::beginning;
pub use presets::{USER_AGENT_MEMBERS, log_shapes};
pub use read::{read, read_flows, read_outputs};
pub use record::{Record, RecordSink};
pub use registry::Format;
pub use size::Size;
pub use sniff::{Sniffed, is_yaml_description, sniff, sniff_head};
#[cfg(feature = "internals")]
pub use spec::Keeps;
pub use spec::{FormatFamily, FormatSpec, ReadUnit};
pub use suggest::{Closeness, suggest_format};
#[cfg(feature = "internals")]
pub use wire::Output;
