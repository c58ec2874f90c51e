//! Truncates names and paths to the length that reports show.

use std::borrow::Cow;

/// The longest name or path in a finding, in bytes. Real ones are shorter; the limit keeps endless keys and nesting from
/// making each of many findings as large as its file.
pub const MAX_SHOWN_LEN: usize = 4 * 1024;

/// Cuts a text that is longer than `max_len` bytes, and appends `…` to it.
pub fn truncate_text(text: &str, max_len: usize) -> Cow<'_, str> {
    if text.len() <= max_len {
        return Cow::Borrowed(text);
    }
    let end = (0..=max_len)
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or_default();
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}
