//! A record of a file, and what takes it.

use crate::{Body, Exchange, InvalidRecord, LocatedExchange, Skip};

/// A record that a reader hands on.
#[allow(
    clippy::large_enum_variant,
    reason = "records are handed on one by one and never kept"
)]
#[derive(Debug)]
pub enum Record<'a> {
    /// An exchange with its own call.
    Exchange(Exchange<'a>),
    /// A body whose operation the file does not name.
    Body(Body<'a>),
    /// Something that could not be read as either.
    Skip(Skip),
}

/// Takes the records of a reader.
pub trait RecordSink<'a> {
    /// Takes a record.
    fn record(&mut self, record: Record<'a>);

    /// Takes a record that cannot be read.
    fn skip(&mut self, skip: Skip) {
        self.record(Record::Skip(skip));
    }

    /// Takes an exchange whose pieces have been located. An error means that its record was read closely and is not valid; the
    /// reader then says what is wrong with it.
    fn located(&mut self, exchange: &LocatedExchange<'_, 'a>) -> Result<(), InvalidRecord> {
        let parsed = if (exchange.is_valid)(&[]) {
            (exchange.parse)()
        } else {
            None
        };
        self.record(Record::Exchange(parsed.ok_or(InvalidRecord)?));
        Ok(())
    }
}

impl<'a, F: FnMut(Record<'a>)> RecordSink<'a> for F {
    fn record(&mut self, record: Record<'a>) {
        self(record);
    }
}
