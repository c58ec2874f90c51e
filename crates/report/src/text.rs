//! Text from inputs, escaped and truncated for reports.

use std::borrow::Cow;

use sundown_text_json::text::escape_unsafe;

/// The longest text of an input that is printed, in characters. Real names are shorter; hostile ones may not be.
const MAX_PRINTED_CHARS: usize = 120;

/// Escapes the text ([`escape_unsafe`]) and truncates it after 120 characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_PRINTED_CHARS) {
        Some((cut, _)) => Cow::Owned(format!(
            "{}…",
            escape_unsafe(text.get(..cut).unwrap_or_default())
        )),
        None => escape_unsafe(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("\u{1b}[31mred\r\n"), "\\u{1b}[31mred\\u{d}\\u{a}");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable("trackingToken é"), "trackingToken é");
    }

    #[test]
    fn long_text_is_truncated() {
        assert_eq!(printable(&"x".repeat(1_000_000)).chars().count(), 121);
    }
}
