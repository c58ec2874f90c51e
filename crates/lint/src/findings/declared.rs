//! The details of findings in API descriptions, and in other texts that people write.

use std::sync::Arc;

use super::check::Check;
use super::parts::ExchangePart;
use sundown_exchange::Side;

/// The details of a finding in an API description, or of a value in another text that people write, which no operation reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The check that found it.
    pub check: Check,
    /// The operations that reach the element, in order, without duplicates; may be empty.
    pub operations: Vec<AffectedOperation>,
    /// Details of the check: dates and names of elements, never values.
    pub detail: Option<String>,
    /// The deprecated thing, if it is not the rule's element.
    pub subject: Option<String>,
}

/// A part of an operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AffectedOperation {
    /// The call itself, or one of its messages.
    pub part: ExchangePart,
    /// Method and path template.
    pub operation: Arc<str>,
}

impl Declared {
    /// The sort key of findings in one place.
    pub fn order(&self) -> impl Ord + '_ {
        (&self.operations, &self.detail, &self.subject)
    }

    /// The first of its operations, for formats with room for one.
    pub fn first(&self) -> Option<&AffectedOperation> {
        self.operations.first()
    }

    /// The side, if it is the same for all operations.
    pub fn side(&self) -> Option<Side> {
        let first = self.first()?.part;
        self.operations
            .iter()
            .all(|affected| affected.part == first)
            .then(|| first.side())?
    }
}
