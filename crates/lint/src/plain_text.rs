//! Text as a person reads it: without the escapes of JSON strings, of nginx and of URLs, however often they were applied.
//!
//! A name or a path is written in many ways in a text that no reader understands: `/v1/a` as `\/v1\/a` in JSON, `\\/v1\\/a` in JSON in
//! a string, `%2Fv1%2Fa` in a URL; before it may be the letter of a line feed in `\n`. The net searches the text without them.

use std::borrow::Cow;

use sundown_text_json::text::{OffsetMap, Span};

/// A text without escapes.
#[derive(Debug, Clone)]
pub struct PlainText<'t> {
    text: Cow<'t, [u8]>,
    /// The map to what was written, if that has an escape.
    map: OffsetMap,
}

impl<'t> PlainText<'t> {
    /// Replaces the escapes in a text. It has the lines of what was written.
    pub fn of(written: &'t [u8]) -> Self {
        let mut map = OffsetMap::default();
        let mut plain = Vec::new();
        let (mut copied, mut at) = (0, 0);
        while let Some(next) = memchr::memchr2(b'\\', b'%', written.get(at..).unwrap_or_default()) {
            let start = at + next;
            let Some((character, length)) = escape(written.get(start..).unwrap_or_default()) else {
                at = start + 1;
                continue;
            };
            let run = Span::new(copied, start);
            plain.extend_from_slice(run.slice(written));
            map.push(run.len(), run);
            at = start + length;
            copied = at;
            let mut utf8 = [0; 4];
            let bytes = match character {
                Escaped::Byte(ref byte) => std::slice::from_ref(byte),
                Escaped::Character(character) => character.encode_utf8(&mut utf8).as_bytes(),
            };
            plain.extend(
                bytes
                    .iter()
                    .map(|byte| if *byte == b'\n' { LINE_FEED } else { *byte }),
            );
            map.push(bytes.len(), Span::new(start, at));
        }
        if copied == 0 {
            let text = Cow::Borrowed(written);
            return Self { text, map };
        }
        let run = Span::new(copied, written.len());
        plain.extend_from_slice(run.slice(written));
        map.push(run.len(), run);
        let text = Cow::Owned(plain);
        Self { text, map }
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Where a part of it was written.
    pub fn written(&self, part: Span) -> Span {
        match self.text {
            Cow::Borrowed(_) => part,
            Cow::Owned(_) => self.map.outer(part),
        }
    }
}

/// What an escape stands for.
enum Escaped {
    Byte(u8),
    Character(char),
}

/// What is written for a line feed: it ends no line of the text that has the escape.
const LINE_FEED: u8 = b'\r';

/// What the escape at the beginning of a text stands for, and its length: `\n`, `\\\"`, `\u0022`, `\x22`, `%22`, but not `\d`, which is
/// of an expression.
fn escape(text: &[u8]) -> Option<(Escaped, usize)> {
    let byte = |digits: &[u8]| Some(Escaped::Byte(u8::try_from(hexadecimal(digits, 2)?).ok()?));
    if let [b'%', digits @ ..] = text {
        return Some((byte(digits)?, 3));
    }
    // JSON in a string of JSON doubles the backslashes.
    let backslashes = text.iter().take_while(|byte| **byte == b'\\').count();
    let (kind, digits) = text.get(backslashes..)?.split_first()?;
    let (escaped, length) = match kind {
        b'n' | b'r' | b't' => (Escaped::Byte(LINE_FEED), 1),
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
            (r"use:\nx-1\u000ay", "use:\rx-1\ry"),
            (r"\d+\w \u12 %2 %zz %+1", r"\d+\w \u12 %2 %zz %+1"),
            (r"caf%C3%A9 \xc3\xa9 \u00e9", "caf\u{e9} \u{e9} \u{e9}"),
            ("%", "%"),
            ("\\", "\\"),
        ] {
            let text = PlainText::of(written.as_bytes());
            assert_eq!(String::from_utf8_lossy(text.bytes()), plain, "{written}");
        }
    }

    #[test]
    fn a_part_has_the_place_where_it_was_written() {
        let text = PlainText::of(br"ab\/cd\ne");
        let place = |from, to| text.written(Span::new(from, to));
        assert_eq!(text.bytes(), b"ab/cd\re");
        assert_eq!(place(0, 2), Span::new(0, 2));
        assert_eq!(place(2, 5), Span::new(2, 6));
        assert_eq!(place(6, 7), Span::new(8, 9));
    }
}
