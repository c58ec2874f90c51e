//! Text from inputs, made safe for a terminal.

use std::borrow::Cow;

use crate::text::escape_unsafe;

/// The longest piece of an input's own text that is printed, in characters; names of members are short, hostile ones are not.
const LONGEST: usize = 120;

/// The text without anything that a terminal would obey ([`escape_unsafe`]), and cut where it is long.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => {
            Cow::Owned(format!("{}…", escape_unsafe(text.get(..cut).unwrap_or_default())))
        }
        None => escape_unsafe(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(printable("\u{1b}[31mred\r\n"), "\\u{1b}[31mred\\u{d}\\u{a}");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable("trackingToken é"), "trackingToken é");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(printable(&"x".repeat(1_000_000)).chars().count(), 121);
    }
}
