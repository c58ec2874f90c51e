//! Text from files, made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text without anything that a terminal would obey or that would reorder what stands around it.
///
/// Control characters and the format characters of bidirectional text (Unicode Technical Report 36) are written as
/// `\u{…}`.
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

/// The text with every such character but line ends and tabs replaced by as many harmless bytes: for excerpts, in which
/// byte offsets have to hold.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_bad = |character: char| is_unsafe(character) && !matches!(character, '\n' | '\r' | '\t');
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_bad(character) {
            safe.extend(std::iter::repeat_n('?', character.len_utf8()));
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Whether a terminal would obey the character, or it changes the order or the sight of others.
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_keep_their_length_and_their_lines() {
        let text = "a\u{1b}[31m\tb\r\nc\u{85}d\u{202e}é";
        assert_eq!(harmless(text), "a?[31m\tb\r\nc??d???é");
        assert_eq!(harmless(text).len(), text.len());
    }

    #[test]
    fn long_text_is_kept() {
        assert_eq!(escaped(&"x".repeat(1_000)).len(), 1_000);
    }
}
