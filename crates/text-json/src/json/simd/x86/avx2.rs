//! 64 bytes in two registers, with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_set_epi64x,
    _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_si256,
};

use super::block::{
    BLANKS, Carry, Escapes, OPERATORS, below, control, padded, quotes_of_string, wrong_escapes,
};
use super::wide::wide;
use crate::json::marks::{Ends, Innermost, QuoteLevel, backslashes_before};
use crate::json::simd::token_list::{Reading, TokenList, Word};
use crate::json::teddy::{Hits, REACH, SPAN, STEP, Table, Windows};

/// 64 bytes in two registers.
#[derive(Clone, Copy)]
struct Lanes256(__m256i, __m256i);

impl Lanes256 {
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
        let mask =
            |half| u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(half, wanted)).cast_unsigned());
        mask(self.0) | mask(self.1) << 32
    }

    /// One bit for each control character.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn below_space(self) -> u64 {
        let last = _mm256_set1_epi8(0x1F);
        let mask = |half| {
            let below = _mm256_cmpeq_epi8(_mm256_min_epu8(half, last), half);
            u64::from(_mm256_movemask_epi8(below).cast_unsigned())
        };
        mask(self.0) | mask(self.1) << 32
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
        let mask = |half, table| {
            let found = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), half);
            u64::from(_mm256_movemask_epi8(found).cast_unsigned())
        };
        mask(self.0, table.0) | mask(self.1, table.1) << 32
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
}

/// The sets of bytes at one position of a window, by their lower and their upper halves.
struct Lookup256(__m256i, __m256i);

impl Lookup256 {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(table: &Table) -> Self {
        Self(
            Lanes256::table(&table.low).0,
            Lanes256::table(&table.high).0,
        )
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

    /// Returns one bit for each byte that shares a set with the bytes at the other positions.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn all([(a, first), (b, second), (c, third)]: [(&Self, Lanes256); SPAN]) -> u64 {
        let none = |first, second, third| {
            let sets = _mm256_and_si256(
                _mm256_and_si256(a.sets(first), b.sets(second)),
                c.sets(third),
            );
            let none = _mm256_cmpeq_epi8(sets, _mm256_setzero_si256());
            u64::from(_mm256_movemask_epi8(none).cast_unsigned())
        };
        !(none(first.0, second.0, third.0) | none(first.1, second.1, third.1) << 32)
    }
}

wide!("avx2,pclmulqdq,bmi1,popcnt", Lanes256, Lookup256);
