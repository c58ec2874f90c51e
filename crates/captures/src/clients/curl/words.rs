//! The words of a command, with their positions in the file.

use std::borrow::Cow;

use crate::file_head::contains;
use sundown_exchange::MappedText;
use sundown_text_json::text::Span;

/// The placeholder for an expansion.
pub(super) const UNKNOWN: &[u8] = b"{{$}}";

/// A word as the shell passes it to a program.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellWord {
    /// Its text, without its quotes.
    pub text: MappedText,
    /// Its position, with its quotes.
    pub span: Span,
}

impl ShellWord {
    pub(super) fn push(&mut self, text: &[u8], outer: Span) {
        self.text.push(text, outer);
    }

    /// The bytes of its text.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.text.bytes
    }

    pub(super) fn lossy(&self) -> Cow<'_, str> {
        self.text.lossy()
    }

    pub(super) fn contains(&self, text: &[u8]) -> bool {
        contains(self.bytes(), text)
    }

    /// Whether nothing of it is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.bytes() == UNKNOWN
    }

    /// The name of the program that it calls.
    pub(super) fn program(&self) -> &[u8] {
        let mut names = self.bytes().rsplit(|&byte| byte == b'/');
        names.next().unwrap_or_default()
    }

    /// A part of the word. Its position is that of its bytes.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        let part = Span::new(start, end);
        Self {
            text: MappedText {
                bytes: part.slice(self.bytes()).to_vec(),
                map: self.text.map.part(part),
            },
            span: self.text.map.outer(part),
        }
    }

    /// The word with all bytes percent-encoded that have a meaning in a form, as curl encodes them.
    pub(super) fn percent_encoded(&self) -> Self {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
        let text = self.text.decoded(|text| {
            let byte = text.first().filter(|byte| !is_plain(byte))?;
            Some((format!("%{byte:02X}").into_bytes(), 1))
        });
        Self {
            text,
            span: self.span,
        }
    }
}

/// The length of the name at the beginning.
pub(super) fn name_length(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count()
}

/// Decodes the escape at the beginning of `text` in `$'…'` (Bash Reference Manual, section 3.1.2.4), and returns its length. A
/// backslash before any other character is a backslash.
pub(super) fn ansi_c(text: &[u8]) -> (Vec<u8>, usize) {
    let letter = text.get(1).copied().unwrap_or_default();
    let byte = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => letter,
        b'0'..=b'7' => return numbered(text, 1, 3),
        b'x' => return numbered(text, 2, 2),
        b'u' => return numbered(text, 2, 4),
        b'U' => return numbered(text, 2, 8),
        _ => return (vec![b'\\'], 1),
    };
    (vec![byte], 2)
}

/// Decodes an escape with digits, which begin at `from`: a byte by two hexadecimal or three octal ones, or a character.
fn numbered(text: &[u8], from: usize, max_digits: usize) -> (Vec<u8>, usize) {
    let radix = if max_digits == 3 { 8 } else { 16 };
    let mut value = 0;
    let mut length = from;
    for &byte in text.iter().skip(from).take(max_digits) {
        let Some(digit) = char::from(byte).to_digit(radix) else {
            break;
        };
        (value, length) = (value * radix + digit, length + 1);
    }
    if length == from {
        return (vec![b'\\'], 1);
    }
    if max_digits <= 3 {
        return (vec![u8::try_from(value & 0xFF).unwrap_or_default()], length);
    }
    let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    (character.to_string().into_bytes(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_bash_reads_them() {
        for (text, meant, length) in [
            (r"\n'", "\n", 2),
            (r"\'", "'", 2),
            (r"\u00e9x", "é", 6),
            (r"\u22", "\"", 4),
            (r"\U1F680", "🚀", 7),
            (r"\x7bz", "{", 4),
            (r"\173", "{", 4),
            (r"\xz", "\\", 1),
            (r"\q", "\\", 1),
        ] {
            assert_eq!(
                ansi_c(text.as_bytes()),
                (meant.as_bytes().to_vec(), length),
                "{text}"
            );
        }
    }
}
