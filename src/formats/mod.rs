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
pub use registry::Format;
pub use size::Size;
pub use sniff::{Sniffed, is_yaml_description, sniff, sniff_head};
#[cfg(feature = "internals")]
pub use spec::Keeps;
pub use spec::{FormatFamily, FormatSpec, ReadUnit};
pub use suggest::{Closeness, suggest_format};
pub use wire::Output;

use ndjson::is_access_log;
use spec::FormatReader;

use crate::text::Block;
use crate::traffic::{Body, Exchange, InvalidRecord, LocatedExchange, Reason, Skip};

/// A record that a reader hands on.
#[allow(clippy::large_enum_variant, reason = "records are handed on one by one and never kept")]
#[derive(Debug)]
pub enum Record<'a> {
    /// An exchange with its own call.
    Exchange(Exchange<'a>),
    /// A body whose operation the file does not name.
    Body(Body<'a>),
    /// Something that could not be read as either.
    Skip(Skip),
}

/// Takes the records of a reader.
pub trait RecordSink<'a> {
    /// Takes a record.
    fn record(&mut self, record: Record<'a>);

    /// Takes an exchange whose pieces have been located. An error means that its record was read closely and is not valid; the
    /// reader then says what is wrong with it.
    fn located(&mut self, exchange: &LocatedExchange<'_, 'a>) -> Result<(), InvalidRecord> {
        let parsed = if (exchange.is_valid)(&[]) { (exchange.parse)() } else { None };
        self.record(Record::Exchange(parsed.ok_or(InvalidRecord)?));
        Ok(())
    }
}

impl<'a, F: FnMut(Record<'a>)> RecordSink<'a> for F {
    fn record(&mut self, record: Record<'a>) {
        self(record);
    }
}

/// Reads all records of a whole file in `format`. `logs` give the places of pieces in its records.
pub fn read<'a>(
    file: Block<'a>,
    format: Format,
    limits: Limits,
    logs: &Logs<'_>,
    sink: &mut dyn RecordSink<'a>,
) {
    let line_options = LineOptions { format, limits, logs };
    match format.spec().reader {
        FormatReader::Records(read) => read(file, limits, sink),
        FormatReader::Body => sink.record(Record::Body(body::whole(file))),
        FormatReader::Document => body::read(file, limits.depth, logs, sink),
        FormatReader::Lines => ndjson::read(file, &line_options, sink),
        FormatReader::AccessLog => {
            LineReader::default().read(file, &line_options, sink);
        }
        FormatReader::Archive => har::read(file, limits, sink),
        FormatReader::Description => {
            sink.record(Record::Skip(Skip::file(Reason::BrokenDescription, file.bytes.len())));
        }
    }
}

/// Reads the flows of a block of a mitmproxy dump, and returns their number.
pub fn read_flows<'a>(block: Block<'a>, sink: &mut dyn RecordSink<'a>) -> usize {
    wire::read_flows(block, sink)
}

/// Reads the messages that were assembled from packets, and returns the number of exchanges. Their positions count from the
/// beginning of the file.
pub fn read_outputs(outputs: &[Output], sink: &mut dyn RecordSink<'_>) -> usize {
    wire::read_outputs(outputs, sink)
}
