//! What bytes are by how they begin: marks that stand in front of anything else.

/// The UTF-8 byte order mark, which Windows tools put in front of JSON.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many bytes the longest of these marks has.
pub const LONGEST: usize = 4;

/// What compressed the bytes: gzip (RFC 1952) or zstd (RFC 8878). Archives of several files (zip) are another matter.
pub fn compression(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x1F, 0x8B, ..] => Some("gzip"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some("zstd"),
        _ => None,
    }
}

/// Whether the bytes begin with a byte order mark of UTF-16, in either order.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}
