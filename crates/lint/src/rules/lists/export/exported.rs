//! What an export gives.

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
