//! The tokens of a stretch of text, and the marks of 64 bytes.

/// The position up to which tokens have been listed, and the state there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::json) struct Reading {
    /// Offset of the next byte.
    pub at: usize,
    /// Whether a backslash escapes that byte: 1 or 0.
    pub escaped: u64,
    /// All ones inside a string.
    pub in_string: u64,
    /// Whether the last byte was part of a number, a literal, or something in their place: 1 or 0.
    pub scalar: u64,
}

impl Reading {
    /// Creates the state at `start`, which is not inside a string.
    pub(in crate::json) fn from(start: usize) -> Self {
        Self {
            at: start,
            ..Self::default()
        }
    }

    /// Whether there is more to read in a text.
    #[inline]
    pub(in crate::json) fn is_within(&self, text: &[u8]) -> bool {
        self.at < text.len()
    }
}

/// The number of 64-byte words in a stretch, at most and in the first one: most values are either large or very small.
const WORDS: u16 = 4;
const FIRST_WORDS: u16 = 2;

/// The capacity for the tokens of a stretch, and for the undefined bytes that are written after the last one.
const TOKEN_CAPACITY: usize = 64 * (WORDS as usize + 1);

/// The tokens of a stretch of text.
#[derive(Debug)]
pub(in crate::json) struct TokenList {
    /// Their offsets from `start`.
    pub places: [u16; TOKEN_CAPACITY],
    /// Their first bytes, and 0 after the last.
    pub first: [u8; TOKEN_CAPACITY],
    pub count: usize,
    /// Offset of the stretch.
    pub(in crate::json) start: usize,
    /// The 64-byte words that contain a backslash, one bit each.
    pub(in crate::json) with_backslash: u64,
    /// The number of 64-byte words that the stretch may have.
    pub words: u16,
}

impl Default for TokenList {
    fn default() -> Self {
        let places = [0; TOKEN_CAPACITY];
        let first = [0; TOKEN_CAPACITY];
        Self {
            places,
            first,
            count: 0,
            start: 0,
            with_backslash: 0,
            words: FIRST_WORDS / 2,
        }
    }
}

impl TokenList {
    /// The number of tokens.
    #[inline]
    pub(in crate::json) fn len(&self) -> usize {
        self.count
    }

    /// The first byte of a token; 0 after the last.
    #[inline]
    pub(in crate::json) fn first(&self, number: usize) -> u8 {
        self.first.get(number).copied().unwrap_or_default()
    }

    /// Whether the tokens from this number on begin with these bytes. No byte may be 0, which fills the list at its end.
    #[inline]
    pub(in crate::json) fn begins<const COUNT: usize>(
        &self,
        number: usize,
        with: [u8; COUNT],
    ) -> bool {
        self.first.get(number..).and_then(<[u8]>::first_chunk) == Some(&with)
    }

    /// The offset of a token.
    #[inline]
    pub(in crate::json) fn at(&self, number: usize) -> usize {
        self.start + usize::from(self.places.get(number).copied().unwrap_or_default())
    }

    /// Begins a stretch, and returns the number of 64-byte words that it may have, which grows from one stretch to the next.
    pub(super) fn begin(&mut self, start: usize) -> u16 {
        (self.start, self.count, self.with_backslash) = (start, 0, 0);
        self.words = WORDS.min(2 * self.words);
        self.words
    }

    /// Ends the list. Bytes after the end are undefined.
    pub(super) fn end(&mut self) {
        if let Some(behind) = self.first.get_mut(self.count) {
            *behind = 0;
        }
    }

    /// Room for 64 more tokens.
    #[inline]
    pub(super) fn room(&mut self) -> Option<(&mut [u16; 64], &mut [u8; 64])> {
        let places = self
            .places
            .get_mut(self.count..)
            .and_then(<[u16]>::first_chunk_mut);
        let first = self
            .first
            .get_mut(self.count..)
            .and_then(<[u8]>::first_chunk_mut);
        debug_assert!(
            first.is_some() && places.is_some(),
            "a stretch has more tokens than bytes"
        );
        Some((places?, first?))
    }
}

/// The marks among 64 bytes, one bit each, the first byte in the lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::json) struct Word {
    /// The quotes that begin or end a string.
    pub(in crate::json) quotes: u64,
    /// The opening brackets of both kinds outside strings.
    pub(in crate::json) open: u64,
    /// The closing brackets of both kinds outside strings.
    pub(in crate::json) close: u64,
    /// The colons outside strings.
    pub(in crate::json) colon: u64,
}
