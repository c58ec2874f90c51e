//! One exchange a line (NDJSON, JSON Lines): what loggers and proxies write.

use memchr::memchr_iter;

use super::{Record, body, envelope, fields};
use crate::document::Tree;
use crate::exchange::{Exchange, Reason, Skip};
use crate::source::{Source, Span};

/// Reads line by line; a broken line hides no other. A file in which no line is an exchange is a body of several values.
pub(super) fn read<'a>(source: &'a Source, max_depth: usize, emit: &mut dyn FnMut(Record<'a>)) {
    let has_exchange = |line| matches!(read_line(source, line, max_depth), Ok(parts) if parts.iter().any(Result::is_ok));
    if !lines(source).any(has_exchange) {
        return emit(Record::Body(body::whole(source)));
    }
    for (index, line) in lines(source).enumerate() {
        let parts = match read_line(source, line, max_depth) {
            Ok(parts) => parts,
            Err(skip) => {
                emit(Record::Skip(skip));
                continue;
            }
        };
        for part in parts {
            emit(match part {
                Ok(exchange) => Record::Exchange(Exchange { index, ..exchange }),
                Err(other) => Record::Skip(Skip::at(Reason::NoExchange, other)),
            });
        }
    }
}

/// The lines that hold anything, without what ends them.
fn lines(source: &Source) -> impl Iterator<Item = Span> {
    let mut start = source.text_start();
    memchr_iter(b'\n', &source.bytes).chain([source.bytes.len()]).filter_map(move |end| {
        let line = Span::new(start.min(end), end);
        start = end + 1;
        let text = line.slice(&source.bytes);
        let blank_front = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let blank_back = text.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        (blank_front < text.len())
            .then(|| Span::new(line.start + blank_front, line.end - blank_back))
    })
}

fn read_line(source: &Source, line: Span, max_depth: usize) -> Result<envelope::Parts<'_>, Skip> {
    let bytes = line.slice(&source.bytes);
    // Loggers write other lines too: a banner, a stack trace.
    if !matches!(bytes.first(), Some(b'{' | b'[')) {
        return Err(Skip::at(Reason::NoExchange, line));
    }
    let tree = Tree::parse_bytes(bytes, max_depth).map_err(|error| Skip::broken(error, line))?;
    Ok(envelope::parts(tree.root(), fields::Place { file: &source.bytes, start: line.start }))
}
