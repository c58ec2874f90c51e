//! Reads JSON scalars, for the strict walker and for those that know where one begins.

use super::simd;

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

/// Returns the offset after the string with its opening quote at `at`.
#[inline]
pub fn string(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'"')).then(|| simd::string(bytes, at + 1).ok())?
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
