//! Quotes, brackets and the ends of what they enclose, found 64 bytes at a time: the one module with unsafe code, for a
//! processor's wide instructions. Beside each function stands its plain twin, which tests hold it equal to, and which runs
//! where the processor has no such instructions.
//!
//! The arithmetic is that of simdjson (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", section 3.1).
#![allow(
    unsafe_code,
    reason = "wide loads, and calls of functions that need instructions found at run time"
)]

use std::sync::OnceLock;

/// A function that is the wide one where the processor has what that needs, and else its plain twin.
macro_rules! widest {
    ($(#[$about:meta])* $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        $(#[$about])*
        #[inline]
        pub(super) fn $name($($argument: $type),*) -> $result {
            match instructions() {
                // SAFETY: the processor has the instructions that the function is compiled for.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512::$name($($argument),*) },
                // SAFETY: the same.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2::$name($($argument),*) },
                Instructions::Plain => plain::$name($($argument),*),
            }
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

widest! {
    /// Writes down where the quotes and brackets of a document stand, a word for 64 bytes.
    marks_of_document(bytes: &[u8], words: &mut Vec<Word>) -> Marks
}

widest! {
    /// The same of a document that stands as the content of a string: its quotes have a backslash before them.
    marks_of_string(bytes: &[u8], words: &mut Vec<Word>) -> Marks
}

widest! {
    /// Offset behind the array or object whose opening bracket stands at `open`, by marks that have been written down.
    marked_end(words: &[Word], open: usize) -> Option<usize>
}

widest! {
    /// Offset of the innermost bracket that is open at `at`, by marks that have been written down.
    marked_around(words: &[Word], at: usize) -> Option<usize>
}

/// Which of 64 bytes are what, one bit each, the first in the lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Quotes that begin or end a string.
    pub(super) quotes: u64,
    /// Opening brackets of either kind, outside strings.
    pub(super) open: u64,
    /// Closing ones.
    pub(super) close: u64,
    /// Quotes behind which a key may end, in the document or in one that stands in a string of it: what follows is a colon,
    /// white space, or a backslash that may be that of white space.
    pub(super) key_ends: u64,
}

/// What a text has beside quotes and brackets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Whether `u0` stands behind a backslash somewhere, which may be the second of two: that is an escape spelled by one.
    pub(super) has_low_escape: bool,
    /// Whether its last string has no end.
    pub(super) ends_in_string: bool,
}

/// What the processor can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Plain,
}

/// What the processor can do; looked up once.
#[inline]
fn instructions() -> Instructions {
    static FOUND: OnceLock<Instructions> = OnceLock::new();
    *FOUND.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                return Instructions::Avx512;
            }
            return Instructions::Avx2;
        }
        Instructions::Plain
    })
}

/// One byte after the other.
mod plain {
    use super::{Marks, Word};

    pub(super) fn marks_of_document(bytes: &[u8], words: &mut Vec<Word>) -> Marks {
        let mut marks = Marks::default();
        let mut backslashes = 0usize;
        words.clear();
        for chunk in bytes.chunks(64) {
            let mut word = Word::default();
            for (at, &byte) in chunk.iter().enumerate() {
                let before = std::mem::take(&mut backslashes);
                if byte == b'"' && ends_key(bytes.get(64 * words.len() + at + 1)) {
                    word.key_ends |= 1 << at;
                }
                match byte {
                    b'\\' => backslashes = before + 1,
                    b'u' if before > 0 && bytes.get(64 * words.len() + at + 1) == Some(&b'0') => {
                        marks.has_low_escape = true;
                    }
                    b'"' if before.is_multiple_of(2) => {
                        marks.ends_in_string = !marks.ends_in_string;
                        word.quotes |= 1 << at;
                    }
                    _ => word.mark_bracket(byte, at, marks.ends_in_string),
                }
            }
            words.push(word);
        }
        marks
    }

    pub(super) fn marks_of_string(bytes: &[u8], words: &mut Vec<Word>) -> Marks {
        let mut marks = Marks::default();
        let mut backslashes = 0usize;
        words.clear();
        for chunk in bytes.chunks(64) {
            let mut word = Word::default();
            for (at, &byte) in chunk.iter().enumerate() {
                let before = std::mem::take(&mut backslashes);
                match byte {
                    b'\\' => backslashes = before + 1,
                    b'u' if before > 0 && bytes.get(64 * words.len() + at + 1) == Some(&b'0') => {
                        marks.has_low_escape = true;
                    }
                    // Of an odd number of backslashes the last belongs to the quote; the others are, in pairs, the
                    // document's.
                    b'"' if before % 4 == 1 => {
                        marks.ends_in_string = !marks.ends_in_string;
                        word.quotes |= 1 << at;
                    }
                    _ => word.mark_bracket(byte, at, marks.ends_in_string),
                }
            }
            words.push(word);
        }
        marks
    }

    /// Whether what follows a quote may follow a key. Behind the end nothing does.
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

    pub(super) fn marked_around(words: &[Word], at: usize) -> Option<usize> {
        let mut closed = 0usize;
        for at in (0..at).rev() {
            let word = words.get(at / 64)?;
            if word.close >> (at % 64) & 1 == 1 {
                closed += 1;
            } else if word.open >> (at % 64) & 1 == 1 {
                if closed == 0 {
                    return Some(at);
                }
                closed -= 1;
            }
        }
        None
    }

    pub(super) fn marked_end(words: &[Word], open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..64 * words.len() {
            let word = words.get(at / 64)?;
            if word.open >> (at % 64) & 1 == 1 {
                depth += 1;
            } else if word.close >> (at % 64) & 1 == 1 {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
        }
        None
    }

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

/// Of the quotes among the 64 bytes at `at` that stand behind a backslash, those that are quotes of the document that stands
/// as the content of a string: behind one backslash and an even number of the document's own.
fn quotes_of_string(bytes: &[u8], at: usize, candidates: u64) -> u64 {
    let mut rest = candidates;
    let mut quotes = 0;
    while rest != 0 {
        let quote = at + rest.trailing_zeros() as usize;
        let before = bytes.get(..quote).unwrap_or_default();
        let run = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
        quotes |= u64::from(run % 4 == 1) << (quote - at);
        rest &= rest - 1;
    }
    quotes
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

/// All functions for one kind of register, which the module it stands in defines as `Block`.
#[cfg(target_arch = "x86_64")]
macro_rules! wide {
    ($features:literal) => {
        impl Block {
            /// The 64 bytes from `at` on, zeros behind the end.
            #[inline]
            #[target_feature(enable = $features)]
            fn at(bytes: &[u8], at: usize) -> Self {
                match bytes.get(at..).and_then(<[u8]>::first_chunk) {
                    Some(whole) => Self::load(whole),
                    None => Self::load(&padded(bytes, at)),
                }
            }

            /// One bit for each character that may follow a key, or be the beginning of what does.
            #[inline]
            #[target_feature(enable = $features)]
            fn may_follow_key(self) -> u64 {
                self.below_space() | self.equal(b' ') | self.equal(b':') | self.equal(b'\\')
            }

            /// One bit for each character that most often stands behind a backslash: `"`, `\`, `n`, `/`, `t`, `r`.
            #[inline]
            #[target_feature(enable = $features)]
            fn short_escapes(self) -> u64 {
                self.equal(b'"')
                    | self.equal(b'\\')
                    | self.equal(b'n')
                    | self.equal(b'/')
                    | self.equal(b't')
                    | self.equal(b'r')
            }
        }

        /// For each bit the parity of it and all below: what stands between quotes.
        #[inline]
        #[target_feature(enable = $features)]
        fn parities(bits: u64) -> u64 {
            let product = _mm_clmulepi64_si128::<0>(
                _mm_set_epi64x(0, bits.cast_signed()),
                _mm_set_epi64x(0, -1),
            );
            _mm_cvtsi128_si64(product).cast_unsigned()
        }

        #[target_feature(enable = $features)]
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

        #[target_feature(enable = $features)]
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

        #[target_feature(enable = $features)]
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

        #[target_feature(enable = $features)]
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
        #[target_feature(enable = $features)]
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

        #[target_feature(enable = $features)]
        pub(super) fn marks_of_document(bytes: &[u8], words: &mut Vec<Word>) -> Marks {
            let mut escapes = Escapes::default();
            let mut in_string = 0u64;
            let mut unicode = 0u64;
            // Whether the last byte was a backslash: 1 or 0.
            let mut carried = 0u64;
            words.clear();
            words.reserve(bytes.len() / 64 + 1);
            let mut at = 0;
            while at < bytes.len() {
                let block = Block::at(bytes, at);
                let backslashes = block.equal(b'\\');
                let behind = backslashes << 1 | carried;
                carried = backslashes >> 63;
                let next = Block::at(bytes, at + 1);
                if behind != 0 {
                    unicode |= behind & block.equal(b'u') & next.equal(b'0');
                }
                let all_quotes = block.equal(b'"');
                let key_ends = all_quotes & next.may_follow_key();
                let quotes = all_quotes & !escapes.next(backslashes);
                words.push(Word { key_ends, ..block.word(quotes, &mut in_string) });
                at += 64;
            }
            if let Some(last) = words.last_mut() {
                // Nothing follows the last byte.
                last.key_ends &= !(1 << ((bytes.len() + 63) % 64));
            }
            Marks { has_low_escape: unicode != 0, ends_in_string: in_string != 0 }
        }

        #[target_feature(enable = $features)]
        pub(super) fn marks_of_string(bytes: &[u8], words: &mut Vec<Word>) -> Marks {
            let mut in_string = 0u64;
            let mut unicode = 0u64;
            // Whether the last byte was a backslash: 1 or 0.
            let mut carried = 0u64;
            words.clear();
            words.reserve(bytes.len() / 64 + 1);
            let mut at = 0;
            while at < bytes.len() {
                let block = Block::at(bytes, at);
                let backslashes = block.equal(b'\\');
                let behind = backslashes << 1 | carried;
                let mut quotes = block.equal(b'"') & behind;
                // Two in a row, or a row that began in the bytes before.
                if behind & backslashes | quotes & carried != 0 {
                    quotes = super::quotes_of_string(bytes, at, quotes);
                }
                if behind != 0 {
                    unicode |= behind & block.equal(b'u') & Block::at(bytes, at + 1).equal(b'0');
                }
                carried = backslashes >> 63;
                words.push(block.word(quotes, &mut in_string));
                at += 64;
            }
            Marks { has_low_escape: unicode != 0, ends_in_string: in_string != 0 }
        }

        #[target_feature(enable = $features)]
        pub(super) fn marked_around(words: &[Word], at: usize) -> Option<usize> {
            let mut number = at / 64;
            let mut below = (1u64 << (at % 64)) - 1;
            // How many have been closed behind that are still to be opened.
            let mut closed = 0usize;
            loop {
                let word = if below == 0 { Word::default() } else { *words.get(number)? };
                let mut opening = word.open & below;
                let mut closing = word.close & below;
                while opening != 0 {
                    let last = opening.ilog2();
                    let behind = (closing >> last).count_ones() as usize;
                    if closed + behind == 0 {
                        return Some(64 * number + last as usize);
                    }
                    closed = closed + behind - 1;
                    let before = (1u64 << last) - 1;
                    opening &= before;
                    closing &= before;
                }
                closed += closing.count_ones() as usize;
                number = number.checked_sub(1)?;
                below = u64::MAX;
            }
        }

        #[target_feature(enable = $features)]
        pub(super) fn marked_end(words: &[Word], open: usize) -> Option<usize> {
            let first = open / 64;
            let mut from_here = u64::MAX << (open % 64);
            let mut depth = 0usize;
            for (number, word) in (first..).zip(words.get(first..)?) {
                let opening = word.open & from_here;
                let closing = word.close & from_here;
                let closed = closing.count_ones() as usize;
                if closed > 0
                    && closed >= depth
                    && let Some(end) = level_end(opening, closing, depth)
                {
                    return Some(64 * number + end);
                }
                depth = (depth + opening.count_ones() as usize).checked_sub(closed)?;
                from_here = u64::MAX;
            }
            None
        }

        impl Block {
            /// Quotes and brackets of 64 bytes; `in_string` is all ones where they begin inside a string, and then where they
            /// end inside one.
            #[inline]
            #[target_feature(enable = $features)]
            fn word(self, quotes: u64, in_string: &mut u64) -> Word {
                let strings = parities(quotes) ^ *in_string;
                *in_string = 0u64.wrapping_sub(strings >> 63);
                let braces = self.as_braces();
                Word {
                    quotes,
                    open: braces.equal(b'{') & !strings,
                    close: braces.equal(b'}') & !strings,
                    key_ends: 0,
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm256_cmpeq_epi8,
        _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8,
    };

    use super::{Escapes, Marks, Word, padded};

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

        /// With the bit set that is all the difference between square brackets and braces.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn as_braces(self) -> Self {
            let bit = _mm256_set1_epi8(0x20);
            Self(_mm256_or_si256(self.0, bit), _mm256_or_si256(self.1, bit))
        }
    }

    wide!("avx2,pclmulqdq,bmi1,popcnt");
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm512_cmpeq_epi8_mask,
        _mm512_cmplt_epu8_mask, _mm512_loadu_si512, _mm512_or_si512, _mm512_set1_epi8,
    };

    use super::{Escapes, Marks, Word, padded};

    /// 64 bytes in one register.
    #[derive(Clone, Copy)]
    struct Block(__m512i);

    impl Block {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn load(bytes: &[u8; 64]) -> Self {
            // SAFETY: the 64 bytes that are read are there, and no alignment is asked for.
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

        /// With the bit set that is all the difference between square brackets and braces.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn as_braces(self) -> Self {
            Self(_mm512_or_si512(self.0, _mm512_set1_epi8(0x20)))
        }
    }

    wide!("avx512f,avx512bw,avx2,pclmulqdq,bmi1,popcnt");
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
                "\"a\":",
                "\\\"a\\\" :",
                "abcdefghijklmnop",
                ",",
                "\"\\\\\\\"}{\"",
                "{\"k\":[1,2]}",
                "\n",
                "\\u0061",
                "é",
            ][..],
        );
        prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat().into_bytes())
    }

    /// Calls a function with every kind of instructions that the processor has, and holds the results equal.
    macro_rules! with_all {
        ($name:ident($($argument:expr),*)) => {{
            let expected = plain::$name($($argument),*);
            #[cfg(target_arch = "x86_64")]
            if instructions() != Instructions::Plain {
                // SAFETY: the processor has these instructions.
                prop_assert_eq!(unsafe { avx2::$name($($argument),*) }, expected);
            }
            #[cfg(target_arch = "x86_64")]
            if instructions() == Instructions::Avx512 {
                // SAFETY: the processor has these instructions.
                prop_assert_eq!(unsafe { avx512::$name($($argument),*) }, expected);
            }
            prop_assert_eq!($name($($argument),*), expected);
        }};
    }

    type Survey = fn(&[u8], &mut Vec<Word>) -> Marks;

    /// What is written down, and what is told beside it.
    fn survey(text: &[u8], by: Survey) -> (Marks, Vec<Word>) {
        let mut words = vec![Word { quotes: 7, open: 7, close: 7, key_ends: 7 }];
        let marks = by(text, &mut words);
        (marks, words)
    }

    /// Every function that does the same, the plain one first.
    fn surveys(of: [Survey; 2], wide: &[Survey]) -> Vec<Survey> {
        of.into_iter().chain(wide.iter().copied()).collect()
    }

    fn all_surveys() -> [Vec<Survey>; 2] {
        let mut wide: [Vec<Survey>; 2] = [Vec::new(), Vec::new()];
        #[cfg(target_arch = "x86_64")]
        {
            if instructions() != Instructions::Plain {
                // SAFETY: the processor has these instructions.
                wide[0].push(|text, words| unsafe { avx2::marks_of_document(text, words) });
                // SAFETY: the same.
                wide[1].push(|text, words| unsafe { avx2::marks_of_string(text, words) });
            }
            if instructions() == Instructions::Avx512 {
                // SAFETY: the same.
                wide[0].push(|text, words| unsafe { avx512::marks_of_document(text, words) });
                // SAFETY: the same.
                wide[1].push(|text, words| unsafe { avx512::marks_of_string(text, words) });
            }
        }
        [
            surveys([plain::marks_of_document, marks_of_document], &wide[0]),
            surveys([plain::marks_of_string, marks_of_string], &wide[1]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn wide_and_plain_find_the_same_ends(text in text(), from in 0usize..70) {
            let text = [text.as_slice(), b"}"].concat();
            let from = from.min(text.len());
            with_all!(string_end(&text, from));
            with_all!(container_end(&text, from));
            with_all!(count_escapes(&text));
            with_all!(checked_string_end(&text, from));
        }

        #[test]
        fn wide_and_plain_write_down_the_same_marks(text in text()) {
            for ways in all_surveys() {
                let expected = survey(&text, ways[0]);
                for way in &ways[1..] {
                    prop_assert_eq!(&survey(&text, *way), &expected);
                }
                let (_, words) = expected;
                for open in (0..text.len()).filter(|at| words[at / 64].open >> (at % 64) & 1 == 1) {
                    with_all!(marked_end(&words, open));
                }
                for at in 0..text.len() {
                    with_all!(marked_around(&words, at));
                }
            }
        }
    }
}
