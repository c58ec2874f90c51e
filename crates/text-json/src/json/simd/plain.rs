//! The functions byte by byte: the reference for the wide ones, and the fallback for other processors.

use super::token_list::{Reading, TokenList, Word};
use crate::json::escape::escape;
use crate::json::quote_level::QuoteLevel;
use crate::json::whitespace::is_whitespace;

pub(super) fn tokens(bytes: &[u8], reading: &mut Reading, list: &mut TokenList) {
    for word in 0..list.begin(reading.at) {
        let Some(block) = bytes.get(reading.at..).filter(|rest| !rest.is_empty()) else {
            break;
        };
        let block = block.get(..64).unwrap_or(block);
        list.with_backslash |= u64::from(block.contains(&b'\\')) << word;
        for (bit, &byte) in (0..).zip(block) {
            let at = reading.at + usize::from(bit);
            match reading.begins_token(bytes, at, byte) {
                Some(true) => list.push(64 * word + bit, byte),
                Some(false) => {}
                None => {
                    reading.at = usize::MAX;
                    return list.end();
                }
            }
        }
        reading.at += 64;
    }
    list.end();
}

impl TokenList {
    fn push(&mut self, place: u16, byte: u8) {
        if let Some(([to, ..], [first, ..])) = self.room() {
            (*to, *first) = (place, byte);
            self.count += 1;
        }
    }
}

pub(super) fn unescape(
    bytes: &[u8],
    mut at: usize,
    text: &mut [u8],
    mut len: usize,
) -> (usize, usize) {
    while let (Some(&byte), Some(room)) = (bytes.get(at), text.get_mut(len)) {
        let (meant, length) = match (byte, bytes.get(at + 1)) {
            (b'\\', Some(&byte @ (b'"' | b'\\' | b'/'))) => (byte, 2),
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b't')) => (b'\t', 2),
            (b'\\', Some(b'r')) => (b'\r', 2),
            (b'\\' | 0..0x20, _) => break,
            _ => (byte, 1),
        };
        *room = meant;
        (at, len) = (at + length, len + 1);
    }
    (at, len)
}

impl Reading {
    /// Whether a token begins at `at`; `None` at a byte that no string may contain.
    fn begins_token(&mut self, bytes: &[u8], at: usize, byte: u8) -> Option<bool> {
        let is_escaped = std::mem::take(&mut self.escaped) == 1;
        self.escaped = u64::from(byte == b'\\' && !is_escaped);
        let was_scalar = std::mem::take(&mut self.scalar) == 1;
        let was_in_string = self.in_string != 0;
        if byte == b'"' && !is_escaped {
            self.in_string = !self.in_string;
            return Some(!was_in_string);
        }
        if was_in_string {
            if is_escaped {
                escape(bytes, at - 1)?;
            }
            return (byte >= b' ').then_some(false);
        }
        // Two control characters count as operators here, because they differ from them only in the bit that distinguishes braces
        // from square brackets. The reader of the tape rejects them.
        if matches!(byte | 0x20, b'{' | b'}' | b':' | b',') {
            return Some(true);
        }
        let is_scalar = !is_whitespace(byte);
        self.scalar = u64::from(is_scalar);
        Some(is_scalar && !was_scalar)
    }
}

pub(super) fn index(bytes: &[u8], level: QuoteLevel, words: &mut Vec<Word>) {
    let mut in_string = false;
    let mut backslashes = 0usize;
    words.clear();
    for chunk in bytes.chunks(64) {
        let mut word = Word::default();
        for (at, &byte) in chunk.iter().enumerate() {
            let before = std::mem::take(&mut backslashes);
            let marks = match byte {
                b'\\' => {
                    backslashes = before + 1;
                    continue;
                }
                b'"' if level.is_quote_after(before) => {
                    in_string = !in_string;
                    &mut word.quotes
                }
                _ if in_string => continue,
                b'{' | b'[' => &mut word.open,
                b'}' | b']' => &mut word.close,
                b':' => &mut word.colon,
                _ => continue,
            };
            *marks |= 1 << at;
        }
        words.push(word);
    }
}

pub(super) fn escapes(bytes: &[u8], unicode: &mut Vec<usize>) -> usize {
    let mut escapes = 0;
    let mut from = 0;
    unicode.clear();
    while let Some(found) = bytes
        .get(from..)
        .and_then(|rest| memchr::memchr(b'\\', rest))
    {
        let at = from + found;
        if bytes.get(at + 1) == Some(&b'u') {
            unicode.push(at);
        }
        escapes += 1;
        from = at + 2;
    }
    escapes
}

pub(super) fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

pub(super) fn container_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 1usize;
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at + 1)?;
                continue;
            }
            // Outside strings, only broken text has backslashes, which escape quotes there too.
            b'\\' if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}
