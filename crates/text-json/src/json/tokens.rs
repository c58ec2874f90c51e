//! The tape of a JSON text: the offsets of its tokens, a stretch at a time. Strings are validated as the tape is written.

use super::scalars::{closing, scalar};
use super::simd;
use super::whitespace::is_whitespace;
use crate::text::Span;

/// The number of levels of nesting that fit into one word of [`Levels`].
const WORD: usize = 64;

/// The tokens of a text from a position on, in order: brackets, colons, commas, strings, and runs of anything else but white
/// space.
///
/// A string before another token is valid (RFC 8259, section 7) and complete. After an invalid one, no token follows.
pub struct Tape<'t> {
    text: &'t [u8],
    list: simd::TokenList,
    /// The number of tokens of the list that have been read.
    given: usize,
    reading: simd::Reading,
    /// The values that are not read, in order.
    holes: &'t [Span],
}

impl<'t> Tape<'t> {
    /// Begins at `start`, which is not inside a string.
    #[inline]
    pub fn new(text: &'t [u8], start: usize) -> Self {
        let list = simd::TokenList::default();
        let reading = simd::Reading::from(start);
        Self {
            text,
            list,
            given: 0,
            reading,
            holes: &[],
        }
    }

    /// Sets the values that are not read: their strings, arrays and objects count as valid.
    #[must_use]
    pub(crate) fn with_holes(mut self, holes: &'t [Span]) -> Self {
        self.holes = holes;
        self
    }

    /// Whether all values were met that are not read.
    pub(crate) fn has_met_holes(&self) -> bool {
        self.holes.is_empty()
    }

    /// Moves to the token after the current value and returns its first byte, if that value is not read.
    #[inline]
    fn skip_hole(&mut self) -> Option<u8> {
        let (hole, rest) = self.holes.split_first()?;
        if hole.start != self.at() {
            return None;
        }
        self.holes = rest;
        self.reading = simd::Reading::from(hole.end);
        self.given = self.list.len();
        Some(self.next_byte())
    }

    /// Moves to the next token and returns its first byte; 0 at the end.
    #[inline]
    pub fn next_byte(&mut self) -> u8 {
        let byte = self.list.first(self.given);
        if byte == 0 {
            return self.read_on();
        }
        self.given += 1;
        byte
    }

    /// Moves on by four tokens if they begin with these bytes and are in the list.
    #[inline]
    fn take(&mut self, wanted: [u8; 4]) -> bool {
        let is_wanted = self.list.begins(self.given, wanted);
        self.given += 4 * usize::from(is_wanted);
        is_wanted
    }

    /// Offset of the current token.
    #[inline]
    pub fn at(&self) -> usize {
        self.list.at(self.given.wrapping_sub(1))
    }

    #[cold]
    fn read_on(&mut self) -> u8 {
        while self.given >= self.list.len() {
            if !self.reading.is_within(self.text) {
                return 0;
            }
            simd::tokens(self.text, &mut self.reading, &mut self.list);
            self.given = 0;
        }
        let byte = self.list.first(self.given);
        self.given += 1;
        byte
    }

    /// Whether the current token, which begins with `byte`, is exactly a number or a literal.
    #[inline]
    pub fn is_scalar(&self, byte: u8) -> bool {
        scalar(self.text, self.at(), byte)
            .and_then(|end| self.text.get(end))
            .is_some_and(|&byte| matches!(byte, b',' | b'}' | b']') || is_whitespace(byte))
    }

    /// Offset after the closing quote of the key before the current token, a colon.
    #[inline]
    pub fn key_end(&self) -> usize {
        let colon = self.at();
        let before = self.text.get(..colon).unwrap_or_default();
        if before.last() == Some(&b'"') {
            return colon;
        }
        before.trim_ascii_end().len()
    }

    /// Whether there may be a backslash between `start`, the offset of an earlier token, and the current token.
    #[inline]
    pub fn may_have_escapes(&self, start: usize) -> bool {
        let Some(from) = start.checked_sub(self.list.start) else {
            return true;
        };
        let up_to = (self.at() - self.list.start) / 64;
        self.list.with_backslash >> (from / 64) << (from / 64) << (63 - up_to) != 0
    }

    /// Skips the array or object whose opening bracket is the current token, and returns the offset after it; `None` if it is
    /// broken, cut off, or nested deeper than `max_depth` levels, itself included.
    pub fn skip_container(&mut self, is_object: bool, max_depth: usize) -> Option<usize> {
        let mut levels = Levels::new(is_object);
        // After an opening bracket, the container may end at once.
        let mut byte = self.next_byte();
        if byte == closing(is_object) {
            return Some(self.at() + 1);
        }
        loop {
            // At the beginning of an element or member.
            if levels.in_object {
                if byte != b'"' {
                    return None;
                }
                // Members with strings as values, as a whole.
                while self.holes.is_empty() && self.take(*b":\",\"") {}
                if self.next_byte() != b':' {
                    return None;
                }
                byte = self.next_byte();
            }
            if let Some(next) = self.skip_hole() {
                byte = next;
            } else {
                match byte {
                    b'{' | b'[' => {
                        levels.push(byte == b'{');
                        if levels.depth > max_depth {
                            return None;
                        }
                        byte = self.next_byte();
                        if byte != closing(levels.in_object) {
                            continue;
                        }
                    }
                    b'"' => byte = self.next_byte(),
                    _ if self.is_scalar(byte) => byte = self.next_byte(),
                    _ => return None,
                }
            }
            // After an element or member, or at the end of an empty container.
            while byte != b',' {
                if byte != closing(levels.in_object) {
                    return None;
                }
                if !levels.pop() {
                    return Some(self.at() + 1);
                }
                byte = self.next_byte();
            }
            byte = self.next_byte();
        }
    }
}

/// The kinds of the open containers: one bit for each level.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// Whether the innermost is an object.
    pub in_object: bool,
    pub depth: usize,
    /// The containers around the innermost, the nearest in the lowest bit.
    near: u64,
    /// Those farther out, 64 for each word.
    far: Vec<u64>,
}

impl Levels {
    fn new(is_object: bool) -> Self {
        Self {
            in_object: is_object,
            depth: 1,
            ..Self::default()
        }
    }

    #[inline]
    pub(super) fn push(&mut self, is_object: bool) {
        if self.depth.is_multiple_of(WORD) {
            self.far.push(self.near);
            self.near = 0;
        }
        self.near = self.near << 1 | u64::from(self.in_object);
        self.in_object = is_object;
        self.depth += 1;
    }

    /// Closes the innermost container; `false` if it was the only one.
    #[inline]
    pub(super) fn pop(&mut self) -> bool {
        self.depth -= 1;
        if self.depth == 0 {
            return false;
        }
        self.in_object = self.near & 1 == 1;
        self.near >>= 1;
        if self.depth.is_multiple_of(WORD) {
            self.near = self.far.pop().unwrap_or_default();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::validate::{is_value, is_value_except};
    use super::super::walker::Walker;
    use super::Tape;
    use crate::text::Span;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// Texts of several stretches, most of them JSON but for one byte.
        #[test]
        fn what_is_nearly_json_is_what_the_slow_walker_says(
            values in prop::collection::vec(super::super::tests::value(), 1..60),
            place in any::<prop::sample::Index>(),
            byte in prop_oneof![0u8..128, prop::sample::select(&b"\"\\{}[]:, \n\x00\x0c\x1au0e"[..])],
            change in 0..4,
        ) {
            let mut text = format!("[{}]", values.join(",")).into_bytes();
            let at = place.index(text.len());
            match change {
                0 => text.truncate(at),
                1 => text.insert(at, byte),
                2 => text[at] = byte,
                _ => {}
            }
            if let Ok(text) = std::str::from_utf8(&text) {
                let mut walker = Walker::new(text);
                let slow = walker.skip_rest().and_then(|()| walker.finish());
                prop_assert_eq!(is_value(text.as_bytes(), 1_000), slow.is_ok(), "{}", text);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Whatever is written in a value that is not read, the others decide; and every hole must be a value.
        #[test]
        fn values_that_are_not_read_do_not_matter(
            values in prop::collection::vec(super::super::tests::value(), 3..40),
            number in any::<prop::sample::Index>(),
            hidden in prop::sample::select(&["\"a\\x\"", "{\"a\":nope}", "[1,]", "{}", "\"\u{1}\""][..]),
            broken in any::<bool>(),
        ) {
            let number = number.index(values.len());
            let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
            values[number] = hidden;
            let before = values[..number].join(",");
            let start = 1 + before.len() + usize::from(number > 0);
            let hole = Span::new(start, start + hidden.len());
            let text = format!("[{}{}]", values.join(","), if broken { ",nope" } else { "" });
            prop_assert_eq!(is_value_except(text.as_bytes(), &[hole], 100), !broken, "{}", text);
            let elsewhere = Span::new(text.len(), text.len());
            prop_assert!(!is_value_except(text.as_bytes(), &[hole, elsewhere], 100));
        }
    }

    #[test]
    fn hundreds_of_levels_close_in_the_order_in_which_they_opened() {
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
            assert_eq!(
                Tape::new(text.as_bytes(), 1).skip_container(false, levels + 1),
                Some(text.len())
            );
            assert_eq!(
                Tape::new(text.as_bytes(), 1).skip_container(false, levels),
                None,
                "too deep"
            );
            let wrong = text.replacen(
                if close.starts_with('}') { '}' } else { ']' },
                if close.starts_with('}') { "]" } else { "}" },
                1,
            );
            assert_eq!(
                Tape::new(wrong.as_bytes(), 1).skip_container(false, levels + 1),
                None
            );
        }
    }
}
