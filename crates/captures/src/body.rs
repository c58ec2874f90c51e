//! One JSON document: an exchange, a list of exchanges, several of them in a row, or a bare body.

use crate::chunks::{Chunker, ListChunker, ListCutter, ListRecords, ReadOptions, RecordList};
use crate::messages::DecodedTexts;
use crate::records::{self, Parts};
use crate::shapes::Logs;
use sundown_exchange::{Body, Encoding, RecordPlace, RecordSink};
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, SyntaxError, find_error, scan};
use sundown_text_json::text::{Block, Span};

/// The whole file as a bare body.
pub(super) fn whole(file: Block<'_>) -> Body<'_> {
    let span = Span::new(file.text_start(), file.bytes.len());
    Body::new(file.bytes, span, Encoding::Plain)
}

/// Begins a document with calls.
pub(super) fn begin(limits: Limits) -> Box<dyn Chunker> {
    Box::new(ListChunker {
        cutter: ListCutter::new(VALUES, limits),
        records: |pieces| {
            Box::new(ListRecords {
                pieces,
                list: VALUES,
                read: read_value,
            })
        },
    })
}

/// The values of a document: the elements of lists, and those in a row.
const VALUES: RecordList<'_> = RecordList {
    path: &[],
    is_record,
    empty: [""; 2],
};

fn is_record(value: Node<'_>, place: RecordPlace<'_>, logs: &Logs<'_>) -> bool {
    let texts = DecodedTexts::default();
    let parts = records::parts(value, place, logs, &texts);
    records::has_call(&parts)
}

/// Whether a document whose beginning is `head` is a list, or values in a row, with a call among the first.
pub(super) fn begins_with_calls(head: Block<'_>, options: &ReadOptions<'_>) -> bool {
    let ReadOptions { limits, logs, .. } = *options;
    let text = head.bytes.get(head.text_start()..).unwrap_or_default();
    let mut elements = scan::list_or_row(head.bytes, head.text_start()).map_while(Result::ok);
    records::could_be(text, logs)
        && elements.any(|element| {
            parts(head.bytes, element, limits, logs, &DecodedTexts::default())
                .is_ok_and(|parts| records::has_call(&parts))
        })
}

/// Whether a document may have calls. Of one that begins with a call it is certain. Otherwise, and if it has none or the
/// sink expects a body, the document is a body, complete or broken.
pub(super) fn has_call(file: Block<'_>, options: &ReadOptions<'_>, expects_body: bool) -> bool {
    let ReadOptions { limits, logs, .. } = *options;
    let text = file.bytes.get(file.text_start()..).unwrap_or_default();
    let could_be = records::could_be(text, logs);
    if !could_be && logs.has_no_record_table() && (expects_body || !records::may_hold_calls(text)) {
        return false;
    }
    scan::list_or_row(file.bytes, file.text_start()).any(|element| {
        let Ok(element) = element else {
            return could_be;
        };
        let texts = DecodedTexts::default();
        let parts = parts(file.bytes, element, limits, logs, &texts);
        parts.map_or(could_be, |parts| records::has_call(&parts))
    })
}

fn read_value(
    file: &[u8],
    options: &ReadOptions<'_>,
    value: Span,
    index: usize,
    sink: &mut dyn RecordSink,
) -> Result<usize, SyntaxError> {
    let ReadOptions { limits, logs, .. } = *options;
    let texts = DecodedTexts::default();
    let parts = parts(file, value, limits, logs, &texts)?;
    let count = parts.len();
    for (number, part) in parts.into_iter().enumerate() {
        records::emit_part(part, index + number, sink);
    }
    Ok(count)
}

/// Reads the value at `span`.
fn parts<'a>(
    bytes: &'a [u8],
    span: Span,
    limits: Limits,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
) -> Result<Parts<'a>, SyntaxError> {
    let text = span.slice(bytes);
    if let Some(error) = find_error(text, limits.depth) {
        return Err(error);
    }
    let place = RecordPlace {
        file: bytes,
        start: span.start,
    };
    Ok(records::parts_of_valid(text, place, logs, texts))
}
