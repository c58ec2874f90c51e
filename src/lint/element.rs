//! An element that a call can use.

use std::sync::Arc;

use crate::findings::ExchangePart;

/// An element that a call can use: a rule in an operation, on one side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanElement {
    /// Index into the table.
    pub rule: usize,
    /// The operation under which uses are reported.
    pub operation: Arc<str>,
    /// The part of the exchange.
    pub part: ExchangePart,
}
