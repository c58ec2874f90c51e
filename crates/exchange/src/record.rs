//! A record of a file, and what takes it.

use crate::{Body, Exchange, Skip};

/// A record that a reader passes on.
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

/// Returned where a record was read closely and is not valid. Nothing in it has been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRecord;

/// Takes the records of a reader. Each may borrow from what its reader keeps for it alone.
pub trait RecordSink {
    /// Takes a record.
    fn record(&mut self, record: Record<'_>);

    /// Takes a record that cannot be read.
    fn skip(&mut self, skip: Skip) {
        self.record(Record::Skip(skip));
    }

    /// Whether the file is known to be a body, by its name or by the user.
    fn expects_body(&self) -> bool {
        false
    }

    /// Takes an exchange whose record may not have been validated. An error means that it is not valid, and that nothing of it
    /// was taken; the reader then says what is wrong with it.
    fn exchange(&mut self, exchange: &Exchange<'_>) -> Result<(), InvalidRecord> {
        if !exchange.is_valid(&[]) {
            return Err(InvalidRecord);
        }
        self.record(Record::Exchange(exchange.clone()));
        Ok(())
    }
}

impl<F: FnMut(Record<'_>)> RecordSink for F {
    fn record(&mut self, record: Record<'_>) {
        self(record);
    }
}
