//! 64 bytes in one register, with AVX-512.

use std::arch::x86_64::{
    __m512i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_set_epi64x,
    _mm512_add_epi16, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_castsi512_si256,
    _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi16,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_maskz_compress_epi8, _mm512_movepi8_mask,
    _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_shuffle_epi8, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use super::block::{
    BLANKS, Carry, Escapes, NUMBERS, OPERATORS, below, control, padded, quotes_of_string,
    wrong_escapes,
};
use super::wide::wide;
use crate::json::marks::{Ends, Innermost, QuoteLevel, backslashes_before};
use crate::json::simd::token_list::{Reading, TokenList, Word};
use crate::json::teddy::{Hits, REACH, SPAN, STEP, Table, Windows};

/// 64 bytes in one register.
#[derive(Clone, Copy)]
struct Lanes512(__m512i);

impl Lanes512 {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(bytes: &[u8; 64]) -> Self {
        // SAFETY: the 64 bytes that are read exist, and no alignment is required.
        unsafe { Self(_mm512_loadu_si512(bytes.as_ptr().cast())) }
    }

    /// One bit for each byte that is `wanted`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn equal(self, wanted: u8) -> u64 {
        _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(wanted.cast_signed()))
    }

    /// One bit for each control character.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn below_space(self) -> u64 {
        _mm512_cmplt_epu8_mask(self.0, _mm512_set1_epi8(0x20))
    }

    /// Sets the bit that distinguishes braces from square brackets.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn as_braces(self) -> Self {
        Self(_mm512_or_si512(self.0, _mm512_set1_epi8(0x20)))
    }

    /// Writes the bytes to keep, all among the first `count`, without gaps. Bytes after them are undefined.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn compress(bytes: &[u8; 64], kept: u64, _count: usize, room: &mut [u8; 64]) {
        // SAFETY: there is room for the 64 bytes that are written, and no alignment is required.
        unsafe {
            let bytes = _mm512_maskz_compress_epi8(kept, Self::load(bytes).0);
            _mm512_storeu_si512(room.as_mut_ptr().cast(), bytes);
        }
    }

    /// Writes the offsets of tokens, counted from `before` bytes before the block, and their first bytes. Bytes after them are
    /// undefined.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn write_tokens(self, tokens: u64, before: u16, places: &mut [u16; 64], first: &mut [u8; 64]) {
        let before = _mm512_set1_epi16(before.cast_signed());
        // SAFETY: there is room for the 64 bytes and the twice 32 offsets that are written, and no alignment is required.
        unsafe {
            let bytes = _mm512_maskz_compress_epi8(tokens, self.0);
            _mm512_storeu_si512(first.as_mut_ptr().cast(), bytes);
            let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
            let numbers = _mm512_maskz_compress_epi8(tokens, numbers);
            let front = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(numbers));
            let back = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(numbers));
            _mm512_storeu_si512(places.as_mut_ptr().cast(), _mm512_add_epi16(front, before));
            let behind = places.as_mut_ptr().add(32).cast();
            _mm512_storeu_si512(behind, _mm512_add_epi16(back, before));
        }
    }

    /// One bit for each byte that a table has at the index of its lower half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn is_in(self, table: Self) -> u64 {
        _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(table.0, self.0), self.0)
    }

    /// Repeats 16 bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn table(bytes: &[u8; 16]) -> Self {
        // SAFETY: the 16 bytes that are read exist, and no alignment is required.
        let table = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        Self(_mm512_broadcast_i32x4(table))
    }
}

/// The sets of bytes at one position of a window: of the first and the second 64 ASCII characters.
struct Lookup512(__m512i, __m512i);

impl Lookup512 {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of(table: &Table) -> Self {
        let (front, back) = table.ascii.split_at(64);
        // SAFETY: both halves have the 64 bytes that are read, and no alignment is required.
        unsafe {
            Self(
                _mm512_loadu_si512(front.as_ptr().cast()),
                _mm512_loadu_si512(back.as_ptr().cast()),
            )
        }
    }

    /// Returns the sets of each byte; undefined for bytes above 0x7F.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn sets(&self, bytes: Lanes512) -> __m512i {
        _mm512_permutex2var_epi8(self.0, bytes.0, self.1)
    }

    /// Returns one bit for each byte that shares a set with the bytes at the other positions. Bytes above 0x7F are in none.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn all([(a, first), (b, second), (c, third)]: [(&Self, Lanes512); SPAN]) -> u64 {
        let any = _mm512_or_si512(_mm512_or_si512(first.0, second.0), third.0);
        let sets = _mm512_and_si512(a.sets(first), b.sets(second));
        let both = _mm512_test_epi8_mask(sets, c.sets(third));
        both & !_mm512_movepi8_mask(any)
    }
}

wide!(
    "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,pclmulqdq,bmi1,popcnt",
    Lanes512,
    Lookup512
);
