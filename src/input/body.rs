//! One JSON document: an exchange, a list of exchanges, or a bare body.

use super::{Record, envelope};
use crate::document::{Tree, valid_prefix};
use crate::exchange::{Body, Encoding, Exchange, Reason, Skip};
use crate::source::{Source, Span};

/// The whole file as a bare body.
pub(super) fn whole(source: &Source) -> Body<'_> {
    Body::new(&source.bytes, Span::new(source.text_start(), source.bytes.len()), Encoding::Plain)
}

/// Reads the document. What cannot be an exchange is handed on as a body, whole or broken, so that it is checked by whoever
/// knows whose body it is.
pub(super) fn read<'a>(source: &'a Source, max_depth: usize, emit: &mut dyn FnMut(Record<'a>)) {
    let span = Span::new(source.text_start(), source.bytes.len());
    let bytes = span.slice(&source.bytes);
    if !envelope::could_be(bytes) {
        return emit(Record::Body(whole(source)));
    }
    let (text, cut) = valid_prefix(bytes);
    let tree = match (Tree::parse(text, max_depth), cut) {
        (Ok(tree), None) => tree,
        (_, Some(error)) | (Err(error), None) => {
            return emit(Record::Skip(Skip::broken(error, span)));
        }
    };
    let parts =
        envelope::parts(tree.root(), envelope::Place { file: &source.bytes, start: span.start });
    if !parts.iter().any(Result::is_ok) {
        return emit(Record::Body(whole(source)));
    }
    for (index, part) in parts.into_iter().enumerate() {
        emit(match part {
            Ok(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            Err(other) => Record::Skip(Skip::at(Reason::NoExchange, other)),
        });
    }
}
