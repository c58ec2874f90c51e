//! Text as a person reads it: without the escapes of JSON strings, of nginx and of URLs in other texts, however often strings were
//! written into strings, and without the colours of a terminal.
//!
//! A name or a path is written in many ways in a text that no reader understands: `/v1/a` as `\/v1\/a` in JSON, `\\/v1\\/a` in JSON in
//! a string, `%2Fv1%2Fa` in the query of a URL. The net searches the text without them. What is left as it is:
//!
//! - `%2F` after a slash in the same word: there, it is a character of a segment.
//! - `\n`, `\r` and `\t`: the letter may be the first one of a name, as in a path of Windows. The net knows them ([`is_apart`]).

use std::borrow::Cow;
use std::cell::RefCell;

use sundown_text_json::text::Span;

/// A text without escapes.
#[derive(Debug, Clone)]
pub struct PlainText<'t> {
    written: &'t [u8],
    text: Cow<'t, [u8]>,
    /// From where later places are found: a map would take many times the memory of the text, and few places are asked for.
    known: RefCell<Passed<'t>>,
}

/// The escapes of a text that were passed.
#[derive(Debug, Clone)]
struct Passed<'t> {
    /// Those that follow.
    escapes: EscapeWalk<'t>,
    /// The offset after the last one, in the text without escapes and as written.
    plain: usize,
    written: usize,
}

/// How far back from a place the next one may be without a search from the beginning.
const MAX_STEP_BACK: usize = 4096;

impl<'t> PlainText<'t> {
    /// Replaces the escapes in a text. It has the lines of what was written.
    pub fn of(written: &'t [u8]) -> Self {
        let mut plain = Vec::new();
        let mut copied = 0;
        for (span, escaped) in EscapeWalk::of(written) {
            plain.extend_from_slice(Span::new(copied, span.start).slice(written));
            plain.extend_from_slice(escaped.bytes(&mut [0; 4]));
            copied = span.end;
        }
        plain.extend_from_slice(match copied {
            0 => &[],
            _ => written.get(copied..).unwrap_or_default(),
        });
        Self {
            written,
            text: if copied == 0 {
                written.into()
            } else {
                plain.into()
            },
            known: RefCell::new(Passed::nothing(written)),
        }
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// The text with its escapes.
    pub(super) fn as_written(&self) -> &'t [u8] {
        self.written
    }

    /// The text with its escapes before the character at an offset.
    pub(super) fn before_as_written(&self, at: usize) -> &'t [u8] {
        self.written.get(..self.written(at)).unwrap_or_default()
    }

    /// Where the character at an offset was written.
    pub(super) fn written(&self, at: usize) -> usize {
        let mut passed = self.known.borrow().clone();
        if at < passed.plain {
            passed = Passed::nothing(self.written);
        }
        while let Some((escape, escaped)) = passed.escapes.next() {
            let run = passed.plain + (escape.start - passed.written);
            let end = run + escaped.bytes(&mut [0; 4]).len();
            if at < run {
                break;
            }
            if at < end {
                return escape.start;
            }
            (passed.plain, passed.written) = (end, escape.end);
            if end + MAX_STEP_BACK < at {
                self.known.replace(passed.clone());
            }
        }
        passed.written + (at - passed.plain)
    }
}

impl<'t> Passed<'t> {
    fn nothing(text: &'t [u8]) -> Self {
        Self {
            escapes: EscapeWalk::of(text),
            plain: 0,
            written: 0,
        }
    }
}

/// The escapes of a text, each with its place.
#[derive(Debug, Clone)]
struct EscapeWalk<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether the word has a slash that is no escape of a URL, up to `seen`.
    has_slash: bool,
    seen: usize,
}

impl<'t> EscapeWalk<'t> {
    fn of(text: &'t [u8]) -> Self {
        Self {
            text,
            at: 0,
            has_slash: false,
            seen: 0,
        }
    }

    /// Notes the text up to an offset.
    fn see(&mut self, end: usize) {
        let part = Span::new(self.seen, end).slice(self.text);
        self.has_slash = ends_after_slash(part, self.has_slash);
        self.seen = end;
    }
}

impl Iterator for EscapeWalk<'_> {
    type Item = (Span, Escaped);

    fn next(&mut self) -> Option<(Span, Escaped)> {
        loop {
            let rest = self.text.get(self.at..)?;
            let start = self.at + memchr::memchr3(b'\\', b'%', ESCAPE, rest)?;
            self.see(start);
            let rest = self.text.get(start..)?;
            let is_of_url = rest.starts_with(b"%");
            // The URL of another one begins in a path, too.
            let scheme = rest.get(..SCHEME_END.len()).unwrap_or_default();
            self.has_slash &= !scheme.eq_ignore_ascii_case(SCHEME_END);
            let is_read = !is_of_url || !self.has_slash;
            let Some((escaped, length)) = escape(rest).filter(|_| is_read) else {
                self.at = start + count_backslashes(rest).max(1);
                continue;
            };
            self.at = start + length;
            self.seen = self.at;
            if !is_of_url {
                self.has_slash = ends_after_slash(escaped.bytes(&mut [0; 4]), self.has_slash);
            }
            return Some((Span::new(start, self.at), escaped));
        }
    }
}

/// The end of the scheme of a URL in another URL.
const SCHEME_END: &[u8] = b"%3A%2F%2F";

/// Whether a part of a text ends in a word that has a slash; if it is all of one word, whether one was before.
fn ends_after_slash(part: &[u8], before: bool) -> bool {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/@%+\\".contains(byte);
    let start = part
        .iter()
        .rposition(|byte| !is_of_word(byte))
        .map(|at| at + 1);
    let word = part.get(start.unwrap_or_default()..).unwrap_or_default();
    before && start.is_none() || word.contains(&b'/')
}

fn count_backslashes(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b'\\').count()
}

/// Whether nothing is before a name but what ends another: no character that `is_part` of one, or the letter of a line feed or a tab.
pub(super) fn is_apart(before: &[u8], is_part: impl Fn(&u8) -> bool) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        _ => !before.last().is_some_and(is_part),
    }
}

/// The meaning of an escape.
#[derive(Debug, Clone, Copy)]
enum Escaped {
    Byte(u8),
    Character(char),
    /// A colour of a terminal.
    Nothing,
}

impl Escaped {
    /// Its bytes in UTF-8, in a buffer.
    fn bytes(self, buffer: &mut [u8; 4]) -> &[u8] {
        match self {
            Self::Nothing => &[],
            Self::Byte(b'\n') | Self::Character('\n') => &[LINE_FEED],
            Self::Byte(byte) => {
                buffer[0] = byte;
                &buffer[..1]
            }
            Self::Character(character) => character.encode_utf8(buffer).as_bytes(),
        }
    }
}

/// What is written for a line feed: it ends no line of the text that has the escape.
const LINE_FEED: u8 = b'\r';

/// The character that begins the colours of a terminal (ECMA-48, 5.4): `ESC[36m`.
const ESCAPE: u8 = 0x1B;

/// The meaning of the escape at the beginning of a text, and its length.
fn escape(text: &[u8]) -> Option<(Escaped, usize)> {
    let (escaped, length) = match text {
        [ESCAPE, ..] => (Escaped::Byte(ESCAPE), 1),
        _ => character(text)?,
    };
    let begins_colour = matches!(escaped, Escaped::Byte(ESCAPE) | Escaped::Character('\x1B'));
    let colour = begins_colour.then(|| colour_length(text.get(length..)?));
    Some(match colour.flatten() {
        Some(colour) => (Escaped::Nothing, length + colour),
        None => (escaped, length),
    })
}

/// The length of the colour that a text begins with after [`ESCAPE`]: `[1;36m`.
fn colour_length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"[")?;
    let end = rest
        .iter()
        .position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
    rest.get(end)?.is_ascii_alphabetic().then_some(end + 2)
}

/// The meaning of an escaped character, and its length: `\\\"`, `\u0022`, `\x22`, `%22`, but not `\d`, which is of an expression.
fn character(text: &[u8]) -> Option<(Escaped, usize)> {
    let byte = |digits: &[u8]| Some(Escaped::Byte(u8::try_from(hexadecimal(digits, 2)?).ok()?));
    if let [b'%', digits @ ..] = text {
        // The URL in the query of one in a query is encoded twice.
        let mut rest = digits;
        while let Some(inner) = rest.strip_prefix(b"25")
            && byte(inner).is_some()
        {
            rest = inner;
        }
        return Some((byte(rest)?, 3 + digits.len() - rest.len()));
    }
    // JSON in a string of JSON doubles the backslashes.
    let backslashes = count_backslashes(text);
    let (kind, digits) = text.get(backslashes..)?.split_first()?;
    let (escaped, length) = match kind {
        b'"' | b'/' | b'\'' => (Escaped::Byte(*kind), 1),
        b'u' => {
            let character = char::from_u32(hexadecimal(digits, 4)?);
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            (Escaped::Character(character), 5)
        }
        b'x' => (byte(digits)?, 3),
        _ => return None,
    };
    Some((escaped, backslashes + length))
}

/// The number that a text begins with in so many hexadecimal digits.
fn hexadecimal(text: &[u8], digits: usize) -> Option<u32> {
    let digits = text
        .get(..digits)?
        .iter()
        .map(|digit| char::from(*digit).to_digit(16));
    digits.reduce(|number, digit| Some(number? * 16 + digit?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_replaced_however_often_they_were_applied() {
        for (written, plain) in [
            ("no escape: 100 % of C:\\dir", "no escape: 100 % of C:\\dir"),
            (r#"{\"a\":\"\/v1\/b\"}"#, r#"{"a":"/v1/b"}"#),
            (r#"{\\\"a\\\":\\\"\\/v1\\/b\\\"}"#, r#"{"a":"/v1/b"}"#),
            (r"{\u0022a\u0022:\x22b\x22}", r#"{"a":"b"}"#),
            ("%7B%22url%22%3A%22%2Fv1%22", r#"{"url":"/v1""#),
            (r"use:\nx-1\u000ay", "use:\\nx-1\ry"),
            ("a/b%2Fc/d e=%2Ff%20g", "a/b%2Fc/d e=/f g"),
            (r"https:\/\/a\/b%2Fc", "https://a/b%2Fc"),
            ("http://p/f/https%3A%2F%2Fa%2Fb", "http://p/f/https://a/b"),
            ("?u=https%3A%2F%2Fa%2Fb%20c/d%2Fe", "?u=https://a/b c/d%2Fe"),
            (r"\d+\w \u12 %2 %zz %+1", r"\d+\w \u12 %2 %zz %+1"),
            ("?u=https%253A%25252F%252Fa 5%25 %2541", "?u=https://a 5% A"),
            ("\x1b[1;36mGET\x1b[0m \x1b]x", "GET \x1b]x"),
            (r"\u001b[36m/v1\x1b[0m\/a \u001b", "/v1/a \x1b"),
            (r"caf%C3%A9 \xc3\xa9 \u00e9", "caf\u{e9} \u{e9} \u{e9}"),
            ("%", "%"),
            ("\\", "\\"),
        ] {
            let text = PlainText::of(written.as_bytes());
            assert_eq!(String::from_utf8_lossy(text.bytes()), plain, "{written}");
        }
    }

    #[test]
    fn a_character_has_the_place_where_it_was_written() {
        let text = PlainText::of(br"ab\/cd\u000ae");
        assert_eq!(text.bytes(), b"ab/cd\re");
        // In any order.
        for (at, written) in [(6, 12), (0, 0), (1, 1), (2, 2), (3, 4), (5, 6), (7, 13)] {
            assert_eq!(text.written(at), written, "{at}");
        }
    }
}
