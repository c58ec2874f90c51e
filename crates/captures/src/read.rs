//! Reads a whole file in its format.

use super::limits::Limits;
use super::ndjson::{LineOptions, LineReader};
use super::registry::Format;
use super::shapes::Logs;
use super::spec::FormatReader;
use super::table::{Columns, read_rows};
use sundown_exchange::{Reason, Skip};
use sundown_exchange::{Record, RecordSink};
use sundown_packets::Output;
use sundown_text_json::text::Block;

/// Reads all records of a whole file in `format`. `logs` give the places of pieces in its records.
pub fn read<'a>(
    file: Block<'a>,
    format: Format,
    limits: Limits,
    logs: &Logs<'_>,
    sink: &mut dyn RecordSink<'a>,
) {
    let line_options = LineOptions {
        format,
        limits,
        logs,
    };
    match format.spec().reader {
        FormatReader::Records(read) => read(file, limits, sink),
        FormatReader::Body => sink.record(Record::Body(super::body::whole(file))),
        FormatReader::Document => super::body::read(file, limits.depth, logs, sink),
        FormatReader::YamlDocuments => super::yaml_records::read(file, limits, logs, sink),
        FormatReader::Lines => super::ndjson::read(file, &line_options, sink),
        FormatReader::AccessLog => {
            LineReader::default().read(file, &line_options, sink);
        }
        FormatReader::Rows => {
            read_rows(file, &Columns::default(), &line_options, sink);
        }
        FormatReader::Archive => super::har::read(file, limits, sink),
        FormatReader::Description => {
            sink.skip(Skip::file(Reason::BrokenDescription, file.bytes.len()));
        }
    }
}

/// Reads the flows of a block of a mitmproxy dump, and returns their number.
pub fn read_flows<'a>(block: Block<'a>, sink: &mut dyn RecordSink<'a>) -> usize {
    super::wire::read_flows(block, sink)
}

/// Reads the messages that were assembled from packets, and returns the number of exchanges. Their positions count from the
/// beginning of the file.
pub fn read_outputs(outputs: &[Output], sink: &mut dyn RecordSink<'_>) -> usize {
    sundown_packets::read_outputs(outputs, sink)
}
