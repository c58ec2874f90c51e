//! One JSON document: an exchange, a list of exchanges, or a bare body.

use super::{Record, envelope};
use crate::document::{Kind, Tree, valid_prefix};
use crate::exchange::{Body, Encoding, Reason, Skip};
use crate::source::{Source, Span};

/// The whole file as a bare body.
pub(super) fn whole(source: &Source) -> Body<'_> {
    Body::new(&source.bytes, Span::new(source.text_start(), source.bytes.len()), Encoding::Plain)
}

/// Reads the document. One that is broken is handed on as a body, so that its whole part is checked by whoever knows
/// whose body it is.
pub(super) fn read<'a>(source: &'a Source, emit: &mut dyn FnMut(Record<'a>)) {
    let span = Span::new(source.text_start(), source.bytes.len());
    let (text, cut) = valid_prefix(span.slice(&source.bytes));
    let tree = match (Tree::parse(text), cut) {
        (Ok(tree), None) => tree,
        (_, Some(error)) | (Err(error), None) => {
            return if envelope::could_begin(text) {
                emit(Record::Skip(Skip::broken(error, span)));
            } else {
                emit(Record::Body(whole(source)));
            };
        }
    };
    let file = envelope::Place { file: &source.bytes, start: span.start };
    let root = tree.root();
    let listed = root.kind() == Kind::Array
        && root.children().any(|element| envelope::exchange(element, file).is_some());
    if !listed {
        let exchanges = envelope::exchanges(root, file);
        if exchanges.is_empty() {
            emit(Record::Body(whole(source)));
        }
        for exchange in exchanges {
            emit(Record::Exchange(exchange));
        }
        return;
    }
    for (index, element) in root.children().enumerate() {
        match envelope::exchange(element, file) {
            Some(exchange) => {
                emit(Record::Exchange(crate::exchange::Exchange { index, ..exchange }));
            }
            None => {
                emit(Record::Skip(Skip::at(
                    Reason::NoExchange,
                    element.span().shifted(span.start),
                )));
            }
        }
    }
}
