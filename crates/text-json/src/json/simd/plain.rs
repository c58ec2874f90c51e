//! The functions byte by byte: the reference for the wide ones, and the fallback for other processors.

use super::token_list::{Reading, TokenList, Word};
use crate::json::escape::escape;
use crate::json::marks::{Ends, Innermost, QuoteLevel};
use crate::json::teddy::{Hits, REACH, STEP, Windows};
use crate::json::whitespace::is_whitespace;

pub(super) fn key_ends(bytes: &[u8], level: QuoteLevel, words: &mut Vec<u64>) {
    let mut backslashes = 0usize;
    words.clear();
    for chunk in bytes.chunks(64) {
        let mut word = 0;
        for (at, &byte) in chunk.iter().enumerate() {
            let before = std::mem::take(&mut backslashes);
            match byte {
                b'\\' => backslashes = before + 1,
                b'"' if level.is_quote_behind(before) => {
                    let is_end = ends_key(bytes.get(64 * words.len() + at + 1));
                    word |= u64::from(is_end) << at;
                }
                _ => {}
            }
        }
        words.push(word);
    }
}

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

pub(super) fn marks_of_container(
    bytes: &[u8],
    level: QuoteLevel,
    names: &[Ends],
    words: &mut Vec<Word>,
    alike: &mut Vec<usize>,
) -> Option<usize> {
    let mut in_string = false;
    let mut backslashes = 0usize;
    let mut depth = 0usize;
    words.clear();
    alike.clear();
    for chunk in bytes.chunks(64) {
        let mut word = Word::default();
        for (at, &byte) in chunk.iter().enumerate() {
            let before = std::mem::take(&mut backslashes);
            match byte {
                b'\\' => backslashes = before + 1,
                b'"' if level.is_quote_behind(before) => {
                    in_string = !in_string;
                    word.quotes |= 1 << at;
                    let quote = 64 * words.len() + at;
                    if in_string && names.iter().any(|name| name.are_behind(bytes, quote)) {
                        alike.push(quote);
                    }
                }
                _ => word.mark_bracket(byte, at, in_string),
            }
            word.strings |= u64::from(in_string) << at;
            depth += (word.open >> at & 1) as usize;
            if word.close >> at & 1 == 1 {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    words.push(word);
                    return Some(64 * (words.len() - 1) + at + 1);
                }
            }
        }
        words.push(word);
    }
    None
}

impl Ends {
    fn are_behind(&self, bytes: &[u8], quote: usize) -> bool {
        bytes.get(quote + 1) == Some(&self.first) && bytes.get(quote + self.len) == Some(&self.last)
    }
}

pub(super) fn is_one_container(bytes: &[u8], level: QuoteLevel) -> bool {
    let mut words = Vec::new();
    let mut alike = Vec::new();
    marks_of_container(bytes, level, &[], &mut words, &mut alike) == Some(bytes.len())
}

pub(super) fn windows(bytes: &[u8], wanted: &Windows, found: &mut Vec<Hits>) {
    found.extend(
        bytes
            .windows(REACH)
            .enumerate()
            .filter(|(_, window)| {
                let bytes = window.iter().step_by(STEP);
                let sets = wanted
                    .tables()
                    .iter()
                    .zip(bytes)
                    .map(|(table, &byte)| table.sets(byte));
                sets.fold(u8::MAX, |both, sets| both & sets) != 0
            })
            .map(|(from, _)| Hits { from, bits: 1 }),
    );
}

/// Whether the byte after a quote may follow a key.
fn ends_key(next: Option<&u8>) -> bool {
    matches!(next, Some(0..=b' ' | b':' | b'\\'))
}

impl Word {
    fn mark_bracket(&mut self, byte: u8, at: usize, in_string: bool) {
        match byte {
            b'{' | b'[' if !in_string => self.open |= 1 << at,
            b'}' | b']' if !in_string => self.close |= 1 << at,
            _ => {}
        }
    }
}

pub(super) fn open_before(bytes: &[u8], at: usize, floor: usize, level: QuoteLevel) -> Innermost {
    let mut in_string = false;
    let mut closed = 0usize;
    for (at, &byte) in bytes.iter().enumerate().take(at).skip(floor).rev() {
        match byte {
            b'"' if level.is_quote(bytes, at) => in_string = !in_string,
            b'}' | b']' if !in_string => closed += 1,
            b'{' | b'[' if !in_string => match closed.checked_sub(1) {
                Some(less) => closed = less,
                None => return Innermost::Bracket(at),
            },
            _ => {}
        }
    }
    Innermost::Nothing { closed, in_string }
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
