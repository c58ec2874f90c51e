//! The options of curl among its words, by the list of those that take a value: all others are one word.

use super::words::ShellWord;

/// The options of one letter that take a value, after `curl --help all` of 7.88 and the manual of 8.16.
const LETTERS: &[u8] = b"AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// The long options that take a value, a line each.
const WORDS: &str = include_str!("options-with-values.txt");

/// Parses the options among the words: long names, which are empty if they do not matter here, and values. Other words are values
/// of `url`.
pub(super) fn parse(words: &[ShellWord]) -> Vec<(String, ShellWord)> {
    let mut given = Vec::new();
    let mut words = words.iter();
    let mut has_ended = false;
    while let Some(word) = words.next() {
        let text = word.lossy();
        if has_ended || !text.starts_with('-') || text == "-" {
            given.push(("url".to_owned(), word.clone()));
        } else if let Some(name) = text.strip_prefix("--") {
            has_ended = name.is_empty();
            // Since 8.3, values may have variables of curl's own: `{{name}}`.
            let name = name.strip_prefix("expand-").unwrap_or(name);
            // curl itself refuses `--data=x`, but scripts have it, and other programs accept it.
            let equals = memchr::memchr(b'=', word.bytes());
            let inside = equals.map(|equals| word.part(equals + 1, word.bytes().len()));
            let name = name.split('=').next().unwrap_or_default();
            let has_value = WORDS.lines().any(|known| known == name);
            let next = || inside.or_else(|| words.next().cloned());
            let value = has_value.then(next).flatten();
            given.push((name.to_owned(), value.unwrap_or_default()));
        } else {
            parse_letters(word, &mut words, &mut given);
        }
    }
    given
}

/// Parses options of one letter, several in a word. The rest of the word after an option with a value is its value.
fn parse_letters<'w>(
    word: &ShellWord,
    words: &mut impl Iterator<Item = &'w ShellWord>,
    given: &mut Vec<(String, ShellWord)>,
) {
    for (at, &letter) in word.bytes().iter().enumerate().skip(1) {
        let name = long_name(letter).to_owned();
        if !LETTERS.contains(&letter) {
            given.push((name, ShellWord::default()));
            continue;
        }
        let mut rest = word.part(at + 1, word.bytes().len());
        rest.span = word.span;
        if rest.bytes().is_empty() {
            rest = words.next().cloned().unwrap_or_default();
        }
        return given.push((name, rest));
    }
}

/// The long option for a letter, if it matters here.
fn long_name(letter: u8) -> &'static str {
    match letter {
        b'A' => "user-agent",
        b'b' => "cookie",
        b'd' => "data",
        b'F' => "form",
        b'g' => "globoff",
        b'G' => "get",
        b'H' => "header",
        b'I' => "head",
        b'K' => "config",
        b'T' => "upload-file",
        b'X' => "request",
        b':' => "next",
        _ => "",
    }
}
