//! The functions over 64 bytes in two registers, with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm256_cmpeq_epi8,
    _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
};

use super::block::{Carry, Escapes, below, control, padded, quotes_of_string, wrong_escapes};
use super::plain;
use super::word::Word;
use crate::json::quote_level::{QuoteLevel, bits};

/// For each bit the parity of it and all below: the bytes between quotes.
#[inline]
#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
fn parities(bits: u64) -> u64 {
    let product =
        _mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, bits.cast_signed()), _mm_set_epi64x(0, -1));
    _mm_cvtsi128_si64(product).cast_unsigned()
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn escapes(bytes: &[u8], unicode: &mut Vec<usize>) -> usize {
    let mut escapes = Escapes::default();
    let mut count = 0;
    unicode.clear();
    let mut at = 0;
    while at < bytes.len() {
        let block = Lanes::at(bytes, at);
        let backslashes = block.equal(b'\\');
        let after_backslash = escapes.next(backslashes);
        count += (backslashes & !after_backslash).count_ones() as usize;
        for bit in bits(after_backslash & block.equal(b'u')) {
            // No letter at 0 is escaped.
            unicode.push((at + bit).saturating_sub(1));
        }
        at += 64;
    }
    count
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn unescape(
    bytes: &[u8],
    mut at: usize,
    text: &mut [u8],
    mut len: usize,
) -> (usize, usize) {
    while let Some(whole) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>)
        && let Some(room) = text.get_mut(len..).and_then(<[u8]>::first_chunk_mut::<64>)
    {
        let block = Lanes::load(whole);
        let backslashes = block.equal(b'\\');
        let wrong = block.below_space();
        if backslashes | wrong == 0 {
            *room = *whole;
            (at, len) = (at + 64, len + 64);
            continue;
        }
        let mut escapes = Escapes::default();
        let after_backslash = escapes.next(backslashes);
        // An escape that continues in the next block is left to that.
        let mut count = if escapes.carried == 1 { 63 } else { 64 };
        let literal_escapes = block.equal(b'"') | block.equal(b'\\') | block.equal(b'/');
        let mut others = after_backslash & !literal_escapes;
        let mut controls = 0;
        if others != 0 {
            controls = others & block.short_escapes();
            others &= !controls;
            if others != 0 {
                count = others.trailing_zeros() as usize - 1;
            }
        }
        count = count.min(wrong.trailing_zeros() as usize);
        controls &= below(count);
        let kept = below(count) & !(backslashes & !after_backslash);
        Lanes::compress(whole, kept, count, room);
        while controls != 0 {
            let bit = controls.trailing_zeros();
            let place = (kept & below(bit as usize)).count_ones() as usize;
            if let (Some(byte), Some(&letter)) = (room.get_mut(place), whole.get(bit as usize)) {
                *byte = control(letter);
            }
            controls &= controls - 1;
        }
        at += count;
        len += kept.count_ones() as usize;
        if others | wrong != 0 {
            break;
        }
    }
    plain::unescape(bytes, at, text, len)
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut escapes = Escapes::default();
    let mut at = from;
    while at < bytes.len() {
        let block = Lanes::at(bytes, at);
        let quotes = block.equal(b'"') & !escapes.next(block.equal(b'\\'));
        if quotes != 0 {
            return Some(at + quotes.trailing_zeros() as usize + 1);
        }
        at += 64;
    }
    None
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn string(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut escapes = Escapes::default();
    let mut at = from;
    while at < bytes.len() {
        let block = Lanes::at(bytes, at);
        let after_backslash = escapes.next(block.equal(b'\\'));
        let quotes = block.equal(b'"') & !after_backslash;
        let inside = below(quotes.trailing_zeros() as usize);
        // The zeros after the end are control characters.
        let mut wrong = block.below_space() & inside;
        let mut uncommon = after_backslash & inside;
        if uncommon != 0 {
            uncommon &= !block.short_escapes();
            wrong |= wrong_escapes(bytes, at, uncommon);
        }
        if wrong != 0 {
            let bit = wrong.trailing_zeros();
            let is_escaped = after_backslash >> bit & 1 == 1;
            return Err(at + bit as usize - usize::from(is_escaped));
        }
        if quotes != 0 {
            return Ok(at + quotes.trailing_zeros() as usize + 1);
        }
        at += 64;
    }
    Err(bytes.len())
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn container_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut before = Carry::default();
    let mut in_string = 0u64;
    let mut depth = 1usize;
    let mut at = from;
    while at < bytes.len() {
        let block = Lanes::at(bytes, at);
        let quotes = block.quotes(bytes, at, QuoteLevel::Document, &mut before);
        let word = block.word(quotes, &mut in_string);
        let closed = word.close.count_ones() as usize;
        if closed >= depth
            && let Some(end) = level_end(word.open, word.close, depth)
        {
            return Some(at + end);
        }
        depth = (depth + word.open.count_ones() as usize).checked_sub(closed)?;
        at += 64;
    }
    None
}

/// Returns the offset after the bracket that closes the outermost of `depth` levels.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
fn level_end(opening: u64, closing: u64, depth: usize) -> Option<usize> {
    let mut rest = closing;
    let mut closed = 0;
    while rest != 0 {
        let at = rest.trailing_zeros();
        closed += 1;
        let opened = (opening & ((1u64 << at) - 1)).count_ones() as usize;
        if closed == depth + opened {
            return Some(at as usize + 1);
        }
        rest &= rest - 1;
    }
    None
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn index(bytes: &[u8], level: QuoteLevel, words: &mut Vec<Word>) {
    let mut before = Carry::default();
    let mut in_string = 0u64;
    let (whole, rest) = bytes.as_chunks();
    let last = padded(rest, 0);
    let blocks = whole.iter().chain([&last]);
    words.clear();
    words.resize(bytes.len().div_ceil(64), Word::default());
    for ((number, block), word) in (0..).zip(blocks).zip(words) {
        let block = Lanes::load(block);
        let quotes = block.quotes(bytes, 64 * number, level, &mut before);
        *word = block.word(quotes, &mut in_string);
    }
}

/// 64 bytes in two registers.
#[derive(Clone, Copy)]
struct Lanes(__m256i, __m256i);

impl Lanes {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8; 64]) -> Self {
        let (front, back) = bytes.split_at(32);
        // SAFETY: both halves have the 32 bytes that are read, and no alignment is required.
        unsafe {
            Self(
                _mm256_loadu_si256(front.as_ptr().cast()),
                _mm256_loadu_si256(back.as_ptr().cast()),
            )
        }
    }

    /// One bit for each byte that is `wanted`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn equal(self, wanted: u8) -> u64 {
        let wanted = _mm256_set1_epi8(wanted.cast_signed());
        high_bits(
            _mm256_cmpeq_epi8(self.0, wanted),
            _mm256_cmpeq_epi8(self.1, wanted),
        )
    }

    /// One bit for each control character.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn below_space(self) -> u64 {
        let last = _mm256_set1_epi8(0x1F);
        let below = |half| _mm256_cmpeq_epi8(_mm256_min_epu8(half, last), half);
        high_bits(below(self.0), below(self.1))
    }

    /// Sets the bit that distinguishes braces from square brackets.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn as_braces(self) -> Self {
        let bit = _mm256_set1_epi8(0x20);
        Self(_mm256_or_si256(self.0, bit), _mm256_or_si256(self.1, bit))
    }

    /// Writes the bytes to keep of the first `count` without gaps. Bytes after them are undefined.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn compress(bytes: &[u8; 64], kept: u64, count: usize, room: &mut [u8; 64]) {
        // Writes each run with the bytes after it, which the next run overwrites.
        let mut rest = !kept;
        let mut from = 0;
        let mut len = 0;
        loop {
            let end = rest.trailing_zeros() as usize;
            let run = bytes.get(from..).unwrap_or_default();
            let space = room.get_mut(len..).unwrap_or_default();
            if let (Some(run), Some(space)) = (run.first_chunk::<16>(), space.first_chunk_mut())
                && end - from <= 16
            {
                *space = *run;
            } else {
                let count = run.len().min(space.len()).min(end - from);
                space
                    .iter_mut()
                    .zip(run.iter().take(count))
                    .for_each(|(to, from)| *to = *from);
            }
            if end >= count {
                return;
            }
            len += end - from;
            from = end + 1;
            rest &= rest - 1;
        }
    }

    /// Loads the 64 bytes from `at` on, with zeros after the end.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn at(bytes: &[u8], at: usize) -> Self {
        match bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(whole) => Self::load(whole),
            None => Self::load(&padded(bytes, at)),
        }
    }

    /// One bit for each of the characters that are most frequent after a backslash: `"`, `\`, `n`, `/`, `t`, `r`.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn short_escapes(self) -> u64 {
        self.equal(b'"')
            | self.equal(b'\\')
            | self.equal(b'n')
            | self.equal(b'/')
            | self.equal(b't')
            | self.equal(b'r')
    }

    /// Quotes that begin or end a string.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn quotes(self, bytes: &[u8], at: usize, level: QuoteLevel, before: &mut Carry) -> u64 {
        match level {
            QuoteLevel::Document => self.equal(b'"') & !before.escapes.next(self.equal(b'\\')),
            QuoteLevel::String => self.quotes_in_string(bytes, at, before),
        }
    }

    /// Quotes of a document within a string.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn quotes_in_string(self, bytes: &[u8], at: usize, before: &mut Carry) -> u64 {
        let backslashes = self.equal(b'\\');
        let behind = backslashes << 1 | before.backslash;
        let mut quotes = self.equal(b'"') & behind;
        // Two in a row, here or before the 64 bytes.
        let rows = behind & backslashes;
        if rows | quotes & before.row != 0 {
            quotes = quotes_of_string(bytes, at, quotes);
        }
        before.backslash = backslashes >> 63;
        before.row = rows >> 63;
        quotes
    }

    /// Returns the marks of 64 bytes. `in_string` is all ones if they begin inside a string, and afterwards if they end
    /// inside one.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn word(self, quotes: u64, in_string: &mut u64) -> Word {
        let strings = parities(quotes) ^ *in_string;
        *in_string = 0u64.wrapping_sub(strings >> 63);
        let braces = self.as_braces();
        Word {
            quotes,
            open: braces.equal(b'{') & !strings,
            close: braces.equal(b'}') & !strings,
            colon: self.equal(b':') & !strings,
        }
    }
}

/// One bit for each byte of two registers whose highest bit is set.
#[inline]
#[target_feature(enable = "avx2")]
fn high_bits(low: __m256i, high: __m256i) -> u64 {
    let mask = |half| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
    mask(low) | mask(high) << 32
}
