//! Magic numbers: the first bytes that identify an encoding.

/// The UTF-8 byte order mark, which Windows tools put in front of JSON.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The offset of a text that may begin with a byte order mark.
pub fn text_start(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    }
}

/// The length of the longest of these marks in bytes.
pub const MAX_BYTES: usize = 4;

/// Returns the compression of the bytes: gzip (RFC 1952) or zstd (RFC 8878), which may begin with a skippable frame. Archives of
/// several files (zip) do not count.
pub fn compression(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x1F, 0x8B, ..] => Some("gzip"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some("zstd"),
        _ => None,
    }
}

/// Names the compression or archive format of bytes that sundown does not unpack, and the command that does.
// The blocks of bzip2 begin with digits of pi, an empty file of it with those of its square root.
pub fn describe_packed(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => {
            "compressed by xz: read it with `xzcat FILE | sundown check -`"
        }
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
            if rest.starts_with(b"1AY&SY") || rest.starts_with(b"\x17rE8P\x90") =>
        {
            "compressed by bzip2: read it with `bzcat FILE | sundown check -`"
        }
        // Compressed twice.
        _ if compression(bytes) == Some("gzip") => {
            "compressed once more, by gzip: decompress it with `gzip -d`"
        }
        [0x04, 0x22, 0x4D, 0x18, ..] => "compressed by lz4: decompress it with `lz4 -dk`",
        [b'P', b'K', 3, 4, ..] => "a zip archive: unpack it with `unzip -d FOLDER`",
        [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => "a 7z archive: unpack it with `7z x -oFOLDER`",
        _ if bytes.get(257..262) == Some(b"ustar") => {
            "a tar archive: unpack it with `tar -C FOLDER -xf`"
        }
        _ => return None,
    })
}

/// Whether the bytes begin with a UTF-16 byte order mark of either endianness.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}
