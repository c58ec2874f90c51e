//! The identity of an element in a scan.

use std::sync::Arc;

use sundown_lint::findings::ExchangePart;

/// A deprecated element in one operation, on one side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId {
    /// The rule's id.
    pub rule: Arc<str>,
    /// The operation.
    pub operation: Arc<str>,
    /// The part of the exchange.
    pub part: ExchangePart,
}
