//! Makes text from files safe for terminals and the logs of build services.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes everything that a terminal or the log of a build service would interpret, or that would reorder the text around it.
///
/// Control characters, the format characters of bidirectional text (Unicode Technical Report 36), and the beginning of a
/// command to a build service (`::` at the start, `##` anywhere) are written as `\u{…}`.
pub fn escape_unsafe(text: &str) -> Cow<'_, str> {
    // A `:` alone may be followed by another: the name of a file by the number of a line.
    let mut commands = text.trim_start().starts_with("::") || text.trim_start() == ":";
    if !commands && !with_safety(text).any(|(_, is_safe)| !is_safe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::new();
    for (character, is_safe) in with_safety(text) {
        let begins = character == ':' && std::mem::take(&mut commands);
        if is_safe && !begins {
            safe.push(character);
        } else {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
        }
    }
    Cow::Owned(safe)
}

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

/// Replaces every such character but tabs with `?`, and the second `#` of `##`: excerpts of lines must keep their columns.
pub fn replace_unsafe(line: &str) -> String {
    with_safety(line)
        .map(|(character, is_safe)| {
            if is_safe || character == '\t' {
                character
            } else {
                '?'
            }
        })
        .collect()
}

/// The characters of a text, each with whether nothing interprets it: it is not [unsafe](is_unsafe), nor the second `#` of the
/// beginning of a command to a build service.
pub(super) fn with_safety(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    text.chars().map(move |character| {
        let commands = before.replace(character) == Some('#') && character == '#';
        (character, !commands && !is_unsafe(character))
    })
}

/// Whether a terminal would interpret the character, or it changes the order or visibility of others.
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_keep_their_columns_and_their_lines() {
        let line = "a\u{1b}[31m\tb\rc\u{85}d\u{202e}é ##[x] #1";
        assert_eq!(replace_unsafe(line), "a?[31m\tb?c?d?é #?[x] #1");
    }

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

    #[test]
    fn what_a_build_service_would_obey_is_spelled_out() {
        assert_eq!(escape_unsafe(" ::error::x::y"), " \\u{3a}:error::x::y");
        assert_eq!(
            escape_unsafe("a ##[group]###"),
            "a #\\u{23}[group]#\\u{23}\\u{23}"
        );
        assert_eq!(escape_unsafe("#1 a::b"), "#1 a::b");
    }

    #[test]
    fn long_text_is_kept() {
        assert_eq!(escape_unsafe(&"x".repeat(1_000)).len(), 1_000);
    }
}
