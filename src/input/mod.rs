//! Inputs: found, recognised by their content, and read into [`Exchange`]s. One format, one file; none knows a rule.

mod body;
mod discover;
mod envelope;
mod har;
mod ndjson;
mod recognise;

pub use discover::{Discovery, Found, Globs, STANDARD_INPUT, discover};
pub use recognise::{Format, Recognised, recognise};

use crate::document::{SyntaxError, SyntaxErrorKind};
use crate::exchange::{Body, Exchange, Reason, Skip};
use crate::source::{Source, Span};

/// What a reader hands on, record by record.
#[derive(Debug)]
pub enum Record<'a> {
    /// An exchange that says itself what it calls.
    Exchange(Exchange<'a>),
    /// A body of which the file does not say whose it is.
    Body(Body<'a>),
    /// Something that could not be read as either.
    Skip(Skip),
}

/// Reads all records of `source`, which has been recognised as `format`.
pub fn read<'a>(source: &'a Source, format: Format, emit: &mut dyn FnMut(Record<'a>)) {
    match format {
        Format::Body => emit(Record::Body(body::whole(source))),
        Format::Json => body::read(source, emit),
        Format::Ndjson => ndjson::read(source, emit),
        Format::Har => har::read(source, emit),
    }
}

/// The skip for a piece that should be JSON and is not: from the error to the piece's end.
pub fn syntax_skip(error: SyntaxError, piece: Span) -> Skip {
    let reason = match error.kind {
        SyntaxErrorKind::UnexpectedEnd => Reason::Truncated,
        SyntaxErrorKind::InvalidUtf8 => Reason::InvalidUtf8,
        SyntaxErrorKind::TooDeep(_) => Reason::TooDeep,
        _ => Reason::InvalidJson,
    };
    let start = (piece.start + error.offset).min(piece.end);
    Skip { bytes: piece.len(), ..Skip::at(reason, Span::new(start, piece.end)).because(error) }
}
