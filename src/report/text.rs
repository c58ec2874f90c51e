//! Text from inputs, made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest piece of an input's own text that is printed, in characters; names of members are short, hostile ones are not.
const LONGEST: usize = 120;

/// The text without anything that a terminal would obey or that would reorder what stands around it, and cut where it is
/// long.
///
/// Control characters and the format characters of bidirectional text (Unicode Technical Report 36) are written as
/// `\u{…}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => Cow::Owned(format!("{}…", escaped(text.get(..cut).unwrap_or_default()))),
        None => escaped(text),
    }
}

/// The same in full length: for paths, which must be found again, and texts of our own.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::new();
    for character in text.chars() {
        if is_unsafe(character) {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
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
        assert_eq!(escaped(&"x".repeat(1_000)).len(), 1_000);
    }
}
