//! A text for fast comparisons, eight bytes at a time: most texts are short, and the first eight bytes mostly decide.

/// A text that other texts are tested to begin with.
#[derive(Debug)]
pub struct Literal {
    bytes: Box<[u8]>,
    /// The first eight bytes or fewer, and the mask of those that exist.
    first: u64,
    mask: u64,
    /// The last eight bytes, if there are as many.
    last: u64,
}

impl Literal {
    /// Creates the literal of a text.
    pub fn new(bytes: &[u8]) -> Self {
        let unused = 8usize.saturating_sub(bytes.len()) * 8;
        let mask = u64::MAX
            .checked_shr(u32::try_from(unused).unwrap_or(u32::MAX))
            .unwrap_or(0);
        let last = bytes
            .last_chunk()
            .map_or(0, |last| u64::from_le_bytes(*last));
        Self {
            first: first_eight(bytes),
            mask,
            last,
            bytes: bytes.into(),
        }
    }

    /// Creates the literal of a name with a quote before it.
    pub fn in_quote(name: &[u8]) -> Self {
        Self::new(&[b"\"", name].concat())
    }

    /// Whether a text begins with it.
    #[inline]
    pub fn begins(&self, text: &[u8]) -> bool {
        let Some(text) = text.get(..self.bytes.len().max(8)) else {
            return text.starts_with(&self.bytes);
        };
        if first_eight(text) & self.mask != self.first {
            return false;
        }
        match self.bytes.len() {
            0..=8 => true,
            9..=16 => text
                .last_chunk()
                .is_some_and(|last| u64::from_le_bytes(*last) == self.last),
            _ => text == &*self.bytes,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its length in bytes.
    #[allow(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Returns the first eight bytes as a little-endian word, padded with zeros.
#[inline]
fn first_eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_le_bytes(*first),
        None => bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_literal_begins_what_begins_with_its_bytes(
            bytes in prop::collection::vec(0u8..3, 0..20),
            text in prop::collection::vec(0u8..3, 0..24),
            shares in 0usize..24,
        ) {
            let shared = &bytes[..shares.min(bytes.len())];
            for text in [&text[..], &[shared, &text].concat()] {
                prop_assert_eq!(Literal::new(&bytes).begins(text), text.starts_with(&bytes), "{:?}", text);
            }
        }
    }
}
