//! The options of curl among its words, by the list of those that take a value: all others are one word.

use super::words::ShellWord;

/// An option and its value.
pub(super) struct CurlOption {
    /// The long name, or an empty text if it does not matter here.
    pub(super) name: String,
    pub(super) value: Option<ShellWord>,
}

/// Parses the options among the words. Other words become values of `url`.
pub(super) fn parse(words: &[ShellWord]) -> Vec<CurlOption> {
    let mut given = Vec::new();
    let mut words = words.iter();
    let mut has_ended = false;
    while let Some(word) = words.next() {
        let text = word.lossy();
        if has_ended || !text.starts_with('-') || text == "-" {
            given.push(CurlOption {
                name: "url".to_owned(),
                value: Some(word.clone()),
            });
        } else if text == "--" {
            has_ended = true;
        } else if let Some(name) = text.strip_prefix("--") {
            // Since 8.3, values may have variables of curl's own: `{{name}}`.
            let name = name.strip_prefix("expand-").unwrap_or(name);
            // curl itself refuses `--data=x`, but scripts have it, and other programs accept it.
            let (name, value) = match name.split_once('=') {
                Some((name, _)) if has_value(name) => {
                    let equals = memchr::memchr(b'=', &word.text).unwrap_or_default();
                    (name, Some(word.part(equals + 1, word.text.len())))
                }
                _ if has_value(name) => (name, words.next().cloned()),
                _ => (name, None),
            };
            given.push(CurlOption {
                name: name.to_owned(),
                value,
            });
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
    given: &mut Vec<CurlOption>,
) {
    for (at, &letter) in word.text.iter().enumerate().skip(1) {
        let name = long_name(letter).to_owned();
        if !LETTERS.contains(&letter) {
            given.push(CurlOption { name, value: None });
            continue;
        }
        let rest = ShellWord {
            span: word.span,
            ..word.part(at + 1, word.text.len())
        };
        let value = if rest.text.is_empty() {
            words.next().cloned()
        } else {
            Some(rest)
        };
        return given.push(CurlOption { name, value });
    }
}

/// Whether a long option takes a value.
fn has_value(name: &str) -> bool {
    WORDS.lines().any(|known| known == name)
}

/// The options of one letter that take a value, after `curl --help all` of 7.88 and the manual of 8.16.
const LETTERS: &[u8] = b"AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// The long options that take a value, a line each.
const WORDS: &str = include_str!("options-with-values.txt");

/// The long option for a letter, if it matters here.
fn long_name(letter: u8) -> &'static str {
    match letter {
        b'A' => "user-agent",
        b'd' => "data",
        b'F' => "form",
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
