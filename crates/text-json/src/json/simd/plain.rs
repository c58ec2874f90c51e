//! The functions byte by byte: the reference for the wide ones, and the fallback for other processors.

use super::word::Word;
use crate::json::escape::escape;
use crate::json::quote_level::QuoteLevel;

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

pub(super) fn string(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut at = from;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape(bytes, at).ok_or(at)?,
            Some(0..0x20) | None => return Err(at),
            Some(_) => at += 1,
        }
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
