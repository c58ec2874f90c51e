//! What an export gives, and of what.

use crate::rules::Rule;
use sundown_exchange::OperationPattern;

/// A rule in one of its operations.
#[derive(Clone, Copy)]
pub(super) struct ListedRule<'r> {
    pub rule: &'r Rule,
    pub operation: &'r OperationPattern,
}

/// Exported rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The exported text.
    pub text: String,
    /// One line for each kind of content that the format cannot hold.
    pub left_out: Vec<String>,
}

/// A line such as ``left out N fields, because …: id, id``; `None` if there are no ids.
pub(super) fn left_out(what: &str, why: &str, ids: &[&str]) -> Option<String> {
    let plural = if ids.len() == 1 { "" } else { "s" };
    let line = format!(
        "left out {} {what}{plural}, {why}: {}",
        ids.len(),
        ids.join(", ")
    );
    (!ids.is_empty()).then_some(line)
}
