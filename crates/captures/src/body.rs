//! One JSON document: an exchange, a list of exchanges, several of them in a row, or a bare body.

use super::Logs;
use super::message::has_bare_names;
use super::records::{self, Parts};
use sundown_exchange::RecordPlace;
use sundown_exchange::{Body, Encoding, Exchange, Record, RecordSink, Skip};
use sundown_text_json::json::find_error;
use sundown_text_json::json::scan::{self, Break};
use sundown_text_json::text::{Block, Span};

/// The whole file as a bare body.
pub(super) fn whole(file: Block<'_>) -> Body<'_> {
    let span = Span::new(file.text_start(), file.bytes.len());
    let mut body = Body::new(file.bytes, span, Encoding::Plain);
    let text = span.slice(file.bytes);
    body.has_bare_names = may_begin_with_bare_name(text) && has_bare_names(text);
    body
}

/// Returns whether the first value or name of a text is not one in double quotes: a cheap test before a full one.
fn may_begin_with_bare_name(text: &[u8]) -> bool {
    text.iter()
        .find(|byte| !byte.is_ascii_whitespace() && !b"[{".contains(byte))
        .is_some_and(|byte| byte.is_ascii_alphabetic() || b"'_$".contains(byte))
}

/// Reads the document element by element, so that a broken one affects no other. A document without an exchange is handed on as
/// a body, complete or broken, to be checked by the sink.
pub(super) fn read<'a>(
    file: Block<'a>,
    max_depth: usize,
    logs: &Logs<'_>,
    sink: &mut dyn RecordSink<'a>,
) {
    let text = file.bytes.get(file.text_start()..).unwrap_or_default();
    let could_be = records::could_be(text, logs);
    if !could_be && logs.has_no_record_table() && !records::may_hold_calls(text) {
        return sink.record(Record::Body(whole(file)));
    }
    // A file that has a name of an operation is a body, whatever is inside.
    if !could_be && logs.has_no_record_table() && sink.expects_body() {
        return sink.record(Record::Body(whole(file)));
    }
    let has_parts = |read: &Result<Parts<'a>, Skip>| {
        could_be
            || read
                .as_ref()
                .map_or(true, |parts| parts.iter().any(records::is_call))
    };
    let read: Vec<_> = scan::list_or_row(file.bytes, file.text_start())
        .map(|element| parts(file.bytes, element, max_depth, logs))
        .filter(has_parts)
        .collect();
    if (!could_be || read.iter().all(Result::is_ok))
        && !read.iter().any(|parts| {
            parts
                .as_ref()
                .is_ok_and(|parts| parts.iter().any(records::is_call))
        })
    {
        return sink.record(Record::Body(whole(file)));
    }
    let mut index = 0;
    for parts in read {
        match parts {
            Err(skip) => sink.skip(skip),
            Ok(parts) => {
                for part in parts {
                    sink.record(match part {
                        Ok(exchange) => Record::Exchange(Exchange { index, ..exchange }),
                        Err(skip) => Record::Skip(skip),
                    });
                    index += 1;
                }
            }
        }
    }
}

fn parts<'a>(
    bytes: &'a [u8],
    element: Result<Span, Break>,
    max_depth: usize,
    logs: &Logs<'_>,
) -> Result<Parts<'a>, Skip> {
    let span = element.map_err(|at| {
        // A value that does not end may have a fault before its end.
        let rest = match at {
            Break::Truncated(start) => Span::new(start.min(bytes.len()), bytes.len()),
            Break::Malformed(_) => return Skip::broken_off(at, bytes.len()),
        };
        match find_error(rest.slice(bytes), max_depth) {
            Some(error) if !error.leaves_prefix_whole() => Skip::broken(error, rest),
            _ => Skip::broken_off(at, bytes.len()),
        }
    })?;
    let text = span.slice(bytes);
    match find_error(text, max_depth) {
        Some(error) => Err(Skip::broken(error, span)),
        None => {
            let place = RecordPlace {
                file: bytes,
                start: span.start,
            };
            let parts = records::parts_of_valid(text, place, logs);
            if parts.iter().any(records::is_call) || !records::may_hold_calls(text) {
                return Ok(parts);
            }
            let inside = records::parts_inside(text, place, logs);
            Ok(if inside.is_empty() { parts } else { inside })
        }
    }
}
