//! Inputs: found, recognised by their content, and read into [`Exchange`]s. One format, one file; none knows a rule.

mod body;
mod discover;
mod entry;
mod envelope;
mod fields;
mod har;
mod ndjson;
mod recognise;

pub use discover::{Discovery, Found, Globs, PassedOver, discover};
pub use recognise::{Format, Recognised, recognise};

use crate::exchange::{Body, Exchange, Skip};
use crate::source::Source;

/// What a reader hands on, record by record.
#[allow(clippy::large_enum_variant, reason = "records are handed on one by one and never kept")]
#[derive(Debug)]
pub enum Record<'a> {
    /// An exchange that says itself what it calls.
    Exchange(Exchange<'a>),
    /// A body of which the file does not say whose it is.
    Body(Body<'a>),
    /// Something that could not be read as either.
    Skip(Skip),
}

/// Reads all records of `source`, which has been recognised as `format`; records may nest `max_depth` levels deep.
pub fn read<'a>(
    source: &'a Source,
    format: Format,
    max_depth: usize,
    emit: &mut dyn FnMut(Record<'a>),
) {
    match format {
        Format::Body => emit(Record::Body(body::whole(source))),
        Format::Json => body::read(source, max_depth, emit),
        Format::Ndjson => ndjson::read(source, max_depth, emit),
        Format::Har => har::read(source, max_depth, emit),
    }
}
