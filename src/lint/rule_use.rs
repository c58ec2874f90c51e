//! A rule as a plan has it, and lists of rules without repeats.

use std::sync::Arc;

use crate::rules::Precedence;

/// A rule and the operation under which it is reported.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RuleUse {
    /// Index into the table.
    pub(super) rule: usize,
    /// The matched operation.
    pub(super) operation: Arc<str>,
    /// That of the rule among others about the same element.
    pub(super) precedence: Precedence,
}

/// Adds an item that is not in the list: a rule may name an operation several times, and is reported once.
pub(super) fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
