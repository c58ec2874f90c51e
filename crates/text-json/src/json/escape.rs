//! Escapes in JSON strings (RFC 8259, section 7).

/// Returns the offset after the escape whose backslash is at `at`; `None` if it is invalid.
#[inline]
pub(super) fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        b'u' => bytes
            .get(at + 2..at + 6)?
            .iter()
            .all(u8::is_ascii_hexdigit)
            .then_some(at + 6),
        _ => None,
    }
}
