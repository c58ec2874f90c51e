//! Magic numbers: the first bytes that identify an encoding.

/// The UTF-8 byte order mark, which Windows tools put in front of JSON.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The length of the longest of these marks in bytes.
pub const LONGEST: usize = 4;

/// Returns the compression of the bytes: gzip (RFC 1952) or zstd (RFC 8878), which may begin with a skippable frame. Archives of
/// several files (zip) do not count.
pub fn compression(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x1F, 0x8B, ..] => Some("gzip"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some("zstd"),
        _ => None,
    }
}

/// Returns whether the bytes begin with a UTF-16 byte order mark of either endianness.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}
