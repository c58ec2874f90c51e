//! The ends of strings and containers, found 64 bytes at a time: the one module with unsafe code, for a processor's wide
//! instructions. Beside each function stands its plain twin, which tests hold it equal to, and which runs where the
//! processor has no such instructions.
//!
//! The arithmetic is that of simdjson (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", section 3.1).
#![allow(
    unsafe_code,
    reason = "wide loads, and calls of functions that need instructions found at run time"
)]

/// A function that is the wide one where the processor has what that needs, and else its plain twin.
macro_rules! widest {
    ($(#[$about:meta])* $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        $(#[$about])*
        #[inline]
        pub(super) fn $name($($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            if x86::is_available() {
                // SAFETY: the processor has the instructions that the function is compiled for.
                return unsafe { x86::$name($($argument),*) };
            }
            plain::$name($($argument),*)
        }
    };
}

widest! {
    /// Offset behind the string whose content begins at `from`, behind its opening quote.
    string_end(bytes: &[u8], from: usize) -> Option<usize>
}

widest! {
    /// Offset behind the string whose content goes on at `from`, if all of that is what a string may hold: no control
    /// character, and nothing behind a backslash but what is an escape.
    checked_string_end(bytes: &[u8], from: usize) -> Option<usize>
}

widest! {
    /// Offset behind the array or object whose content begins at `from`, behind its opening bracket. Kinds of brackets are
    /// not told apart: a mismatch is for the strict walker to report, and must not swallow what follows.
    container_end(bytes: &[u8], from: usize) -> Option<usize>
}

widest! {
    /// How many escapes there are: backslashes that do not stand behind one of their own.
    count_escapes(bytes: &[u8]) -> usize
}

/// One byte after the other.
mod plain {
    pub(super) fn checked_string_end(bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = match *bytes.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => crate::document::quick::escape(bytes, at)?,
                0..0x20 => return None,
                _ => at + 1,
            };
        }
    }

    pub(super) fn count_escapes(bytes: &[u8]) -> usize {
        let mut escapes = 0;
        let mut at = 0;
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
            escapes += 1;
            at += found + 2;
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
                // Outside strings, only broken text has one: there too, a quote behind it is no quote.
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
}

/// Which of 64 bytes stand behind an odd number of backslashes.
#[derive(Default)]
struct Escapes {
    /// Whether the first byte of the next 64 does: 1 or 0.
    carried: u64,
}

impl Escapes {
    #[inline]
    fn next(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        if backslashes == 0 {
            return std::mem::take(&mut self.carried);
        }
        let may_escape = backslashes & !self.carried;
        // Subtracting carries through each run of backslashes, to a bit that says whether its length is odd.
        let ends = ((may_escape << 1 | ODD).wrapping_sub(may_escape)) ^ ODD;
        let escaped = ends ^ (backslashes | self.carried);
        self.carried = (ends & backslashes) >> 63;
        escaped
    }
}

/// The 64 bytes from `at` on, zeros behind the end.
#[inline]
fn padded(bytes: &[u8], at: usize) -> [u8; 64] {
    let mut block = [0; 64];
    let rest = bytes.get(at..).unwrap_or_default();
    for (to, from) in block.iter_mut().zip(rest) {
        *to = *from;
    }
    block
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm256_cmpeq_epi8,
        _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8,
    };

    use super::{Escapes, padded};

    /// Whether the processor has all that the functions here are compiled for; looked up once.
    #[inline]
    pub(super) fn is_available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
    }

    /// 64 bytes in two registers.
    #[derive(Clone, Copy)]
    struct Block(__m256i, __m256i);

    impl Block {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn load(bytes: &[u8; 64]) -> Self {
            let (front, back) = bytes.split_at(32);
            // SAFETY: both halves have the 32 bytes that are read, and no alignment is asked for.
            unsafe {
                Self(
                    _mm256_loadu_si256(front.as_ptr().cast()),
                    _mm256_loadu_si256(back.as_ptr().cast()),
                )
            }
        }

        /// The 64 bytes from `at` on, zeros behind the end.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn at(bytes: &[u8], at: usize) -> Self {
            match bytes.get(at..).and_then(<[u8]>::first_chunk) {
                Some(whole) => Self::load(whole),
                None => Self::load(&padded(bytes, at)),
            }
        }

        /// One bit for each byte that is `wanted`.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn equal(self, wanted: u8) -> u64 {
            let wanted = _mm256_set1_epi8(wanted.cast_signed());
            let mask = |half| {
                u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(half, wanted)).cast_unsigned())
            };
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

        /// One bit for each character that most often stands behind a backslash: `"`, `\`, `n`, `/`, `t`, `r`.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn short_escapes(self) -> u64 {
            self.equal(b'"')
                | self.equal(b'\\')
                | self.equal(b'n')
                | self.equal(b'/')
                | self.equal(b't')
                | self.equal(b'r')
        }

        /// With the bit set that is all the difference between square brackets and braces.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn as_braces(self) -> Self {
            let bit = _mm256_set1_epi8(0x20);
            Self(_mm256_or_si256(self.0, bit), _mm256_or_si256(self.1, bit))
        }
    }

    /// For each bit the parity of it and all below: what stands between quotes.
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn parities(bits: u64) -> u64 {
        let product =
            _mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, bits.cast_signed()), _mm_set_epi64x(0, -1));
        _mm_cvtsi128_si64(product).cast_unsigned()
    }

    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    pub(super) fn count_escapes(bytes: &[u8]) -> usize {
        let mut escapes = Escapes::default();
        let mut count = 0;
        let mut at = 0;
        while at < bytes.len() {
            let block = Block::at(bytes, at);
            let backslashes = block.equal(b'\\');
            count += (backslashes & !escapes.next(backslashes)).count_ones() as usize;
            at += 64;
        }
        count
    }

    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    pub(super) fn checked_string_end(bytes: &[u8], from: usize) -> Option<usize> {
        let mut escapes = Escapes::default();
        let mut at = from;
        while at < bytes.len() {
            // Zeros behind the end would be control characters.
            let Some(whole) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
                let start = at - usize::from(escapes.carried == 1);
                return super::plain::checked_string_end(bytes, start);
            };
            let block = Block::load(whole);
            let behind_backslash = escapes.next(block.equal(b'\\'));
            let quotes = block.equal(b'"') & !behind_backslash;
            // What stands behind the end is somebody else's.
            let end = quotes.trailing_zeros();
            let inside = if end == 64 { u64::MAX } else { (1u64 << end) - 1 };
            if block.below_space() & inside != 0 {
                return None;
            }
            let mut others = behind_backslash & inside & !block.short_escapes();
            while others != 0 {
                let character = at + others.trailing_zeros() as usize;
                crate::document::quick::escape(bytes, character - 1)?;
                others &= others - 1;
            }
            if quotes != 0 {
                return Some(at + end as usize + 1);
            }
            at += 64;
        }
        None
    }

    #[target_feature(enable = "avx2,pclmulqdq,bmi1,popcnt")]
    pub(super) fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
        let mut escapes = Escapes::default();
        let mut at = from;
        while at < bytes.len() {
            let block = Block::at(bytes, at);
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
        let mut escapes = Escapes::default();
        // All ones inside a string.
        let mut in_string = 0u64;
        let mut depth = 1usize;
        let mut at = from;
        while at < bytes.len() {
            let block = Block::at(bytes, at);
            let quotes = block.equal(b'"') & !escapes.next(block.equal(b'\\'));
            let strings = parities(quotes) ^ in_string;
            in_string = 0u64.wrapping_sub(strings >> 63);
            let braces = block.as_braces();
            let closing = braces.equal(b'}') & !strings;
            let opening = braces.equal(b'{') & !strings;
            let closed = closing.count_ones() as usize;
            if closed >= depth
                && let Some(end) = level_end(opening, closing, depth)
            {
                return Some(at + end);
            }
            depth = depth + opening.count_ones() as usize - closed;
            at += 64;
        }
        None
    }

    /// The offset behind the bracket, among those of 64 bytes, that closes the outermost of `depth` levels.
    #[inline]
    #[target_feature(enable = "bmi1,popcnt")]
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Brackets, quotes and runs of backslashes over several blocks of 64 bytes.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(
            &[
                "{",
                "}",
                "[",
                "]",
                "\"",
                "\\",
                "\\\\",
                "\\\"",
                "\"a\"",
                "abcdefghijklmnop",
                ",",
                "\"\\\\\\\"}{\"",
                "{\"k\":[1,2]}",
                "\n",
                "é",
            ][..],
        );
        prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn wide_and_plain_find_the_same_ends(text in text(), from in 0usize..70) {
            let text = [text.as_slice(), b"}"].concat();
            let from = from.min(text.len());
            prop_assert_eq!(string_end(&text, from), plain::string_end(&text, from));
            prop_assert_eq!(container_end(&text, from), plain::container_end(&text, from));
            prop_assert_eq!(count_escapes(&text), plain::count_escapes(&text));
            prop_assert_eq!(checked_string_end(&text, from), plain::checked_string_end(&text, from));
        }
    }
}
