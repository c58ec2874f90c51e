//! One exchange a line (NDJSON, JSON Lines): what loggers and proxies write.

use memchr::memchr_iter;

use super::{Record, body, envelope};
use crate::document::{Tree, valid_prefix};
use crate::exchange::{Exchange, Reason, Skip};
use crate::source::{Source, Span};

/// Reads line by line; a broken line hides no other. A file in which no line is an exchange is a body of several values.
pub(super) fn read<'a>(source: &'a Source, emit: &mut dyn FnMut(Record<'a>)) {
    let any_exchange = lines(source)
        .any(|line| matches!(read_line(source, line), Ok(exchanges) if !exchanges.is_empty()));
    if !any_exchange {
        emit(Record::Body(body::whole(source)));
        return;
    }
    for (index, line) in lines(source).enumerate() {
        match read_line(source, line) {
            Ok(exchanges) if exchanges.is_empty() => {
                emit(Record::Skip(Skip::at(Reason::NoExchange, line)));
            }
            Ok(exchanges) => {
                for exchange in exchanges {
                    emit(Record::Exchange(Exchange { index, ..exchange }));
                }
            }
            Err(skip) => emit(Record::Skip(skip)),
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

fn read_line(source: &Source, line: Span) -> Result<Vec<Exchange<'_>>, Skip> {
    let (text, cut) = valid_prefix(line.slice(&source.bytes));
    if let Some(error) = cut {
        return Err(Skip::broken(error, line));
    }
    let tree = Tree::parse(text).map_err(|error| Skip::broken(error, line))?;
    Ok(envelope::exchanges(tree.root(), envelope::Place { file: &source.bytes, start: line.start }))
}
