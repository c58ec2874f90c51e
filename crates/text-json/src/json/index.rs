//! The index of a JSON text: one bit for each quote, bracket and colon outside of its strings, 64 bytes a word.
//!
//! A walk over the index ([`Marks`]) sees keys and containers, and jumps over a container that is not wanted. It reads no value and
//! validates nothing: of a text that is not JSON, its results are meaningless but safe. A document in a JSON string is indexed where
//! it is, so that all offsets are those of the text around it. The tree of a document is made from its index, too.

use super::key_context::blank_before;
use super::quote_level::QuoteLevel;
use super::simd::{self, Word};

/// The marks of a text. Its memory is reused.
#[derive(Debug, Default)]
pub struct Index(Vec<Word>);

impl Index {
    /// Indexes a text, and forgets the one before.
    pub fn read<'i>(&'i mut self, text: &'i [u8], level: QuoteLevel) -> Marks<'i> {
        self.make(text, level);
        let words = &self.0;
        let ahead = words.first().map_or(0, Word::steps);
        Marks {
            text,
            level,
            words,
            number: 0,
            ahead,
        }
    }

    /// Indexes a text, and forgets the one before.
    pub(super) fn make(&mut self, text: &[u8], level: QuoteLevel) {
        simd::index(text, level, &mut self.0);
    }

    /// The offset after the string with its opening quote at `start`, in a document.
    #[inline]
    pub(super) fn string_end(&self, start: usize) -> Option<usize> {
        let from = start + 1;
        let mut number = from / 64;
        let mut quotes = self.0.get(number)?.quotes & (u64::MAX << (from % 64));
        while quotes == 0 {
            number += 1;
            quotes = self.0.get(number)?.quotes;
        }
        Some(64 * number + quotes.trailing_zeros() as usize + 1)
    }

    /// The offset after the array or object that opens at `start`.
    #[inline]
    pub(super) fn container_end(&self, start: usize) -> Option<usize> {
        let from = start + 1;
        container_end(&self.0, from / 64, u64::MAX << (from % 64)).map(|end| end + 1)
    }
}

/// The offset of the bracket that closes the container around the marks `within` a word and those after it; `None` if none does.
/// Kinds of brackets are not distinguished.
#[inline]
fn container_end(words: &[Word], mut number: usize, mut within: u64) -> Option<usize> {
    let mut depth = 1;
    loop {
        let word = words.get(number)?;
        let (open, close) = (word.open & within, word.close & within);
        let closed = close.count_ones();
        if closed < depth {
            depth = depth + open.count_ones() - closed;
        } else {
            let mut rest = open | close;
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                depth = if open & bit == 0 {
                    depth - 1
                } else {
                    depth + 1
                };
                if depth == 0 {
                    return Some(64 * number + rest.trailing_zeros() as usize);
                }
                rest &= rest - 1;
            }
        }
        number += 1;
        within = u64::MAX;
    }
}

impl Word {
    /// What a walk stops at.
    #[inline]
    fn steps(&self) -> u64 {
        self.open | self.close | self.colon
    }
}

/// A walk over the brackets and colons of a text.
#[derive(Debug)]
pub struct Marks<'i> {
    text: &'i [u8],
    level: QuoteLevel,
    words: &'i [Word],
    /// The index of the current word.
    number: usize,
    /// The marks in it that have not been given.
    ahead: u64,
}

impl<'i> Marks<'i> {
    /// The next bracket or colon, with its offset.
    #[inline]
    pub fn next_mark(&mut self) -> Option<(usize, u8)> {
        while self.ahead == 0 {
            self.number += 1;
            self.ahead = self.words.get(self.number)?.steps();
        }
        let at = 64 * self.number + self.ahead.trailing_zeros() as usize;
        self.ahead &= self.ahead - 1;
        Some((at, *self.text.get(at)?))
    }

    /// Goes to the end of the container whose bracket was the last mark. Returns the offset of its closing bracket; `None` if it
    /// does not end.
    #[inline]
    pub fn skip_container(&mut self) -> Option<usize> {
        // The bits after the bracket: those up to it have been given.
        let end = container_end(self.words, self.number, self.ahead)?;
        self.number = end / 64;
        self.ahead = self.words.get(self.number)?.steps() & (u64::MAX << (end % 64) << 1);
        Some(end)
    }

    /// The name before the colon at `colon`, as the text writes it; `None` if no string is there.
    #[inline]
    pub fn name_before(&self, colon: usize) -> Option<&'i [u8]> {
        let quote = self.text.get(..colon)?;
        let closing = match quote.last() {
            Some(b'"') => colon,
            _ => blank_before(self.text, colon, self.level),
        }
        .checked_sub(1)?;
        let is_quote = |word: &Word, bit: usize| word.quotes >> bit & 1 == 1;
        self.words
            .get(closing / 64)
            .filter(|word| is_quote(word, closing % 64))?;
        let opening = self.quote_before(closing)?;
        let end = closing + 1 - self.level.quote().len();
        self.text.get(opening + 1..end)
    }

    /// The offset of the last quote before `at`.
    #[inline]
    fn quote_before(&self, at: usize) -> Option<usize> {
        let mut number = at / 64;
        let mut quotes = self.words.get(number)?.quotes & ((1 << (at % 64)) - 1);
        while quotes == 0 {
            number = number.checked_sub(1)?;
            quotes = self.words.get(number)?.quotes;
        }
        Some(64 * number + quotes.ilog2() as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Token, Walker};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_walk_over_the_index_sees_the_brackets_and_keys_of_the_strict_walker(
            values in prop::collection::vec(crate::json::tests::value(), 1..20),
            skipped in any::<prop::sample::Index>(),
        ) {
            let text = format!("[{}]", values.join(","));
            let mut walker = Walker::new(&text);
            let mut expected = Vec::new();
            while let Some(event) = walker.next_event().unwrap() {
                match event.token {
                    Token::Key => expected.push(&text[event.span.start + 1..event.span.end - 1]),
                    Token::ObjectStart | Token::ArrayStart => expected.push("open"),
                    Token::ObjectEnd | Token::ArrayEnd => expected.push("close"),
                    _ => {}
                }
            }
            let literal = serde_json::to_string(&text).unwrap();
            let inside = &literal[1..literal.len() - 1];
            for (level, text) in [(QuoteLevel::Document, &*text), (QuoteLevel::String, inside)] {
                let mut index = Index::default();
                let mut marks = index.read(text.as_bytes(), level);
                let mut seen = Vec::new();
                while let Some((at, byte)) = marks.next_mark() {
                    seen.push(match byte {
                        b'{' | b'[' => "open".to_owned(),
                        b':' => {
                            let name = std::str::from_utf8(marks.name_before(at).unwrap()).unwrap();
                            let decoded = |name| serde_json::from_str(&format!("\"{name}\"")).unwrap();
                            if level == QuoteLevel::String { decoded(name) } else { name.to_owned() }
                        }
                        _ => "close".to_owned(),
                    });
                }
                prop_assert_eq!(&seen, &expected, "{}", text);
                // The end of a container is where the strict walker ends it.
                let opened: Vec<_> = (0..seen.len()).filter(|&at| seen[at] == "open").collect();
                let number = opened[skipped.index(opened.len())];
                let mut depth = 0;
                let end = seen[number..].iter().position(|mark| {
                    depth += i32::from(mark == "open") - i32::from(mark == "close");
                    depth == 0
                });
                let mut marks = index.read(text.as_bytes(), level);
                (0..=number).for_each(|_| _ = marks.next_mark());
                prop_assert!(marks.skip_container().is_some());
                let rest = std::iter::from_fn(|| marks.next_mark()).count();
                prop_assert_eq!(rest, seen.len() - number - end.unwrap() - 1);
            }
        }
    }
}
