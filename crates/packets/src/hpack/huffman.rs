//! The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B).

use std::sync::LazyLock;

/// The number of bits of each symbol: the 256 bytes, and the end of the string.
const LENGTHS: &str = include_str!("huffman-lengths.txt");

/// The largest number of bits after the last symbol. They must all be ones.
const MAX_PADDING_BITS: u32 = 7;

/// The symbols of one length, in the order of their codes.
#[derive(Debug)]
struct CodeLevel {
    /// The code of the first of them.
    first: u32,
    symbols: Vec<u16>,
}

/// The levels of the code by their number of bits. The code is canonical, so that the lengths determine it.
static LEVELS: LazyLock<Vec<CodeLevel>> = LazyLock::new(|| {
    let lengths: Vec<usize> = LENGTHS.split_whitespace().flat_map(str::parse).collect();
    let mut next = 0;
    let levels = (0..=lengths.iter().copied().max().unwrap_or_default()).map(|length| {
        let symbols = (0..).zip(&lengths).filter(|(_, own)| **own == length);
        let symbols: Vec<_> = symbols.map(|(symbol, _)| symbol).collect();
        let first = next << 1;
        next = first + u32::try_from(symbols.len()).unwrap_or_default();
        CodeLevel { first, symbols }
    });
    levels.collect()
});

/// Decodes a string; `None` if it is invalid.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let levels = &*LEVELS;
    let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 2);
    let mut code = 0;
    let mut length = 0;
    for byte in bytes {
        for bit in (0..8).rev() {
            code = code << 1 | u32::from(byte >> bit & 1);
            length += 1;
            let level = levels.get(length)?;
            let offset = code.checked_sub(level.first);
            let Some(&symbol) = offset.and_then(|at| level.symbols.get(at as usize)) else {
                continue;
            };
            // The end of the string is the only symbol that is no byte.
            text.push(u8::try_from(symbol).ok()?);
            (code, length) = (0, 0);
        }
    }
    let padding = u32::try_from(length).ok()?;
    (padding <= MAX_PADDING_BITS && code == (1 << padding) - 1).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7541, appendix C.
    #[test]
    fn examples_of_the_rfc_are_decoded() {
        for (code, text) in [
            (
                &b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"[..],
                "www.example.com",
            ),
            (b"\xa8\xeb\x10\x64\x9c\xbf", "no-cache"),
            (b"\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf", "custom-value"),
            (b"\x64\x02", "302"),
            (b"", ""),
        ] {
            assert_eq!(decode(code).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn padding_and_the_end_symbol_are_checked() {
        assert_eq!(decode(b"\x07").unwrap(), b"0");
        // Zeros after the last symbol, too much padding, and the end of the string.
        for code in [&b"\x00"[..], b"\x07\xff", b"\xff\xff\xff\xff"] {
            assert_eq!(decode(code), None, "{code:?}");
        }
    }
}
