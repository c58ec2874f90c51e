//! The functions over 64 bytes in two registers, with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_set_epi64x,
    _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_si256,
};

use super::block::{
    BLANKS, Carry, Escapes, OPERATORS, below, control, padded, quotes_of_string, wrong_escapes,
};
use super::plain;
use super::token_list::{Reading, TokenList, Word};
use crate::json::marks::{Ends, Innermost, QuoteLevel, backslashes_before, bits};
use crate::json::teddy::{Hits, REACH, SPAN, STEP, Table, Windows};

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
        let behind_backslash = escapes.next(backslashes);
        count += (backslashes & !behind_backslash).count_ones() as usize;
        for bit in bits(behind_backslash & block.equal(b'u')) {
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
        let behind_backslash = escapes.next(backslashes);
        // An escape that continues in the next block is left to that.
        let mut count = if escapes.carried == 1 { 63 } else { 64 };
        let for_themselves = block.equal(b'"') | block.equal(b'\\') | block.equal(b'/');
        let mut others = behind_backslash & !for_themselves;
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
        let kept = below(count) & !(backslashes & !behind_backslash);
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
pub(super) fn tokens(bytes: &[u8], reading: &mut Reading, list: &mut TokenList) {
    let blanks = Lanes::table(&BLANKS);
    let operators = Lanes::table(&OPERATORS);
    let Reading {
        mut at,
        mut in_string,
        mut scalar,
        ..
    } = *reading;
    let mut escapes = Escapes {
        carried: reading.escaped,
    };
    for word in 0..list.begin(at) {
        if at >= bytes.len() {
            break;
        }
        let block = Lanes::at(bytes, at);
        let backslashes = block.equal(b'\\');
        let behind_backslash = escapes.next(backslashes);
        list.with_backslash |= u64::from(backslashes != 0) << word;
        let quotes = block.equal(b'"') & !behind_backslash;
        let strings = parities(quotes) ^ in_string;
        in_string = 0u64.wrapping_sub(strings >> 63);
        let operating = block.as_braces().is_in(operators) & !strings;
        let others = !(block.is_in(blanks) | operating | quotes | strings);
        let starts = others & !(others << 1 | scalar);
        scalar = others >> 63;
        let inside = below(bytes.len() - at);
        let mut wrong = block.below_space() & strings & inside;
        let mut uncommon = behind_backslash & strings & inside;
        if uncommon != 0 {
            uncommon &= !block.short_escapes();
            wrong |= wrong_escapes(bytes, at, uncommon);
        }
        let mut tokens = (operating | quotes & strings | starts) & inside;
        if wrong != 0 {
            // The bytes after an invalid one are irrelevant.
            tokens &= below(wrong.trailing_zeros() as usize);
            at = usize::MAX - 64;
        }
        if let Some((places, first)) = list.room() {
            block.write_tokens(tokens, 64 * word, places, first);
            list.count += tokens.count_ones() as usize;
        }
        at += 64;
    }
    list.end();
    *reading = Reading {
        at,
        escaped: escapes.carried,
        in_string,
        scalar,
    };
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
pub(super) fn container_end(bytes: &[u8], from: usize) -> Option<usize> {
    container(bytes, from, 1, QuoteLevel::Document, |_, _| {})
}

/// Returns the offset after a container of which `depth` levels are open at `at`. Gives the marks of each 64 bytes up to there to
/// `each`.
#[inline]
#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
fn container(
    bytes: &[u8],
    mut at: usize,
    mut depth: usize,
    level: QuoteLevel,
    mut each: impl FnMut(usize, Word),
) -> Option<usize> {
    let mut before = Carry::default();
    let mut in_string = 0u64;
    while at < bytes.len() {
        let block = Lanes::at(bytes, at);
        let quotes = block.quotes(bytes, at, level, &mut before);
        let word = block.word(quotes, &mut in_string);
        let closed = word.close.count_ones() as usize;
        let end = if closed >= depth {
            level_end(word.open, word.close, depth)
        } else {
            None
        };
        // Called in one place, so that it is inlined.
        each(at, word.until(end.unwrap_or(64)));
        if let Some(end) = end {
            return Some(at + end);
        }
        depth = (depth + word.open.count_ones() as usize).checked_sub(closed)?;
        at += 64;
    }
    None
}

impl Word {
    /// Returns the word without the bytes from index `end` on.
    fn until(self, end: usize) -> Self {
        let inside = below(end);
        Self {
            quotes: self.quotes & inside,
            strings: self.strings & inside,
            open: self.open & inside,
            close: self.close & inside,
        }
    }
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
pub(super) fn key_ends(bytes: &[u8], level: QuoteLevel, words: &mut Vec<u64>) {
    let mut before = Carry::default();
    words.clear();
    words.reserve(bytes.len() / 64 + 1);
    let mut at = 0;
    while at < bytes.len() {
        let quotes = Lanes::at(bytes, at).quotes(bytes, at, level, &mut before);
        words.push(quotes & Lanes::at(bytes, at + 1).may_follow_key());
        at += 64;
    }
    // Nothing follows the last byte.
    if let Some(last) = words.last_mut() {
        *last &= !(1u64 << ((bytes.len() + 63) % 64));
    }
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn marks_of_container(
    bytes: &[u8],
    level: QuoteLevel,
    names: &[Ends],
    words: &mut Vec<Word>,
    alike: &mut Vec<usize>,
) -> Option<usize> {
    words.clear();
    alike.clear();
    container(bytes, 0, 0, level, |at, word| {
        for bit in bits(self::alike(&word, bytes, at, names)) {
            alike.push(at + bit);
        }
        words.push(word);
    })
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn is_one_container(bytes: &[u8], level: QuoteLevel) -> bool {
    container(bytes, 0, 0, level, |_, _| {}) == Some(bytes.len())
}

/// Returns the opening quotes in the 64 bytes at `at` that the ends of one of the names follow at the right distance.
#[inline]
#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
fn alike(word: &Word, bytes: &[u8], at: usize, names: &[Ends]) -> u64 {
    let mut alike = 0;
    for name in names {
        let first = Lanes::at(bytes, at + 1).equal(name.first);
        alike |= first & Lanes::at(bytes, at + name.len).equal(name.last);
    }
    alike & word.quotes & word.strings
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn windows(bytes: &[u8], wanted: &Windows, found: &mut Vec<Hits>) {
    let lookups = wanted.tables().each_ref().map(|table| Lookup::of(table));
    // Written without a branch, because hits are unpredictable.
    let mut room = [Hits::default(); 64];
    let mut count = 0;
    let mut from = 0;
    while let Some(piece) = bytes.get(from..).and_then(<[u8]>::first_chunk) {
        let bits = fits(&lookups, piece);
        if let Some(place) = room.get_mut(count) {
            *place = Hits { from, bits };
        }
        count += usize::from(bits != 0);
        if count == room.len() {
            found.extend_from_slice(&room);
            count = 0;
        }
        from += 64;
    }
    found.extend_from_slice(room.get(..count).unwrap_or_default());
    let bits = fits(&lookups, &padded(bytes, from))
        & below((bytes.len() + 1).saturating_sub(from + REACH));
    if bits != 0 {
        found.push(Hits { from, bits });
    }
}

/// Returns the positions in the first 64 bytes at which windows may match.
#[inline]
#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
fn fits([a, b, c]: &[Lookup; SPAN], piece: &[u8; 64 + REACH - 1]) -> u64 {
    const { assert!(STEP == 2, "the places of the bytes that are looked at") };
    let [first @ .., _, _, _, _] = piece;
    let [_, _, second @ .., _, _] = piece;
    let [_, _, _, _, third @ ..] = piece;
    let [first, second, third] = [Lanes::load(first), Lanes::load(second), Lanes::load(third)];
    let none = |first, second, third| {
        let sets = _mm256_and_si256(a.sets(first), b.sets(second));
        let sets = _mm256_and_si256(sets, c.sets(third));
        _mm256_cmpeq_epi8(sets, _mm256_setzero_si256())
    };
    !high_bits(
        none(first.0, second.0, third.0),
        none(first.1, second.1, third.1),
    )
}

/// Returns the last opening bracket that no bracket closes; `closed` brackets after the 64 bytes have their opening ones here
/// or earlier. Without one, returns the number of closing brackets whose opening ones are before this block.
#[inline]
#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
fn innermost(mut opening: u64, mut closing: u64, mut closed: usize) -> Result<usize, usize> {
    while opening != 0 {
        let last = opening.ilog2();
        let behind = (closing >> last).count_ones() as usize;
        if closed + behind == 0 {
            return Ok(last as usize);
        }
        closed = closed + behind - 1;
        let before = (1u64 << last) - 1;
        opening &= before;
        closing &= before;
    }
    Err(closed + closing.count_ones() as usize)
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
pub(super) fn open_before(bytes: &[u8], at: usize, floor: usize, level: QuoteLevel) -> Innermost {
    // All ones if the text that has been searched begins inside a string.
    let mut in_string = 0u64;
    // The number of closing brackets whose opening ones are not found yet.
    let mut closed = 0usize;
    let mut backslashes = 0usize;
    let mut end = at.min(bytes.len());
    while end > floor {
        let start = end.saturating_sub(64).max(floor);
        let block = Lanes::at(bytes, start);
        let inside = below(end - start);
        // A row of backslashes that began before the previous block has already been counted.
        backslashes = match backslashes.checked_sub(end - start) {
            Some(rest) if rest > 0 => rest,
            _ => backslashes_before(bytes, start),
        };
        let quotes = block.quotes(bytes, start, level, &mut Carry::behind(backslashes));
        let quotes = quotes & inside;
        // The state before the block follows from that after it.
        in_string ^= 0u64.wrapping_sub(u64::from(quotes.count_ones()) % 2);
        let word = block.word(quotes, &mut in_string.clone());
        match innermost(word.open & inside, word.close & inside, closed) {
            Ok(open) => return Innermost::Bracket(start + open),
            Err(still) => closed = still,
        }
        end = start;
    }
    Innermost::Nothing {
        closed,
        in_string: in_string != 0,
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

    /// Writes the offsets of tokens, counted from `before` bytes before the block, and their first bytes. Bytes after them are
    /// undefined.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn write_tokens(self, tokens: u64, before: u16, places: &mut [u16; 64], first: &mut [u8; 64]) {
        let mut bytes = [0u8; 64];
        // SAFETY: there is room for the 64 bytes that are written, and no alignment is required.
        unsafe {
            _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0);
            _mm256_storeu_si256(bytes.as_mut_ptr().add(32).cast(), self.1);
        }
        let mut rest = tokens;
        for (place, first) in places.iter_mut().zip(first) {
            if rest == 0 {
                break;
            }
            let bit = rest.trailing_zeros() % 64;
            *place = before + bit as u16;
            *first = bytes[bit as usize];
            rest &= rest - 1;
        }
    }

    /// One bit for each byte that a table has at the index of its lower half.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn is_in(self, table: Self) -> u64 {
        let found = |half, table| _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), half);
        high_bits(found(self.0, table.0), found(self.1, table.1))
    }

    /// Repeats 16 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn table(bytes: &[u8; 16]) -> Self {
        // SAFETY: the 16 bytes that are read exist, and no alignment is required.
        let table = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        Self(
            _mm256_broadcastsi128_si256(table),
            _mm256_broadcastsi128_si256(table),
        )
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

    /// One bit for each byte that may follow a key, or begin what follows it.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn may_follow_key(self) -> u64 {
        self.below_space() | self.equal(b' ') | self.equal(b':') | self.equal(b'\\')
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

    /// Returns the brackets of 64 bytes. `in_string` is all ones if they begin inside a string, and afterwards if they end
    /// inside one.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    fn word(self, quotes: u64, in_string: &mut u64) -> Word {
        let strings = parities(quotes) ^ *in_string;
        *in_string = 0u64.wrapping_sub(strings >> 63);
        let braces = self.as_braces();
        Word {
            quotes,
            strings,
            open: braces.equal(b'{') & !strings,
            close: braces.equal(b'}') & !strings,
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

/// The sets of bytes at one position of a window, by their lower and their upper halves.
struct Lookup(__m256i, __m256i);

impl Lookup {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(table: &Table) -> Self {
        Self(Lanes::table(&table.low).0, Lanes::table(&table.high).0)
    }

    /// Returns the sets of each byte. Bytes above 0x7F are in none.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sets(&self, bytes: __m256i) -> __m256i {
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(0x0F));
        _mm256_and_si256(
            _mm256_shuffle_epi8(self.0, bytes),
            _mm256_shuffle_epi8(self.1, upper),
        )
    }
}
