//! Makes text from files safe for terminals and the logs of build services.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes everything that a terminal or the log of a build service would interpret, or that would reorder the text around it.
///
/// Control characters, the format characters of bidirectional text (Unicode Technical Report 36), and the beginning of a
/// command to a build service (`::` at the start, `##` anywhere) are written as `\u{…}`.
pub fn escape_unsafe(text: &str) -> Cow<'_, str> {
    // A `:` alone may be followed by another: the name of a file by the number of a line.
    let commands = text.trim_start().starts_with("::") || text.trim_start() == ":";
    if !commands && !text.contains("##") && !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::new();
    let mut colon = commands.then(|| text.find(':')).flatten();
    let mut before = None;
    for (at, character) in text.char_indices() {
        let begins = colon.take_if(|colon| *colon == at).is_some();
        if is_unsafe(character) || begins || (before, character) == (Some('#'), '#') {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
        } else {
            safe.push(character);
        }
        before = Some(character);
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
pub fn replace_unsafe(line: &str) -> Cow<'_, str> {
    let is_bad = |character: char| is_unsafe(character) && character != '\t';
    if !line.contains("##") && !line.chars().any(is_bad) {
        return Cow::Borrowed(line);
    }
    let mut before = None;
    Cow::Owned(
        line.chars()
            .map(|character| {
                let commands = before.replace(character) == Some('#') && character == '#';
                if is_bad(character) || commands {
                    '?'
                } else {
                    character
                }
            })
            .collect(),
    )
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
