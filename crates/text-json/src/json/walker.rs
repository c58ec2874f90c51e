//! A strict JSON reader (RFC 8259) that returns events with spans, and describes syntax errors.
//!
//! It neither recurses nor builds a tree: nesting costs one bit for each level, so hostile depth ends in an error at a limit.

use super::error::{SyntaxError, SyntaxErrorKind, earliest, valid_prefix};
use super::whitespace::skip_whitespace;
use super::{scalars, simd};
use crate::Limits;
use crate::text::Span;

/// The kind of an [`Event`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// The name of a member; its value follows.
    Key,
    /// A string value.
    String,
    /// A number, of any size and precision.
    Number,
    True,
    False,
    Null,
    /// A value that is not read.
    Unread,
}

/// One step of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub token: Token,
    /// Its span: the bracket, or the whole scalar or key with its quotes.
    pub span: Span,
}

/// Reads one JSON value from a text.
#[derive(Debug)]
pub struct Walker<'a> {
    text: &'a [u8],
    at: usize,
    expect: Expect,
    levels: Levels,
    max_depth: usize,
    /// The values that are not read and have not been met, in order.
    pub(super) unread: &'a [Span],
}

/// The tokens that the grammar allows next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// After `[`.
    ElementOrEnd,
    /// After `{`.
    KeyOrEnd,
    /// After a comma in an object.
    Key,
    /// After a value inside an array or object.
    CommaOrEnd,
    /// The value is complete.
    Nothing,
}

impl<'a> Walker<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        Self::starting_at(text, 0)
    }

    /// Starts at byte `at` of `text`; spans and errors count from the beginning of `text`.
    pub fn starting_at(text: &'a str, at: usize) -> Self {
        Self::over(text.as_bytes(), at)
    }

    /// As [`Self::starting_at`]. Where the text is no UTF-8, strings are read all the same.
    pub(super) fn over(text: &'a [u8], at: usize) -> Self {
        Self {
            text,
            at,
            expect: Expect::Value,
            levels: Levels::default(),
            max_depth: Limits::default().depth,
            unread: &[],
        }
    }

    /// Sets the limit of the nesting depth.
    #[must_use]
    pub fn up_to(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Offset of the next byte to read; after the value once that is complete. After an error, that of the scalar with the fault, if it
    /// is in one.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the next event; `None` if the value is complete. An error ends the walk.
    pub fn next_event(&mut self) -> Result<Option<Event>, SyntaxError> {
        if self.expect == Expect::Nothing {
            return Ok(None);
        }
        self.skip_whitespace();
        if self.expect == Expect::CommaOrEnd && self.peek() == Some(b',') {
            self.at += 1;
            self.expect = if self.levels.in_object {
                Expect::Key
            } else {
                Expect::Value
            };
            self.skip_whitespace();
        }
        let Some(byte) = self.peek() else {
            return Err(self.error(SyntaxErrorKind::UnexpectedEnd));
        };
        match self.expect {
            Expect::Value => self.value(byte),
            Expect::ElementOrEnd if byte == b']' => Ok(self.close()),
            Expect::ElementOrEnd => self.value(byte),
            Expect::KeyOrEnd | Expect::CommaOrEnd if byte == b'}' && self.levels.in_object => {
                Ok(self.close())
            }
            Expect::CommaOrEnd if byte == b']' && !self.levels.in_object => Ok(self.close()),
            Expect::KeyOrEnd | Expect::Key if byte == b'"' => self.key(),
            Expect::KeyOrEnd => Err(self.expected("a key in quotes or `}`")),
            Expect::Key | Expect::Nothing => Err(self.expected("a key in quotes")),
            Expect::CommaOrEnd if self.levels.in_object => Err(self.expected("`,` or `}`")),
            Expect::CommaOrEnd => Err(self.expected("`,` or `]`")),
        }
        .map(Some)
    }

    /// Validates the rest of the value.
    pub fn skip_rest(&mut self) -> Result<(), SyntaxError> {
        while self.next_event()?.is_some() {}
        Ok(())
    }

    /// Validates the rest of the array or object that was opened last, and of those in it.
    pub fn skip_container(&mut self) -> Result<(), SyntaxError> {
        let depth = self.levels.depth;
        while self.levels.depth >= depth && self.next_event()?.is_some() {}
        Ok(())
    }

    /// Checks that only white space follows the value.
    pub fn finish(&mut self) -> Result<(), SyntaxError> {
        self.skip_whitespace();
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(self.expected("the end of the text"))
        }
    }

    /// Skips white space (RFC 8259, section 2).
    pub fn skip_whitespace(&mut self) {
        self.at = skip_whitespace(self.text, self.at);
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn error(&self, kind: SyntaxErrorKind) -> SyntaxError {
        SyntaxError::new(self.at, kind)
    }

    fn expected(&self, what: &'static str) -> SyntaxError {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.error(match rest {
            [b'/', b'/' | b'*', ..] => SyntaxErrorKind::Comment,
            _ => SyntaxErrorKind::Expected(what),
        })
    }

    fn value(&mut self, byte: u8) -> Result<Event, SyntaxError> {
        if let Some((unread, rest)) = self.unread.split_first()
            && unread.start == self.at
        {
            (self.unread, self.at) = (rest, unread.end);
            return Ok(self.end(Token::Unread, *unread));
        }
        match byte {
            b'{' => self.open(Token::ObjectStart, Expect::KeyOrEnd),
            b'[' => self.open(Token::ArrayStart, Expect::ElementOrEnd),
            b'"' => {
                let span = self.string()?;
                Ok(self.end(Token::String, span))
            }
            b'-' | b'0'..=b'9' => {
                let span = self.number()?;
                Ok(self.end(Token::Number, span))
            }
            b't' => self.literal("true", Token::True),
            b'f' => self.literal("false", Token::False),
            b'n' => self.literal("null", Token::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn open(&mut self, token: Token, expect: Expect) -> Result<Event, SyntaxError> {
        if self.levels.depth == self.max_depth {
            return Err(self.error(SyntaxErrorKind::TooDeep(self.max_depth)));
        }
        self.levels.push(token == Token::ObjectStart);
        self.expect = expect;
        self.at += 1;
        Ok(Event {
            token,
            span: Span::new(self.at - 1, self.at),
        })
    }

    fn close(&mut self) -> Event {
        let token = if self.levels.in_object {
            Token::ObjectEnd
        } else {
            Token::ArrayEnd
        };
        self.levels.pop();
        self.at += 1;
        self.end(token, Span::new(self.at - 1, self.at))
    }

    /// Ends a value.
    fn end(&mut self, token: Token, span: Span) -> Event {
        self.expect = if self.levels.depth == 0 {
            Expect::Nothing
        } else {
            Expect::CommaOrEnd
        };
        Event { token, span }
    }

    fn key(&mut self) -> Result<Event, SyntaxError> {
        let span = self.string()?;
        self.skip_whitespace();
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.expected("`:`")),
            None => return Err(self.error(SyntaxErrorKind::UnexpectedEnd)),
        }
        self.expect = Expect::Value;
        Ok(Event {
            token: Token::Key,
            span,
        })
    }

    /// Reads a string from its opening quote; its span includes both quotes.
    fn string(&mut self) -> Result<Span, SyntaxError> {
        let start = self.at;
        match simd::string(self.text, start + 1) {
            Ok(end) => self.at = end,
            Err(at) => {
                return Err(match self.text.get(at) {
                    Some(b'\\') => self.escape_error(at),
                    Some(_) => SyntaxError::new(at, SyntaxErrorKind::ControlCharacter),
                    None => SyntaxError::new(at, SyntaxErrorKind::UnexpectedEnd),
                });
            }
        }
        Ok(Span::new(start, self.at))
    }

    /// The error of the escape at an offset, which is none.
    fn escape_error(&self, at: usize) -> SyntaxError {
        let is_cut_off = match self.text.get(at + 1..).unwrap_or_default() {
            [b'u', digits @ ..] => digits.len() < 4 && digits.iter().all(u8::is_ascii_hexdigit),
            rest => rest.is_empty(),
        };
        if is_cut_off {
            SyntaxError::new(self.text.len(), SyntaxErrorKind::UnexpectedEnd)
        } else {
            SyntaxError::new(at, SyntaxErrorKind::BadEscape)
        }
    }

    fn number(&mut self) -> Result<Span, SyntaxError> {
        let start = self.at;
        let bytes = self.text;
        match scalars::number(bytes, start) {
            Ok(end) => {
                self.at = end;
                Ok(Span::new(start, end))
            }
            Err(at) if at == bytes.len() => {
                Err(SyntaxError::new(at, SyntaxErrorKind::UnexpectedEnd))
            }
            Err(at) => Err(SyntaxError::new(at, SyntaxErrorKind::BadNumber)),
        }
    }

    fn literal(&mut self, word: &'static str, token: Token) -> Result<Event, SyntaxError> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(self.end(token, Span::new(start, self.at)));
        }
        if word.as_bytes().starts_with(rest) {
            return Err(SyntaxError::new(
                self.text.len(),
                SyntaxErrorKind::UnexpectedEnd,
            ));
        }
        Err(self.expected("a value"))
    }
}

/// The kinds of the open containers: one bit for each level.
#[derive(Debug, Default)]
struct Levels {
    /// Whether the innermost is an object.
    in_object: bool,
    depth: usize,
    /// The containers around the innermost, the nearest in the lowest bit.
    near: u64,
    /// Those farther out, 64 for each word.
    far: Vec<u64>,
}

impl Levels {
    #[inline]
    fn push(&mut self, is_object: bool) {
        if self.depth.is_multiple_of(64) {
            self.far.push(self.near);
            self.near = 0;
        }
        self.near = self.near << 1 | u64::from(self.in_object);
        self.in_object = is_object;
        self.depth += 1;
    }

    /// Closes the innermost container.
    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        self.in_object = self.near & 1 == 1;
        self.near >>= 1;
        if self.depth.is_multiple_of(64) {
            self.near = self.far.pop().unwrap_or_default();
        }
    }
}

/// Returns the first syntax error in bytes that should be one JSON value, nested at most `max_depth` levels deep.
pub fn find_error(bytes: &[u8], max_depth: usize) -> Option<SyntaxError> {
    let (text, cut) = valid_prefix(bytes);
    let mut walker = Walker::new(text).up_to(max_depth);
    let error = walker.skip_rest().and_then(|()| walker.finish()).err();
    earliest(text, error, cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn walk(text: &str) -> Result<Vec<(Token, &str)>, SyntaxError> {
        let mut walker = Walker::new(text);
        let mut events = Vec::new();
        while let Some(event) = walker.next_event()? {
            events.push((event.token, &text[event.span.start..event.span.end]));
        }
        walker.finish()?;
        Ok(events)
    }

    fn fault(text: &str) -> (usize, SyntaxErrorKind) {
        let error = walk(text).expect_err("this text is not JSON");
        (error.offset, error.kind)
    }

    #[test]
    fn events_carry_their_exact_text() {
        let events = walk(r#" {"a" : [1, -2.5e+3,"x\n"], "b":{}, "":null} "#).unwrap();
        let texts: Vec<_> = events.iter().map(|event| event.1).collect();
        let expected = [
            r"{", r#""a""#, "[", "1", "-2.5e+3", r#""x\n""#, "]", r#""b""#, "{", "}", r#""""#,
            "null", "}",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn errors_name_the_place_and_what_was_expected() {
        use SyntaxErrorKind::{BadEscape, BadNumber, Comment, ControlCharacter, Expected};
        assert_eq!(fault("[1, // one\n2]"), (4, Comment));
        assert_eq!(fault("{/* a */\"a\":1}"), (1, Comment));
        assert_eq!(fault("[/1]"), (1, Expected("a value")));
        assert_eq!(fault("{'a':1}"), (1, Expected("a key in quotes or `}`")));
        assert_eq!(fault(r#"{"a":1,}"#), (7, Expected("a key in quotes")));
        assert_eq!(fault("[1,]"), (3, Expected("a value")));
        assert_eq!(fault("[1}"), (2, Expected("`,` or `]`")));
        assert_eq!(fault(r#"{"a" 1}"#), (5, Expected("`:`")));
        assert_eq!(fault(r#"{"a":1]"#), (6, Expected("`,` or `}`")));
        assert_eq!(fault("nul1"), (0, Expected("a value")));
        assert_eq!(fault("1 2"), (2, Expected("the end of the text")));
        assert_eq!(fault("01"), (1, BadNumber));
        assert_eq!(fault("[-]"), (2, BadNumber));
        assert_eq!(fault("\"a\tb\""), (2, ControlCharacter));
        assert_eq!(fault(r#""a\x""#), (2, BadEscape));
        assert_eq!(fault(r#""\u12G4""#), (1, BadEscape));
    }

    #[test]
    fn depth_is_bounded_by_the_limit_and_not_by_the_stack() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(walk(&deep).unwrap().len(), 400_000);
        let mut walker = Walker {
            max_depth: 2,
            ..Walker::new("[[[]]]")
        };
        walker.next_event().unwrap();
        walker.next_event().unwrap();
        assert_eq!(
            walker.next_event(),
            Err(SyntaxError::new(2, SyntaxErrorKind::TooDeep(2)))
        );
    }

    #[test]
    fn hundreds_of_levels_close_in_the_order_in_which_they_opened() {
        let is_valid = |text: &str, depth| Walker::new(text).up_to(depth).skip_rest().is_ok();
        for levels in [1usize, 63, 64, 65, 127, 128, 129, 200, 1000] {
            let kinds: Vec<bool> = (0..levels)
                .map(|level| level % 3 == 0 || level % 7 == 1)
                .collect();
            let open: String = kinds
                .iter()
                .map(|&object| if object { "{\"a\":" } else { "[" })
                .collect();
            let close: String = kinds
                .iter()
                .rev()
                .map(|&object| if object { '}' } else { ']' })
                .collect();
            let text = format!("[{open}1{close}]");
            assert!(is_valid(&text, levels + 1));
            assert!(!is_valid(&text, levels), "too deep");
            let wrong = text.replacen(
                if close.starts_with('}') { '}' } else { ']' },
                if close.starts_with('}') { "]" } else { "}" },
                1,
            );
            assert!(!is_valid(&wrong, levels + 1));
        }
    }

    /// Text that is JSON, nearly JSON, or not at all.
    fn jsonish() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\n",
            "\"a\"",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\x\"",
            "\"",
            "0",
            "-",
            "1.5",
            "1e",
            "e5",
            "true",
            "fals",
            "null",
            "é",
            "\u{1}",
            "{\"k\":",
            "[1,",
            "\\",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    /// A well-formed array, as text.
    fn array() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            any::<f64>().prop_map(|number| serde_json::to_string(&number).unwrap()),
            any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
            Just(r#""\ud83d\ude00\/""#.to_owned()),
            Just("false".to_owned()),
        ];
        let value = leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|list| format!("[{}]", list.join(", "))),
                prop::collection::vec(inner, 0..4).prop_map(|list| {
                    let members: Vec<_> = list
                        .iter()
                        .map(|value| format!("\"\\u006b\": {value}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        });
        value.prop_map(|value| format!("[{value}]"))
    }

    proptest! {
        #[test]
        fn accepts_exactly_what_serde_json_accepts(text in jsonish()) {
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text);
            prop_assert_eq!(walk(&text).is_ok(), theirs.is_ok(), "{:?} for {:?}", walk(&text), text);
        }

        #[test]
        fn every_proper_prefix_of_a_container_is_an_unexpected_end(whole in array(), cut in 0usize..200) {
            let cut = cut.min(whole.len() - 1);
            let (prefix, _) = crate::json::valid_prefix(&whole.as_bytes()[..cut]);
            prop_assert!(walk(prefix).expect_err("cut short").leaves_prefix_whole());
        }
    }
}
