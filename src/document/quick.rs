//! The fast way over JSON that is as it should be: no events, no spans, no words about what is wrong. Where anything is,
//! it gives up, and the slow walker tells what.

use super::escape::escape;
use super::simd;

/// How many levels of nesting fit into one word of [`Levels`].
const WORD: usize = 64;

/// Whether the bytes are one JSON value (RFC 8259), nested no deeper than `max_depth` levels, and nothing else but white space.
pub fn is_value(bytes: &[u8], max_depth: usize) -> bool {
    let value = || {
        let start = blank(bytes, 0);
        let end = match *bytes.get(start)? {
            open @ (b'{' | b'[') if max_depth > 0 => {
                skip_container(bytes, start + 1, open == b'{', max_depth)?
            }
            byte => scalar(bytes, start, byte)?,
        };
        (blank(bytes, end) == bytes.len()).then_some(())
    };
    value().is_some() && is_utf8(bytes)
}

/// Whether the bytes are UTF-8.
#[inline]
pub(crate) fn is_utf8(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// Offset behind the array or object that has just been opened before `at`, or `None` where it is broken, cut off, or nested
/// deeper than `max_depth` levels, itself included.
pub(crate) fn skip_container(
    bytes: &[u8],
    at: usize,
    is_object: bool,
    max_depth: usize,
) -> Option<usize> {
    let mut levels = Levels::new(is_object);
    let mut at = blank(bytes, at);
    // Behind an opening bracket, where the container may end at once.
    if *bytes.get(at)? == closing(is_object) {
        return Some(at + 1);
    }
    loop {
        // Where an element or member begins.
        if levels.in_object {
            at = value_of_member(bytes, at)?;
        }
        match *bytes.get(at)? {
            open @ (b'{' | b'[') => {
                levels.push(open == b'{');
                if levels.depth > max_depth {
                    return None;
                }
                at = blank(bytes, at + 1);
                if *bytes.get(at)? != closing(levels.in_object) {
                    continue;
                }
            }
            byte => at = blank(bytes, scalar(bytes, at, byte)?),
        }
        // Behind an element or member, or at the end of an empty container.
        loop {
            match *bytes.get(at)? {
                b',' => break,
                byte if byte == closing(levels.in_object) => {
                    if !levels.pop() {
                        return Some(at + 1);
                    }
                    at = blank(bytes, at + 1);
                }
                _ => return None,
            }
        }
        at = blank(bytes, at + 1);
    }
}

/// What ends an object, or an array.
#[inline]
pub(crate) fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// Offset of the value of the member whose key begins at `at`.
#[inline]
fn value_of_member(bytes: &[u8], at: usize) -> Option<usize> {
    let behind = string(bytes, at)?;
    let colon = blank(bytes, behind);
    (*bytes.get(colon)? == b':').then(|| blank(bytes, colon + 1))
}

/// Offset of the first byte from `at` on that is not white space.
#[inline]
pub(crate) fn blank(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Offset behind the string, number or word that begins with `byte` at `at`.
#[inline]
pub(crate) fn scalar(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let word = |word: &[u8]| bytes.get(at..)?.starts_with(word).then_some(at + word.len());
    match byte {
        b'"' => string(bytes, at),
        b'-' | b'0'..=b'9' => number(bytes, at),
        b't' => word(b"true"),
        b'f' => word(b"false"),
        b'n' => word(b"null"),
        _ => None,
    }
}

/// Offset behind the string whose opening quote is at `at`.
#[inline]
pub(crate) fn string(bytes: &[u8], at: usize) -> Option<usize> {
    if *bytes.get(at)? != b'"' {
        return None;
    }
    let start = at + 1;
    let mut at = start;
    loop {
        at = plain_run(bytes, at);
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            // Documents inside strings are long, and full of escapes.
            b'\\' if at - start > SHORT => return simd::checked_string_end(bytes, at),
            b'\\' => at = escape(bytes, at)?,
            _ => return None,
        }
    }
}

/// How far into a string escapes are looked at one by one.
const SHORT: usize = 64;

/// Offset of the first byte from `at` on that a string cannot hold as it is: a quote, a backslash, a control character; or
/// the end.
#[inline]
pub(crate) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = special(u64::from_le_bytes(*word));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            break;
        }
        at += 1;
    }
    at
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// A word whose lowest set bit is in the first byte that is a quote, a backslash or a control character; 0 where there is none.
#[inline]
fn special(word: u64) -> u64 {
    // The classic test for a zero byte; a borrow can only mark bytes above the lowest that is truly marked.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quote = zero(word ^ (ONES * 0x22));
    let backslash = zero(word ^ (ONES * 0x5C));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | backslash | control) & HIGH
}

/// How many bytes of a word stand in front of its first backslash: 8 where there is none.
#[inline]
pub(super) fn backslash(word: u64) -> usize {
    let found = word ^ (ONES * 0x5C);
    let found = found.wrapping_sub(ONES) & !found & HIGH;
    (found.trailing_zeros() / 8) as usize
}

/// Offset behind the number that begins at `at` (RFC 8259, section 6).
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| {
        let count = bytes.get(from..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(from + count)
    };
    let is = |at: usize, wanted: &[u8]| bytes.get(at).is_some_and(|byte| wanted.contains(byte));
    let first = at + usize::from(is(at, b"-"));
    let mut at = digits(first)?;
    if is(first, b"0") && at > first + 1 {
        return None;
    }
    if is(at, b".") {
        at = digits(at + 1)?;
    }
    if is(at, b"eE") {
        at = digits(at + 1 + usize::from(is(at + 1, b"+-")))?;
    }
    Some(at)
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
    use super::*;
    use proptest::prelude::*;

    /// Byte by byte, as the grammar has it.
    fn slow_string(bytes: &[u8], mut at: usize) -> Option<usize> {
        at += 1;
        loop {
            match *bytes.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at = escape(bytes, at)?,
                0..0x20 => return None,
                _ => at += 1,
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn long_strings_end_and_break_where_they_do_byte_by_byte(
            pieces in prop::collection::vec(
                prop_oneof![
                    60 => prop::sample::select(&["abcdefgh", r"\n", r"\\", "\\\"", r"\u00e9", "é", "{}", r"\/", r"\f"][..]),
                    1 => prop::sample::select(&[r"\x", r"\u00g0", "\n", "\u{1f}", "\"", r"\", "\u{7f}"][..]),
                ],
                0..60,
            ),
        ) {
            let text = format!("\"{}\"", pieces.concat());
            prop_assert_eq!(string(text.as_bytes(), 0), slow_string(text.as_bytes(), 0));
        }

        #[test]
        fn a_plain_run_ends_where_a_byte_by_byte_search_ends(
            bytes in prop::collection::vec(
                prop_oneof![4 => 0x20u8..=0xFF, 1 => prop::sample::select(&b"\"\\\x1f\x00\x80\x20\x21\x23"[..])],
                0..40,
            ),
            at in 0usize..10,
        ) {
            let slow = bytes.iter().skip(at).position(|byte| *byte < 0x20 || b"\"\\".contains(byte));
            let expected = slow.map_or(bytes.len().max(at), |found| at + found);
            prop_assert_eq!(plain_run(&bytes, at), expected);
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
