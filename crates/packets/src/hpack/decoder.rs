//! The decoder of header blocks.

use std::collections::VecDeque;
use std::sync::Arc;
use sundown_text_json::text::Span;

/// A field line of a header block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HpackField {
    pub name: SharedBytes,
    pub value: SharedBytes,
    /// The position of its name in the block; the whole representation if the block does not contain it as it is.
    pub name_span: Span,
    /// The position of its value.
    pub value_span: Span,
}

/// A name or a value, shared with the dynamic table.
type SharedBytes = Arc<[u8]>;

/// The reason why a header block cannot be decoded, for people. The blocks after it cannot be decoded either.
pub(crate) type HpackError = &'static str;

const TRUNCATED: HpackError = "the header block ends within a field";
const TOO_LARGE: HpackError = "a number in the header block is too large";
const NO_SUCH_INDEX: HpackError = "the header block refers to a field that is not in the table";
const HUFFMAN: HpackError = "a Huffman code in the header block is invalid";
const TABLE_TOO_LARGE: HpackError = "the table of header fields is larger than 1 MiB";

/// The decoder of one direction of a connection.
#[derive(Debug)]
pub(crate) struct HpackDecoder {
    /// The dynamic table, the newest entry first.
    entries: VecDeque<(SharedBytes, SharedBytes)>,
    /// Its size as the RFC counts it.
    size: usize,
    most: usize,
}

/// The size of the dynamic table before any update (RFC 9113, section 6.5.2).
const INITIAL_SIZE: usize = 4096;

/// The largest size that an update may set: 16 times that of browsers.
const MAX_SIZE: usize = 1024 * 1024;

/// The overhead of each entry (RFC 7541, section 4.1).
const OVERHEAD: usize = 32;

/// The largest number of bytes of an integer after its first.
const MAX_INTEGER_BYTES: u32 = 4;

impl Default for HpackDecoder {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            size: 0,
            most: INITIAL_SIZE,
        }
    }
}

impl HpackField {
    /// Its size as the RFCs count it (RFC 9113, section 6.5.2).
    pub(crate) fn size(&self) -> usize {
        self.name.len() + self.value.len() + OVERHEAD
    }
}

impl HpackDecoder {
    /// Decodes a complete header block, and passes its fields to `visit` in their order.
    pub(crate) fn decode(
        &mut self,
        block: &[u8],
        mut visit: impl FnMut(HpackField),
    ) -> Result<(), HpackError> {
        let mut input = BlockInput { block, at: 0 };
        while let Some(&first) = block.get(input.at) {
            match first {
                0x80.. => visit(self.indexed(&mut input)?),
                0x40.. => {
                    let field = self.literal(&mut input, 6)?;
                    self.insert(&field);
                    visit(field);
                }
                0x20.. => {
                    let most = input.integer(5)?;
                    if most > MAX_SIZE {
                        return Err(TABLE_TOO_LARGE);
                    }
                    self.most = most;
                    self.evict();
                }
                // Without indexing, or never to be indexed by proxies.
                _ => visit(self.literal(&mut input, 4)?),
            }
        }
        Ok(())
    }

    /// The approximate size in bytes of the memory that it allocates.
    pub(crate) fn memory_size(&self) -> usize {
        self.size
    }

    fn indexed(&self, input: &mut BlockInput<'_>) -> Result<HpackField, HpackError> {
        let start = input.at;
        let (name, value) = self.entry(input.integer(7)?)?;
        let span = Span::new(start, input.at);
        Ok(HpackField {
            name,
            value,
            name_span: span,
            value_span: span,
        })
    }

    /// Reads a field whose value, and perhaps name, is in the block.
    fn literal(&self, input: &mut BlockInput<'_>, prefix: u8) -> Result<HpackField, HpackError> {
        let start = input.at;
        let index = input.integer(prefix)?;
        let name = match index {
            0 => input.string()?,
            _ => (self.entry(index)?.0, None),
        };
        let value = input.string()?;
        let whole = Span::new(start, input.at);
        Ok(HpackField {
            name: name.0,
            value: value.0,
            name_span: name.1.unwrap_or(whole),
            value_span: value.1.unwrap_or(whole),
        })
    }

    fn entry(&self, index: usize) -> Result<(SharedBytes, SharedBytes), HpackError> {
        if let Some((name, value)) = super::static_table::entry(index) {
            return Ok((name.as_bytes().into(), value.as_bytes().into()));
        }
        index
            .checked_sub(super::static_table::length() + 1)
            .and_then(|at| self.entries.get(at))
            .cloned()
            .ok_or(NO_SUCH_INDEX)
    }

    fn insert(&mut self, field: &HpackField) {
        self.size += field.size();
        self.entries
            .push_front((Arc::clone(&field.name), Arc::clone(&field.value)));
        self.evict();
    }

    fn evict(&mut self) {
        while self.size > self.most
            && let Some((name, value)) = self.entries.pop_back()
        {
            self.size -= name.len() + value.len() + OVERHEAD;
        }
    }
}

/// The bytes of a header block that have not been decoded.
struct BlockInput<'b> {
    block: &'b [u8],
    at: usize,
}

impl BlockInput<'_> {
    fn byte(&mut self) -> Result<u8, HpackError> {
        let byte = *self.block.get(self.at).ok_or(TRUNCATED)?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads an integer whose first byte has so many bits of it (RFC 7541, section 5.1).
    fn integer(&mut self, prefix: u8) -> Result<usize, HpackError> {
        let mask = u8::MAX >> (8 - prefix);
        let mut number = usize::from(self.byte()? & mask);
        if number < usize::from(mask) {
            return Ok(number);
        }
        for position in 0..MAX_INTEGER_BYTES {
            let byte = self.byte()?;
            number += usize::from(byte & 0x7F) << (7 * position);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(TOO_LARGE)
    }

    /// Reads a string, with its position if the block contains it as it is.
    fn string(&mut self) -> Result<(SharedBytes, Option<Span>), HpackError> {
        let is_coded = self.block.get(self.at).is_some_and(|byte| byte & 0x80 != 0);
        let length = self.integer(7)?;
        let span = Span::new(self.at, self.at + length);
        let bytes = self.block.get(span.start..span.end).ok_or(TRUNCATED)?;
        self.at = span.end;
        if is_coded {
            let text = super::huffman::decode(bytes).ok_or(HUFFMAN)?;
            return Ok((text.into(), None));
        }
        Ok((bytes.into(), Some(span)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(decoder: &mut HpackDecoder, block: &[u8]) -> Result<Vec<String>, HpackError> {
        let mut lines = Vec::new();
        decoder.decode(block, |field| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            lines.push(format!("{}: {}", text(&field.name), text(&field.value)));
        })?;
        Ok(lines)
    }

    /// The three requests of RFC 7541, appendix C.4.
    #[test]
    fn requests_of_the_rfc_are_decoded_with_one_table() {
        let mut decoder = HpackDecoder::default();
        let first = b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff";
        let second = b"\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf";
        let third =
            b"\x82\x87\x85\xbf\x40\x88\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f\x89\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf";
        let common = [
            ":method: GET",
            ":scheme: http",
            ":path: /",
            ":authority: www.example.com",
        ];
        assert_eq!(decode(&mut decoder, first).unwrap(), common);
        assert_eq!(
            decode(&mut decoder, second).unwrap()[3..],
            [common[3], "cache-control: no-cache"]
        );
        let third = decode(&mut decoder, third).unwrap();
        assert_eq!(third[1..3], [":scheme: https", ":path: /index.html"]);
        assert_eq!(third[4], "custom-key: custom-value");
        assert_eq!((decoder.entries.len(), decoder.size), (3, 164));
    }

    #[test]
    fn positions_are_those_of_the_text_or_of_its_representation() {
        let mut spans = Vec::new();
        let block = b"\x82\x04\x02/a\x40\x01n\x02vv\x44\x81\x1f";
        let mut decoder = HpackDecoder::default();
        decoder
            .decode(block, |field| {
                spans.push((field.name_span.into(), field.value_span.into()));
            })
            .unwrap();
        assert_eq!(
            spans,
            [(0..1, 0..1), (1..5, 3..5), (7..8, 9..11), (11..14, 11..14)]
        );
    }

    #[test]
    fn invalid_blocks_end_in_an_error() {
        for (block, error) in [
            (&b"\x80"[..], NO_SUCH_INDEX),
            (b"\xbe", NO_SUCH_INDEX),
            (b"\x3f", TRUNCATED),
            (b"\x40\x05abc", TRUNCATED),
            (b"\xff\xff\xff\xff\xff\xff\xff", TOO_LARGE),
            (b"\x40\x01a\x84\xff\xff\xff\xff", HUFFMAN),
            (b"\x3f\xff\xff\x7f", TABLE_TOO_LARGE),
        ] {
            assert_eq!(
                decode(&mut HpackDecoder::default(), block),
                Err(error),
                "{block:?}"
            );
        }
    }

    #[test]
    fn the_table_never_exceeds_its_size() {
        let mut decoder = HpackDecoder::default();
        let large = [&b"\x40\x01a\x7f\x81\x0f"[..], &[b'x'; 2048]].concat();
        for _ in 0..5 {
            decode(&mut decoder, &large).unwrap();
            assert!(decoder.size <= INITIAL_SIZE);
        }
        assert_eq!(decoder.entries.len(), 1);
        decode(&mut decoder, b"\x20").unwrap();
        assert_eq!((decoder.entries.len(), decoder.size), (0, 0));
        // An entry that is larger than the table empties it.
        decode(&mut decoder, b"\x40\x01a\x01b").unwrap();
        assert_eq!(decoder.size, 0);
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_fields_or_an_error(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..6),
        ) {
            let mut decoder = HpackDecoder::default();
            for block in blocks {
                let _ = decode(&mut decoder, &block);
                prop_assert!(decoder.size <= decoder.most && decoder.most <= MAX_SIZE);
            }
        }
    }
}
