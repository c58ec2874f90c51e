//! Text from files, made safe for a terminal and for the log of a build.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text without anything that a terminal or a build's log would obey, or that would reorder what stands around it.
///
/// Control characters, the format characters of bidirectional text (Unicode Technical Report 36), and what begins a command
/// to a build service (`::` at the beginning, `##` anywhere) are written as `\u{…}`.
pub fn escape_unsafe(text: &str) -> Cow<'_, str> {
    let commands = text.trim_start().starts_with("::");
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

/// The text with a `?` for every such character but line ends and tabs: for excerpts, in which columns have to hold.
pub fn replace_unsafe(text: &str) -> Cow<'_, str> {
    let is_bad = |character: char| is_unsafe(character) && !matches!(character, '\n' | '\r' | '\t');
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|character| if is_bad(character) { '?' } else { character }).collect()
}

/// Whether a terminal would obey the character, or it changes the order or the sight of others.
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// How many bytes of a name, or of the way to a member, a finding tells: more than real ones have, and few enough that keys and
/// nesting without end cannot make each of many findings as large as its file.
pub const MAX_SHOWN_LEN: usize = 4 * 1024;

/// The text, or its first `most` bytes and `…` where it is longer.
pub fn truncate_text(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = (0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}

/// A number with its thousands set apart, for people.
pub fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The system's words for an error without its number, which differs between systems.
pub fn io_error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_keep_their_columns_and_their_lines() {
        let text = "a\u{1b}[31m\tb\r\nc\u{85}d\u{202e}é";
        assert_eq!(replace_unsafe(text), "a?[31m\tb\r\nc?d?é");
    }

    #[test]
    fn what_a_build_service_would_obey_is_spelled_out() {
        assert_eq!(escape_unsafe(" ::error::x::y"), " \\u{3a}:error::x::y");
        assert_eq!(escape_unsafe("a ##[group]###"), "a #\\u{23}[group]#\\u{23}\\u{23}");
        assert_eq!(escape_unsafe("#1 a::b"), "#1 a::b");
    }

    #[test]
    fn thousands_are_set_apart() {
        let told = [0, 999, 1_000, 29_980, 1_234_567].map(group_digits);
        assert_eq!(told, ["0", "999", "1,000", "29,980", "1,234,567"]);
    }

    #[test]
    fn long_text_is_kept() {
        assert_eq!(escape_unsafe(&"x".repeat(1_000)).len(), 1_000);
    }
}
