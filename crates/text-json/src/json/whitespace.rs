//! JSON white space (RFC 8259, section 2).

/// Whether a byte is white space.
#[inline]
pub(super) fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the offset of the first byte from `at` on that is not white space.
#[inline]
pub fn skip_whitespace(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_whitespace(byte)) {
        at += 1;
    }
    at
}
