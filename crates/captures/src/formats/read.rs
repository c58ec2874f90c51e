//! Reads a whole file in its format.

use super::registry::Format;
use super::spec::FormatReader;
use crate::body;
use crate::chunks::ReadOptions;
use crate::logs::has_exchange;
use sundown_exchange::{Reason, Record, RecordSink, Skip};
use sundown_text_json::text::Block;

/// Reads all records of a whole file in `format`.
pub fn read(file: Block<'_>, format: Format, options: &ReadOptions<'_>, sink: &mut dyn RecordSink) {
    let ReadOptions { limits, logs, .. } = *options;
    match format.reader() {
        FormatReader::Records(read) => read(file, limits, sink),
        FormatReader::Body => sink.record(Record::Body(body::whole(file))),
        FormatReader::Document if !body::has_call(file, options, sink.expects_body()) => {
            sink.record(Record::Body(body::whole(file)));
        }
        FormatReader::YamlDocuments => crate::yaml_records::read(file, options, sink),
        FormatReader::Description => {
            sink.skip(Skip::file(Reason::BrokenDescription, file.bytes.len()));
        }
        // Lines of which none is an exchange are a body of several values, unless the user says that they are a log.
        FormatReader::Blocks(_)
            if format == Format::Ndjson
                && !options.is_declared
                && !has_exchange(file, limits, logs) =>
        {
            sink.record(Record::Body(body::whole(file)));
        }
        FormatReader::Document | FormatReader::Blocks(_) => {
            let cut = format
                .chunker(limits)
                .and_then(|mut chunker| chunker.cut(file, true, logs));
            if let Some(cut) = cut {
                cut.records.read(file, options, sink);
            }
        }
    }
}
