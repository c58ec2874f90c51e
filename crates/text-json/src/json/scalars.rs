//! Reads JSON scalars fast, without events or spans: the strict walker describes errors.

use super::escape::escape;

/// Whether the bytes are UTF-8.
#[inline]
pub(crate) fn is_utf8(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// The closing bracket of an object or an array.
#[inline]
pub fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// Returns the offset after the string, number or literal that begins with `byte` at `at`.
#[inline]
pub fn scalar(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let word = |word: &[u8]| {
        bytes
            .get(at..)?
            .starts_with(word)
            .then_some(at + word.len())
    };
    match byte {
        b'"' => string(bytes, at),
        b'-' | b'0'..=b'9' => number(bytes, at).ok(),
        b't' => word(b"true"),
        b'f' => word(b"false"),
        b'n' => word(b"null"),
        _ => None,
    }
}

/// Returns the offset after the string with its opening quote at `at`.
#[inline]
pub fn string(bytes: &[u8], at: usize) -> Option<usize> {
    if *bytes.get(at)? != b'"' {
        return None;
    }
    let mut at = at + 1;
    loop {
        at = plain_run(bytes, at);
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = escape(bytes, at)?,
            _ => return None,
        }
    }
}

/// Returns the offset of the first byte from `at` on that ends a run of plain characters in a string: a quote, a backslash, a
/// control character, or the end.
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

/// Returns a word whose lowest set bit is in the first byte that is a quote, a backslash or a control character; 0 without one.
#[inline]
fn special(word: u64) -> u64 {
    // The classic test for a zero byte; a borrow can only mark bytes above the lowest that is truly marked.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quote = zero(word ^ (ONES * 0x22));
    let backslash = zero(word ^ (ONES * 0x5C));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | backslash | control) & HIGH
}

/// Returns the offset after the number at `at` (RFC 8259, section 6); the error is the offset at which the grammar is broken.
pub(super) fn number(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let is = |at: usize, wanted: &[u8]| bytes.get(at).is_some_and(|byte| wanted.contains(byte));
    let first = at + usize::from(is(at, b"-"));
    let mut at = digits(bytes, first)?;
    if is(first, b"0") && at > first + 1 {
        return Err(first + 1);
    }
    if is(at, b".") {
        at = digits(bytes, at + 1)?;
    }
    if is(at, b"eE") {
        at = digits(bytes, at + 1 + usize::from(is(at + 1, b"+-")))?;
    }
    Ok(at)
}

/// Returns the offset after the digits at `from`, of which there must be one.
fn digits(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let digits = bytes.get(from..).unwrap_or_default().iter();
    match digits.take_while(|byte| byte.is_ascii_digit()).count() {
        0 => Err(from),
        count => Ok(from + count),
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
}
