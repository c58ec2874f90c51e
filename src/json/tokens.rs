//! Where the tokens of a JSON text begin, a stretch of it at a time, and what they make up: the fast way over JSON that is as
//! it should be. It finds strings whole, and what they hold checked, before anybody looks at one.

use super::quick::{closing, scalar};
use super::simd;

/// How many levels of nesting fit into one word of [`Levels`].
const WORD: usize = 64;

/// The tokens of a text from some place on, in their order: brackets, colons, commas, strings, and runs of whatever else is
/// no white space.
///
/// Of a string all that it holds is as it should be (RFC 8259, section 7), and it ends before the token behind it. Where one
/// does not, no token follows.
pub(crate) struct Tape<'t> {
    text: &'t [u8],
    list: simd::TokenList,
    /// How many of the list have been given.
    given: usize,
    reading: simd::Reading,
}

impl<'t> Tape<'t> {
    /// Those at and behind `start`, which is not inside a string.
    #[inline]
    pub(crate) fn new(text: &'t [u8], start: usize) -> Self {
        let (list, reading) = (simd::TokenList::default(), simd::Reading::from(start));
        Self { text, list, given: 0, reading }
    }

    /// The first byte of the next; 0, which begins none, where there is none.
    #[inline]
    pub(crate) fn next(&mut self) -> u8 {
        let byte = self.list.first(self.given);
        if byte == 0 {
            return self.read_on();
        }
        self.given += 1;
        byte
    }

    /// Goes on by four if the next begin with these bytes, and they are at hand.
    #[inline]
    fn take(&mut self, wanted: [u8; 4]) -> bool {
        let is_wanted = self.list.begins(self.given, wanted);
        self.given += 4 * usize::from(is_wanted);
        is_wanted
    }

    /// Offset of the one that was given last.
    #[inline]
    pub(crate) fn at(&self) -> usize {
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

    /// Whether the token at hand, which begins with `byte`, is a number or word, and nothing else stands up to the next.
    #[inline]
    pub(crate) fn is_scalar(&self, byte: u8) -> bool {
        let end = scalar(self.text, self.at(), byte).and_then(|end| self.text.get(end));
        matches!(end, Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
    }

    /// Offset behind the closing quote of the key before the colon at hand.
    #[inline]
    pub(crate) fn key_end(&self) -> usize {
        let colon = self.at();
        let before = self.text.get(..colon).unwrap_or_default();
        if before.last() == Some(&b'"') {
            return colon;
        }
        before.trim_ascii_end().len()
    }

    /// Whether a backslash may stand between `start`, where a token was, and the token at hand.
    #[inline]
    pub(crate) fn may_have_escapes(&self, start: usize) -> bool {
        let Some(from) = start.checked_sub(self.list.start) else { return true };
        let up_to = (self.at() - self.list.start) / 64;
        self.list.with_backslash >> (from / 64) << (from / 64) << (63 - up_to) != 0
    }

    /// Offset behind the array or object whose opening bracket has just been taken, or `None` where it is broken, cut off, or
    /// nested deeper than `max_depth` levels, itself included.
    pub(crate) fn skip_container(&mut self, is_object: bool, max_depth: usize) -> Option<usize> {
        let mut levels = Levels::new(is_object);
        // Behind an opening bracket, where the container may end at once.
        let mut byte = self.next();
        if byte == closing(is_object) {
            return Some(self.at() + 1);
        }
        loop {
            // Where an element or member begins.
            if levels.in_object {
                if byte != b'"' {
                    return None;
                }
                // Members whose values are strings, at one go.
                while self.take(*b":\",\"") {}
                if self.next() != b':' {
                    return None;
                }
                byte = self.next();
            }
            match byte {
                b'{' | b'[' => {
                    levels.push(byte == b'{');
                    if levels.depth > max_depth {
                        return None;
                    }
                    byte = self.next();
                    if byte != closing(levels.in_object) {
                        continue;
                    }
                }
                b'"' => byte = self.next(),
                _ if self.is_scalar(byte) => byte = self.next(),
                _ => return None,
            }
            // Behind an element or member, or at the end of an empty container.
            while byte != b',' {
                if byte != closing(levels.in_object) {
                    return None;
                }
                if !levels.pop() {
                    return Some(self.at() + 1);
                }
                byte = self.next();
            }
            byte = self.next();
        }
    }
}

/// Which of the open containers are objects: one bit a level, those of the innermost 64 at hand.
struct Levels {
    in_object: bool,
    depth: usize,
    /// The containers around the innermost, the nearest in the lowest bit.
    near: u64,
    /// Those farther out, 64 a word.
    far: Vec<u64>,
}

impl Levels {
    fn new(is_object: bool) -> Self {
        Self { in_object: is_object, depth: 1, near: 0, far: Vec::new() }
    }

    #[inline]
    fn push(&mut self, is_object: bool) {
        if self.depth.is_multiple_of(WORD) {
            self.far.push(self.near);
            self.near = 0;
        }
        self.near = self.near << 1 | u64::from(self.in_object);
        self.in_object = is_object;
        self.depth += 1;
    }

    /// Closes the innermost; `false` where it was the only one.
    #[inline]
    fn pop(&mut self) -> bool {
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

    use super::super::quick::{is_value, skip_container};
    use super::super::walker::Walker;

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

    #[test]
    fn hundreds_of_levels_close_in_the_order_in_which_they_opened() {
        for levels in [1usize, 63, 64, 65, 127, 128, 129, 200, 1000] {
            let kinds: Vec<bool> =
                (0..levels).map(|level| level % 3 == 0 || level % 7 == 1).collect();
            let open: String =
                kinds.iter().map(|&object| if object { "{\"a\":" } else { "[" }).collect();
            let close: String =
                kinds.iter().rev().map(|&object| if object { '}' } else { ']' }).collect();
            let text = format!("[{open}1{close}]");
            assert_eq!(skip_container(text.as_bytes(), 1, false, levels + 1), Some(text.len()));
            assert_eq!(skip_container(text.as_bytes(), 1, false, levels), None, "too deep");
            let wrong = text.replacen(
                if close.starts_with('}') { '}' } else { ']' },
                if close.starts_with('}') { "]" } else { "}" },
                1,
            );
            assert_eq!(skip_container(wrong.as_bytes(), 1, false, levels + 1), None);
        }
    }
}
