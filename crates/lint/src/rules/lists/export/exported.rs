//! What an export gives.

use std::fmt;

/// Exported rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The exported text.
    pub text: String,
    /// One line for each kind of content that the format cannot hold.
    pub left_out: Vec<String>,
}

/// The error if none of the rules can be written in a format that does not allow an empty document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingToExport {
    /// One line for each kind of content that was left out.
    pub left_out: Vec<String>,
}

impl fmt::Display for NothingToExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("none of these rules can be written in this format")?;
        self.left_out
            .iter()
            .try_for_each(|line| write!(f, "; {line}"))
    }
}

impl std::error::Error for NothingToExport {}

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
