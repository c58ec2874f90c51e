//! The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B).

/// The number of bits of each symbol: the 256 bytes, and the end of the string. The code is canonical, so that the lengths
/// determine it.
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5,
    5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6,
    6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22,
    23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22,
    21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20,
    22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19,
    21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22,
    22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];

/// The symbol that ends a string. It must not occur in one.
const END: usize = 256;

/// The number of bits of the longest symbol.
const MAX_SYMBOL_BITS: usize = 30;

/// The largest number of bits after the last symbol. They must all be ones.
const MAX_PADDING_BITS: u32 = 7;

/// The symbols of one length.
#[derive(Debug, Clone, Copy)]
struct CodeLength {
    /// The code of the first of them.
    first: u32,
    /// Their number.
    count: u32,
    /// The index of the first of them in [`ORDER`].
    index: u32,
}

const LEVELS: [CodeLength; MAX_SYMBOL_BITS + 1] = levels();
const ORDER: [u16; LENGTHS.len()] = order();

/// Decodes a string; `None` if it is invalid.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 2);
    let mut code = 0;
    let mut length = 0;
    for byte in bytes {
        for bit in (0..8).rev() {
            code = code << 1 | u32::from(byte >> bit & 1);
            length += 1;
            let level = LEVELS.get(length)?;
            let Some(offset) = code.checked_sub(level.first).filter(|at| *at < level.count) else {
                continue;
            };
            let symbol = *ORDER.get(usize::try_from(level.index + offset).ok()?)?;
            // The end of the string is the only symbol that is no byte.
            text.push(u8::try_from(symbol).ok()?);
            (code, length) = (0, 0);
        }
    }
    let padding = u32::try_from(length).ok()?;
    (padding <= MAX_PADDING_BITS && code == (1 << padding) - 1).then_some(text)
}

const fn levels() -> [CodeLength; MAX_SYMBOL_BITS + 1] {
    let mut levels = [CodeLength {
        first: 0,
        count: 0,
        index: 0,
    }; MAX_SYMBOL_BITS + 1];
    let mut symbol = 0;
    while symbol <= END {
        levels[LENGTHS[symbol] as usize].count += 1;
        symbol += 1;
    }
    let mut length = 1;
    while length <= MAX_SYMBOL_BITS {
        let shorter = levels[length - 1];
        levels[length].first = (shorter.first + shorter.count) << 1;
        levels[length].index = shorter.index + shorter.count;
        length += 1;
    }
    levels
}

/// The symbols, ordered by the length of their codes and then by their value.
#[allow(clippy::cast_possible_truncation, reason = "there are 257 symbols")]
const fn order() -> [u16; LENGTHS.len()] {
    let mut order = [0; LENGTHS.len()];
    let mut length = 1;
    let mut at = 0;
    while length <= MAX_SYMBOL_BITS {
        let mut symbol = 0;
        while symbol <= END {
            if LENGTHS[symbol] as usize == length {
                order[at] = symbol as u16;
                at += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    order
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
